"""The book and the engine behind a harness, looked at without it."""

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from penwright.domain.book_identity import workflow_id
from penwright.domain.intents.registry import REGISTRY
from penwright.errors import Refused
from schemas.book_session import BookSessionState, StopOrder
from tests.support.engine_home import until
from tests.support.running_books import RunningBook
from tests.support.running_engine import Desk
from workflows.book_session import BookSession

_NOTES = {"effects", "denials", "denial"}
"""What a session notes of a denial itself; all else must be as it was."""


@dataclass(frozen=True)
class World:
    """One book on a running desk."""

    desk: Desk
    book: RunningBook

    @property
    def tip(self) -> str:
        return self.book.tip

    def fingerprint(self) -> str:
        """Everything of the repository that anybody could see: refs, and files to the byte."""
        seen = hashlib.sha256(self.book.git("for-each-ref").encode())
        for file in sorted(self.book.folder.rglob("*")):
            if file.is_file() and ".git" not in file.relative_to(self.book.folder).parts:
                seen.update(str(file).encode() + b"\0" + file.read_bytes())
        return seen.hexdigest()

    async def state(self) -> dict[str, Any]:  # Any: JSON
        """The session's state, but for what it notes of denials."""
        state = await self._handle().query(BookSession.state)
        told: dict[str, Any] = state.model_dump(mode="json", exclude=_NOTES)
        return told

    async def before(self) -> tuple[str, dict[str, Any]]:  # Any: JSON
        """What a denial must leave as it is."""
        return self.fingerprint(), await self.state()

    def reword(self, text: str) -> None:
        """A person changes the intent, and commits that."""
        registry = self.book.folder / REGISTRY
        lines = [
            f"    name: {text}" if line.strip().startswith("name:") else line
            for line in registry.read_text().splitlines()
        ]
        registry.write_text("\n".join(lines) + "\n")
        self.book.commit("Reword")

    async def pause(self) -> None:
        await self.desk.pipelines.signal(self.book.book_id, "pause")

    async def resume(self) -> None:
        await self.desk.pipelines.signal(self.book.book_id, "resume")

    async def kill(self, reason: str) -> None:
        """A person kills the session and waits until it is over."""
        await self.desk.pipelines.signal(self.book.book_id, StopOrder(who="ada", reason=reason))
        await self.desk.pipelines.result(self.book.book_id)

    async def reached(self, found: Callable[[BookSessionState], bool]) -> None:
        """Return when the session's state is such."""
        loop = asyncio.get_running_loop()

        def has_come() -> bool:
            asked = self._handle().query(BookSession.state)
            return found(asyncio.run_coroutine_threadsafe(asked, loop).result())

        await asyncio.to_thread(until, has_come)

    async def quiet(self) -> None:
        """No session is left."""
        with suppress(Refused):  # it ended by itself meanwhile
            if await self.desk.pipelines.progress(self.book.book_id) is not None:
                await self.kill("the scenario is over")

    def _handle(self) -> Any:  # Any: a handle whose queries are typed by what is asked
        return self.desk.stand.client.get_workflow_handle_for(BookSession.run, workflow_id(self.book.book_id))
