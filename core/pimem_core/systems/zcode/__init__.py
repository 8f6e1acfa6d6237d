"""ZCode's project memory, which the pi-zcode-memory extension shares, and Claude Code's folders."""
