"""A document's page: the limit and price of a scan, and edits in conflict with the author's."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from gateway.desk.citations import scans
from gateway.desk.citations.scans import Scanned
from gateway.desk.document_status import DocumentDetails
from gateway.desk.manuscript import board, refused_edits, scenes, told_variables
from gateway.desk.manuscript.refused_edits import RefusedEdit
from gateway.desk.works.documents import Document
from gateway.ui.parts.manuscript import drafting
from gateway.ui.parts.manuscript.drafting import Drafting
from schemas.agent_state import AgentState, StateKey
from tests.support.each import for_each
from tests.support.gateway.http import a_novel
from tests.support.gateway.services import StageServices
from tests.support.manuscripts.refused_edits import REFUSED, revised


async def test_a_scan_has_its_limit_its_price_and_its_variables_before_it_begins(
    user: User, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wished: list[int | None] = []

    async def scan(services: Any, found: Any, wish: scans.ScanWish, *, wait: Any) -> Scanned:
        wished.append(wish.max_targets)
        return Scanned("s1", True, None)

    async def read(visit: Any, found: Document, variable: str) -> Drafting:
        state = AgentState(key=found.key)
        text = scenes.show(services, found.novel, found.scene)
        return Drafting(DocumentDetails(None, text, state, (), (), (), None))

    monkeypatch.setattr(scans, "scan", scan)
    monkeypatch.setattr(drafting, "read", read)
    novel = a_novel(services, tmp_path / "ebb")

    await user.open(f"/manuscripts/{novel}/-?tab=reference")
    await user.should_see("existing citations")
    await user.should_see("at most 1 of 1 sentences")
    (most,) = user.find(kind=ui.number).elements
    before = most.value
    most.value = 3
    user.find("Scan for sentences that need a source").click()
    await user.should_see("the scan has begun")

    assert before == 10
    assert wished == [3]
    (targets,) = user.find("citation targets").elements
    assert targets.props["href"] == f"/ui/manuscripts/{novel}/-?tab=inspect&variable=citation_targets"


async def test_the_tabs_of_the_ai_workspace_open_the_page_at_it(
    user: User, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a phone it stands below all of the text."""

    async def read(visit: Any, found: Document, variable: str) -> Drafting:
        return Drafting(DocumentDetails(None, None, AgentState(key=found.key), (), (), (), None))

    monkeypatch.setattr(drafting, "read", read)
    novel = a_novel(services, tmp_path / "ebb")

    await user.open(f"/manuscripts/{novel}/-")

    (tab,) = user.find("AI Reference").elements
    assert tab.props["href"] == f"/ui/manuscripts/{novel}/-?tab=reference#ai-workspace"
    assert user.client
    at = [each for each in user.client.elements.values() if each.props.get("id") == "ai-workspace"]
    assert len(at) == 1


async def test_a_step_that_is_tried_again_is_told_of_a_run_and_of_a_scan(
    user: User, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read(visit: Any, found: Document, variable: str) -> Drafting:
        return Drafting(DocumentDetails(line, None, AgentState(key=found.key), (), (), (), None))

    novel = a_novel(services, tmp_path / "ebb")
    (idle,) = (await board.board(services)).lines
    line = replace(
        idle, trouble="Planning; attempt 2 failed", scan="find", scan_detail="Finding; attempt 3 failed"
    )
    monkeypatch.setattr(drafting, "read", read)

    await user.open(f"/manuscripts/{novel}/-")
    await user.should_see("Planning; attempt 2 failed")
    await user.should_see("Finding; attempt 3 failed")


async def test_a_conflict_is_a_card_with_both_versions_that_a_person_settles(
    user: User, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = RefusedEdit(
        "e1", 2, "conflict", "both changed it", "find", "replace", "I wrote.", "It would write."
    )
    settled: list[tuple[str, int, str]] = []

    async def read(visit: Any, found: Document, variable: str) -> Drafting:
        state = AgentState(key=found.key)
        left = () if settled else (edit,)
        return Drafting(DocumentDetails(None, None, state, (), (), (), None, left))

    async def decide(services: Any, found: Any, entry: str, number: int, keep: str, *, who: str) -> None:
        settled.append((entry, number, keep))

    monkeypatch.setattr(drafting, "read", read)
    monkeypatch.setattr(refused_edits, "decide", decide)

    await user.open(f"/manuscripts/{a_novel(services, tmp_path / 'ebb')}/-")
    await user.should_see("I wrote.")
    await user.should_see("It would write.")
    user.find("Take the agent's").click()
    await user.should_not_see("It would write.")

    assert settled == [("e1", 2, "edit")]


@for_each("find, replace, why", REFUSED)
async def test_the_inspector_says_which_edit_was_not_made_and_why(
    user: User,
    services: StageServices,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    find: str,
    replace: str,
    why: str,
) -> None:
    async def read(visit: Any, found: Document, variable: str) -> Drafting:
        state = AgentState(key=found.key)
        view = told_variables.variable(services, found, variable)
        return Drafting(DocumentDetails(None, None, state, (), (), (), None), view)

    monkeypatch.setattr(drafting, "read", read)
    place = tmp_path / f"ebb-{len(find)}"
    novel = a_novel(services, place)
    revised(services, StateKey(novel=novel), "s1", find, replace)

    await user.open(f"/manuscripts/{novel}/-?tab=inspect&variable=last_history_entry")

    await user.should_see(f"Not made: edit 1 of “{find}”: {why}")
