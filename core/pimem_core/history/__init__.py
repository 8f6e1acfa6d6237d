"""Changes as whole steps, and what is kept of them: intents, recovery, undo journal, drafts.

It knows folders, files and records, no memory system: what a change means belongs to the systems.
"""
