"""What the API tells of the edits of a revision: what was made, and why the others were not."""

from pathlib import Path

import httpx
import pytest

from penwright.domain.manuscript.patching import patched_scene
from penwright.roles.manuscript.edit_reply import OPERATIONS
from schemas.agent_state import ActionEntry, StateKey
from schemas.base import OpId
from schemas.patching import Operation, OperationResult
from tests.support.gateway.http import a_novel, key
from tests.support.gateway.services import NOW, StageServices

TEXT = """\
# Ebb

The keeper counts 12 lamps at dusk.

The old harbour slept. It thawed.

Gulls cry over the quay. Nobody hears them. Gulls cry above the quay.

The tide is late [[@book{lee, title = {Tides}}]].
"""
MEANWHILE = TEXT.replace("The old harbour slept.", "The old harbour woke.")
LAMPS = "The keeper counts 12 lamps at dusk."
NO_SUCH, CITED = "no passage reads like that", "it would alter, drop, add or move a citation"

APPLIED = Operation(find="Nobody hears them.", replace="Somebody hears them.")
REFUSED = (
    (
        Operation(find="Gulls cry abover the quay.", replace="Gulls sleep."),
        (
            "ambiguous",
            "2 passages read like that",
            "Gulls cry above the quay.\n\nGulls cry over the quay.",
            "",
        ),
    ),
    (
        Operation(find="The old harbour slept.", replace="The new harbour slept."),
        ("conflict", "people changed this place", "The old harbour woke.", "The new harbour slept."),
    ),
    (
        Operation(find="The keeper counts every lamp at dusk.", replace="He counts."),
        ("not_found", NO_SUCH, LAMPS, ""),
    ),
    (
        Operation(find="The tide is late [[@book{lee, title = {Tides}}]].", replace="The tide is late."),
        ("citation_touched", CITED, "", ""),
    ),
    (
        Operation(find=LAMPS.replace("12", "13"), replace="The keeper counts 13 boats at dusk."),
        ("numeric_mismatch", "the nearest passage has other numbers", LAMPS, ""),
    ),
)
"""Edits, each with what the API tells of it: outcome, beginning of the reason, text in question, wish."""


@pytest.fixture
def novel(services: StageServices, tmp_path: Path) -> str:
    """A novel with a revision of which one edit was made."""
    operations = (APPLIED, *(edit for edit, _ in REFUSED))
    made = patched_scene(operations, TEXT, MEANWHILE)
    assert made.text == MEANWHILE.replace("Nobody", "Somebody")
    novel = a_novel(services, tmp_path / "novel")
    _note(services, novel, operations, made.results)
    return novel


def _note(
    services: StageServices,
    novel: str,
    operations: tuple[Operation, ...],
    results: tuple[OperationResult, ...],
) -> None:
    """Enter the revision into the history, as its run does."""
    put = services.store.blobs.put
    results_json = b"[%s]" % b",".join(each.model_dump_json().encode() for each in results)
    entry = ActionEntry(
        op_id=OpId("e1"),
        run="r",
        at=NOW,
        action="revise_manuscript",
        outcome="done",
        code="partly-applied",
        summary="1 of 6 edits were made.",
        detail={
            "reply": put(OPERATIONS.dump_json(operations)).model_dump(),
            "results": put(results_json).model_dump(),
        },
    )
    services.store.agent_logs.append([(StateKey(novel=novel), entry)])


async def test_every_edit_that_was_not_made_is_told_with_its_reason_and_the_text_in_question(
    client: httpx.AsyncClient, novel: str
) -> None:
    (action,) = (await client.get(f"/manuscripts/{novel}/-/actions")).json()["items"]

    told = [
        (each["number"], each["find"], each["replace"], each["outcome"], each["nearest"], each["wanted"])
        for each in action["not_made"]
    ]
    assert (action["outcome"], action["code"]) == ("done", "partly-applied")
    assert told == [
        (number, edit.find, edit.replace, outcome, nearest, wanted)
        for number, (edit, (outcome, _, nearest, wanted)) in enumerate(REFUSED, 2)
    ]
    for each, (_, (_, why, _, _)) in zip(action["not_made"], REFUSED, strict=True):
        assert each["message"].startswith(why)


async def test_only_the_conflict_can_be_settled_and_once(client: httpx.AsyncClient, novel: str) -> None:
    url = f"/manuscripts/{novel}/-/settle"
    answers = {
        number: await client.post(url, json={"action": "e1", "number": number, "keep": "mine"}, headers=key())
        for number in (1, 2, 3, 4, 5, 6)
    }
    again = await client.post(url, json={"action": "e1", "number": 3, "keep": "mine"}, headers=key())
    *_, last = (await client.get(f"/manuscripts/{novel}/-/actions")).json()["items"]

    assert {number: each.status_code for number, each in answers.items()} == {
        **dict.fromkeys((1, 2, 4, 5, 6), 404),
        3: 204,
    }
    assert (again.status_code, again.json()["code"]) == (404, "no-such-conflict")
    assert (last["action"], last["detail"]["settles"]) == ("settle_conflict", "e1:3")
