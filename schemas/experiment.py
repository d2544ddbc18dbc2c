"""What is tried out: one way to run an agent, under a name."""

from schemas.base import Value


class Experiment(Value):
    """Which overrides, flags and model a run is made with."""

    name: str
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit."""
    tag: str = ""
    """Of the override set; empty for none."""
    flags: dict[str, str] = {}
    """As they are written on a command line; their types are known to whoever declared them."""
    model: str = ""
    """Empty: whichever the settings give to the role."""


class PinnedExperiment(Value):
    """An experiment as it was when its run began; nothing that happens later changes it."""

    experiment: Experiment
    agent: str
    """``namespace/key``."""
    definition: str
    """Digest of the agent's definition."""
    overrides: str
    """Digest of what the tag came to; empty when nothing was overridden."""
    digest: str
    """Of all this but the experiment's name."""
