"""Replies while they are written: shown as they come, to those who look on, and gone once they are stored."""

import asyncio
from contextlib import aclosing

from nicegui import background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement

from gateway.hub import PATIENCE_S
from gateway.ui.elements.html import box, text
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.visit import Visit
from penwright.domain.scene.resolving import name_of
from schemas.deltas import Delta

LONGEST = 20_000
"""Characters of one reply that are shown before it is stored."""


class Replies:
    """Follows pieces of replies while a round runs and the page is open; a lost piece is shown as a gap."""

    def __init__(self, visit: Visit, scene: str) -> None:
        self._visit, self._scene = visit, scene
        self._client = ui.context.client
        self._task: asyncio.Task[None] | None = None
        self._written: dict[str, str] = {}
        self._shown: dict[str, TextElement] = {}
        self._playing: Playing | None = None
        self._place = box("ol", classes="chat writing-now", label="Being written")

    def show(self, playing: Playing) -> None:
        """Begin, go on or end, as the scene stands now; what is stored by now is no longer shown here."""
        self._playing = playing
        played = playing.running
        done = {each.character for each in played.turns} if played else set(self._written)
        for who in done & set(self._written):
            self._forget(who)
        if played is None and self._task is not None:
            self._task.cancel()
            self._task = None
        elif played is not None and self._task is None:
            self._task = background_tasks.create(self._follow())
            self._client.on_delete(self._task.cancel)

    async def _follow(self) -> None:
        async with aclosing(self._visit.hub.typing.of(self._scene, PATIENCE_S)) as pieces:
            async for delta in pieces:
                if delta is not None:
                    self._heard(delta)

    def _heard(self, delta: Delta) -> None:
        before = self._written.get(delta.character, "")
        if delta.position == 0:
            written = delta.piece
        elif delta.position > len(before):
            written = f"{before.rstrip(' …')} … {delta.piece}"
        else:
            written = before[: delta.position] + delta.piece
        self._written[delta.character] = written[:LONGEST]
        self._reply(delta.character).set_text(self._written[delta.character])

    def _reply(self, who: str) -> TextElement:
        if who not in self._shown:
            cast = self._playing.shown.view.cast if self._playing else ()
            with self._client, self._place, box("li", classes="message coming"):
                text("h3", f"{name_of(who, cast)} …")
                self._shown[who] = text("p", "", classes="prose")
        return self._shown[who]

    def _forget(self, who: str) -> None:
        self._written.pop(who)
        element = self._shown.pop(who, None)
        if element is not None and element.parent_slot is not None:
            element.parent_slot.parent.delete()
