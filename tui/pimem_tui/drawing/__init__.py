"""Laying text out in terminal cells: Markdown, links, wrapping."""
