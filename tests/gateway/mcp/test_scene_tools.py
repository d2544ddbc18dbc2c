"""The scene tools over the protocol, to the client's very call, with everything real but Temporal."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import Implementation
from typer.main import get_command

from gateway.cli.output import run
from gateway.cli.program import app
from gateway.desk.manuscript.scene_tools import LONGEST_PAGE, SceneToolService
from gateway.desk.works import novels
from gateway.mcp.offers import NOVEL
from gateway.mcp.server import ToolServer
from penwright.roles.outside_agent.scene_tools import LONGEST_EDIT
from schemas.base import Progress
from tests.support.each import for_each
from tests.support.gateway.services import StageServices, git_in

DRAFT = """\
# Ebb

The keeper counts the lamps at dusk.

# Flow

Nobody asks him why [[@article{orr2020tide, title = {The tide tables}, author = {Orr, M.}, year = {2020}}]].
"""
TWICE = {"find": "lamps at dusk", "replace": "lamps at dusk, twice"}


@dataclass
class Stage:
    """A novel, its server, and one client of it."""

    services: StageServices
    place: Path
    client: Client

    async def call(self, tool: str, **arguments: object) -> Any:  # Any: JSON
        """The result of a call; it must succeed."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: object) -> Any:  # Any: JSON
        """The denial a call answers; nothing may have been changed."""
        before = git_in(self.place, "rev-parse", "HEAD")
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        assert git_in(self.place, "rev-parse", "HEAD") == before
        return result.structured_content

    async def selected(self, scene: str = "-") -> str:
        """A session with its intent selected."""
        answer = await self.call("select_active_intent", scene=scene, intent_id="INT-001")
        session: str = answer["session"]
        return session

    async def revision(self, scene: str = "-") -> str:
        revision: str = (await self.call("read_scene", scene=scene))["revision"]
        return revision

    async def edit(self, session: str, *operations: object, scene: str = "-") -> Any:  # Any: JSON
        """Operations on the newest text."""
        base = await self.revision(scene)
        return await self.call(
            "edit_scene", scene=scene, session=session, base=base, operations=list(operations)
        )


def laid_out(services: StageServices, place: Path, text: str = DRAFT) -> None:
    source = place.with_suffix(".source.md")
    source.write_text(text)
    for words in (
        ("manuscript", "new", str(place), "--title", "Low Tide", "--author", "M. Orr"),
        ("manuscript", "import", str(source), "--into", str(place)),
        ("manuscript", "import", str(source), "--into", str(place), "--scene", "Coda"),
    ):
        assert run(get_command(app), "penwright", list(words), obj=services) == 0


@asynccontextmanager
async def connected(services: StageServices, place: Path, name: str = "claude-code") -> AsyncIterator[Stage]:
    desk = SceneToolService(services, str(place))
    known = Implementation(name=name, version="2.1")
    server = ToolServer(desk, NOVEL, peer="pipe")
    async with Client(server.protocol, client_info=known) as client:
        yield Stage(services, place, client)
    await desk.close()


@pytest.fixture
def services() -> StageServices:
    return StageServices()


@pytest.fixture
def place(services: StageServices, tmp_path: Path) -> Path:
    laid_out(services, tmp_path / "tides")
    return tmp_path / "tides"


async def test_a_scene_is_changed_through_the_tools(services: StageServices, place: Path) -> None:
    async with connected(services, place) as on:
        listed = await on.call("list_scenes")
        session = await on.selected()
        edited = await on.edit(session, TWICE)

    assert [each["scene"] for each in listed["scenes"]] == ["-", "Coda"]
    assert (edited["outcome"], edited["commit"]) == ("applied", git_in(place, "rev-parse", "HEAD"))
    body = git_in(place, "log", "-1", "--format=%B")
    for trailer in ("Agent: claude-code 2.1", "Intent: INT-001", "Contributor: model"):
        assert f"Penwright-{trailer}" in body
    assert "lamps at dusk, twice." in (place / "manuscript.md").read_text()


async def test_reads_are_declared_as_such_and_the_handshake_is_explained(
    services: StageServices, place: Path
) -> None:
    async with connected(services, place) as on:
        offered = {tool.name: tool for tool in (await on.client.list_tools()).tools}
        instructions = on.client.instructions or ""

    reads = {name for name, tool in offered.items() if tool.annotations and tool.annotations.read_only_hint}
    assert reads == {"list_scenes", "read_scene", "scene_status"}
    assert set(offered) - reads == {"select_active_intent", "edit_scene"}
    assert "select_active_intent" in instructions


async def test_a_long_scene_is_read_in_pages_of_one_revision(services: StageServices, tmp_path: Path) -> None:
    place = tmp_path / "long"
    laid_out(services, place, "# Ebb\n\n" + "Salt. " * 10_000 + "\n\n# Flow\n\nFoam.\n")
    async with connected(services, place) as on:
        first = await on.call("read_scene", scene="-")
        await on.edit(await on.selected(), {"find": "Foam.", "replace": "Foam and salt."})
        rest = await on.call("read_scene", scene="-", offset=first["next_offset"], revision=first["revision"])

    assert (len(first["text"]), first["next_offset"]) == (LONGEST_PAGE, LONGEST_PAGE)
    assert [each["title"] for each in first["sections"]] == ["Ebb"]
    assert [each["title"] for each in rest["sections"]] == ["Ebb", "Flow"]
    assert (rest["text"][-6:], rest["next_offset"]) == ("Foam.\n", None)
    assert rest["characters"] == len(first["text"]) + len(rest["text"])


async def test_each_operation_has_a_result_and_those_not_made_show_the_nearest_text(
    services: StageServices, place: Path
) -> None:
    async with connected(services, place) as on:
        edited = await on.edit(
            await on.selected(),
            {"find": "", "replace": "x"},
            {"find": "The keeper counts his lamps at noon.", "replace": "x"},
            {"find": "year = {2020}", "replace": "year = {2021}"},
            {"kind": "insert_after", "find": "# Flow", "replace": "\n\nIt rains."},
        )

    outcomes = [each["outcome"] for each in edited["results"]]
    assert outcomes == ["empty_find", "not_found", "citation_touched", "applied"]
    assert "The keeper counts the lamps" in edited["results"][1]["nearest"]
    text = (place / "manuscript.md").read_text()
    assert "# Flow\n\nIt rains." in text
    assert "year = {2020}" in text


async def test_an_edit_of_which_nothing_could_be_made_commits_nothing(
    services: StageServices, place: Path
) -> None:
    before = git_in(place, "rev-parse", "HEAD")
    async with connected(services, place) as on:
        edited = await on.edit(await on.selected(), {"find": "", "replace": "x"})

    assert (edited["outcome"], edited["commit"]) == ("unchanged", None)
    assert git_in(place, "rev-parse", "HEAD") == before


async def test_an_intent_is_selected_before_anything_is_changed(services: StageServices, place: Path) -> None:
    async with connected(services, place) as on:
        base = await on.revision()
        denied = await on.refused("edit_scene", scene="-", base=base, operations=[TWICE])
        unknown = await on.refused("select_active_intent", scene="-", intent_id="INT-9")
        elsewhere = await on.refused(
            "edit_scene", scene="Coda", session=await on.selected(), base=base, operations=[TWICE]
        )

    assert (denied["error_code"], denied["recoverable"]) == ("INTENT_NOT_SELECTED", True)
    assert "`select_active_intent`" in denied["action_hint"]
    assert unknown["error_code"] == "INTENT_UNKNOWN"
    assert "INT-001" in unknown["message"]
    assert elsewhere["error_code"] == "INTENT_NOT_SELECTED"


async def test_a_reworded_intent_is_denied_until_it_is_selected_again(
    services: StageServices, place: Path
) -> None:
    registry = place / ".orchestration/active_intents.yaml"
    async with connected(services, place) as on:
        session, base = await on.selected(), await on.revision()
        registry.write_text(registry.read_text().replace("Every planned section", "Each planned section"))
        git_in(place, "commit", "-am", "Reword")
        edit = {"scene": "-", "session": session, "base": base, "operations": [TWICE]}
        denied = await on.refused("edit_scene", **edit)
        await on.call("select_active_intent", scene="-", intent_id="INT-001", session=session)
        made = await on.call("edit_scene", **edit)

    assert denied["error_code"] == "INTENT_CHANGED"
    assert "`select_active_intent`" in denied["action_hint"]
    assert made["outcome"] == "applied"


async def test_the_session_of_another_agent_is_refused(services: StageServices, place: Path) -> None:
    async with connected(services, place) as on:
        session, base = await on.selected(), await on.revision()
    async with connected(services, place, "codex") as other:
        denied = await other.refused("edit_scene", scene="-", session=session, base=base, operations=[TWICE])
        own = await other.edit(await other.selected(), TWICE)

    assert denied["error_code"] == "OTHER_SESSION"
    assert own["outcome"] == "applied"


async def test_what_a_person_changed_meanwhile_is_merged_or_in_conflict(
    services: StageServices, place: Path
) -> None:
    async with connected(services, place) as on:
        session, base = await on.selected(), await on.revision()
        text = (place / "manuscript.md").read_text()
        (place / "manuscript.md").write_text(text.replace("The keeper", "The old keeper"))
        edit = {"scene": "-", "session": session, "base": base}
        merged = await on.call("edit_scene", **edit, operations=[TWICE])
        clash = await on.call(
            "edit_scene", **edit, operations=[{"find": "The keeper counts", "replace": "A keeper counts"}]
        )

    assert (merged["outcome"], clash["outcome"]) == ("applied", "conflict")
    assert "The old keeper counts the lamps at dusk, twice." in (place / "manuscript.md").read_text()
    assert "read the text again" in clash["results"][0]["message"]


async def test_unknown_scenes_names_and_revisions_are_refused_by_name(
    services: StageServices, place: Path
) -> None:
    async with connected(services, place) as on:
        session, base = await on.selected(), await on.revision()
        coda = await on.call("read_scene", scene="Coda")
        await on.edit(await on.selected("Coda"), TWICE, scene="Coda")
        other = await on.revision("Coda")
        codes = [
            (await on.refused(tool, **arguments))["error_code"]
            for tool, arguments in (
                ("read_scene", {"scene": "Prologue"}),
                ("scene_status", {"scene": "Prologue"}),
                ("edit_scene", {"scene": "Prologue", "base": base, "operations": [TWICE]}),
                ("read_scene", {"scene": "../x"}),
                ("select_active_intent", {"scene": "../x", "intent_id": "INT-001"}),
                ("edit_scene", {"scene": "-", "base": "0" * 40, "operations": [TWICE]}),
                ("edit_scene", {"scene": "-", "session": session, "base": other, "operations": [TWICE]}),
                ("edit_scene", {"scene": "-", "session": session, "operations": [TWICE]}),
                ("edit_scene", {"scene": "coda", "operations": [{"kind": "append", "replace": "x"}]}),
            )
        ]

    assert coda["revision"] == base
    assert codes == [
        *["NO_SUCH_SCENE"] * 3,
        *["BAD_SCENE_NAME"] * 2,
        *["NO_SUCH_VERSION"] * 2,
        "SCENE_EXISTS",
        "SCENE_NAME_TAKEN",
    ]


@for_each(
    "arguments, code, field",
    [
        ({"operations": []}, "INVALID_ARGUMENTS", "operations"),
        ({"operations": [{"kind": "rewrite"}]}, "INVALID_ARGUMENTS", "operations.0.kind"),
        ({"operations": [{"find": "a", "count": 0}]}, "INVALID_ARGUMENTS", "operations.0.count"),
        ({"operations": [TWICE], "base": "HEAD"}, "INVALID_ARGUMENTS", "base"),
        ({"operations": [TWICE] * 201}, "INVALID_ARGUMENTS", "operations"),
        ({"operations": [{"kind": "append", "replace": "x" * LONGEST_EDIT}]}, "ARGUMENTS_TOO_LONG", ""),
    ],
)
async def test_a_call_that_is_badly_formed_is_not_made(
    services: StageServices, place: Path, arguments: dict[str, object], code: str, field: str
) -> None:
    async with connected(services, place) as on:
        denied = await on.refused("edit_scene", scene="-", session=await on.selected(), **arguments)

    assert denied["error_code"] == code
    assert field in denied["details"].get("fields", "")


async def test_an_edit_without_a_base_begins_a_new_scene(services: StageServices, place: Path) -> None:
    async with connected(services, place) as on:
        session = await on.selected("Prologue")
        begun = await on.call(
            "edit_scene",
            scene="Prologue",
            session=session,
            operations=[{"kind": "append", "replace": "# Prologue\n\nIt rains.\n"}],
        )

    assert begun["outcome"] == "applied"
    assert (place / "scenes/Prologue.md").read_text().strip() == "# Prologue\n\nIt rains."


async def test_the_status_shows_what_runs_on_a_scene(services: StageServices, place: Path) -> None:
    novel = novels.find(services, str(place)).novel_id
    async with connected(services, place) as on:
        quiet = await on.call("scene_status", scene="-")
        services.writing[f"{novel}/-"] = Progress(
            pipeline="manuscript", subject=f"{novel}/-", stage="write", detail="Writing 'Ebb'"
        )
        busy = await on.call("scene_status", scene="-")

    assert quiet["runs"] == []
    assert quiet["revision"] == git_in(place, "rev-parse", "HEAD:manuscript.md")
    assert busy["runs"][0]["detail"] == "Writing 'Ebb'"


async def test_reading_works_while_the_engine_is_down(services: StageServices, place: Path) -> None:
    async with connected(services, place) as on:
        services.runs = False
        read = await on.call("read_scene", scene="Coda")
        down = await on.refused("select_active_intent", scene="Coda", intent_id="INT-001")

    assert read["text"] == (place / "scenes/Coda.md").read_text()
    assert (down["error_type"], down["error_code"]) == ("UNAVAILABLE", "ENGINE_NOT_RUNNING")
