"""The memory systems, one folder each; `base` says what they all offer, `registry` lists them."""
