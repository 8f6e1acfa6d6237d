"""The core of pimem: everything but the screen.

It imports neither Textual nor Rich. Paths are `str` and values are `Value` classes, because
`pathlib` and `dataclasses` together cost more start-up time than a whole hook call may take.
"""

__version__ = "0.2.0"
