"""Commands that connect pimem with pi: pi install, uninstall, status; inject."""

from __future__ import annotations

import json
import os

from ..errors import EXIT_CODES, ConfigError, ReadOnlyFormatError
from ..formats.text import plural
from ..formats.tokens import estimate
from ..hooks import next_prompt as injection
from ..hooks.describe import describe
from ..pi import documents
from ..pi import package as pi_package
from ..settings import switch
from ..settings.config import load_settings
from ..systems import registry
from .hints import with_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from ..paths import Places
    from ..pi.providers import Provider
    from .output import Output

#: Names that inject shows of what a limit left out.
_MOST_NAMES = 5
_ANSWER_S = 10


def pi(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Register the package with pi, take it out again, or say how it stands."""
    if options.action == "status":
        return _status(places, output)
    if options.action == "install":
        documents.store(places, describe(places), documents.runner_command())
        done = pi_package.install(places, registry.SYSTEMS, take_over=options.take_over)
        outcome = "installed" if done.changed else "unchanged"
        said = f"pi loads pimem from {pi_package.package_folder()} in its next session."
        on = _on(done.providers)
        if options.take_over and not done.providers:
            said += (
                " No other provider is in pi's settings or its folder of extensions; one that is "
                "loaded with -e goes by leaving that out."
            )
        if on and not options.take_over:
            said += (
                f" But {', '.join(on)} offers the same tools, so pimem stays passive beside it; "
                "pimem pi install --take-over switches it off."
            )
        unread = pi_package.why_unread(places)
        said += f" But {unread}" if unread else ""
    else:
        done = pi_package.uninstall(places)
        outcome = "uninstalled" if done.changed else "unchanged"
        said = "pi does not load pimem any more; memories and settings stay."
    if output.as_json:
        # It is a change as any other, though of no store.
        about = {"outcome": outcome, "store": "", "name": "", "file": "", "message": said}
        output.document({**about, "path": done.path, "difference": done.difference})
        return 0
    if done.difference:
        output.text(done.difference.rstrip("\n"))
    output.text(said)
    return 0


def _on(providers: Sequence[Provider]) -> list[str]:
    """The sources of providers that are not switched off, each once."""
    return list(dict.fromkeys([one.source for one in providers if not one.off]))


def _status(places: Places, output: Output) -> int:
    try:
        is_registered, others = (
            pi_package.registered(places),
            pi_package.providers(places, registry.SYSTEMS),
        )
        troubles = [pi_package.why_unread(places)]
        troubles += [
            f"pi also loads pimem from {path}; pimem pi install leaves one."
            for path in pi_package.other_installations(places)
        ]
    except ConfigError as error:
        is_registered, others, troubles = False, [], [str(error)]
    installed = documents.installed_command(places)
    if installed is None and is_registered:
        troubles.append("What pi reads of pimem at its start is gone; pimem pi install writes it.")
    command = installed or documents.runner_command()
    answer = _ask(command)
    others = [provider for provider in others if not provider.off]
    sources = _on(others)
    troubles.append(switch.why_off(places, load_settings(places)[0]))
    troubles = [trouble for trouble in troubles if trouble]
    works = is_registered and answer is not None and not others and not troubles
    row = {
        "registered": is_registered,
        "path": pi_package.package_folder(),
        "runner": command,
        "version": answer.get("version") if answer else None,
        "pi": _pi_version(),
        "providers": sources,
        "troubles": troubles,
        "works": works,
    }
    if output.as_json:
        output.document(row)
        return 0
    output.text(f"registered: {'yes' if is_registered else 'no; pimem pi install does it'}")
    output.text(f"package: {row['path']}")
    output.text(f"runner: {' '.join(command)} ({row['version'] or 'does not answer'})")
    output.text(f"pi: {row['pi'] or 'not found on the path'}")
    for source in sources:
        output.text(f"also offers memory: {source}; pimem pi install --take-over switches it off")
    output.text(f"works: {'yes' if works else 'no'}")
    for trouble in troubles:
        output.notice(trouble)
    return 0


def _ask(command: list[str]) -> dict[str, Any] | None:
    """What the runner says of itself, None when it does not."""
    import subprocess

    try:
        done = subprocess.run(
            [*command, "hook", "describe"], capture_output=True, timeout=_ANSWER_S, check=False
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def _pi_version() -> str | None:
    """What `pi --version` says, None where pi is not on the path."""
    import shutil
    import subprocess

    program = shutil.which("pi")
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=_ANSWER_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PI_OFFLINE": "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = (done.stdout or done.stderr).split()
    return words[-1] if words else None


def _some(names: Sequence[str]) -> str:
    """The first names; a store of thousands would fill the screen with them."""
    rest = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {rest:,} more" if rest > 0 else "")


def inject(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Print what a model is given on a prompt, with an estimate of its tokens."""
    from .reading import chosen, notice_troubles

    notice_troubles(places, output)
    named = chosen(options, places)
    systems: list[dict[str, Any]] = []
    code = 0
    for given in injection.given(
        places,
        turn=options.turn,
        trusted=not options.untrusted,
        system=None if named is None else named.system,
    ):
        for error in given.errors:
            output.notice(with_hint(str(error), error.hint))
            # In another program's format there is nothing to give, which is no failure.
            if not isinstance(error, ReadOnlyFormatError):
                code = max(code, EXIT_CODES[error.outcome])
        rows = [
            {
                "name": part.name,
                "text": part.text,
                "tokens": estimate(part.text),
                "dropped": list(part.dropped),
            }
            for part in given.parts
        ]
        systems.append({"name": given.system, "parts": rows})
    total = sum(row["tokens"] for system in systems for row in system["parts"])
    if output.as_json:
        output.document({"systems": systems, "tokens": total})
        return code
    for found in systems:
        for row in found["parts"]:
            output.text(str(row["text"]) + "\n")
            output.notice(f"{found['name']} {row['name']}: about {row['tokens']} tokens")
            if row["dropped"]:
                output.notice(f"  left out: {_some(row['dropped'])}")
    output.notice(f"{plural(total, 'token')} in all, about.")
    return code
