"""The base of all messages: what happened, in fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, dataclass_transform

from textual.message import Message

if TYPE_CHECKING:
    from typing import Any


@dataclass_transform(eq_default=False)
class FieldMessage(Message):
    """A message whose fields are its arguments, in order.

    It does what a dataclass does, but makes a class in a tenth of the time: there are fifty of
    them, and all are made before the manager first paints.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Collect the fields of the class, in order."""
        super().__init_subclass__(**options)
        cls._fields = tuple(vars(cls).get("__annotations__", ()))

    def __init__(self, *values: Any, **named: Any) -> None:
        """Set every field; one that is left out has the default of the class."""
        super().__init__()
        given = dict(zip(self._fields, values, strict=False))
        given |= named
        wrong = len(values) + len(named) != len(given) or given.keys() - set(self._fields)
        if wrong or not all(name in given or hasattr(self, name) for name in self._fields):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self._fields) or 'nothing'}")
        self.__dict__.update(given)
