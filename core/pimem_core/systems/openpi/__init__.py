"""openpi: one folder of Markdown topics under an index, shared with openpi-memory for pi and
openclaude-memory for OpenCode.
"""
