"""pimem's own settings, and what the person allowed. The systems' settings are in their folders."""
