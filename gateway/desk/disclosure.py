"""Redact secrets from what leaves an installation: settings, and the files of bundles."""

import base64
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, urlsplit

if TYPE_CHECKING:
    from workers.settings import Loaded

HIDDEN = "[hidden]"
SHORTEST = 6
"""Characters; a shorter secret is hidden under a sensitive field name, and nowhere else."""

# Any, here and below: JSON.
Json = Any

_SENSITIVE = re.compile(
    r"(?:^|[_\-.\s])(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|apikey|private[_-]?key|"
    r"access[_-]?key|signing[_-]?key|encryption[_-]?key|auth(?:orization)?|credentials?|cookie|session[_-]?key)s?$",
    re.IGNORECASE,
)
"""Names of fields with a secret value; our own names that end so hold no text, or none that is secret."""
_SENSITIVE_VARIABLE = re.compile(r"(?:^|_)(?:KEYS?|TOKEN|SECRETS?|PASS(?:WORD|WD|PHRASE)?|CREDENTIALS?|DSN)$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)-[A-Za-z0-9_\-]{16,}"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|hf_|xox[abprs]-)[A-Za-z0-9_\-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_\-]{30,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}",
    re.DOTALL,
)
"""Keys of well-known makers, wherever they stand."""
_SAID = re.compile(
    r"(?i)((?:password|passwd|secret|api[_-]?key|access[_-]?key|token)[\"']?\s*"
    r"(?:=\s*|:\s*(?=\S*\d))[\"']?|\b(?:bearer|basic)\s+(?=\S*\d))([^\s\"'&,;]{6,})"
)
"""A secret that a text names: ``password=…``, ``token: …1…``, ``Authorization: Bearer …``."""
_IN_ADDRESS = re.compile(r"(?<=://)[^/@\s:\"']*:([^@\s/\"']+)(?=@)")


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Settings of an installation that may be disclosed, and its secrets."""

    settings: Mapping[str, Json]
    """In effect; secrets are masked."""
    secrets: frozenset[str]
    """Values to redact, from the settings and the environment."""


def disclosure(loaded: "Loaded") -> Disclosure:
    """Of the settings in effect."""
    from workers.settings import effective

    shown = effective(loaded.settings)
    secrets = frozenset(_secrets(loaded))
    return Disclosure(Redactor(secrets).hidden(_without_commands(shown)), secrets)


def _secrets(loaded: "Loaded") -> Iterator[str]:
    """Every secret that this process knows of."""
    settings, environ = loaded.settings, loaded.environ
    named = loaded.model_key_variables
    for name, value in environ.items():
        if name in named or _SENSITIVE_VARIABLE.search(name.upper()):
            yield value
        yield from _IN_ADDRESS.findall(value)
    notify = settings.notify
    kept = (
        settings.database_url,
        settings.encryption_key,
        *settings.encryption_old_keys,
        notify.webhook_url,
        notify.webhook_secret,
        *notify.apprise_urls,
    )
    for secret in kept:
        if secret is not None:
            yield secret.get_secret_value()
            yield from _of_address(secret.get_secret_value())


def _of_address(text: str) -> Iterator[str]:
    """The password within an address; other parts of it are said elsewhere too."""
    try:
        password = urlsplit(text).password
    except ValueError:
        return
    if password:
        yield password


def _without_commands(shown: dict[str, Json]) -> dict[str, Json]:
    """Arguments of a program may hold anything."""
    notify = dict(shown.get("notify", {}))
    if command := notify.get("command"):
        notify["command"] = [command[0], *(HIDDEN for _ in command[1:])]
    return {**shown, "notify": notify}


class Redactor:
    """Redact secrets: known values anywhere, and any value under a sensitive field name."""

    def __init__(self, secrets: Collection[str], *, spared: Collection[str] = ()) -> None:
        """``spared``: names of ours that are no secret, even under a sensitive field name."""
        self._found = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._spared = frozenset(spared)
        self._pattern: re.Pattern[str] | None = None

    def learn(self, value: Json) -> None:
        """Collect the values of sensitive fields in ``value``, to hide them everywhere."""
        before = len(self._found)
        named = set(_sensitive_values(value)) - self._spared
        self._found.update(secret for secret in named if len(secret) >= SHORTEST)
        if len(self._found) != before:
            self._pattern = None

    def hidden(self, value: Json, name: str = "") -> Json:
        """``value`` without secrets; its shape stays, and so does every number."""
        if isinstance(value, dict):
            return {self.text(key): self.hidden(each, key) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.hidden(each, name) for each in value]
        if not isinstance(value, str):
            return value
        if value and _is_sensitive(name) and value not in self._spared:
            return HIDDEN
        inner = _as_json(value)
        if inner is not None:
            hidden = self.hidden(inner)
            return value if hidden == inner else json.dumps(hidden, ensure_ascii=False)
        return self.text(value)

    def text(self, text: str) -> str:
        """``text`` without secrets."""
        text = self._known().sub(HIDDEN, text) if self._found else text
        text = _SHAPES.sub(HIDDEN, text)
        text = _SAID.sub(lambda found: f"{found[1]}{HIDDEN}", text)
        return _IN_ADDRESS.sub(lambda found: found[0].replace(found[1], HIDDEN), text)

    def _known(self) -> re.Pattern[str]:
        if self._pattern is None:
            forms = {form for secret in self._found for form in _forms(secret)}
            # The longest first: one secret may begin with another.
            self._pattern = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))
        return self._pattern


def _sensitive_values(value: Json, name: str = "") -> Iterator[str]:
    """Values of sensitive fields, also in JSON inside a text."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _sensitive_values(each, key)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _sensitive_values(each, name)
    elif isinstance(value, str) and _is_sensitive(name):
        yield value
    elif isinstance(value, str) and (inner := _as_json(value)) is not None:
        yield from _sensitive_values(inner)


def _is_sensitive(name: str) -> bool:
    return _SENSITIVE.search(_HUMP.sub("_", name)) is not None


def _as_json(text: str) -> Json | None:
    """Parse ``text`` if it is a JSON object or list."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def _forms(secret: str) -> Iterator[str]:
    """A secret as texts, JSON, addresses and headers write it."""
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode()
