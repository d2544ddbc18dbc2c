"""The plan as a director is asked for it, in the seed's words."""

from penwright.agents.tools.tool import Arguments


class _Asked(Arguments):
    """Base of the shapes that a director is asked for; every field is required, as strict vendors want it."""


class AskedActor(_Asked):
    name: str
    """Id or name, as it stands in the material."""
    guidance: str
    """What to aim at in this turn."""
    priority: float
    """A higher one acts earlier."""
    order: float | None
    """Position; comes before priority."""


class AskedEntry(_Asked):
    name: str
    entryGuidance: str


class AskedExit(_Asked):
    name: str
    exitGuidance: str


class AskedState(_Asked):
    name: str
    mood: str | None
    location: str | None
    activity: str | None
    clothing: str | None
    intentions: str | None


class AskedTracker(_Asked):
    name: str
    value: str


class AskedPlan(_Asked):
    """The plan as a model is asked for it."""

    actingCharacters: tuple[AskedActor, ...]
    activations: tuple[AskedEntry, ...]
    deactivations: tuple[AskedExit, ...]
    stateUpdates: tuple[AskedState, ...]
    trackers: tuple[AskedTracker, ...]
    openGuidance: str
