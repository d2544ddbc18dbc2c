"""The live view as a whole: keys go in, and what a terminal of sixty columns shows comes out."""

import asyncio
import io
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from rich.console import Console

from gateway.cli.scene.live_view.play import LiveView, first_look
from gateway.desk.scene import following
from schemas.deltas import Delta
from schemas.director import Steering
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.services import Run, StageServices

NARROW = 60
_MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class Terminal:
    """A person at the view."""

    services: StageServices
    screen: io.StringIO
    typed: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)

    async def keys(self) -> AsyncIterator[str]:
        while keys := await self.typed.get():
            yield keys

    def type(self, line: str) -> None:
        """A line and Enter."""
        self.typed.put_nowait(f"{line}\r")

    async def sees(self, text: str) -> None:
        """Wait until ``text`` was shown."""
        await self.until(lambda: text in self.seen)

    async def until(self, done: Callable[[], bool]) -> None:
        for _ in range(500):
            if done():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"it did not come about:\n{self.seen}")

    @property
    def seen(self) -> str:
        return _MOVES.sub("", self.screen.getvalue()).replace("\r", "")


@asynccontextmanager
async def at_the_view(services: StageServices, scene: str) -> AsyncIterator[Terminal]:
    screen = io.StringIO()
    at = Terminal(services, screen)
    console = Console(file=screen, width=NARROW, height=24, force_terminal=True, color_system=None)
    shown = await asyncio.to_thread(first_look, services, scene)
    view = asyncio.ensure_future(LiveView(services, shown, console).run(at.keys()))
    yield at
    at.type("/quit")
    await asyncio.wait_for(view, 5)


@pytest.fixture
def played(scene: str, told: Told) -> str:
    told("say", scene, "Who lit the lamp?")
    return scene


async def test_the_commands_stand_below_the_messages_at_the_start(people: StageServices, played: str) -> None:
    async with at_the_view(people, played) as at:
        await at.sees("/quit")

    assert at.seen.index("Bob Vane answers in round 1.") < at.seen.index("commands: /continue")


async def test_messages_older_than_those_shown_at_the_start_are_not_told_as_new(
    people: StageServices, played: str, told: Told
) -> None:
    for number in range(2, 7):
        await asyncio.to_thread(told, "say", played, f"Question {number}?")
    async with at_the_view(people, played) as at:
        at.type("The last one.")
        await at.sees("Bob Vane answers in round 7.")

    assert "Question 5?" in at.seen
    assert "Who lit the lamp?" not in at.seen


async def test_a_message_that_an_undo_brings_into_reach_is_not_told_as_new(
    people: StageServices, played: str, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "NEWEST", 4)
    await asyncio.to_thread(told, "say", played, "And now?")
    async with at_the_view(people, played) as at:
        at.type("/undo")
        await at.sees("round 2 is taken back")
        at.type("Once more?")
        await at.sees("Bob Vane answers in round 3.")

    assert "Who lit the lamp?" not in at.seen


async def test_a_round_in_which_nobody_acts_says_so_and_why(people: StageServices, played: str) -> None:
    people.rounds.silent = True
    async with at_the_view(people, played) as at:
        at.type("Anyone?")
        await at.sees("nobody acted")
        await at.sees("may be any of ann, ann-2")


async def test_what_is_typed_is_said_and_the_replies_show_once_each(
    people: StageServices, played: str
) -> None:
    async with at_the_view(people, played) as at:
        await at.sees("Mira> ")
        at.type("And now?")
        await at.sees("Bob Vane answers in round 2.")

    assert at.seen.count("\nAnd now?") == 1
    assert at.seen.count("Ann Quist answers in round 2.") == 1
    assert at.seen.count("Who lit the lamp?") == 1
    assert "demo model" in at.seen
    assert max(map(len, at.seen.splitlines())) <= NARROW


async def test_a_reply_shows_while_it_is_written(people: StageServices, played: str) -> None:
    people.rounds.gate = asyncio.Event()
    async with at_the_view(people, played) as at:
        at.type("/continue")
        await at.sees("Ann acts")
        for piece, position in (("The lamp ", 0), ("is out.", 9)):
            delta = Delta(scene=played, round=2, character="bob-vane", piece=piece, position=position)
            people.rehearsed_deltas.coming.put_nowait(delta)
        await at.sees("The lamp is out.")
        before = at.seen
        people.rounds.gate.set()
        await at.sees("Bob Vane answers in round 2.")

    assert "Bob Vane …" in before
    assert "Bob Vane answers in round 2." not in before


async def test_a_round_is_stopped_and_steered_by_commands(people: StageServices, played: str) -> None:
    people.rounds.gate = asyncio.Event()
    async with at_the_view(people, played) as at:
        at.type("/continue")
        await at.sees("Ann Quist answers in round 2.")
        at.type("A second message")
        await at.sees("a round runs; /stop ends it")
        at.type("/force Cleo")
        await at.sees("Cleo acts next")
        at.type("/stop")
        await at.sees("Round 2 stopped by ada")

    assert people.rounds.steered == [(played, Steering(force=("cleo",)))]
    assert "Bob Vane answers in round 2." not in at.seen


async def test_rounds_of_others_show_too(people: StageServices, played: str) -> None:
    async with at_the_view(people, played) as at:
        await at.sees("Mira> ")
        async with at_the_view(people, played) as other:
            other.type("Hello from elsewhere")
            await at.sees("Hello from elsewhere")
            await other.sees("Bob Vane answers in round 2.")


async def test_mistakes_are_told_and_the_view_goes_on(people: StageServices, played: str) -> None:
    async with at_the_view(people, played) as at:
        at.type("/force Zog")
        await at.sees("no-such-character")
        at.type("/dance")
        await at.sees("there is no /dance")
        at.type("/undo")
        await at.sees("round 1 is taken back")
        at.type("/redo")
        await at.sees("round 1 is back")
        at.type("/undo")
        at.type("/undo")
        await at.sees("nothing-to-undo")
        at.type("/help")
        await at.sees("/regenerate [N]")
        at.type("/show")
        await at.sees("the-quay, in Skerrow")


def test_without_a_terminal_it_is_refused_by_name(scene: str, run: Run, people: StageServices) -> None:
    code, out, err = run("scene", "play", scene)

    assert (code, out) == (2, "")
    assert "error[no-terminal]" in err
    assert "`penwright scene say the-quay TEXT`" in err
    assert people.rounds.given == []
