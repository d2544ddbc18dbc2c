"""The vendors that ``models add`` offers, and the models that a server on this machine lists."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from penwright.domain.text.nearest import meant
from penwright.errors import UsageMistake
from schemas.model_catalog import GGUF

_PATIENCE_S = 2.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Vendor:
    """The form of a vendor's model in settings."""

    name: str
    prefix: str
    """The prefix of the vendor's own name of a model."""
    key_env: str = ""
    """The usual variable of its key; empty: it takes none."""
    api_base: str = ""
    lists: str = "/models"
    """The address at which a local server lists its models."""
    has_address: bool = False
    """Whether its address is the operator's own, and must be told."""

    def spelled(self, model: str) -> str:
        """The model's name as settings have it, whether or not the vendor stands before it already."""
        return self.prefix + model.removeprefix(self.prefix)


VENDORS = (
    Vendor("anthropic", "anthropic/", "ANTHROPIC_API_KEY"),
    Vendor("openai", "openai/", "OPENAI_API_KEY"),
    Vendor("google", "gemini/", "GEMINI_API_KEY"),
    Vendor("mistral", "mistral/", "MISTRAL_API_KEY"),
    Vendor("deepseek", "deepseek/", "DEEPSEEK_API_KEY"),
    Vendor("openrouter", "openrouter/", "OPENROUTER_API_KEY"),
    Vendor("ollama", "ollama_chat/", api_base="http://127.0.0.1:11434", lists="/api/tags"),
    Vendor("lm-studio", "openai/", api_base="http://127.0.0.1:1234/v1"),
    Vendor("gguf", GGUF),
    Vendor("other", "openai/", has_address=True),
)
"""``gguf``: a file that Penwright serves itself; ``other``: any server that speaks OpenAI's protocol."""


def vendor_named(name: str) -> Vendor:
    """The vendor called ``name``.

    Raises:
        UsageMistake: ``unknown-vendor``, with the nearest.
    """
    known = {each.name: each for each in VENDORS}
    if name not in known:
        raise UsageMistake(
            "unknown-vendor",
            f"no vendor is called {name!r}{meant(name, known)}",
            hint=f"one of: {', '.join(known)}; `other` is any server that speaks OpenAI's protocol",
        )
    return known[name]


def is_loopback(address: str) -> bool:
    """Whether the address is this machine's own."""
    return urlsplit(address).hostname in _LOOPBACK


def listed_models(vendor: Vendor, address: str) -> tuple[str, ...]:
    """The names of models that a server on this machine lists; none if it does not answer."""
    if not is_loopback(address):
        return ()
    try:
        answer = httpx.get(address.rstrip("/") + vendor.lists, timeout=_PATIENCE_S, trust_env=False)
        told = answer.raise_for_status().json()
        found = told.get("models") or told.get("data") or ()
        return tuple(str(each.get("name") or each["id"]) for each in found)
    except (httpx.HTTPError, ValueError, AttributeError, KeyError, TypeError):
        return ()
