"""Cards in YAML, as text-generation-webui and others write them."""

import json
import re
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent

from penwright.domain.cards.json_text import in_utf8
from penwright.domain.cards.refusals import refused

MOST_BYTES: Final = 1024 * 1024
"""A character without pictures is never as long, and YAML takes long to read."""
_BEGINS = re.compile(
    r"\A\ufeff?(?:---[ \t\r]*\n|[ \t]*#[^\n]*\n|[ \t\r]*\n)*"
    r"[\"']?[A-Za-z_][\w ]*[\"']?[ \t]*:(?:[ \t\r\n]|\Z)"
)
_OTHER_NAMES: Final = {"context": "description", "greeting": "first_mes", "bot": "name"}
"""Keys of text-generation-webui, where a first card has others."""


def is_yaml(content: bytes) -> bool:
    """Whether a file begins with a key and a colon."""
    return _BEGINS.match(content[:10_000].decode("utf-8", "replace")) is not None


def as_json(content: bytes) -> bytes:
    """Return the card as JSON.

    Raises:
        UsageMistake: ``not-a-card``: it is long, broken, or built of references.
    """
    if len(content) > MOST_BYTES:
        raise refused("not-a-card", f"the file has over {MOST_BYTES // 1024} KB, which no card in YAML has")
    text = in_utf8(content).value.decode("utf-8", "replace")
    try:
        yaml = YAML(typ="safe", pure=True)
        if any(isinstance(event, AliasEvent) for event in yaml.parse(text)):
            raise refused("not-a-card", "the YAML refers to parts of itself, which no card does")
        given = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        line = str(error).strip().splitlines()[0][:200] if str(error).strip() else "it cannot be read"
        hint = "open it in an editor that shows YAML's errors"
        raise refused("not-a-card", f"the file is broken YAML: {line}", hint=hint) from None
    return json.dumps(_as_first_card(given), ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


# Any: YAML of other programs.
def _as_first_card(given: Any) -> Any:
    if not isinstance(given, dict) or "data" in given or "spec" in given:
        return given
    named = {str(key): value for key, value in given.items()}
    return {_name(key, named): value for key, value in named.items()}


def _name(key: str, named: dict[str, Any]) -> str:
    """The key of a first card; a card that has that key, too, keeps its own."""
    meant = _OTHER_NAMES.get(key, key)
    return key if meant in named else meant
