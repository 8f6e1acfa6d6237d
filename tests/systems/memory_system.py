"""A tiny memory system that lives in this process only, to prove what a new system needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

