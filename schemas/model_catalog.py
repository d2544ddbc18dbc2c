"""Which models there are, what they cost, and which role uses which."""

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
    """One configured model; holds the name of its key's variable, never the key."""

    name: str
    provider: Literal["litellm", "demo", "scripted"]
    model: str = ""
    """The provider's own name for it, such as ``openrouter/vendor/name`` or ``openai/name``."""
    key_env: str = ""
    api_base: str = ""
    """Address of an OpenAI-compatible server; empty means the vendor's own."""
    local: bool = False
    """Runs on the operator's machine: its price is an explicit zero."""
    price: Price | None = None
    """The operator's override of every price list."""
    structured: StructuredRung = "native"
    """First rung worth trying; ``models test`` finds it."""
    timeout_s: float | None = None
    """Upper bound over what a request asks for."""
    max_output_tokens: int | None = None
    script: str = ""
    """Scripted models only: path of the JSON script."""


DEMO = ModelEntry(name="demo", provider="demo", model="demo", local=True)


class ModelCatalog(Value):
    """Every model, and the role each one plays."""

    models: tuple[ModelEntry, ...] = (DEMO,)
    roles: dict[str, str] = {}
    """Role to model name."""
    default: str = "demo"
    """The model of a role that is not named above."""
