"""Pages that change in place: they follow what happens elsewhere, and draw anew what differs."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any, Generic, TypeVar

from nicegui import Client, background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement

from gateway.desk.principals import sees
from gateway.desk.works.subjects import subject_of
from gateway.hub import Lagging
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.elements.problem import trouble
from gateway.ui.elements.steps import sentence
from gateway.ui.frame import Frame
from gateway.ui.visit import Visit
from penwright.errors import PenwrightError
from schemas.records import Event

PAUSE_S = 0.25
"""Least time between two updates of a page: four a second."""
_AGAIN_S = 1.0
_LOOK_S = 2.0

Mark = Callable[[], Awaitable[object]]
"""Reads, at little cost, what differs after a change that leaves no event, such as a commit by hand."""
T = TypeVar("T")
V = TypeVar("V")


class Live(Generic[T]):
    """Content of a page as it was read last, and the parts that are drawn from it."""

    def __init__(
        self,
        visit: Visit,
        read: Callable[[], Awaitable[T]],
        subject: str | None,
        first: T,
        cursor: int,
        *,
        told: bool,
    ):
        self.value = first
        self._mark: Mark | None = None
        self._marked: object = None
        self._visit, self._read, self._subject, self._cursor = visit, read, subject, cursor
        self._parts: list[Callable[[T], None]] = []
        self._changed = asyncio.Event()
        self._runs: Callable[[T], bool] = lambda value: False
        self._away = False
        self._awaited: asyncio.Task[None] | None = None
        self._client: Client = ui.context.client
        self._trouble: ui.element | None = None
        self._newest: TextElement | None = None
        self._told = told
        self._frame: Frame | None = None

    def part(
        self,
        of: Callable[[T], V],
        draw: Callable[[V], None],
        *,
        differs_by: Callable[[V], object] = lambda share: share,
    ) -> None:
        """Draw a part of the page here, now and whenever its share of the value differs.

        Args:
            of: the share of the value that the part shows.
            draw: builds its elements.
            differs_by: what of the share is compared by ``==``; all of it.
        """
        place = box()
        with place:
            draw(of(self.value))

        def draw_anew(share: V) -> None:
            place.clear()
            with place:
                draw(share)

        self.on_change(of, draw_anew, differs_by=differs_by)

    def on_change(
        self,
        of: Callable[[T], V],
        show: Callable[[V], None],
        *,
        differs_by: Callable[[V], object] = lambda share: share,
    ) -> None:
        """Call ``show`` whenever a share of the value differs; the arguments are those of ``part``."""
        seen = differs_by(of(self.value))

        def renew(value: T) -> None:
            nonlocal seen
            share = of(value)
            if differs_by(share) != seen:
                seen = differs_by(share)
                show(share)

        self._parts.append(renew)

    def follow(self, frame: Frame) -> None:
        """Begin to follow what happens once the browser is connected; ends with the page."""
        self._newest = text("p", "", classes="newest soft") if self._told else None
        self._trouble = box()
        frame.renew = self.renew
        self._frame = frame
        begun = False

        def begin() -> None:
            nonlocal begun
            if not begun:
                begun = True
                events = () if self._subject is None else (self._follow(),)
                for loop in (*events, self._renew_on_change()):
                    self._client.on_delete(background_tasks.create(loop).cancel)

        self._client.on_connect(begin)

    def again_after(self, ended: Coroutine[Any, Any, object]) -> None:
        """Read again once ``ended`` is done: a workflow ends a moment after its end was noted.

        Of several, the first is awaited and the others are dropped. Any: what coroutines are typed with.
        """
        if self._awaited is not None and not self._awaited.done():
            ended.close()
            return

        async def wait() -> None:
            with suppress(PenwrightError):
                await ended
            self._changed.set()

        self._awaited = background_tasks.create(wait())
        self._client.on_delete(self._awaited.cancel)

    def look_while(self, runs: Callable[[T], bool]) -> None:
        """Read again every two seconds while ``runs``: a pause, such as at a cap, leaves no event."""
        self._runs = runs

    def look_at(self, mark: Mark, seen: object) -> None:
        """Look at ``mark`` every two seconds, and read again once it is no longer ``seen``."""
        self._mark, self._marked = mark, seen

    async def renew(self) -> None:
        """Read again now, and draw what differs; a problem is shown and the page stays as it was."""
        try:
            self.value = await self._read()
        except PenwrightError as error:
            self._say(error)
            self._away = True
            # What was away may be back without an event.
            self._changed.set()
            return
        self._away = False
        self._say(None)
        for renew in self._parts:
            renew(self.value)
        if self._frame is not None:
            self._frame.recount()

    async def _renew_on_change(self) -> None:
        while True:
            await self._due()
            await self.renew()
            await asyncio.sleep(_AGAIN_S if self._away else PAUSE_S)

    async def _due(self) -> None:
        while not self._changed.is_set():
            looks = self._mark is not None or self._runs(self.value)
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S if looks else None):
                    await self._changed.wait()
            if self._runs(self.value) or await self._is_marked_anew():
                break
        self._changed.clear()

    async def _is_marked_anew(self) -> bool:
        if self._mark is None:
            return False
        before = self._marked
        try:
            self._marked = await self._mark()
        except PenwrightError as error:
            # The page says why when it reads.
            self._marked = error.code
        return self._marked != before

    async def _follow(self) -> None:
        hub = self._visit.hub
        while True:
            try:
                async with aclosing(hub.after(self._cursor)) as found:
                    async for event in found:
                        if event is not None:
                            self._cursor = event.cursor
                            if self._wants(event):
                                self._tell(event)
                                self._changed.set()
            except Lagging:
                self._cursor = await hub.newest()
                self._changed.set()
            except PenwrightError as error:
                self._say(error)
                await asyncio.sleep(_AGAIN_S)
                self._changed.set()

    def _wants(self, event: Event) -> bool:
        about = subject_of(event.subject)
        if not self._told:  # an event is only the occasion to read what the guest may see
            return self._subject == about
        return self._subject in ("", about) and sees(self._visit.principal, about)

    def _tell(self, event: Event) -> None:
        """Say at once what happened; what the page shows of it follows when it was read."""
        if self._newest is not None:
            about = "" if self._subject else f"{subject_of(event.subject)}, "
            self._newest.set_text(f"{event.at:%H:%M:%S} UTC: {about}{sentence(event)}")

    def _say(self, error: PenwrightError | None) -> None:
        if self._trouble is None or (error is None and not self._trouble.default_slot.children):
            return
        self._trouble.clear()
        if error is not None:
            with self._trouble:
                trouble(error.message)
                attribute(self._trouble, "data-code", error.code)


async def live(
    visit: Visit,
    read: Callable[[], Awaitable[T]],
    *,
    subject: str | None = "",
    mark: Mark | None = None,
    told: bool = True,
) -> Live[T]:
    """Read what a page shows, so that no change after the reading is missed.

    Args:
        subject: of events, as rights name it, ``book/tide``; empty: all that the principal may see; None: no
            event concerns the page.
        mark: for what is changed without an event.
        told: whether the page says of each event what happened; False for guests, who may not know.
    """
    cursor = await visit.hub.newest()
    seen = await mark() if mark else None
    made = Live(visit, read, subject, await read(), cursor, told=told)
    if mark:
        made.look_at(mark, seen)
    return made
