"""Settings of an operator, and the source of each value; the only module that reads the environment.

Precedence, lowest first: defaults, one ``penwright.toml``, the environment.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from penwright.domain.models.choice import IMAGES
from penwright.errors import UsageMistake
from penwright.masking import masked
from penwright.time_zones import is_time_zone
from schemas.housekeeping import RetentionDays
from schemas.scholarly import SourceName
from workers.profiles import ProfileSettings, check_profiles

FILE_NAME = "penwright.toml"

WORKERS = ("workflows", "activities", "models")
"""The worker processes, by name."""

EMBEDDINGS = "embeddings"
"""The role whose model makes vectors of memories."""
BUILT_IN_EMBEDDINGS = "wordllama"
WORDS_ONLY = "words"
"""Instead of a model: memories are found by their words."""

ALIASES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "PENWRIGHT_TEMPORAL_CLI": ("engine", "temporal_cli"),
        "TEMPORAL_ADDRESS": ("engine", "address"),
        "TEMPORAL_NAMESPACE": ("engine", "namespace"),
        "TEMPORAL_PROFILE": ("engine", "profile"),
        "TEMPORAL_CONFIG_FILE": ("engine", "profile_file"),
    }
)
"""Variables that do not follow the ``PENWRIGHT_SECTION__KEY`` form -> the setting each one sets."""

MODEL_KEY_VARIABLE = re.compile(
    r".*_API_KEY|HF_TOKEN|HUGGINGFACE_TOKEN|AZURE_AD_TOKEN|GOOGLE_APPLICATION_CREDENTIALS"
)
"""Variables that model vendors read; only the model worker gets them."""

SET_KEYS_VARIABLE = "PENWRIGHT_SET_KEYS"
"""Tells the other processes which keys the model worker has: their names, divided by commas."""


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
    """How long the embedded Temporal keeps closed runs."""
    start_timeout_s: float = Field(default=30, gt=0)
    least_free_mb: int = Field(default=500, ge=0)
    """Free megabytes on the disk of the data directory below which no session begins; 0: no limit."""
    stuck_s: float = Field(default=30, ge=0)
    """Seconds without progress after which the engine kills and restarts a worker; 0: never."""


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
    """Where books and novels are laid that are made in the browser or over the API; unset: none can be."""

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
    """The provider's name for it, such as ``openrouter/vendor/name``."""
    key_env: str = ""
    """Name of the variable that holds the key; the key itself is never written to a file."""
    api_base: str = ""
    """Address of an OpenAI-compatible server."""
    local: bool = False
    """Runs on your own machine and costs nothing."""
    input_usd_per_million: float | None = Field(default=None, ge=0)
    output_usd_per_million: float | None = Field(default=None, ge=0)
    usd_per_image: float | None = Field(default=None, ge=0)
    """Of a model for images: what one picture costs."""
    structured: Literal["native", "tool", "json-in-text"] = "native"
    """How to ask it for structured output; ``penwright models test`` finds out."""
    max_output_tokens: int | None = Field(default=None, gt=0)
    context_tokens: int | None = Field(default=None, ge=512)
    """Size of its context, for a model that no list knows."""
    timeout_s: float | None = Field(default=None, gt=0)
    streams: bool = True
    """Whether replies are shown while they come; off for servers that cut streams off without a word."""
    script: Path | None = None
    """Answers of a ``scripted`` model."""


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
    """How long one fetch or push may take."""
    lock_wait_s: float = Field(default=20, gt=0)
    """How long a publish waits for another process in the same repository."""

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
    contact: str = Field(default="", pattern=r"^$|^[^\s@<>()]+@[^\s@<>()]+$")
    """E-mail address that the registries may write to; sent with every request."""
    timeout_s: float = Field(default=20, gt=0, le=50)
    """How long one request may take."""
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
    """Turns worker versioning on; see docs/decisions.md."""
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
        if not is_time_zone(value):
            raise ValueError(f"there is no time zone {value!r}; write one such as 'UTC' or 'Europe/Berlin'")
        return value


class TelemetrySettings(SettingsSection):
    """Logs, metrics and traces."""

    log_format: Literal["json", "console"] = "json"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    otlp_endpoint: str | None = None
    """OTLP over HTTP, such as ``http://127.0.0.1:4318``."""
    metrics_address: str | None = Field(default=None, pattern=r"^\S+:[0-9]{1,5}$")
    """``host:port`` where a worker process serves Prometheus metrics; ``penwright up`` gives it to the first
    of ``WORKERS``, and the ports after it to the others."""

    def metrics_address_of(self, process: str) -> str | None:
        """Where ``penwright up`` lets one of ``WORKERS`` serve them."""
        if self.metrics_address is None or process not in WORKERS:
            return None
        host, _, port = self.metrics_address.rpartition(":")
        return f"{host}:{int(port) + WORKERS.index(process)}"


class Settings(BaseSettings):
    """The effective settings of one process."""

    model_config = SettingsConfigDict(
        env_prefix="PENWRIGHT_", env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    home: Path = Field(default_factory=lambda: platformdirs.user_data_path("penwright"))
    """Data directory of the embedded engine."""
    database_url: SecretStr | None = None
    """A PostgreSQL that is not embedded."""
    encryption_key: SecretStr | None = None
    """32 bytes in base64; encrypts workflow histories."""
    orders_key: SecretStr | None = None
    """Signs orders where ``engine.shared`` is set; when unset, the file ``orders.key`` in ``home`` does."""
    encryption_old_keys: tuple[SecretStr, ...] = ()
    """Former keys; used to decrypt only, also when ``encryption_key`` is not set any more."""
    roles: dict[str, str] = {"writer": "demo"}
    """Role -> model; a role that is missing uses the writer's model.

    ``embeddings`` is no language model: ``wordllama`` (built in, the default), ``words`` (none: memories are
    found by their words), or a litellm model of the settings that makes embeddings. ``images`` is a litellm
    model that makes pictures; without it none are made.
    """
    models: dict[str, ModelSettings] = {}
    """Models by alias; ``demo`` always exists."""
    profiles: dict[str, ProfileSettings] = {}
    """How a role, or a group of roles such as ``scene``, asks its model."""
    agents: tuple[str, ...] = ()
    """Modules with custom agents: each has ``AGENTS``, and ``BINDINGS`` if its tools need resources."""
    overrides: Path | None = None
    """Folder of override sets; ``overrides`` in the data directory when unset."""
    engine: EngineSettings = EngineSettings()
    health: HealthSettings = HealthSettings()
    web: WebSettings = WebSettings()
    budgets: BudgetSettings = BudgetSettings()
    notify: NotifySettings = NotifySettings()
    books: BookSettings = BookSettings()
    scholarly: ScholarlySettings = ScholarlySettings()
    worker: WorkerSettings = WorkerSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    retention: RetentionSettings = RetentionSettings()
    housekeeping: HousekeepingSettings = HousekeepingSettings()

    @field_validator("home")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use only what ``load`` merged, so that every value has a known source."""
        return (init_settings,)

    @property
    def embeds_temporal(self) -> bool:
        """Whether ``penwright up`` runs Temporal itself."""
        return self.engine.address is None and self.engine.profile is None

    @property
    def embeds_postgres(self) -> bool:
        """Whether ``penwright up`` runs PostgreSQL itself."""
        return self.database_url is None

    @property
    def has_encryption_keys(self) -> bool:
        """Whether something can be decrypted; what is new is encrypted only with ``encryption_key``."""
        return self.encryption_key is not None or bool(self.encryption_old_keys)

    @property
    def repo_queue(self) -> str:
        """Task queue of this host's workspaces."""
        if not self.worker.queue_per_host:
            return self.worker.repo_queue
        return f"{self.worker.repo_queue}@{self.worker.host or os.uname().nodename}"

    @property
    def embeddings(self) -> str:
        """Name of what makes vectors of memories."""
        return self.roles.get(EMBEDDINGS, BUILT_IN_EMBEDDINGS)

    @model_validator(mode="after")
    def _known_embeddings(self) -> Self:
        name, built_in = self.embeddings, (BUILT_IN_EMBEDDINGS, WORDS_ONLY)
        if name not in built_in and (name not in self.models or self.models[name].provider != "litellm"):
            raise ValueError(
                f"the role {EMBEDDINGS!r} uses {name!r}, which makes no embeddings; write "
                f"{BUILT_IN_EMBEDDINGS!r}, {WORDS_ONLY!r}, or a litellm model that [models] sets up"
            )
        return self

    @property
    def images(self) -> str:
        """Name of the model that makes pictures; empty: none is set."""
        return self.roles.get(IMAGES, "")

    @model_validator(mode="after")
    def _known_images(self) -> Self:
        name = self.images
        if name and (name not in self.models or self.models[name].provider != "litellm"):
            raise ValueError(
                f"the role {IMAGES!r} uses {name!r}, which makes no pictures; write the name of a litellm "
                "model for images that [models] sets up, or leave the role out"
            )
        return self

    @model_validator(mode="after")
    def _known_models(self) -> Self:
        for role, name in self.roles.items():
            if role == EMBEDDINGS:
                continue
            if name != "demo" and name not in self.models:
                known = ", ".join(sorted({*self.models, "demo"}))
                raise ValueError(
                    f"the role {role!r} uses the model {name!r}, which is not set up; "
                    f"add [models.{name}] or choose one of: {known}"
                )
        check_profiles(self.profiles, self.roles, frozenset({*self.models, "demo"}))
        return self


@dataclass(frozen=True, slots=True)
class SettingSource:
    """The layer that set a value, and the file or variable."""

    layer: Literal["default", "file", "environment"]
    where: str = ""
    """Path of the file, or name of the variable; empty for a default."""


@dataclass(frozen=True)
class Loaded:
    """Settings, the source of each value, and the environment for child processes."""

    settings: Settings
    file: Path | None
    origins: Mapping[str, SettingSource]
    """By dotted path; a missing path has its default."""
    environ: Mapping[str, str]

    def origin(self, path: str) -> SettingSource:
        """Return the source of the value at a dotted ``path``."""
        return self.origins.get(path, SettingSource("default"))

    @cached_property
    def model_key_variables(self) -> frozenset[str]:
        """Names of set variables that hold keys of model providers."""
        named = {model.key_env for model in self.settings.models.values() if model.key_env}
        vendors = {name for name in self.environ if MODEL_KEY_VARIABLE.fullmatch(name)}
        vendors -= {name for name in vendors if name.startswith(("PENWRIGHT_", "TEMPORAL_"))}
        vendors -= set(self.settings.scholarly.key_variables.values())
        return frozenset((named | vendors) & self.environ.keys())

    @cached_property
    def set_keys(self) -> frozenset[str]:
        """Names of the keys that the model worker of this engine has, whether or not they are set here."""
        told = self.environ.get(SET_KEYS_VARIABLE, "")
        own = {name for name in self.model_key_variables if self.environ[name]}
        return frozenset({*own, *filter(None, told.split(","))})

    def has_key(self, name: str) -> bool:
        """Whether the key called ``name`` is set, here or for the model worker."""
        return name in self.set_keys or bool(self.environ.get(name))

    def child_environment(self, *, with_model_keys: bool = False) -> dict[str, str]:
        """Return the environment of a child process: the same settings, and model keys only if asked for."""
        hidden = frozenset[str]() if with_model_keys else self.model_key_variables
        kept = {name: value for name, value in self.environ.items() if name not in hidden}
        return kept | {
            "PENWRIGHT_HOME": str(self.settings.home),
            "PENWRIGHT_CONFIG": str(self.file or ""),
            SET_KEYS_VARIABLE: ",".join(sorted(self.set_keys)),
        }


def drop_git_variables() -> None:
    """Take git's variables out of this process: with some of them GitPython opens another repository."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


def load(environ: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Loaded:
    """Read the settings; ``environ`` and ``folder`` default to this process's own.

    Raises:
        UsageMistake: the file is missing or unreadable, or a key or value is invalid.
    """
    environ = dict(os.environ if environ is None else environ)
    file = _find_file(environ, folder or Path.cwd())
    from_file = _read_file(file) if file else {}
    from_environment, variables = _read_environment(environ)
    origins = {path: SettingSource("file", str(file)) for path, _ in leaves(from_file)}
    origins |= {
        path: SettingSource("environment", variables.get(path, _variable(path)))
        for path, _ in leaves(from_environment)
    }
    settings = _validate(_merge(from_file, from_environment), origins)
    return Loaded(settings, file, MappingProxyType(origins), MappingProxyType(environ))


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted path and value of every leaf of ``tree``."""
    for key, value in tree.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}.")
        else:
            yield path, value


def effective(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON values; secrets are masked, including those in addresses."""
    shown: dict[str, Any] = _masked(settings.model_dump(mode="json"))
    if settings.database_url is not None:
        shown["database_url"] = mask_url(settings.database_url.get_secret_value())
    return shown


def _masked(value: Any) -> Any:
    """``value`` with the secrets in its addresses masked."""
    match value:
        case str():
            return masked(value)
        case dict():
            return {key: _masked(each) for key, each in value.items()}
        case list():
            return [_masked(each) for each in value]
    return value


def mask_url(url: str) -> str:
    """Mask the password of ``url``, in the authority and in the query."""
    url = re.sub(r"(?<=://)([^/@:]*):[^@]*@", r"\1:***@", url)
    return re.sub(r"((?:^|[?&])password=)[^&]*", r"\1***", url)


def _variable(path: str) -> str:
    return "PENWRIGHT_" + path.upper().replace(".", "__")


def places_of_file(environ: Mapping[str, str], folder: Path | None = None) -> tuple[Path, ...]:
    """Where the settings file is looked for, in this order; the first that exists is used."""
    named = environ.get("PENWRIGHT_CONFIG")
    if named is not None:
        return (Path(named).expanduser().absolute(),) if named else ()
    here = (folder or Path.cwd()) / FILE_NAME
    return here.absolute(), platformdirs.user_config_path("penwright") / FILE_NAME


def _find_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    named = environ.get("PENWRIGHT_CONFIG")
    if named == "":
        return None
    if named is not None:
        file = Path(named).expanduser().absolute()
        if not file.is_file():
            raise UsageMistake(
                "settings-file-missing",
                f"PENWRIGHT_CONFIG names {str(file)!r}, which does not exist; create it or unset it",
            )
        return file
    return next((file for file in places_of_file(environ, folder) if file.is_file()), None)


def _read_file(file: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageMistake(
            "settings-file-unreadable",
            f"{str(file)!r} cannot be read as TOML: {error}; correct it",
            file=str(file),
        ) from error
    if unknown := list(_unknown(tree, Settings, "")):
        path = unknown[0][0]
        told = "; ".join(f"{path!r} {advice}" for path, advice in unknown)
        raise UsageMistake("settings-unknown-key", f"in {str(file)!r}, {told}", key=path)
    return tree


def _unknown(tree: Mapping[str, Any], section: type[BaseModel], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield dotted path and advice of each key that is no setting."""
    for key, value in tree.items():
        field = section.model_fields.get(key)
        if field is None:
            yield f"{prefix}{key}", _advice(key, section)
        elif isinstance(value, Mapping):
            kind = field.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _unknown(value, kind, f"{prefix}{key}.")
            elif section is Settings and key in _NAMED_TABLES:
                for alias, table in value.items():
                    if isinstance(table, Mapping):
                        yield from _unknown(table, _NAMED_TABLES[key], f"{key}.{alias}.")


_NAMED_TABLES: Mapping[str, type[BaseModel]] = {"models": ModelSettings, "profiles": ProfileSettings}
"""Settings that are tables of tables, by names that the operator chooses."""


def _advice(key: str, section: type[BaseModel]) -> str:
    near = get_close_matches(key, section.model_fields, n=1, cutoff=0.5)
    if near:
        return f"is not a setting, did you mean {near[0]!r}?"
    return f"is not a setting (known here: {', '.join(section.model_fields)})"


class _Environment(EnvSettingsSource):
    """Reads a given environment instead of the process's."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._given = environ
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._given.items()}


def _read_environment(environ: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tree that the environment sets, and by path the variables of ``ALIASES`` that were used."""
    tree: dict[str, Any] = {}
    variables: dict[str, str] = {}
    for name, (section, key) in ALIASES.items():
        if environ.get(name):
            tree.setdefault(section, {})[key] = environ[name]
            variables[f"{section}.{key}"] = name
    try:
        own = _Environment({name: value for name, value in environ.items() if value != ""})()
    except ValueError as error:
        raise UsageMistake(
            "settings-variable-unreadable", f"{error}; lists and tables in variables are written as JSON"
        ) from error
    for path, _ in leaves(own):
        variables.pop(path, None)
    return _merge(tree, own), variables


def _merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = (
            _merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
        )
    return merged


def _validate(tree: dict[str, Any], origins: Mapping[str, SettingSource]) -> Settings:
    try:
        return Settings(**tree)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        told = [_told(each, origins) for each in found]
        kind, path = found[0]["type"], told[0][0]
        code = kind if kind.startswith("profile-") else "settings-invalid"
        correct = "correct it" if len(told) == 1 else "correct them"
        raise UsageMistake(code, f"{'; '.join(said for _, said in told)}; {correct}", key=path) from error


# Any: an error as pydantic describes it.
def _told(error: Any, origins: Mapping[str, SettingSource]) -> tuple[str, str]:
    """The path of a wrong setting, and what is wrong with it; never its value, which may be a secret."""
    path = ".".join(str(part) for part in error["loc"]) or error.get("ctx", {}).get("path", "") or "settings"
    where = origins.get(path, SettingSource("default")).where or "the settings"
    return path, f"{path!r} from {where}: {error['msg']}"
