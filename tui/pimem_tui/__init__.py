"""The full-screen manager, built on Textual. It knows the core only through its protocols."""
