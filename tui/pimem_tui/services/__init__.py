"""What the app does for every screen: changes, drafts, clipboard, notices, themes."""
