"""The configured models, their prices and roles."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas.base import Value

StructuredRung = Literal["native", "tool", "json-in-text"]
"""Ways to ask for structured output, most reliable first."""


Effort = Literal["off", "low", "medium", "high"]
Reasoning = Effort | Annotated[int, Field(gt=0)]
"""Thought before an answer: how much, or the most tokens of it."""


Temperature = Annotated[float, Field(ge=0, le=2)] | Literal["omit"]
"""``omit``: none is sent."""


GGUF = "gguf:"
"""In settings, before the path of a model that is a file."""


class Price(Value):
    """Millionths of a US dollar per million tokens."""

    input_micros: int = Field(ge=0)
    output_micros: int = Field(ge=0)
    cached_micros: int | None = Field(default=None, ge=0)
    """Of input that the vendor reads from its cache; None: as other input."""
    written_micros: int | None = Field(default=None, ge=0)
    """Of input that the vendor writes into its cache; None: as other input."""


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
    image_micros: int | None = None
    """Price of one picture, set by the operator."""
    structured: StructuredRung = "native"
    """First rung worth trying; ``models test`` says when another is needed."""
    timeout_s: float | None = None
    """Upper limit on a request's own timeout; of a local model, in its place."""
    max_output_tokens: int | None = None
    context_tokens: int | None = None
    """Size of its context, where no list knows it."""
    reasoning: Reasoning | None = None
    """None: as the vendor has it."""
    temperature: Temperature | None = None
    """Comes before that of the roles; None: each role's own."""
    # Any: what a vendor takes.
    extra: dict[str, Any] = {}
    """Parameters of the vendor's own, sent with every call."""
    streams: bool = True
    """Whether it sends a text in pieces, ended properly; some local servers do not."""
    script: str = ""
    """Scripted models only: path of the JSON script."""
    file: str = ""
    """Path of the model itself, which a server of Penwright's own answers for; empty: another's does."""

    @property
    def as_set(self) -> str:
        """The model as settings have it."""
        return f"{GGUF}{self.file}" if self.file else self.model


DEMO = ModelEntry(name="demo", provider="demo", model="demo", local=True)


class Sampler(Value):
    """Sampling parameters of a model; None: as the caller or the vendor has it."""

    temperature: Temperature | None = None
    top_p: float | None = None
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()


JsonMode = Literal["object", "schema"]
"""``schema``: the vendor is given the JSON schema; ``object``: it is asked for any object, and the return
template in the prompt says which."""


FallbackReason = Literal["outage", "refusal"]


class Profile(Value):
    """Model parameters of one role."""

    fallback: str = ""
    """Model that answers where the role's own does not; empty: none does."""
    fallback_on: tuple[FallbackReason, ...] = ("outage", "refusal")
    """When it is asked."""
    expects_json: bool | None = None
    """None: as the role's definition wants it; False: no schema and no return template, also where the
    role's reader expects JSON."""
    json_mode: JsonMode = "schema"
    # A JSON schema is open by nature.
    json_schema: dict[str, Any] | None = None
    """Shown to the model in place of the role's own; the reply is read as ever."""
    json_example: str = ""
    """JSON of an answer, shown with the return template."""
    sampler: Sampler = Sampler()
    context_tokens: int | None = None
    """Size of a prompt with its answer."""
    max_output_tokens: int | None = None
    reasoning: Reasoning | None = None
    """Comes before the model's."""
    overrides: str = ""
    """Tag of the override set with which the role's agent works, unless its run names another."""


class ModelCatalog(Value):
    """Every model, and the model of each role."""

    models: tuple[ModelEntry, ...] = (DEMO,)
    roles: dict[str, str] = {}
    """Role -> model name."""
    profiles: dict[str, Profile] = {}
    """By role or group of roles."""
    default: str = "demo"
    """Model of a role that is not in ``roles``."""
