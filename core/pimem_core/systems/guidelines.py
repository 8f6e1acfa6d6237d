"""What belongs into which memory, as help where somebody is about to add something."""

from __future__ import annotations

SCOPE = """Useful in other projects too, and bound to you: global memory.
Bound to this code, its data and decisions: workspace memory.
Not sure: begin in the workspace, promote it once it proves useful elsewhere."""

FILES = {
    "decisions.md": "architecture, tooling, interface contracts",
    "patterns.md": "ways of doing things that come back",
    "lessons.md": "bugs and failures worth remembering",
    "bugs.md": "what is known and not solved yet",
    "preferences.md": "your own style, tools and habits",
}

DISTILL = """Keep only what you should know next time: one good entry beats ten raw ones.
No code details, git has them. Never a token, password or key."""


def help_text() -> str:
    """All of it, for the help of a command."""
    files = "\n".join(f"  {name}: {text}" for name, text in FILES.items())
    return f"{SCOPE}\n\n{files}\n\n{DISTILL}"
