"""Sections of the settings, one for each part of the service."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SecretStr,
    field_validator,
    model_validator,
)

from penwright.domain.text.nearest import meant
from penwright.time_zones import time_zones
from schemas.housekeeping import RetentionDays
from schemas.model_catalog import GGUF, Reasoning, Temperature
from schemas.scholarly import SourceName

WORKERS = ("workflows", "activities", "models")
"""The worker processes, by name."""


_MOST_USD = 1e6
"""Of a price: infinity, which TOML allows, is none."""
_OWN_PARAMETERS = frozenset(
    {
        *("model", "messages", "max_tokens", "temperature", "tools", "tool_choice", "response_format"),
        *("stream", "stream_options", "api_base", "base_url", "api_key", "timeout", "max_retries"),
        *("num_retries", "drop_params", "client"),
    }
)
"""Of a call: what the settings of a model or a role say by other names, or what nobody may change."""
_WHOLE_PRICE = ("input_usd_per_million", "output_usd_per_million")
"""The settings that a price needs to be counted."""


LONGEST_START_S = 600.0
"""A process that starts is given up after this time, even if it moves."""


_REF = re.compile(r"[^\s~^:?*\[\\\x00-\x1f\x7f]+")


_NO_REF = re.compile(r"\.\.|//|@\{|^[./]|[./]$|/\.|\.lock(?:/|$)")


def _plain_bool(value: object) -> object:
    """Only what cannot be misread: a word that is taken for "no" would leave a shared machine open."""
    words = {"true": True, "1": True, "false": False, "0": False}
    found = value if isinstance(value, bool) else words.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"{value!r} is neither true nor false; write true or false, without quotes")
    return found


class SettingsSection(BaseModel):
    """A part of the settings; unknown keys are refused, to catch typing errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EngineSettings(SettingsSection):
    """Temporal: embedded, unless ``address`` or ``profile`` is set."""

    address: str | None = None
    """``host:port`` of a Temporal that is not embedded."""
    namespace: str = "default"
    profile: str | None = None
    """A profile of Temporal's own configuration file, for addresses, mTLS and API keys."""
    profile_file: Path | None = None
    port: int | None = Field(default=None, ge=1, le=65535)
    """Port of the embedded Temporal; when unset, a free one is chosen once and kept."""
    ui_port: int | None = Field(default=None, ge=1, le=65535)
    """Port of the Temporal UI; the workspace's process guards it, so it needs ``web.enabled``."""
    shared: Annotated[bool, BeforeValidator(_plain_bool)] = False
    """Other people have logins on this machine: orders are signed; see docs/security.md."""
    temporal_cli: Path | None = None
    """A Temporal CLI to use instead of the packaged one."""
    synchronous: Literal["full", "normal"] = "full"
    """``full`` survives a power cut; ``normal`` is faster but survives only killed processes."""
    retention_days: int = Field(default=365, ge=1, le=3650)
    """Days that the embedded Temporal keeps closed runs."""
    start_stall_s: float = Field(default=60, gt=0)
    """Seconds without a sign of movement after which a process that starts is ended and started again."""
    least_free_mb: int = Field(default=500, ge=0)
    """Free megabytes on the disk of the data directory below which no session begins; 0: no limit."""
    stuck_s: float = Field(default=30, ge=0)
    """Seconds without progress after which the engine kills and restarts a process; 0: never."""

    def patience_s(self, *, embedded: bool) -> float:
        """Time a worker that starts asks a server; an embedded one is watched by the supervisor."""
        return LONGEST_START_S if embedded else self.start_stall_s


class HealthSettings(SettingsSection):
    """HTTP endpoints of each process: liveness (``/healthz``) and readiness (``/readyz``)."""

    enabled: bool = True
    host: str = "127.0.0.1"
    """Address to listen on. Unless it is loopback, other machines see what runs here, but no text or key."""
    engine_port: int | None = Field(default=None, ge=1, le=65535)
    """When unset, a free one is chosen; ``penwright status`` shows it."""
    workflows_port: int | None = Field(default=None, ge=1, le=65535)
    activities_port: int | None = Field(default=None, ge=1, le=65535)
    models_port: int | None = Field(default=None, ge=1, le=65535)
    web_port: int | None = Field(default=None, ge=1, le=65535)
    """Of the workspace's process; its pages are at ``web.port``."""


class WebSettings(SettingsSection):
    """The workspace in the browser, and the HTTP API."""

    enabled: bool = True
    host: str = "127.0.0.1"
    """Address to listen on; beyond this machine only with TLS or behind a proxy, and with a token."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """When unset, a free one is chosen once and kept; ``penwright status`` shows it."""
    names: tuple[str, ...] = ()
    """Further values of ``Host`` by which browsers reach it, such as ``books.example.org``."""
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False
    """A proxy that speaks TLS stands in front, and is the only one that reaches this address."""
    works_folder: Path | None = None
    """Folder for books and novels of the browser and the API; unset: ``works`` in the data directory."""

    @field_validator("works_folder")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return value.expanduser().absolute() if value else None

    @property
    def encrypted(self) -> bool:
        """Whether browsers reach it by ``https``."""
        return self.tls_certificate is not None or self.behind_proxy

    @model_validator(mode="after")
    def _protected_beyond_this_machine(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key belong together")
        if self.host not in ("127.0.0.1", "::1", "localhost") and not self.encrypted:
            raise ValueError(
                f"the workspace would be open to the network at {self.host} without encryption; set "
                "tls_certificate and tls_key, or behind_proxy = true, or leave web.host out"
            )
        return self


class ModelSettings(SettingsSection):
    """One language model, under an alias that the operator chose."""

    provider: Literal["litellm", "demo", "scripted"] = "litellm"
    model: str = ""
    """The provider's name for it, such as ``openrouter/vendor/name``; or ``gguf:PATH``, a file that
    ``penwright up`` serves."""
    key_env: str = ""
    """Name of the variable that holds the key; the key itself is never written to a file."""
    api_base: str = ""
    """Address of an OpenAI-compatible server."""
    local: bool = False
    """Runs on your own machine and costs nothing."""
    input_usd_per_million: float | None = Field(default=None, ge=0, le=_MOST_USD)
    """This and the next one belong together."""
    output_usd_per_million: float | None = Field(default=None, ge=0, le=_MOST_USD)
    cached_usd_per_million: float | None = Field(default=None, ge=0, le=_MOST_USD)
    """Of input that the vendor reads from its cache; by default as other input. Also the next one."""
    written_usd_per_million: float | None = Field(default=None, ge=0, le=_MOST_USD)
    usd_per_image: float | None = Field(default=None, ge=0, le=_MOST_USD)
    """Of a model for images: what one picture costs."""
    structured: Literal["native", "tool", "json-in-text"] = "native"
    """The way to ask it for structured output; ``penwright models test`` says when another is needed."""
    max_output_tokens: int | None = Field(default=None, gt=0)
    context_tokens: int | None = Field(default=None, ge=512)
    """Size of its context, for a model that no list knows."""
    reasoning: Reasoning | None = None
    """Its thought before an answer, as a word or as the most tokens; unset: as the vendor has it."""
    temperature: Temperature | None = None
    """For all roles; unset: 0.8 for prose, 0 for roles that judge, plan, scan or direct."""
    extra: dict[str, JsonValue] = {}
    """Parameters of the vendor's own, sent with every call."""
    timeout_s: float | None = Field(default=None, gt=0)
    """The longest wait for an answer; of a local model that streams, for its next word."""
    streams: bool = True
    """Whether replies are shown while they come; off for servers that cut streams off without a word."""
    script: Path | None = None
    """Answers of a ``scripted`` model."""

    @field_validator("extra")
    @classmethod
    def _sets_nothing_of_ours(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(_OWN_PARAMETERS & value.keys()):
            raise ValueError(f"{', '.join(taken)} of a call is set by Penwright; remove it from `extra`")
        return value

    @field_validator("model")
    @classmethod
    def _names_a_file(cls, value: str) -> str:
        if value.strip() == GGUF:
            raise ValueError(f"`{GGUF}` lacks the path of the model's file, as in {GGUF}~/models/one.gguf")
        return value

    @property
    def file(self) -> Path | None:
        """The model itself, if it is served from a file."""
        if self.provider != "litellm" or not self.model.startswith(GGUF):
            return None
        return Path(self.model.removeprefix(GGUF).strip()).expanduser()

    @model_validator(mode="after")
    def _price_is_whole(self) -> Self:
        price = {name: value for name, value in self if name.endswith("_usd_per_million")}
        lacking = [name for name in _WHOLE_PRICE if price[name] is None]
        if lacking and any(value is not None for value in price.values()):
            raise ValueError(
                f"its price lacks {' and '.join(lacking)}, and would be ignored; 0 is a price, too"
            )
        return self


class CapSettings(SettingsSection):
    """Limits on the spending of one scope; an unset cap is no limit."""

    tokens: int | None = Field(default=None, ge=0)
    usd: float | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)


class BudgetSettings(SettingsSection):
    """Caps per run, per subject (book, manuscript, scene) and per day."""

    run: CapSettings = CapSettings()
    subject: CapSettings = CapSettings()
    day: CapSettings = CapSettings()


class NotifySettings(SettingsSection):
    """Channels that are notified when a session or a book ends."""

    apprise_urls: tuple[SecretStr, ...] = ()
    webhook_url: SecretStr | None = None
    webhook_secret: SecretStr | None = None
    """Key that signs the body of the webhook."""
    command: tuple[str, ...] = ()
    """A program and its arguments; it gets the notification as JSON on standard input."""


class BookSettings(SettingsSection):
    """Git repositories of books."""

    branch: str = "main"
    remote: str = "origin"
    """Neither may be taken by git for an option."""
    network_timeout_s: float = Field(default=120, gt=0)
    """Time one fetch or push may take."""
    lock_wait_s: float = Field(default=20, gt=0)
    """Time a publish waits for another process in the same repository."""

    @field_validator("branch", "remote")
    @classmethod
    def _named_as_git_wants(cls, value: str) -> str:
        if value.startswith("-") or not _REF.fullmatch(value) or _NO_REF.search(value):
            raise ValueError(
                f"git takes no name like {value!r}; use letters, digits and - . / _, not beginning with -"
            )
        return value


class RegistrySettings(SettingsSection):
    """One scholarly registry."""

    url: str = Field(default="", pattern=r"^$|^https?://[^\s/]")
    """Base URL of a mirror or proxy; when empty, the registry's own."""
    key_env: str = ""
    """Name of the variable that holds the key; the key itself is never written to a file."""


class ScholarlySettings(SettingsSection):
    """Scholarly registries, which are asked for references; see docs/citations.md."""

    sources: tuple[Literal["crossref", "pubmed", "openalex", "datacite", "arxiv", "recorded"], ...] = (
        *("crossref", "pubmed", "openalex", "datacite", "arxiv"),
    )
    """Those that are asked. ``recorded`` stands alone: a few works in the package, without a network."""
    only: tuple[Literal["library", "crossref", "pubmed", "openalex", "datacite", "arxiv"], ...] = ()
    """Those that are asked and no others, whatever ``sources`` says; with ``library``, the novel's own
    sources, alone nothing is asked outside this machine. Empty: ``sources`` and the library."""
    first: tuple[Literal["library", "crossref", "pubmed", "openalex", "datacite", "arxiv"], ...] = (
        "library",
    )
    """Those whose works stand before others among what was found."""
    contact: str = Field(default="", pattern=r"^$|^[^\s@<>()]+@[^\s@<>()]+$")
    """E-mail address that the registries may write to; sent with every request."""
    timeout_s: float = Field(default=20, gt=0, le=50)
    """Time one request may take."""
    at_once: int = Field(default=8, ge=1)
    """References that are looked up at the same time."""
    gap_factor: float = Field(default=1, ge=0)
    """Multiplies the pause between two requests to a registry; below 1 only with a mirror of your own."""
    crossref: RegistrySettings = RegistrySettings(key_env="CROSSREF_PLUS_TOKEN")
    pubmed: RegistrySettings = RegistrySettings(key_env="NCBI_API_KEY")
    openalex: RegistrySettings = RegistrySettings(key_env="OPENALEX_API_KEY")
    datacite: RegistrySettings = RegistrySettings()
    arxiv: RegistrySettings = RegistrySettings()

    @property
    def asked(self) -> tuple[SourceName | Literal["recorded"], ...]:
        """Registries that are asked, or ``recorded``; without the library."""
        return tuple(name for name in self.only if name != "library") if self.only else self.sources

    @property
    def asks_library(self) -> bool:
        """Whether the novel's own sources are asked."""
        return not self.only or "library" in self.only

    @property
    def registries(self) -> Mapping[SourceName, RegistrySettings]:
        """By source."""
        return {
            "crossref": self.crossref,
            "pubmed": self.pubmed,
            "openalex": self.openalex,
            "datacite": self.datacite,
            "arxiv": self.arxiv,
        }

    @property
    def key_variables(self) -> Mapping[SourceName, str]:
        """Names of the variables with keys, by source; a table without ``key_env`` keeps the usual name."""
        usual = ScholarlySettings.model_fields
        return {
            name: registry.key_env or usual[name].default.key_env
            for name, registry in self.registries.items()
        }

    @model_validator(mode="after")
    def _recorded_alone(self) -> Self:
        if "recorded" in self.sources and len(self.sources) > 1:
            raise ValueError("'recorded' stands alone: its works would be taken for what registries answer")
        return self


class WorkerSettings(SettingsSection):
    """Worker processes: concurrency, queues, shutdown."""

    activities: int = Field(default=20, ge=1)
    """Store activities at once."""
    repo_activities: int = Field(default=8, ge=1)
    """Steps that work in repositories at once."""
    remote_waits: int = Field(default=32, ge=0)
    """Further steps that wait for a git remote meanwhile; each is a thread."""
    model_activities: int = Field(default=8, ge=1)
    """Calls at once to each vendor: the server of ``api_base``, or the first part of the model's name."""
    model_waits: int = Field(default=248, ge=0)
    """Further calls that wait for their vendor meanwhile."""
    model_calls_per_second: float | None = Field(default=None, gt=0)
    """Limit over all model workers together."""
    cached_workflows: int = Field(default=200, ge=0)
    queue: str = "penwright"
    repo_queue: str = "penwright-repo"
    model_queue: str = "penwright-models"
    queue_per_host: bool = False
    """Adds ``@<host>`` to the repo queue: for several hosts that each keep books on their own disk."""
    host: str = ""
    """The host's name in that queue; when empty, the machine's own."""
    grace_s: float = Field(default=20, ge=0)
    """Seconds that running activities get to finish on shutdown, before they are handed back."""
    build_id: str | None = None
    """Turns worker versioning on; see docs/dev/decisions.md."""
    deployment: str = "penwright"


class RetentionSettings(RetentionDays):
    """After how many days old rows of the store are deleted; 0: never. What a run under way needs stays."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HousekeepingSettings(SettingsSection):
    """When old rows are deleted and repositories are packed."""

    enabled: bool = True
    at: str = Field(default="03:40", pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")
    """Each day at this time."""
    time_zone: str = "UTC"

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        known = time_zones()
        if value not in known:
            near = meant(value, known) or "; write one such as 'UTC' or 'Europe/Berlin'"
            raise ValueError(f"there is no time zone {value!r}{near}")
        return value


class TelemetrySettings(SettingsSection):
    """Logs, metrics and traces."""

    log_format: Literal["json", "console"] = "json"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    otlp_endpoint: str | None = None
    """OTLP over HTTP, such as ``http://127.0.0.1:4318``."""
    texts: bool = False
    """Whether spans hold what models were sent and said, and the arguments of tools."""
    metrics_address: str | None = Field(default=None, pattern=r"^\S+:[0-9]{1,5}$")
    """``host:port`` where a worker process serves Prometheus metrics; ``penwright up`` gives it to the first
    of ``WORKERS``, and the ports after it to the others."""

    def metrics_address_of(self, process: str) -> str | None:
        """Address on which ``penwright up`` lets one of ``WORKERS`` serve metrics."""
        if self.metrics_address is None or process not in WORKERS:
            return None
        host, _, port = self.metrics_address.rpartition(":")
        return f"{host}:{int(port) + WORKERS.index(process)}"
