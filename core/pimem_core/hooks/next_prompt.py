"""What a model is given on a prompt, worked out without changing anything."""

from __future__ import annotations

from ..errors import PimemError, StorageError
from ..settings.config import load_settings
from ..systems import registry
from ..systems.hosting import HookContext, SessionInfo
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..paths import Places
    from ..systems.hosting import Part


class Given(Value):
    """What one system gives, and what it cannot give because of an error."""

    system: str
    parts: Sequence[Part] = ()
    errors: Sequence[PimemError] = ()


def given(
    places: Places, *, turn: int = 1, trusted: bool = True, system: str | None = None
) -> Iterator[Given]:
    """What each active system gives a new session's n-th prompt.

    Args:
        places: The folders of this user.
        turn: The number of the prompt.
        trusted: As in a project that the host trusts.
        system: Only this one, active or not.
    """
    config, _trouble = load_settings(places)
    session = SessionInfo(id="", cwd=places.cwd, trusted=trusted, features=frozenset({"sections"}))
    for known in registry.SYSTEMS:
        if system is not None and known.name != system:
            continue
        if system is None and not known.is_active(places, config):
            continue
        context = HookContext(places, session, config, {}, {})
        try:
            parts = known.hooks.inject(context, turn=turn)
        except PimemError as error:
            yield Given(system=known.name, errors=[error])
        except Exception as error:  # a fault of its own costs its own part
            reason = f"{known.name} memory fails ({type(error).__name__}: {error})."
            yield Given(system=known.name, errors=[StorageError(reason)])
        else:
            yield Given(system=known.name, parts=parts, errors=context.troubles)
