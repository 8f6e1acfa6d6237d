"""Finding text that looks like a credential, offline, by the detectors of detect-secrets.

Only detectors for credentials with a shape of their own are used: words such as `password` and
random-looking strings occur in honest notes too often to refuse them.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from .errors import Hint, SecretError
from .settings.config import load_settings
from .value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .paths import Places

_PLUGINS = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "basic_auth": "BasicAuthDetector",
    "discord": "DiscordBotTokenDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "openai": "OpenAIDetector",
    "private_key": "PrivateKeyDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
# Shapes that its release does not know yet, or of which it reports the prefix alone, so that no
# value could be allowed, or looks for in a time that grows with the square of a line (npm); from
# their issuers' documentation.
_MORE = {
    "Anthropic key": r"sk-ant-[A-Za-z0-9_-]{20,}",
    "Google API key": r"AIza[0-9A-Za-z_-]{35}",
    "Hugging Face token": r"hf_[A-Za-z0-9]{30,}",
    "OpenAI project key": r"sk-proj-[A-Za-z0-9_-]{20,}",
    "GitHub fine-grained token": r"github_pat_[A-Za-z0-9_]{22,}",
    "GitHub token": r"gh[pousr]_[A-Za-z0-9_]{20,}",
    "GitLab token": r"gl(?:pat|dt|ft|soat|rt|cbt)-[A-Za-z0-9_-]{20,}",
    "npm token": r"npm_[A-Za-z0-9]{36}|(?<=:_authToken=)[A-Fa-f0-9-]{36}",
    "Slack token": r"xox[abeprs]-[A-Za-z0-9-]{10,}",
    "age secret key": r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",
}
# What stands for a credential in documentation.
_PLACEHOLDER = re.compile(r"^(?:[xX*.…<>$_{}-]|EXAMPLE|example|REDACTED|changeme|your)+$")


class Secret(Value):
    """Where something looks like a credential; never the value itself. `line` counts from 1."""

    rule: str
    line: int


def find(text: str, *, extra: Sequence[str] = (), allowed: Sequence[str] = ()) -> list[Secret]:
    """What in a text looks like a credential, by line.

    Args:
        text: Any text.
        extra: Further regular expressions, from the person's settings.
        allowed: Regular expressions of values that are fine.

    Raises:
        re.error: One of the expressions is broken.
    """
    fine = [re.compile(pattern) for pattern in allowed]
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        for rule, value in _in_line(line, extra):
            if _is_placeholder(value) or any(pattern.search(value) for pattern in fine):
                continue
            found.append(Secret(rule=rule, line=number))
            break
    return found


def _is_placeholder(value: str) -> bool:
    """Whether a value is one for show: `<your-key>`, `ghp_xxxxxxxxxxxx`."""
    return _PLACEHOLDER.match(value) is not None or len(set(value[-12:])) == 1


def _in_line(line: str, extra: Sequence[str]) -> Iterator[tuple[str, str]]:
    for rule, pattern in _MORE.items():
        for match in re.finditer(pattern, line):
            yield rule, match.group()
    for pattern in extra:
        for match in re.finditer(pattern, line):
            yield f"your rule {pattern}", match.group()
    for detector in _detectors():
        for value in detector.analyze_string(line):
            yield detector.secret_type, value


_loaded: list[Any] = []


def _detectors() -> list[Any]:
    if not _loaded:
        for module, name in _PLUGINS.items():
            found = importlib.import_module(f"detect_secrets.plugins.{module}")
            _loaded.append(getattr(found, name)())
    return _loaded


def refuse(
    places: Places,
    text: str,
    *,
    beside: Mapping[str, str] = {},
    known: str = "",
    name: str = "",
    file: str = "",
) -> None:
    """Let a text through unless it holds what looks like a credential.

    Args:
        places: Where the person's own rules are.
        text: What is about to be stored.
        beside: What is stored along with it, by what it is called.
        known: Text that is stored already: its lines are not asked about again.
        name: The topic, for the error.
        file: Its file, for the error.

    Raises:
        SecretError: It does; the message names rule and place, never the value.
    """
    settings, _error = load_settings(places)
    old = set(known.split("\n"))
    lines = [line if line not in old else "" for line in text.split("\n")]
    found = [
        (f"The {what}" if what else f"Line {secret.line}", secret.rule)
        for what, part in {"": "\n".join(lines), **beside}.items()
        for secret in find(part, extra=settings.secrets_extra, allowed=settings.secrets_allowed)
    ]
    if found:
        where, rule = found[0]
        more = f" (and {len(found) - 1} more)" if found[1:] else ""
        raise SecretError(
            f"{where} looks like a credential ({rule}){more}; nothing was stored.",
            hint=Hint(Hint.SECRET),
            name=name,
            file=file,
        )
