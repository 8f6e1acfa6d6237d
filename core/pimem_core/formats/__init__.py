"""What the bytes of memory files mean: front matter, JSON, links, text rules. It opens no file."""
