"""Every action of a screen under one name: for the palette, and for the help."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from textual.actions import parse
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widget import Widget

from .table import key_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.dom import DOMNode
    from textual.screen import Screen


@runtime_checkable
class _Rebound(Protocol):
    """An app whose keys people may change."""

    def keys_of(self, binding: Binding) -> str:
        """The keys of a binding as they hold."""


class Command(NamedTuple):
    """One action: `Area: Verb`, its keys, what it does, and where it runs."""

    area: str
    verb: str
    keys: str
    help: str
    action: str
    node: DOMNode

    @property
    def title(self) -> str:
        """The name in the palette."""
        return f"{self.area}: {self.verb}"


def commands_of(screen: Screen[object], *, now: bool = True) -> Iterator[Command]:
    """The actions that a screen offers, those of its widgets and of the app included.

    Args:
        screen: The screen to look at.
        now: Leave out those that cannot run at the moment.
    """
    seen: set[str] = set()
    for node in (screen, *screen.query("*").results(Widget), screen.app):
        if isinstance(node, Widget) and node is not screen and not _takes_keys(node, now):
            continue
        for binding in _own_bindings(node):
            if binding.id is None or binding.id in seen or not _possible(node, binding, now):
                continue
            seen.add(binding.id)
            area, _, _ = binding.id.partition(".")
            keys = screen.app.keys_of(binding) if isinstance(screen.app, _Rebound) else binding.key
            yield Command(
                area=area.capitalize(),
                verb=binding.description[:1].upper() + binding.description[1:],
                keys=key_names(keys),
                help=binding.tooltip,
                action=binding.action,
                node=node,
            )


def _takes_keys(widget: Widget, now: bool) -> bool:
    hidden = now and not all(
        node.display for node in widget.ancestors_with_self if isinstance(node, Widget)
    )
    return widget.can_focus and not hidden


def _own_bindings(node: DOMNode) -> Iterator[Binding]:
    for cls in type(node).__mro__:
        for binding in cls.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding):
                yield binding


def _possible(node: DOMNode, binding: Binding, now: bool) -> bool:
    _namespace, name, parameters = parse(binding.action)
    state = node.check_action(name, parameters)
    return bool(state) if now else state is not False


class PimemCommands(Provider):
    """Offers the actions of the screen under the palette."""

    async def discover(self) -> Hits:
        """All of them."""
        for command in commands_of(self.screen):
            yield DiscoveryHit(
                Content(command.title), self._runner(command), help=self._help(command)
            )

    async def search(self, query: str) -> Hits:
        """Those whose name matches."""
        matcher = self.matcher(query)
        for command in commands_of(self.screen):
            score = matcher.match(command.title)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(command.title),
                    self._runner(command),
                    text=command.title,
                    help=self._help(command),
                )

    def _runner(self, command: Command) -> Callable[[], object]:
        return partial(self.app.run_action, command.action, command.node)

    def _help(self, command: Command) -> str:
        return f"{command.help} ({command.keys})"
