"""The base of frozen values, in place of dataclasses, and the stand-ins for typing that it needs.

A hook runs on every prompt, and loading `typing` or `dataclasses` takes as long as starting the
interpreter: what a hook, a list, a search or a status loads uses this and a `TYPE_CHECKING` of its
own; everything else types as usual.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import alone costs a fifth of a hook call
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_options):
        """Stand in for the marker that only type checkers read."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Value:
    """A frozen value with keyword arguments.

    It does what a frozen, keyword-only dataclass does. `dataclasses` itself imports `inspect`,
    which takes as long as starting the interpreter, and every hook call would pay it.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _required: ClassVar[frozenset[str]] = frozenset()
    #: Every field in order, with its default or None.
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        """Collect the fields of the class and its bases, in order."""
        # inspect.get_annotations would load what this class avoids.
        own = vars(cls).get("__annotations__", ())
        cls._fields = tuple(dict.fromkeys((*cls._fields, *own)))
        cls._required = frozenset(name for name in cls._fields if not hasattr(cls, name))
        cls._defaults = {name: getattr(cls, name, None) for name in cls._fields}

    def __init__(self, **values: Any) -> None:
        """Set every field, from the arguments or its default."""
        fields = self.__dict__
        fields.update(self._defaults)
        fields.update(values)
        # A list of 10,000 topics makes as many values; looking at each field would double that.
        if len(fields) != len(self._fields) or not self._required <= values.keys():
            unknown = values.keys() - set(self._fields)
            missing = self._required - values.keys()
            name = type(self).__name__
            if unknown:
                raise TypeError(f"{name} has no {', '.join(sorted(unknown))}")
            raise TypeError(f"{name} needs {', '.join(sorted(missing))}")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a value never changes."""
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        """Compare class and fields."""
        return other is self or (
            type(other) is type(self)
            and all(getattr(other, name) == getattr(self, name) for name in self._fields)
        )

    def __hash__(self) -> int:
        """Hash the fields; fails when one of them cannot be hashed."""
        return hash(tuple(getattr(self, name) for name in self._fields))

    def __repr__(self) -> str:
        """Show the fields in order."""
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({fields})"

    def but(self, **changes: Any) -> Self:
        """The same value with some fields changed."""
        return type(self)(**{name: getattr(self, name) for name in self._fields} | changes)
