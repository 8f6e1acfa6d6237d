"""What the text of memory files means: front matter, JSON, Markdown, links, merging, text rules.

Everything here takes and gives text or bytes. Opening files belongs to `files`; what one memory
system means by a format belongs to its folder.
"""
