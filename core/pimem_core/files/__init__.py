"""The disk: safe reading, durable publishing, locks, processes, watching, git.

What the bytes mean belongs to `formats`; changes of several files, and undoing them, to `history`.
"""
