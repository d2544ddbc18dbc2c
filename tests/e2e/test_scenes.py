"""Scenes on a whole engine: Temporal, PostgreSQL, both workers, the demo model."""

import asyncio
from contextlib import suppress

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import Implementation

from gateway.desk.engine.waits import quietly
from gateway.desk.installed_services import InstalledServices
from gateway.desk.scene import board, changes, creating, events, lore_reasons, rounds, steering, views
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.scene.rounds import Played
from penwright.errors import Refused
from schemas.control import KillRequest
from schemas.deltas import Delta
from schemas.lore import Attachment, Lorebook, LoreEntry
from schemas.scene import SceneMessage
from schemas.worlds import Character, Persona, World
from tests.support.engine.home import EngineHome
from tests.support.engine.shared import console_script

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("scenes")]

HELLO = RoundOptions(text="Who lit the lamp?")
NEXT = RoundOptions(text="And who put it out?")


@pytest.fixture(scope="module")
def home(running_engine: EngineHome) -> EngineHome:
    """The shared engine, with a world of people."""
    with InstalledServices(running_engine.environ).open_store() as store:
        store.worlds.create(World(id="", name="Holm"))
        for name in ("Ann", "Bob", "Cleo"):
            store.worlds.create(Character(id="", name=name, secrets=f"{name} has a secret."))
        store.worlds.create(Persona(id="", name="Runa"))
        lamp = LoreEntry(uid="1", title="The lamp", content="It went out in the storm.", keys=("lamp",))
        storm = LoreEntry(uid="2", title="The whale", content="It was white.", keys=("whale",))
        book = store.worlds.create(Lorebook(id="", name="Lamps", entries=(lamp, storm)))
        store.worlds.attach(Attachment(book=book.id, level="world", at="holm"))
    return running_engine


@pytest.fixture
def services(home: EngineHome) -> InstalledServices:
    return InstalledServices(home.environ)


@pytest.fixture
def scene(services: InstalledServices, request: pytest.FixtureRequest) -> str:
    """A scene of its own, with Ann and Bob."""
    wish = NewScene(title=request.node.name[:60], world="holm", cast=("Ann", "Bob"), persona="Runa")
    return creating.create(services, wish).scene.id


async def played(services: InstalledServices, scene: str, wanted: RoundOptions = HELLO) -> Played:
    return await rounds.play(services, scene, wanted, wait=quietly)


@pytest.mark.smoke
async def test_a_round_is_played_told_and_recorded(services: InstalledServices, scene: str) -> None:
    told: list[SceneMessage] = []
    done = await rounds.play(services, scene, HELLO, wait=quietly, told=told.append)
    why = lore_reasons.reasons(services, scene)
    shown = views.envelopes(services, scene)

    assert done.result is not None
    assert (done.result.outcome, done.result.round, done.result.demo) == ("completed", 1, True)
    assert [told[0].name, told[0].text] == ["Runa", "Who lit the lamp?"]
    assert {each.name for each in told[1:]} <= {"Ann", "Bob"}
    assert tuple(each.id for each in told[1:]) == done.result.spoken
    assert {each.title: each.outcome for each in why[0].verdicts} == {
        "The lamp": "fired",
        "The whale": "no-key",
    }
    assert shown[0].who == "director"
    assert all(each.envelope is not None for each in shown)


async def test_of_two_who_speak_at_once_one_is_refused_by_number_and_session(
    services: InstalledServices, scene: str
) -> None:
    both = await asyncio.gather(
        rounds.play(services, scene, HELLO, wait=quietly),
        rounds.play(services, scene, NEXT, wait=quietly),
        return_exceptions=True,
    )

    refusals = [each for each in both if isinstance(each, Refused)]
    winners = [each for each in both if isinstance(each, Played)]
    assert (len(refusals), len(winners)) == (1, 1)
    assert refusals[0].code == "round-runs"
    assert winners[0].given.session in refusals[0].message
    users = [each for each in views.look(services, scene).messages if each.speaker == "user"]
    assert len(users) == 1


async def test_who_queues_speaks_next_and_nothing_is_mixed(services: InstalledServices, scene: str) -> None:
    first = await rounds.play(services, scene, HELLO, wait=None)
    second = await rounds.play(services, scene, NEXT, queue=True, wait=quietly)

    said = views.look(services, scene, newest=100).messages
    assert second.result is not None
    assert (first.given.session != second.given.session, second.result.round) == (True, 2)
    assert [(each.round, each.text) for each in said if each.speaker == "user"] == [
        (1, "Who lit the lamp?"),
        (2, "And who put it out?"),
    ]
    assert [each.round for each in said] == sorted(each.round for each in said)


async def test_a_paused_round_shows_waits_and_goes_on(services: InstalledServices, scene: str) -> None:
    begun = await rounds.play(services, scene, HELLO, wait=None)
    await rounds.send(services, scene, "pause")
    running, _ = await board.running_rounds(services)
    with pytest.raises(Refused) as refusal:
        await rounds.play(services, scene, NEXT, wait=None)
    await rounds.send(services, scene, "resume")
    ended = await rounds.watch(services, scene, quietly)

    assert running[scene].paused
    assert begun.given.session in refusal.value.message
    assert ended.outcome == "completed"


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_an_ended_round_leaves_the_scene_free(
    services: InstalledServices, scene: str, how: str
) -> None:
    await rounds.play(services, scene, HELLO, wait=None)
    await rounds.send(services, scene, "pause")
    if how == "stop":
        await rounds.stop(services, scene, "enough")
    else:
        await rounds.send(services, scene, KillRequest(who="ada", reason="enough"))
    ended = await rounds.watch(services, scene, quietly)
    again = await played(services, scene, NEXT)

    assert ended.outcome == "stopped"
    assert "enough" in ended.message
    assert again.result is not None
    assert again.result.outcome == "completed"


async def test_forced_and_vetoed_speakers_are_heeded(services: InstalledServices, scene: str) -> None:
    await played(services, scene)
    await steering.steer(services, scene, "force", "Bob")
    await steering.steer(services, scene, "veto", "Ann")
    done = await played(services, scene, RoundOptions(kind="continue"))

    said = [each for each in views.look(services, scene).messages if each.round == 2]
    assert done.result is not None
    assert [each.name for each in said] == ["Bob"]


async def test_a_reply_is_made_again_taken_back_and_branched(services: InstalledServices, scene: str) -> None:
    await played(services, scene)
    before = views.look(services, scene)
    await played(services, scene, RoundOptions(kind="regenerate", message="2"))
    again = views.look(services, scene)
    _, branched = changes.branch(services, scene, 1, "Elsewhere")
    changes.undo(services, scene)
    after = views.look(services, scene)

    assert [len(each.alternatives) for each in again.messages][1] == 2
    assert [each.text for each in after.messages] == [each.text for each in before.messages]
    elsewhere = views.look(services, branched.id).messages
    assert [each.speaker for each in elsewhere] == [each.speaker for each in before.messages]


async def test_a_client_that_comes_back_misses_no_event(services: InstalledServices, scene: str) -> None:
    with services.open_store() as store:
        await played(services, scene)
        first = list(events.events_after(store, scene, 0))
        await played(services, scene, NEXT)
        rest = list(events.events_after(store, scene, first[-1].cursor))
        whole = list(events.events_after(store, scene, 0))

    assert [each.cursor for each in (*first, *rest)] == [each.cursor for each in whole]
    kinds = [each.kind for each in whole if events.is_of_the_scene(each)]
    for role in ("director", "character"):
        assert kinds.count(f"{role}.started") == kinds.count(f"{role}.completed") > 0
    assert kinds.count("round.completed") == 2


async def test_replies_can_be_followed_while_they_are_written(
    services: InstalledServices, scene: str
) -> None:
    pieces: list[Delta] = []

    async def follow() -> None:
        async with services.deltas() as feed:
            async for delta in feed.follow(scene):
                pieces.append(delta)

    following = asyncio.ensure_future(follow())
    await asyncio.sleep(1)
    done = await rounds.play(services, scene, HELLO, wait=quietly)
    await asyncio.sleep(0.5)
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following

    said = {each.speaker_id: each.text for each in views.look(services, scene).messages}
    assert done.result is not None
    for character in {each.character for each in pieces}:
        text = ""
        for delta in (each for each in pieces if each.character == character):
            text = text[: delta.position] + delta.piece
        assert text.strip() == said[character].strip()
    assert {each.character for each in pieces} == set(said) - {"", "runa"}


async def test_an_agent_plays_over_its_pipe(
    home: EngineHome, services: InstalledServices, scene: str
) -> None:
    served = StdioServerParameters(
        command=str(console_script("penwright")), args=["mcp", "--scene", scene], env=home.environ
    )
    async with Client(served, client_info=Implementation(name="codex", version="1.0")) as client:
        said = (await client.call_tool("scene_say", {"text": "Who lit the lamp?"})).structured_content or {}
        shown = (await client.call_tool("scene_show", {})).structured_content or {}
        undone = (await client.call_tool("scene_undo", {})).structured_content or {}
        nothing = await client.call_tool("scene_undo", {})

    assert (said["outcome"], said["messages"][0]["author"]) == ("completed", "codex 1.0")
    assert [each["text"] for each in shown["messages"]] == [each["text"] for each in said["messages"]]
    assert undone["undone_round"] == 1
    assert nothing.is_error
    assert views.look(services, scene).messages == ()
