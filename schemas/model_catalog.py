"""The configured models, their prices and roles."""

from typing import Literal

from pydantic import Field

from schemas.base import Value

StructuredRung = Literal["native", "tool", "json-in-text"]
"""Ways to ask for structured output, most reliable first."""


class Price(Value):
    """Millionths of a US dollar per million tokens."""

    input_micros: int = Field(ge=0)
    output_micros: int = Field(ge=0)


class ModelEntry(Value):
    """One configured model; has the name of the key's variable, never the key."""

    name: str
    provider: Literal["litellm", "demo", "scripted"]
    model: str = ""
    """The provider's name for it, such as ``openrouter/vendor/name`` or ``openai/name``."""
    key_env: str = ""
    api_base: str = ""
    """Address of an OpenAI-compatible server; empty: the vendor's own."""
    local: bool = False
    """Runs on the operator's machine: its price is zero."""
    price: Price | None = None
    """Set by the operator; overrides every price list."""
    structured: StructuredRung = "native"
    """First rung worth trying; ``models test`` finds it."""
    timeout_s: float | None = None
    """Upper limit on a request's own timeout."""
    max_output_tokens: int | None = None
    streams: bool = True
    """Whether it sends a text in pieces, ended properly; some local servers do not."""
    script: str = ""
    """Scripted models only: path of the JSON script."""


DEMO = ModelEntry(name="demo", provider="demo", model="demo", local=True)


class ModelCatalog(Value):
    """Every model, and the model of each role."""

    models: tuple[ModelEntry, ...] = (DEMO,)
    roles: dict[str, str] = {}
    """Role -> model name."""
    default: str = "demo"
    """Model of a role that is not in ``roles``."""
