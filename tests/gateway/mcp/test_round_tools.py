"""The tools of a scene over the protocol, to the client's very call, with everything real but Temporal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from mcp import Client
from mcp_types import Implementation

from gateway.desk.scene import creating, direction, rounds
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.scene.round_tools import RoundToolService
from gateway.mcp.http import address_of, listening_at, web_server
from gateway.mcp.offers import SCENE
from gateway.mcp.server import ToolServer
from schemas.director import ApprovedTurn, PlanApproval, Steering
from schemas.worlds import Character, Persona, Scene, World
from tests.support.each import for_each
from tests.support.gateway.artist import an_artist
from tests.support.gateway.mcp_http import TOKEN, known_client
from tests.support.gateway.services import StageServices


@dataclass
class Stage:
    """A scene, its server, and one client of it."""

    services: StageServices
    client: Client

    async def call(self, tool: str, **arguments: object) -> Any:  # Any: JSON
        """The result of a call; it must succeed."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: object) -> Any:  # Any: JSON
        """The denial a call answers."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return result.structured_content


@pytest.fixture
def services() -> StageServices:
    made = StageServices()
    worlds = made.store.worlds
    worlds.create(World(id="", name="Skerrow"))
    for name in ("Ann", "Bob", "Cleo"):
        worlds.create(Character(id="", name=name))
    worlds.create(Persona(id="", name="Mira"))
    creating.create(made, NewScene(title="Quay", world="skerrow", cast=("Ann", "Bob"), persona="Mira"))
    return made


@asynccontextmanager
async def connected(services: StageServices, *, worlds: bool = False) -> AsyncIterator[Stage]:
    server = ToolServer(RoundToolService(services, "quay", worlds=worlds), SCENE, peer="pipe")
    async with Client(server.protocol, client_info=Implementation(name="codex", version="1.0")) as client:
        yield Stage(services, client)


async def test_an_agent_speaks_and_hears_every_reply(services: StageServices) -> None:
    async with connected(services) as on:
        played = await on.call("scene_say", text="Who lit the lamp?")
        more = await on.call("scene_continue")
        shown = await on.call("scene_show", messages=2)

    assert played["outcome"] == "completed"
    assert [(each["name"], each["text"]) for each in played["messages"]] == [
        ("Mira", "Who lit the lamp?"),
        ("Ann", "Ann answers in round 1."),
        ("Bob", "Bob answers in round 1."),
    ]
    assert [each["demo"] for each in played["messages"]] == [False, True, True]
    assert more["round"] == 2
    assert [each["number"] for each in shown["messages"]] == [4, 5]
    assert services.rounds.given[0].who == "codex 1.0"


async def test_reads_are_declared_as_such_and_texts_are_called_material(services: StageServices) -> None:
    async with connected(services) as on:
        offered = {tool.name: tool for tool in (await on.client.list_tools()).tools}
        instructions = on.client.instructions or ""

    reads = {name for name, tool in offered.items() if tool.annotations and tool.annotations.read_only_hint}
    assert reads == {"scene_show", "scene_round", "scene_why", "scene_pictures"}
    assert {"scene_say", "scene_regenerate", "scene_undo", "scene_state"} <= set(offered) - reads
    assert "material" in instructions


async def test_replies_are_made_again_edited_chosen_and_taken_back(services: StageServices) -> None:
    async with connected(services) as on:
        await on.call("scene_say", text="Hello?")
        again = await on.call("scene_regenerate", message="2")
        edited = await on.call("scene_edit", message="2", text="Nobody did.")
        chosen = await on.call("scene_choose", message="2", number=1)
        branch = await on.call("scene_branch", after=1, title="Elsewhere")
        undone = await on.call("scene_undo")
        redone = await on.call("scene_redo")
        assert redone["redone_round"] == undone["undone_round"]
        undone = await on.call("scene_undo")
        round_ = await on.call("scene_round", number=1)

    assert again["messages"][0]["alternatives"] == 2
    assert (edited["text"], edited["author"], edited["alternative"]) == ("Nobody did.", "codex 1.0", 3)
    assert chosen["text"] == "Ann answers in round 1."
    assert branch["scene"] == "elsewhere"
    assert (undone["undone_round"], undone["take"]) == (1, 2)
    assert round_["round"]["passes"][0]["applied"]["open_guidance"] == "Keep it quiet."


async def test_states_and_speakers_are_steered(services: StageServices) -> None:
    async with connected(services) as on:
        made = await on.call("scene_state", who="Ann", fields=[{"name": "mood", "value": "wary"}])
        steered = await on.call("scene_steer", verb="veto", who="Bob")
        played = await on.call("scene_say", text="Hello?")
        why = await on.call("scene_why", entry="lamp")

    assert (made["changed"][0]["new"], made["changed"][0]["by"]) == ("wary", "codex 1.0")
    assert steered["round"] == "next"
    assert services.rounds.given[0].steering == Steering(veto=("bob",), within=("ann", "bob"))
    assert [each["name"] for each in played["messages"]] == ["Mira", "Ann"]
    assert [each["outcome"] for each in why["calls"][0]["entries"]] == ["fired"]


async def test_a_plan_that_waits_is_approved_as_the_agent_wants_it(services: StageServices) -> None:
    direction.hold(services, "quay", on=True)
    services.rounds.gate = asyncio.Event()
    async with connected(services) as on:
        nothing = await on.refused("scene_approve")
        await rounds.begin(services, "quay", RoundOptions(text="Hello?"))
        done = await on.call("scene_approve", turns=[{"who": "Bob", "guidance": "Go."}])
        services.rounds.gate.set()

    (approved,) = services.rounds.approved
    wanted = PlanApproval(who="codex 1.0", pass_number=1, turns=(ApprovedTurn(who="bob", guidance="Go."),))
    assert (nothing["error_code"], done["pass_number"], approved) == ("NO_ROUND_RUNS", 1, ("quay", wanted))


async def test_a_character_that_was_taken_over_speaks_through_the_agent(services: StageServices) -> None:
    async with connected(services) as on:
        early = await on.refused("scene_say", text="I lit it.", voice="Ann")
        taken = await on.call("scene_take_over", who="Ann")
        await on.call("scene_say", text="I lit it.", voice="Ann")
        back = await on.call("scene_take_over", who="Ann", back=True)
        twice = await on.refused("scene_take_over", who="Ann", back=True)

    voice = services.rounds.given[-1].voice
    assert (early["error_code"], twice["error_code"]) == ("NOT_TAKEN", "NOT_TAKEN")
    assert (taken, back) == ({"taken_over": ["Ann"]}, {"taken_over": []})
    assert voice is not None
    assert voice.id == "ann"


async def test_a_picture_is_described_painted_listed_and_taken_away(services: StageServices) -> None:
    an_artist(services)
    async with connected(services) as on:
        made = await on.call("scene_picture", wish="From the sea.")
        described = await on.call("scene_picture", paint=False)
        listed = await on.call("scene_pictures")
        gone = await on.call("scene_remove_picture", number=1)
        again = await on.refused("scene_remove_picture", number=1)

    assert (made["painted"], made["number"], described["painted"]) == (True, 1, False)
    assert [(each["number"], each["caption"]) for each in listed["pictures"]] == [(1, "The quay.")]
    assert (gone["removed"]["number"], again["error_code"]) == (1, "NO_SUCH_PICTURE")


async def test_while_a_round_runs_a_second_is_refused_and_the_first_can_be_stopped(
    services: StageServices,
) -> None:
    services.rounds.gate = asyncio.Event()
    async with connected(services) as on:
        first = asyncio.ensure_future(on.client.call_tool("scene_say", {"text": "Hello?"}))
        while len(services.store.scenes.messages("quay")) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        denied = await on.refused("scene_continue")
        stopping = await on.call("scene_stop", reason="enough")
        ended = await first

    assert (denied["error_code"], denied["recoverable"]) == ("ROUND_RUNS", True)
    assert "`queue`" in denied["action_hint"]
    assert denied["details"]["round"] == "1"
    assert stopping == {"stopping": True}
    assert (ended.structured_content or {})["outcome"] == "stopped"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("scene_say", {"text": ""}, "INVALID_ARGUMENTS"),
        ("scene_say", {"text": "   "}, "EMPTY_MESSAGE"),
        ("scene_say", {}, "INVALID_ARGUMENTS"),
        ("scene_say", {"text": "x" * 600_000}, "ARGUMENTS_TOO_LONG"),
        ("scene_edit", {"message": "99", "text": "x"}, "NO_SUCH_MESSAGE"),
        ("scene_undo", {}, "NOTHING_TO_UNDO"),
        ("scene_stop", {}, "NO_ROUND_RUNS"),
        ("scene_steer", {"verb": "force", "who": "Zog"}, "NOT_PERMITTED"),
        ("scene_steer", {"verb": "kill", "who": "Ann"}, "INVALID_ARGUMENTS"),
        ("scene_state", {"fields": [{"name": "mood", "value": "x"}]}, "INVALID_ARGUMENTS"),
        ("scene_state", {"who": "Ann", "fields": [{"name": "speed", "value": "x"}]}, "UNKNOWN_FIELD"),
        ("scene_why", {}, "NO_SUCH_ROUND"),
        ("scene_round", {"number": 9}, "NO_SUCH_ROUND"),
        ("scene_dance", {}, "UNKNOWN_TOOL"),
    ],
)
async def test_a_call_that_cannot_be_carried_out_says_why_and_changes_nothing(
    services: StageServices, tool: str, arguments: dict[str, object], code: str
) -> None:
    async with connected(services) as on:
        denied = await on.refused(tool, **arguments)

    assert denied["error_code"] == code
    assert denied["action_hint"]
    assert services.store.scenes.messages("quay") == ()
    scene = services.store.worlds.read(Scene, "quay")
    assert scene is not None
    assert scene.version == 1


@for_each(
    "tool, arguments",
    [
        ("scene_steer", {"verb": "force", "who": "Cleo"}),
        ("scene_steer", {"verb": "veto", "who": "cleo"}),
        ("scene_take_over", {"who": "Cleo"}),
        ("scene_take_over", {"who": "Cleo", "back": True}),
        ("scene_state", {"who": "Cleo", "fields": [{"name": "mood", "value": "wary"}]}),
        ("scene_say", {"text": "Hello?", "voice": "Cleo"}),
        ("scene_approve", {"turns": [{"who": "Cleo", "guidance": "Go."}]}),
        ("scene_why", {"who": "Cleo"}),
    ],
)
async def test_only_who_is_or_was_in_the_scene_is_named_where_the_worlds_are_not_served(
    services: StageServices, tool: str, arguments: dict[str, object]
) -> None:
    async with connected(services) as on:
        denied = await on.refused(tool, **arguments)

    assert (denied["error_code"], "--worlds" in denied["action_hint"]) == ("NOT_PERMITTED", True)


@pytest.mark.parametrize("worlds", [False, True])
async def test_the_director_may_bring_in_whom_the_server_shows(services: StageServices, worlds: bool) -> None:
    async with connected(services, worlds=worlds) as on:
        await on.call("scene_say", text="Send for Cleo.")
        shown = await on.call("scene_show")

    within = services.rounds.given[-1].steering.within
    assert within == (None if worlds else ("ann", "bob"))
    assert [each["name"] for each in shown["cast"]] == ["Ann", "Bob", *(["Cleo"] if worlds else [])]


async def test_a_message_of_another_scene_is_none_of_this_one(services: StageServices) -> None:
    creating.create(services, NewScene(title="Roof", world="skerrow", cast=("Ann",), persona="Mira"))
    await rounds.play(services, "roof", RoundOptions(text="Hello?"), wait=None)
    async with connected(services) as on:
        denied = [
            await on.refused(tool, message="roof/2", **more)
            for tool, more in (
                ("scene_edit", {"text": "x"}),
                ("scene_choose", {"number": 1}),
                ("scene_regenerate", {}),
            )
        ]

    assert {each["error_code"] for each in denied} == {"NO_SUCH_MESSAGE"}
    assert "x" not in [each.text for each in services.store.scenes.messages("roof")]


async def test_a_failed_round_is_an_error_with_its_code(services: StageServices) -> None:
    services.rounds.failing = "director-silent"
    async with connected(services) as on:
        denied = await on.refused("scene_say", text="Hello?")

    assert denied["error_code"] == "DIRECTOR_SILENT"


async def test_the_same_tools_answer_over_http(services: StageServices) -> None:
    server = ToolServer(RoundToolService(services, "quay"), SCENE)
    with listening_at(0) as listening:
        web = web_server(server, listening, TOKEN)
        serving = asyncio.ensure_future(web.serve(sockets=[listening]))
        async with Client(known_client(address_of(listening))) as client:
            played = await client.call_tool("scene_say", {"text": "Hello?"})
        web.should_exit = True
        await serving

    assert (played.structured_content or {})["outcome"] == "completed"


@pytest.mark.parametrize("worlds", [False, True])
async def test_pictures_of_a_character_need_the_right_on_what_scenes_share(
    services: StageServices, worlds: bool
) -> None:
    async with connected(services, worlds=worlds) as on:
        answers = [
            await on.refused("scene_remove_picture", number=1, of="Ann"),
            *([] if worlds else [await on.refused("scene_pictures", of="Ann")]),
            *([] if worlds else [await on.refused("scene_picture", of="Ann", paint=False)]),
        ]

    codes = {each["error_code"] for each in answers}
    assert codes == ({"NO_SUCH_PICTURE"} if worlds else {"NOT_PERMITTED"})
    assert worlds or all("--worlds" in each["action_hint"] for each in answers)
