"""The memory systems. Adding one means adding its folder and one line here."""

from __future__ import annotations

import os

from ..errors import InvalidArgumentError, PimemError, UnsupportedError
from ..settings.config import load_settings
from .layered.system import LayeredSystem
from .openpi.system import OpenpiSystem
from .zcode.system import ZcodeSystem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..errors import ConfigError
    from ..paths import Places
    from .layers import LayerStore
    from .stores import Store
    from .system import System

# A host's events ask systems, not stores: what only stores need loads with the first of them.

#: The first is what is meant when no store is named; its format is the most general one as well.
SYSTEMS: Sequence[System] = (OpenpiSystem(), LayeredSystem(), ZcodeSystem())


#: What went wrong with systems that were asked for their stores, by name.
_failures: dict[str, str] = {}


def all_stores(places: Places) -> list[Store]:
    """The stores of every system in use for this user and folder, existing or not.

    A system that fails is left out; `failures` tells.
    """
    return [store for one in SYSTEMS for store in _apart(one, one.stores, places)]


def failures() -> list[str]:
    """A sentence for each system that failed since this was last asked."""
    said = list(_failures.values())
    _failures.clear()
    return said


def _apart(
    system: System, ask: Callable[[Places], Iterable[Store]], places: Places
) -> Sequence[Store]:
    try:
        return list(ask(places))
    except PimemError as error:
        _failures[system.name] = f"{system.name} memory is left out: {error}"
    except Exception as error:
        from ..log import write_log

        what = f"{type(error).__name__}: {error}"
        where = write_log(places, error)
        _failures[system.name] = f"{system.name} memory fails and is left out ({what}). {where}"
    return []


def offered_stores(places: Places) -> list[Store]:
    """The same, and those that a person could still create, of systems that are not "off"."""
    config, _trouble = load_settings(places)
    return [
        store
        for one in SYSTEMS
        for store in _apart(
            one, one.stores if config.systems.get(one.name) == "off" else one.offered, places
        )
    ]


def active_layer(places: Places) -> LayerStore:
    """The layer that is meant when none is named.

    Raises:
        UnsupportedError: No system here keeps a memory in layers.
    """
    from .layers import LayerStore

    for system in SYSTEMS:
        store = system.active(places)
        if isinstance(store, LayerStore):
            return store
    raise UnsupportedError("No memory system here has layers.")


def active_store(places: Places) -> Store:
    """The store that list, write and their like mean when none is named."""
    return SYSTEMS[0].active(places)


def find_store(name: str, places: Places) -> Store:
    """The store with a name, a system's active store, or the one in an absolute path.

    Raises:
        InvalidArgumentError: There is no such store.
    """
    if os.path.isabs(name):
        return open_folder(name, places)
    stores = all_stores(places)
    for store in stores:
        if store.name == name:
            return store
    for system in SYSTEMS:
        if system.name == name:
            return system.active(places)
    for system in SYSTEMS:
        made = system.named(name, places)
        if made is not None:
            return made
    known = [*(store.name for store in stores), *(system.name for system in SYSTEMS)]
    raise InvalidArgumentError(
        f'There is no store "{name}"; there are {", ".join(dict.fromkeys(known))}, '
        "or an absolute path."
    )


def open_folder(path: str, places: Places) -> Store:
    """The store in any folder, by the shape of what is in it.

    A folder in a format that no system writes opens all the same: its changes are refused, with
    the reason.

    Raises:
        InvalidArgumentError: It is not a folder.
        StorageError: It cannot be read.
    """
    from .stores import folder_of

    path = os.path.abspath(os.path.expanduser(path))
    if os.path.lexists(path) and not os.path.isdir(path):
        raise InvalidArgumentError(f"{path} is not a folder; name the folder of the memories.")
    real = os.path.realpath(path)
    for store in all_stores(places):
        # A store's own name keeps its history and rules, also on the way through a link.
        if os.path.realpath(folder_of(store) or os.devnull) == real:
            return store
    return _fitting(path).open(path, places)


def _fitting(folder: str) -> System:
    """The system that a folder is for: the most particular one that has its format.

    A format of somebody else, or one that is not known, is for the first to know so much.
    """
    found = [(system, system.recognise(folder)) for system in SYSTEMS]
    own = [system for system, format_ in found if format_ and not _is_strange(format_)]
    others = [system for system, format_ in found if format_]
    return own[-1] if own else others[0] if others else SYSTEMS[0]


def _is_strange(format_: str) -> bool:
    return format_ == "unknown" or format_.startswith("foreign:")


def store_of(system: str, folder: str, places: Places) -> Store:
    """The store of a recorded change.

    Raises:
        InvalidArgumentError: The system is not known here.
    """
    for known in SYSTEMS:
        if known.name == system:
            return known.open(folder, places)
    raise InvalidArgumentError(f'The record is of a system "{system}" that is not known here.')


def troubles(places: Places) -> list[ConfigError]:
    """What is wrong with the systems' configuration files; defaults hold meanwhile."""
    found = (system.trouble(places) for system in SYSTEMS)
    return [error for error in found if error is not None]


def _is_store(system: str, folder: str, places: Places) -> bool:
    """Whether a folder that a record names is a store of a system, and not just any folder."""
    from .stores import folder_of

    for known in SYSTEMS:
        if known.name == system:
            ours = {folder_of(store) for store in _apart(known, known.stores, places)}
            return folder in ours or known.recognise(folder) is not None
    return False


def repair(places: Places) -> list[str]:
    """Complete or take back what killed processes left unfinished, in any store.

    Without any it only looks into one folder. A store that is busy is repaired by its next change.

    Returns:
        A sentence for each change that was repaired.
    """
    from ..history.intents import has_intents

    if not has_intents(places.state_dir):
        return []
    from ..history import recovery
    from .stores import FolderStore, supporting

    said: list[str] = []
    left = recovery.unfinished(places.state_dir)
    for system, folder in dict.fromkeys((r.about.system, r.about.folder) for r in left):
        if not _is_store(system, folder, places):
            said.append(
                f"An unfinished change of {folder} is left as it is: the folder holds no memory."
            )
            continue
        try:
            said += supporting(store_of(system, folder, places), FolderStore).recover()
        except PimemError as error:
            said.append(str(error))
    return said
