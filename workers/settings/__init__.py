"""Settings of an operator, and the source of each value; the only package that reads the environment.

Precedence, lowest first: defaults, one ``penwright.toml``, the environment.
"""

from workers.settings.files import FILE_NAME, file_to_make, places_of_file
from workers.settings.loading import (
    SET_KEYS_VARIABLE,
    Loaded,
    SettingSource,
    drop_git_variables,
    load,
    reload,
)
from workers.settings.sections import (
    LONGEST_START_S,
    CapSettings,
    EngineSettings,
    HealthSettings,
    ModelSettings,
    TelemetrySettings,
    WorkerSettings,
)
from workers.settings.showing import effective, mask_url
from workers.settings.values import BUILT_IN_EMBEDDINGS, EMBEDDINGS, WORDS_ONLY, Settings
from workers.settings.variables import ALIASES, leaves

__all__ = [
    "ALIASES",
    "BUILT_IN_EMBEDDINGS",
    "EMBEDDINGS",
    "FILE_NAME",
    "LONGEST_START_S",
    "SET_KEYS_VARIABLE",
    "WORDS_ONLY",
    "CapSettings",
    "EngineSettings",
    "HealthSettings",
    "Loaded",
    "ModelSettings",
    "SettingSource",
    "Settings",
    "TelemetrySettings",
    "WorkerSettings",
    "drop_git_variables",
    "effective",
    "file_to_make",
    "leaves",
    "load",
    "mask_url",
    "places_of_file",
    "reload",
]
