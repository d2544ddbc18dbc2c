"""The pages of a manuscript, a scan and a scene begin their runs with the override set that is chosen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from nicegui import ui
from nicegui.testing import User
from nicegui.testing.user_interaction import UserInteraction

from gateway.desk.document_status import DocumentDetails
from gateway.ui.parts.manuscript import drafting
from gateway.ui.parts.manuscript.drafting import Drafting
from gateway.ui.parts.shared.words import WordsField
from penwright.errors import Refused
from schemas.agent_state import AgentState
from tests.support.gateway.http import a_novel, a_scene, a_world
from tests.support.gateway.services import Run, StageServices


def says(label: str) -> Callable[[User], None]:
    """A person who sends words from the field with this label."""

    def send(user: User) -> None:
        (field,) = (each for each in user.find(WordsField).elements if each.props["label"] == label)
        UserInteraction(user, {field}, None).trigger("sent", "Go on.")

    return send


def scans(user: User) -> None:
    user.find("Scan for sentences that need a source").click()


@pytest.mark.parametrize(
    ("agent", "page", "begin"),
    [
        ("manuscript/critic", "/manuscripts/{novel}/-?tab=write", says("Instructions")),
        ("manuscript/citation-generator", "/manuscripts/{novel}/-?tab=reference", scans),
        ("scene/director", "/scenes/{scene}", says("What you say")),
    ],
)
async def test_a_run_is_begun_with_the_set_that_is_chosen(
    user: User,
    run: Run,
    services: StageServices,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    agent: str,
    page: str,
    begin: Callable[[User], None],
) -> None:
    orders: list[Any] = []

    async def start(order: Any) -> NoReturn:
        orders.append(order)
        raise Refused("enough", "nothing is started here")

    async def read(visit: Any, found: Any, variable: str) -> Drafting:
        return Drafting(DocumentDetails(None, None, AgentState(key=found.key), (), (), (), None))

    for door in (services.manuscript_runs, services.scans, services.rounds):
        monkeypatch.setattr(door, "start", start)
    monkeypatch.setattr(drafting, "read", read)
    run("agent", "seed", agent, "--tag", "bold")
    places = {"novel": a_novel(services, tmp_path / "ebb"), "scene": a_scene(services, a_world(services))}

    await user.open(page.format(**places))
    (field,) = user.find(kind=ui.select, content="Agents work with").elements
    assert isinstance(field, ui.select)
    field.set_value("bold")
    begin(user)

    await user.should_see("nothing is started here")
    assert [each.override_tag for each in orders] == ["bold"]
