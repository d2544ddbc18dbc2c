"""The verb ``play``, and the loop behind it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from gateway.cli.context import services_of
from gateway.cli.live import describe
from gateway.cli.output import Interrupted, harmless, next_step
from gateway.cli.scene import reports
from gateway.cli.scene.arguments import SceneArgument
from gateway.cli.scene.live_view.actions import COMMANDS, Action, action_of
from gateway.cli.scene.live_view.keyboard import Keyboard, LineEditor
from gateway.cli.scene.live_view.screen import Screen, message_text
from gateway.cli.wrapping import wrapped
from gateway.desk.engine.waits import quietly
from gateway.desk.scene import changes, following, rounds, steering, views
from gateway.desk.scene.following import Teller
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.scene.views import Shown
from gateway.desk.services import Services
from penwright.errors import PassingError, PenwrightError, UsageMistake
from schemas.director_round import NumberedResult
from schemas.scene import SceneMessage

_LOOK_S = 0.25
_ASK_S = 1.0
_SHOWN = 10
"""Messages that are printed at the start."""


def play(ctx: typer.Context, scene: SceneArgument) -> None:
    """Play on this terminal; replies show as they come.

    Type what you say, and Enter. Commands begin with a slash: /continue, /narrate, /regenerate, /undo, /redo,
    /stop, /force NAME, /veto NAME, /show, /quit; /help lists them.

    \b
      penwright scene play harbour

    It needs a terminal; `penwright scene say` and `scene watch` do not. Leaving lets a round go on.
    """
    services = services_of(ctx)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageMistake(
            "no-terminal",
            "`scene play` needs a terminal; nothing was started",
            hint=f"`penwright scene say {scene} TEXT` and `penwright scene watch {scene}` need none",
        )
    shown = first_look(services, scene)
    try:
        with Keyboard() as keyboard:
            asyncio.run(LiveView(services, shown, Console()).play(keyboard))
    except KeyboardInterrupt:
        id = shown.view.located.scene.id
        raise Interrupted(f"a round that runs goes on: `penwright scene watch {id}` shows it") from None


def first_look(services: Services, scene: str) -> Shown:
    """The scene as it is, with the messages that are not news later; raises as ``looking.look``."""
    return views.look(services, scene, newest=following.NEWEST)


def _live_on(console: Console) -> Live:
    return Live(console=console, auto_refresh=False, transient=True)


class LiveView:
    """One scene on one terminal, from the first look to ``/quit``."""

    def __init__(self, services: Services, shown: Shown, console: Console) -> None:
        located = shown.view.located
        self._services = services
        self._scene = located.scene.id
        self._shown = shown
        self._console = console
        self._editor = LineEditor()
        persona = located.persona.name if located.persona else "you"
        self._screen = Screen(persona, {each.id: each.name for each in shown.view.cast})
        self._live = _live_on(console)
        self._work: asyncio.Task[None] | None = None

    async def play(self, keyboard: Keyboard) -> None:
        """Run at a keyboard, whose signals the view follows."""
        with keyboard.signals(self._hidden, self._draw):
            await self.run(keyboard.keys())

    @contextmanager
    def _hidden(self) -> Iterator[None]:
        self._live.stop()
        yield
        self._live = _live_on(self._console)
        self._live.start()
        self._draw()

    async def run(self, keys: AsyncIterator[str]) -> None:
        """Show, and carry out what is typed, until ``/quit`` or the end of ``keys``."""
        self._print_start()
        async with AsyncExitStack() as stack:
            self._live.start()
            stack.callback(lambda: self._live.stop())
            for beside in (self._follow_messages(), self._follow_deltas(), self._follow_progress()):
                task = asyncio.ensure_future(beside)
                stack.callback(task.cancel)
            self._draw()
            async for typed in keys:
                for line in self._editor.typed(typed):
                    if not await self._carried_out(action_of(line)):
                        return
                self._screen.typed = self._editor.text
                self._draw()

    async def _carried_out(self, action: Action) -> bool:
        """Begin what a line asks for; False to leave."""
        self._screen.typed = ""
        match action.verb:
            case "quit":
                return False
            case "help":
                self._print_lines([f"{command:<16} {what}" for command, what in COMMANDS.items()])
            case "unknown":
                self._print_lines([action.text], style="yellow")
            case "nothing":
                pass
            case _:
                self._begin(action)
        return True

    def _begin(self, action: Action) -> None:
        playing = action.verb in ("say", "continue", "narrate", "regenerate")
        if playing and self._work is not None and not self._work.done():
            left = [f"not said: {action.text}"] if action.text else []
            self._print_lines(["a round runs; /stop ends it", *left], style="yellow")
            return
        task = asyncio.ensure_future(self._told(self._play(action) if playing else self._change(action)))
        if playing:
            self._work = task

    async def _told(self, work: Coroutine[None, None, None]) -> None:
        """Do it, and say what went wrong."""
        try:
            await work
        except PenwrightError as error:
            self._print_lines([f"{error.code}: {error.message}", f"  next: {next_step(error)}"], "red")

    async def _play(self, action: Action) -> None:
        match action.verb:
            case "say":
                wanted = RoundOptions(text=action.text)
            case "narrate":
                wanted = RoundOptions(kind="narrate", text=action.text)
            case "regenerate":
                wanted = RoundOptions(kind="regenerate", message=action.text)
            case _:
                wanted = RoundOptions(kind="continue")
        self._say("starting …")
        try:
            played = await rounds.play(self._services, self._scene, wanted, wait=quietly)
        finally:
            self._screen.streams.clear()
            self._say("")
        if played.result is not None:
            await self._print_ending(played.result)

    async def _print_ending(self, ended: NumberedResult) -> None:
        """Print what no message tells: that no character acted, and why, or that a round ended early."""
        if ended.silent and ended.round:
            why = await asyncio.to_thread(views.notes, self._services, self._scene, ended.round, ended.take)
            self._print_lines(["nobody acted", *why], "yellow")
        elif ended.outcome != "completed":
            self._print_lines(reports.ending_lines(ended, len(ended.spoken))[:1], "yellow")

    async def _change(self, action: Action) -> None:
        match action.verb:
            case "undo":
                _, done = await asyncio.to_thread(changes.undo, self._services, self._scene)
                self._print_lines([f"{done.name.words} is taken back"])
            case "redo":
                _, done = await asyncio.to_thread(changes.redo, self._services, self._scene)
                self._print_lines([f"{done.name.words} is back"])
            case "stop":
                await rounds.stop(self._services, self._scene, "stopped in the live view")
            case "force" | "veto":
                told = await steering.steer(self._services, self._scene, action.verb, action.text)
                word = "acts next" if action.verb == "force" else "does not act"
                self._print_lines([f"{told.name} {word}"])
            case _:
                shown = await asyncio.to_thread(views.look, self._services, self._scene, newest=0)
                self._print_lines([*reports.scene_lines(shown.view, self._console.width), ""])

    async def _follow_messages(self) -> None:
        """Show each message once it is stored, a person's or a model's."""
        with self._services.open_store() as store:
            teller = Teller(self._stored, following.marks(self._shown.messages))
            while True:
                await asyncio.sleep(_LOOK_S)
                with suppress(PassingError):
                    await asyncio.to_thread(teller.look, store, self._scene)
                teller.tell()

    async def _follow_deltas(self) -> None:
        """Show replies while they are written; without that, they show once they are stored."""
        with suppress(PenwrightError):
            async with self._services.deltas() as feed:
                async for delta in feed.follow(self._scene):
                    self._screen.streamed(delta)
                    self._draw()

    async def _follow_progress(self) -> None:
        heard: asyncio.Task[None] | None = None  # the work whose round told of itself: without news it ends
        resumes = f"penwright scene resume {self._scene}"
        async with self._services.engine() as engine:
            while True:
                with suppress(PenwrightError):
                    told = await engine.rounds.progress(self._scene)
                    work = None if self._work is None or self._work.done() else self._work
                    heard = work if told else heard
                    waits = "" if work is None else "finishing …" if work is heard else "starting …"
                    self._say(describe(told, resumes=resumes) if told else waits)
                await asyncio.sleep(_ASK_S)

    def _stored(self, message: SceneMessage) -> None:
        self._screen.stored(message)
        self._console.print(message_text(message, self._console.width))
        self._draw()

    def _say(self, status: str) -> None:
        self._screen.status = status
        self._draw()

    def _draw(self) -> None:
        size = self._console.size
        self._live.update(self._screen.shown(size.width, size.height), refresh=True)

    def _print_start(self) -> None:
        self._print_lines(reports.scene_lines(self._shown.view, self._console.width))
        self._console.print()
        for message in self._shown.messages[-_SHOWN:]:
            self._console.print(message_text(message, self._console.width))
        self._print_lines(wrapped("commands: ", "  ".join(COMMANDS), self._console.width), "dim")
        if reports.demo_wrote(self._shown.messages):
            self._print_lines(["Replies are by the demo model, which makes sentences without sense."], "dim")
        self._console.print()

    def _print_lines(self, lines: list[str], style: str = "") -> None:
        for line in lines:
            self._console.print(Text(harmless(line), style=style))
