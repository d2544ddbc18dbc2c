"""Ports of scenes: the worlds they are played in, what happens in them, what is remembered of it."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Protocol, TypeVar

from penwright.ports.portions import Portion
from schemas.deltas import Delta
from schemas.envelope import Recalled, Telemetry
from schemas.lore import Attachment, Lorebook
from schemas.memory import Charge, Memory, MemoryCount, MemoryQuery, Remembered, Vectors
from schemas.scene import (
    AddRounds,
    Author,
    BeginStep,
    BranchScene,
    ChooseAlternative,
    CloseRound,
    EditMessage,
    Heard,
    KeepPass,
    KeepTurn,
    OpenRound,
    PatchState,
    RedoRound,
    Round,
    RoundOpened,
    SceneChanged,
    SceneMessage,
    SceneState,
    StateEvent,
    Takes,
    UndoRound,
)
from schemas.scene_summary import Stretch, SummedUp
from schemas.worlds import Arc, Campaign, Character, Level, Located, Override, Persona, Scene, World

Kept = TypeVar("Kept", World, Campaign, Arc, Scene, Character, Persona, Lorebook)
"""Type of an object with an id, a version and a row of its own."""


class Worlds(Protocol):
    """Worlds, campaigns, arcs, scenes, characters, personas and lorebooks."""

    def create(self, thing: Kept) -> Kept:
        """Store a new thing; its id is made unique (``harbour``, ``harbour-2``) and returned with it.

        Raises:
            NotFound: ``no-such-world`` and so on, for what it belongs to.
        """
        ...

    def create_with_lore(self, character: Character, book: Lorebook) -> tuple[Character, Lorebook]:
        """Store a character and its own lorebook, attached to it: both or neither; raises as ``create``."""
        ...

    def create_attached(self, book: Lorebook, at: Attachment) -> tuple[Lorebook, Attachment]:
        """Store a lorebook, active at the place of ``at``: both or neither; raises as ``create``."""
        ...

    def read(self, kind: type[Kept], id: str) -> Kept | None:
        """Return it; None if there is none."""
        ...

    def lorebook(self, id: str) -> Lorebook | None:
        """Return a lorebook, its entries read once for each version of it; None if there is none."""
        ...

    def find(self, kind: type[Kept], name: str) -> tuple[Kept, ...]:
        """Return what has this id, else all with this name, compared without case."""
        ...

    def list(self, kind: type[Kept], *, below: str = "") -> tuple[Kept, ...]:
        """Return all, oldest first; campaigns, arcs and scenes of ``below`` only, if it is given.

        Lorebooks come without their entries.
        """
        ...

    def part(self, kind: type[Kept], portion: Portion) -> tuple[tuple[Kept, ...], int]:
        """Return a portion of them as ``list``, and how many there are without its limit and skip."""
        ...

    def counts(self, kind: type[Kept], above: Collection[str]) -> Mapping[str, int]:
        """Count the campaigns, arcs or scenes of each of these, by id; without those that have none."""
        ...

    def change(self, thing: Kept) -> Kept:
        """Replace it, if the stored version is ``thing.version``; returns it with the next version.

        Another roster of a scene whose round runs is kept as its ``coming`` and ``going``.

        Raises:
            Refused: ``stale``: it was changed meanwhile.
            NotFound: there is none.
        """
        ...

    def remove(self, kind: type[Kept], id: str) -> bool:
        """Delete it with all that is below it; False if there is none.

        Credentials lose the scenes that go; one that may touch nothing else goes with them.

        Raises:
            Refused: ``in-use``: a round runs in a scene of it.
        """
        ...

    def locate(self, scene: str) -> Located | None:
        """Return a scene with its arc, campaign, world and persona."""
        ...

    def overrides(self, character: str) -> tuple[Override, ...]:
        """Return all overrides of a character."""
        ...

    def override(self, override: Override) -> Override:
        """Store an override; empty ``fields`` remove it. Raises ``Refused`` (``stale``).

        Version 0 says that none is stored yet.
        """
        ...

    def may_come(self, scene: str, characters: Sequence[str]) -> None:
        """Have characters be known in a scene, so that a director may bring them in. Idempotent.

        Raises:
            NotFound: ``no-such-character``.
        """
        ...

    def attach(self, attachment: Attachment) -> None:
        """Make a book active somewhere. Idempotent; for a work, until that is forgotten."""
        ...

    def detach(self, attachment: Attachment) -> bool:
        """Undo ``attach``; False if it was not attached."""
        ...

    def attachments(self, at: Sequence[tuple[Level | str, str]]) -> tuple[Attachment, ...]:
        """Return what is attached to these places."""
        ...

    def attached(self, book: str) -> tuple[Attachment, ...]:
        """Return where this book is attached."""
        ...

    def places(self, books: Collection[str]) -> Mapping[str, int]:
        """To how many places each of these books is attached, by id; without those that are to none."""
        ...

    def active_books(self, scene: str, *, reader: str | None = None) -> tuple[Lorebook, ...]:
        """Return the books attached to the scene, to what is above it, or to characters; with entries.

        Args:
            reader: id of the only character whose own books count; None: those of all who are present do.
        """
        ...


class Scenes(Protocol):
    """Store of scenes. Every change happens once per op id, in one transaction with its events."""

    def open_round(self, request: OpenRound) -> RoundOpened:
        """Begin a round: row, user message, snapshot.

        Answers with ``code`` ``no-such-scene``, ``round-runs`` (another op id's round is not closed),
        ``import-unfinished`` (the scene is the import of another session, which has not come to its end),
        ``no-such-message``, ``no-message`` (regenerate without a reply), ``empty-message``.
        """
        ...

    def add_rounds(self, request: AddRounds) -> SceneChanged:
        """Store rounds of elsewhere; ``no-such-scene``, ``round-runs``, ``import-unfinished``."""
        ...

    def begin(self, request: BeginStep) -> None:
        """Tell that a step of the round begins; its end is told when it is kept, or the round closed.

        Raises:
            Refused: ``round-closed``; so do the three below.
        """
        ...

    def keep_pass(self, request: KeepPass) -> int:
        """Store a pass and the state after it; returns the state's version.

        A pass that is kept already is replaced once a person has approved it; the state stays.
        """
        ...

    def keep_turn(self, request: KeepTurn) -> str:
        """Store a turn; returns the id of its message, empty if there is none."""
        ...

    def heard(self, scene: str, round: int, who: str) -> Heard | None:
        """Return what was sent of a character's newest reply in a round that runs; None if nothing was."""
        ...

    def close_round(self, request: CloseRound) -> Round:
        """Close the round: timeline, counter, roster, state."""
        ...

    def edit(self, request: EditMessage) -> SceneChanged: ...

    def choose(self, request: ChooseAlternative) -> SceneChanged: ...

    def undo(self, request: UndoRound) -> SceneChanged:
        """Hide the newest round that is not undone; ``round-runs``, ``nothing-to-undo``."""
        ...

    def redo(self, request: RedoRound) -> SceneChanged:
        """Show a hidden round that follows the newest one, or that follows what the newest one follows.

        The newest one is hidden in the second case. ``round-runs``, ``nothing-to-redo``.
        """
        ...

    def branch(self, request: BranchScene) -> SceneChanged: ...

    def patch(self, request: PatchState) -> SceneChanged: ...

    def summarised(
        self,
        scene: str,
        summary: str,
        op_id: str,
        witnesses: tuple[str, ...],
        shown: Mapping[int, str],
    ) -> bool:
        """Keep a summary of some messages, as a stretch.

        Args:
            witnesses: ids of those who heard all of them.
            shown: their texts, as the summariser was shown them, by number.

        Returns:
            Whether it was kept: not if one of them reads otherwise by now.
        """
        ...

    def summed_up(self, scene: str) -> SummedUp:
        """Return the stretches of the summary that count now, and the messages outside of them."""
        ...

    def stretches(self, scene: str) -> tuple[Stretch, ...]:
        """Return all stretches that were ever made, the newest first."""
        ...

    def state(self, scene: str) -> SceneState:
        """Return the current view."""
        ...

    def messages(
        self, scene: str, *, newest: int = 200, before: int | None = None, undone: bool = False
    ) -> tuple[SceneMessage, ...]:
        """Return the newest messages, oldest first; a branch has those it shares."""
        ...

    def message(self, id: str) -> SceneMessage | None: ...

    def messages_of(self, scene: str, round: int) -> tuple[SceneMessage, ...]:
        """Return all messages of a round, hidden or not, in order."""
        ...

    def rounds(self, scene: str, *, newest: int = 20) -> tuple[Round, ...]:
        """Return the newest rounds, oldest first."""
        ...

    def round(self, scene: str, number: int) -> Round | None: ...

    def has_session(self, scene: str, session: str) -> bool:
        """Return whether a round of this session was begun in the scene."""
        ...

    def takes(self, scene: str) -> Takes:
        """Return what numbers follow from, of all that a scene has or shares; without it, of nothing."""
        ...

    def set_aside(self, scenes: Sequence[str]) -> Mapping[str, int]:
        """Count the rounds of each scene that were taken back or played again, or only made one reply again.

        A scene without such a round is left out.
        """
        ...

    def running(self, scene: str) -> int | None:
        """Return the number of the round that is not closed."""
        ...

    def changes(self, scene: str, *, subject: str = "", newest: int = 100) -> tuple[StateEvent, ...]:
        """Return the newest changes of the state, or of one subject, oldest first."""
        ...

    def record(self, telemetry: Telemetry, op_id: str) -> None:
        """Keep the token use of one prompt; of a scene the newest 500 stay."""
        ...

    def telemetry(self, scene: str) -> tuple[Telemetry, ...]: ...


class Memories(Protocol):
    """Memories with their vectors."""

    def remember(self, memories: Sequence[Memory], vectors: Vectors | None) -> Remembered:
        """Store memories once per id, with their vectors, or without until ``embed`` brings them."""
        ...

    def recall(self, query: MemoryQuery, vector: Vectors | None) -> tuple[Recalled, ...]:
        """Return the best memories of the character in the scene's world, best first.

        By vector with recency where vectors of that model exist, by words otherwise. A branch finds what
        its scene remembered up to the round it left it.
        """
        ...

    def lacking(self, scene: str, *, after: int = 0) -> tuple[int, ...]:
        """Return the rounds that a scene played and nobody remembers, from after one on, oldest first.

        A round that runs, is hidden, or was taken back is left out; so is one that no character witnessed.
        """
        ...

    def without(self, model: str, *, limit: int = 200) -> tuple[Memory, ...]:
        """Return memories that have no vector of this model, newest first."""
        ...

    def counted(self, model: str) -> MemoryCount:
        """Count all memories, and those without a vector of this model, which ``without`` returns."""
        ...

    def embed(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Store vectors of memories; those of another model are replaced.

        A memory that is gone, or whose text is another by now, gets none.
        """
        ...

    def of(self, scene: str, character: str = "", *, newest: int = 100) -> tuple[Memory, ...]: ...

    def retell(self, scene: str, round: int) -> None:
        """Write the memories that there are of a round anew, from its present texts."""
        ...

    def take_back(self, scene: str, round: int) -> int:
        """Mark the memories of a round as undone; returns how many."""
        ...


class Embeddings(Protocol):
    """Makes vectors of texts."""

    @property
    def model(self) -> str:
        """Name of the model, such as ``wordllama-256``; empty: there is none, and search is by words."""
        ...

    def embed(self, texts: Sequence[str], charge: Charge) -> Vectors:
        """Return a vector for each text. What is paid for is paid once for each effect and its texts.

        Raises:
            ModelUnavailable: the model does not answer; the same call may succeed later.
            ModelFinal: it refuses, or has no key.
            BudgetSpent: a cap of ``charge.scope`` would be exceeded.
        """
        ...


class Backlog(Protocol):
    """Has memories without vectors get them in the background."""

    async def wanted(self, session: str) -> None:
        """There may be some now. ``session`` names the run, if none is under way; harmless to repeat."""
        ...


class MemoryRuns(Protocol):
    """Has what was played in a scene remembered and summed up in the background."""

    async def wanted(self, scene: str, session: str, override_tag: str = "") -> None:
        """Something was played. ``session`` names the run, if none is under way; harmless to repeat."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as a role's model does."""

    def name(self, role: str) -> str:
        """Name the way of counting, for people; begins with ``about`` if it is an estimate."""
        ...

    def count(self, role: str, texts: Sequence[str]) -> tuple[int, ...]: ...

    def sizes(self, role: str) -> Mapping[str, int]:
        """Context size of the role's model (``context``) if it is known."""
        ...


class Deltas(Protocol):
    """Carries pieces of replies to pages and terminals; a piece may be lost, and nothing waits for it."""

    def send(self, scene: str, round: int, character: str, piece: str, position: int, author: Author) -> None:
        """Tell of the next piece of text; never raises. Once the turn is kept, nothing more is told of it."""
        ...


class DeltaFeed(Protocol):
    """Brings pieces of replies to one who looks on."""

    def follow(self, scene: str = "") -> AsyncIterator[Delta]:
        """Yield what is sent for a scene, or for all, from now on, in order; what is missed stays missed.

        Raises:
            StoreUnavailable: then follow again.
        """
        ...
