"""The book of a harness, read without it, and the edits that people make to it."""

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from penwright.domain.book.identity import workflow_id
from penwright.domain.intents.registry import REGISTRY
from penwright.errors import Refused
from schemas.base import BookId
from schemas.book_session import BookSessionState
from schemas.control import KillRequest
from tests.support.books.running_books import RunningBook
from tests.support.engine.home import until
from tests.support.engine.stand import Desk
from workflows.book_session import BookSession

_NOTES: Final = {"control": {"effects"}, "denials": True, "denial": True}
"""Fields in which a session records a denial; all others must be unchanged."""


class Steering(Protocol):
    """The agent's work, as people see and steer it."""

    async def state(self) -> dict[str, Any]:  # Any: JSON
        """The state that no denial may change."""
        ...

    async def pause(self) -> None: ...

    async def resume(self) -> None: ...

    async def kill(self, reason: str) -> None:
        """A person kills the work and waits until it is over."""
        ...

    async def arrived(self) -> None:
        """Return when a change was handed in that a pause holds up."""
        ...

    async def over(self) -> None:
        """Return when the work has ended by itself."""
        ...

    async def quiet(self) -> None:
        """No work is left."""
        ...


@dataclass(frozen=True)
class World:
    """One book, and the work on it."""

    book: RunningBook
    work: Steering

    @property
    def tip(self) -> str:
        return self.book.tip

    def fingerprint(self) -> str:
        """The visible repository: refs, and files to the byte."""
        seen = hashlib.sha256(self.book.git("for-each-ref").encode())
        for file in sorted(self.book.folder.rglob("*")):
            if file.is_file() and ".git" not in file.relative_to(self.book.folder).parts:
                seen.update(str(file).encode() + b"\0" + file.read_bytes())
        return seen.hexdigest()

    async def before(self) -> tuple[str, dict[str, Any]]:  # Any: JSON
        """The state that a denial must leave unchanged."""
        return self.fingerprint(), await self.work.state()

    def landed(self, name: str) -> int:
        """How often the book holds the prose called ``name``."""
        files = self.book.git("ls-tree", "-r", "-z", "--name-only", "main").rstrip("\0").split("\0")
        return sum(self.book.text(path).count(f"{name}w1 ") for path in files)

    def reword(self, text: str) -> None:
        """A person changes the intent, and commits that."""
        registry = self.book.folder / REGISTRY
        lines = [
            f"    name: {text}" if line.strip().startswith("name:") else line
            for line in registry.read_text().splitlines()
        ]
        registry.write_text("\n".join(lines) + "\n")
        self.book.commit("Reword")

    def revise(self, path: str, text: str) -> None:
        """A person writes a file, and commits that."""
        self.book.write(path, text)
        self.book.commit("Revise")


@dataclass(frozen=True)
class Sessions:
    """Implements ``Steering`` where the work is a session of a book."""

    desk: Desk
    book_id: BookId

    async def state(self) -> dict[str, Any]:  # Any: JSON
        state = await self._handle().query(BookSession.state)
        told: dict[str, Any] = state.model_dump(mode="json", exclude=_NOTES)
        return told

    async def pause(self) -> None:
        await self.desk.pipelines.signal(self.book_id, "pause")

    async def resume(self) -> None:
        await self.desk.pipelines.signal(self.book_id, "resume")

    async def kill(self, reason: str) -> None:
        await self.desk.pipelines.signal(self.book_id, KillRequest(who="ada", reason=reason))
        await self.over()

    async def arrived(self) -> None:
        await self._reached(lambda state: state.written is not None)

    async def over(self) -> None:
        await self.desk.pipelines.result(self.book_id)

    async def quiet(self) -> None:
        with suppress(Refused):  # it ended by itself meanwhile
            if await self.desk.pipelines.progress(self.book_id) is not None:
                await self.kill("the scenario is over")

    async def _reached(self, found: Callable[[BookSessionState], bool]) -> None:
        loop = asyncio.get_running_loop()

        def has_come() -> bool:
            asked = self._handle().query(BookSession.state)
            return found(asyncio.run_coroutine_threadsafe(asked, loop).result())

        await asyncio.to_thread(until, has_come)

    def _handle(self) -> Any:  # Any: a handle whose queries are typed by what is asked
        return self.desk.stand.client.get_workflow_handle_for(BookSession.run, workflow_id(self.book_id))
