"""A revision of which one edit was refused, for each reason that there is."""

from penwright.domain.manuscript.patching import patched_scene
from penwright.domain.manuscript.policy import NOT_MADE
from penwright.domain.manuscript.retrying import reasons_of
from schemas.agent_state import ActionEntry, StateKey
from schemas.base import OpId
from schemas.patching import Operation
from tests.support.gateway.services import NOW, StageServices

_LAMPS = "The keeper counts the lamps at dusk."
_SEEN = (
    f"# Ebb\n\n{_LAMPS} The oar is wet.\n\nThe oar is wet. He paid 12 coins for rope [@orr2020tide].\n\n"
    "Gulls cry over the harbour wall.\n"
)
_PRESENT = _SEEN.replace("Gulls cry", "Gulls are silent")
REFUSED = [
    ("The oar is wet.", "The oar is dry.", "ambiguous, it stands at several places, such as “The oar"),
    (
        "Gulls cry over the harbour wall.",
        "Gulls scream over the harbour wall.",
        "conflict, you wrote “Gulls are silent over the harbour wall.” there meanwhile",
    ),
    ("A whale is seen far out at sea.", "A whale.", "not found, no passage reads like that"),
    (
        "He paid 12 coins for rope [@orr2020tide].",
        "He paid 12 coins for rope.",
        "citation touched, it would alter, drop, add or move a citation",
    ),
    (
        "He paid 13 coins for rope",
        "He paid 13 coins for string",
        "numeric mismatch, the nearest passage has other numbers",
    ),
]
"""Passages to find, what is put in their place, and what people are told."""


def revised(services: StageServices, key: StateKey, session: str, find: str, replace: str) -> str:
    """Note a revision with this edit and one that is made, as a run does; returns its summary."""
    edits = (
        Operation(find=find, replace=replace),
        Operation(find=_LAMPS, replace="The keeper counts the boats."),
    )
    made = patched_scene(edits, _SEEN, _PRESENT)
    assert made.results[1].outcome == "applied"
    summary = f"1 of 2 operations applied; 30 words. {NOT_MADE}{'; '.join(reasons_of(edits, made.results))}."
    entry = ActionEntry(
        op_id=OpId(f"{session}/{find}"),
        run=f"manuscript/{key.novel}/{key.scene}#{session}",
        at=NOW,
        action="revise_manuscript",
        outcome="done",
        code="partly-applied",
        summary=summary,
    )
    services.store.agent_logs.append([(key, entry)])
    return summary
