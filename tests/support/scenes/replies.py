"""Replies of the roles of a scene: a good one of each, and what any text is read as."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from penwright.adapters.clock import SystemClock
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.ports.blobs import Blobs
from penwright.roles.scene.cast import ROLES
from schemas.director_round import SceneRole
from schemas.scene_roles import SceneDelivery
from tests.support.doubles.store import memory_store

PLAN = {
    "actingCharacters": [
        {"name": "Ann", "guidance": "Ask him where the boat is; “do not” let go.", "priority": 5, "order": 1},
        {"id": "bob", "name": "Bob", "guidance": "Deny it.\nLook away.", "priority": "3"},
    ],
    "activations": [{"name": "Dov", "entryGuidance": "He comes in wet, with a lantern."}],
    "deactivations": [{"name": "Cleo", "exitGuidance": "She slips out."}],
    "stateUpdates": [{"name": "Ann", "location": "the roof", "mood": "default"}],
    "trackers": [{"name": "lanterns left", "value": 2}],
    "openGuidance": "Slow, and quiet. Braces {like these} are only text.",
}
SPOKEN = """“Where is it?” Ann asks, and does not look at him.

---

[CLOSED], says the sign; {nobody} has turned it. She turns it.

```state
{"mood": "wary", "location": "by the door"}
```"""
SHEET = {
    "name": "Ines Roth",
    "description": "A pilot who no longer goes out.",
    "personality": "Dry. Counts things.",
    "secrets": "She moved the buoy.",
    "talkative": 35,
    "tags": ["harbour", "pilot"],
}
PICTURE = {
    "prompt": "A woman on a quay, lantern light, ink wash",
    "avoid": "text",
    "caption": "The quay",
}
GOOD: Mapping[SceneRole, str] = MappingProxyType(
    {
        "director": json.dumps(PLAN, ensure_ascii=False),
        "character": SPOKEN,
        "narrator": "Rain stands on the panes. [A bell], twice.",
        "summariser": "Ann asked Bob for the boat; Bob denied it. Both were present.",
        "world-agent": json.dumps({"facts": {"weather": "rain"}, "trackers": {"lanterns left": 1}}),
        "creator": json.dumps(SHEET),
        "visual": json.dumps(PICTURE),
    }
)
"""By role; every reader takes it."""


def blobs() -> Blobs:
    return memory_store(clock=SystemClock()).blobs


def read(
    role: SceneRole, text: str, *, cut_off: bool = False, kept: Blobs | None = None
) -> SceneDelivery | ModelMistake:
    """What the role's reader makes of a reply; any other exception is the reader's fault."""
    definition = ROLES[role]
    assert definition.reads is not None, "every role reads its own replies"
    arrival = RawReply(
        text=text,
        params=(),
        before=None,
        model="some-model",
        demo=False,
        blobs=kept or blobs(),
        cut_off=cut_off,
    )
    try:
        found = definition.reads(arrival)
    except ModelMistake as mistake:
        return mistake
    assert isinstance(found, SceneDelivery)
    return found
