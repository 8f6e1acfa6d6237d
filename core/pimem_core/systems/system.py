"""What every memory system offers, so that no front needs to know which one it talks to."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..errors import InvalidArgumentError, UnsupportedError
from .hosting import Hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..errors import ConfigError
    from ..model import Setting
    from ..paths import Places
    from ..settings.config import Settings
    from .stores import Store

#: The names of the two stores of a system that keeps its memory in layers.
GLOBAL = "global"
WORKSPACE = "workspace"


class System(ABC):
    """A memory system: where its stores are, and how its folders look.

    What has a body here is right for a system without files and settings of its own.
    """

    name: str
    #: Extensions of the host that do the same, by a part of their source in its settings, and the
    #: tools and slash commands that only one can offer.
    providers: Sequence[str] = ()
    tools: Collection[str] = ()
    commands: Collection[str] = ()

    @abstractmethod
    def is_active(self, places: Places, settings: Settings) -> bool:
        """Whether the system takes part inside a host, for this user and folder."""

    @property
    def hooks(self) -> Hooks:
        """What it does there."""
        return Hooks()

    @abstractmethod
    def stores(self, places: Places) -> Sequence[Store]:
        """The stores of this user and working folder, whether they exist or not."""

    @abstractmethod
    def active(self, places: Places) -> Store:
        """The store that the system reads and writes now."""

    def offered(self, places: Places) -> Sequence[Store]:
        """The same as `stores`, and those that a person could still create or connect."""
        return self.stores(places)

    def named(self, name: str, places: Places) -> Store | None:
        """The store of this user and working folder with a name, there or not; None without one.

        Raises:
            InvalidArgumentError: There can be no such store here; the message says why.
        """
        return next((store for store in self.stores(places) if store.name == name), None)

    def recognise(self, folder: str) -> str | None:
        """The format of a folder (`openpi`, `foreign:<name>` …), None when it is not known."""
        del folder
        return None

    def open(self, folder: str, places: Places) -> Store:
        """The store in any folder of this system's shape.

        Raises:
            InvalidArgumentError: The system keeps nothing in folders.
        """
        del places
        raise InvalidArgumentError(f"{folder} cannot be a store of {self.name}.")

    def settings(self, places: Places) -> Sequence[Setting]:
        """The system's own settings with their sources; of a broken file nothing comes."""
        del places
        return ()

    def wanted(self, key: str, value: object) -> str | None:
        """What a value of a setting must be, in words, where the given one cannot be used."""
        del key, value
        return None

    def change_setting(self, places: Places, key: str, value: object) -> None:
        """Set one of the system's own settings that has a `kind`; the rest of its file stays.

        Raises:
            UnsupportedError: The system has no such setting, or it is not changed here.
            InvalidArgumentError: The value cannot be used; the message says what can.
            ConfigError: The file is broken; the message names line and column.
            StorageError: It cannot be written.
        """
        del places, value
        raise UnsupportedError(f"{key} cannot be changed here.")

    def trouble(self, places: Places) -> ConfigError | None:
        """What is wrong with the system's configuration, for a notice; None when nothing is."""
        del places
        return None
