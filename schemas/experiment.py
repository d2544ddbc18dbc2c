"""Experiments: named variants of how an agent is run."""

from schemas.base import Value


class Experiment(Value):
    """The overrides, flags and model of a run."""

    name: str
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit."""
    tag: str = ""
    """Tag of the override set; empty for none."""
    flags: dict[str, str] = {}
    """As on the command line; the agent's definition declares their types."""
    model: str = ""
    """Name of a model; empty: the settings' model for the role."""


class PinnedExperiment(Value):
    """An experiment as it was when its run began; later changes do not affect it."""

    experiment: Experiment
    agent: str
    """``namespace/key``."""
    definition: str
    """Digest of the agent's definition."""
    overrides: str
    """Digest of the resolved overrides; empty if nothing was overridden."""
    digest: str
    """Digest of all this except the experiment's name."""
