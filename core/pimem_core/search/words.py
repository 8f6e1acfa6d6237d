"""Words that say little about what is sought, in questions as people ask them."""

from __future__ import annotations

_SAID = """
a about after again all also am an and any are aren as at be because been before being both
but by can cannot could did didn do does doesn doing don done each else ever every few for
from get gets getting got had hadn has hasn have haven having he her here hers him his how i
if in into is isn it its itself just kind let ll made many may me might mine more most much
must my myself no nor not of on only onto or other our ours out over own per please really
remember same say said shall she should shouldn since so some something soon still such t tell
than that the their theirs them then there these they this those through to too under until up
upon us ve very was wasn we were weren what whats when where which while who whom whose why
will with within without won would wouldn yes yet you your yours yourself d m s
"""
COMMON = frozenset(_SAID.split())
