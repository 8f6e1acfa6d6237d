"""pimem's own settings (`config.toml`) and the person's answers about trust.

The settings of a memory system belong to its folder; how settings are shown, to the fronts.
"""
