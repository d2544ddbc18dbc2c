"""The settings of one process."""

import os
from pathlib import Path
from typing import Self

import platformdirs
from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from penwright.domain.models.choice import IMAGES, ROLES
from penwright.domain.text.nearest import meant
from workers.profiles import ProfileSettings, check_profiles
from workers.settings.sections import (
    BookSettings,
    BudgetSettings,
    EngineSettings,
    HealthSettings,
    HousekeepingSettings,
    ModelSettings,
    NotifySettings,
    RetentionSettings,
    ScholarlySettings,
    TelemetrySettings,
    WebSettings,
    WorkerSettings,
)

EMBEDDINGS = "embeddings"
"""The role whose model makes vectors of memories."""


BUILT_IN_EMBEDDINGS = "wordllama"


WORDS_ONLY = "words"
"""Instead of a model: memories are found by their words."""


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
    """Model and parameters of a role, or a group of roles such as ``scene``."""
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
    def _known_roles(self) -> Self:
        unknown = [role for role in (*self.roles, *self.profiles) if role not in ROLES]
        # Agents of one's own may have any.
        if not unknown or self.agents:
            return self
        # Imported for those who need it: the roles are slow to import.
        from penwright.roles.catalogue import AGENTS

        known = {*ROLES, *(each.definition.key for each in AGENTS.values())}
        for role in unknown:
            if role not in known:
                near = meant(role, known) or f"; there are {', '.join(sorted(ROLES))}"
                raise ValueError(f"no role is called {role!r}{near}")
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
