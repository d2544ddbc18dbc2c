"""The contract of ``MessageChains``: each message kept once, every chain verified, gaps named."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field

import pytest
from sqlalchemy import text

from penwright.adapters.message_chains import CachedMessageChains, MessageGroup, MessageGroups
from penwright.adapters.store.database import Database
from penwright.adapters.store.message_groups import PostgresMessageGroups
from penwright.adapters.store.used_keys import UsedKeys
from penwright.agents.loop.messages import begun, message_line
from penwright.errors import ChainBroken, UsageMistake
from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead
from tests.adapters.store.builders import AnyStore, SetClock
from tests.support.agents.messages import a_conversation, a_turn, extended
from tests.support.doubles.store import MemoryMessageGroups
from tests.support.each import for_each

NOWHERE = ChainHead(digest="0" * 64, count=3)


class Shelf:
    """Where groups are kept, counted, and where a test can lose one."""

    def __init__(self, groups: MessageGroups) -> None:
        self.groups = groups
        self.looks = 0
        self.read: list[MessageGroup] = []
        self.kept: list[MessageGroup] = []

    def keep(self, group: MessageGroup) -> bool:
        self.kept.append(group)
        return self.groups.keep(group)

    def trail(self, head: str, *, most: int, known: Collection[str]) -> tuple[MessageGroup, ...]:
        found = self.groups.trail(head, most=most, known=known)
        self.looks += 1
        self.read += found
        return found

    def count(self, head: str, *, most: int) -> int:
        return self.groups.count(head, most=most)

    def lose(self, head: ChainHead) -> None:
        raise NotImplementedError


class MemoryShelf(Shelf):
    def __init__(self) -> None:
        self.inner = LosingSegments()
        super().__init__(self.inner)

    def lose(self, head: ChainHead) -> None:
        self.inner.lose(head.digest)


class LosingSegments(MemoryMessageGroups):
    def lose(self, head: str) -> None:
        del self._kept[head]


class PostgresShelf(Shelf):
    def __init__(self, database: Database) -> None:
        self.database = database
        super().__init__(PostgresMessageGroups(database, SetClock(), UsedKeys(database, SetClock(), None)))

    def lose(self, head: ChainHead) -> None:
        with self.database.statement() as connection:
            connection.execute(text("delete from message_segments where head = :head"), {"head": head.digest})


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def shelf(request: pytest.FixtureRequest) -> Iterator[Shelf]:
    if request.param == "memory":
        yield MemoryShelf()
    else:
        with closing(Database(request.getfixturevalue("database_url"), pool_size=5)) as database:
            yield PostgresShelf(database)


@dataclass
class Run:
    """A run that appends turn by turn, as a worker does for it."""

    chains: CachedMessageChains
    head: ChainHead | None = None
    heads: list[ChainHead] = field(default_factory=list)

    def turns(self, count: int, *, size: int = 0) -> "Run":
        for number in range(len(self.heads), len(self.heads) + count):
            self.head = self.chains.append(self.head, a_turn(number, size=size))
            self.heads.append(self.head)
        return self

    @property
    def messages(self) -> tuple[AgentMessage, ...]:
        return tuple(message for number in range(len(self.heads)) for message in a_turn(number))


def worker(shelf: Shelf, **limits: int) -> CachedMessageChains:
    """A process that has read nothing yet."""
    return CachedMessageChains(shelf, **limits)


def test_the_store_of_a_process_keeps_chains(store: AnyStore) -> None:
    said = a_conversation(2)

    head = store.messages.append(None, said)

    assert store.messages.messages(head) == tuple(said)
    assert store.messages.holds(head)


def test_appended_messages_are_read_in_every_process(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(5)

    assert run.heads[-1] == extended(None, run.messages)
    assert run.chains.messages(run.heads[-1]) == run.messages
    assert worker(shelf).messages(run.heads[-1]) == run.messages


def test_every_earlier_head_still_names_its_messages(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(4)

    assert [run.chains.messages(head) for head in run.heads] == [
        run.messages[: head.count] for head in run.heads
    ]


def test_appending_again_changes_nothing(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(3)

    again = [process.append(run.heads[1], a_turn(2)) for process in (run.chains, worker(shelf))]

    assert again == [run.head, run.head]
    assert worker(shelf).messages(run.heads[-1]) == run.messages


def test_the_same_messages_in_other_portions_are_the_same_chain(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(3)

    whole = worker(shelf).append(None, run.messages)

    assert whole == run.head
    assert [worker(shelf).messages(head) for head in run.heads] == [
        run.messages[: head.count] for head in run.heads
    ]


def test_two_chains_may_begin_alike(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(2)
    other = run.chains.append(run.heads[0], a_turn(7))

    assert worker(shelf).messages(other) == (*a_turn(0), *a_turn(7))
    assert worker(shelf).messages(run.heads[1]) == run.messages


def test_runs_that_say_the_same_share_nothing(shelf: Shelf) -> None:
    chains = worker(shelf)
    one, other = (Run(chains, begun(name)).turns(3) for name in ("one", "other"))

    for head in one.heads:
        shelf.lose(head)

    assert not worker(shelf).holds(one.heads[-1])
    assert worker(shelf).holds(other.heads[-1])
    assert worker(shelf).messages(other.heads[-1]) == other.messages == one.messages
    assert other.heads[-1] == extended(begun("other"), other.messages)


@for_each("content", ["a\nb\u2028c\r\n", "\x00", "half \ud83d", "«Würde» 🕯", " "])
def test_any_text_survives(shelf: Shelf, content: str) -> None:
    said = AgentMessage(role="tool", content=content, tool_call_id=content)

    head = worker(shelf).append(None, (said, said))

    assert worker(shelf).messages(head) == (said, said)


def test_a_chain_that_grows_here_is_never_read_back(shelf: Shelf) -> None:
    chains = worker(shelf)
    run = Run(chains)

    for _ in range(20):
        assert len(chains.messages(run.turns(1).heads[-1])) == 2 * len(run.heads)

    assert shelf.looks == 0


def test_a_new_process_reads_a_chain_with_one_query_then_only_new_messages(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(20)
    late = worker(shelf)

    late.messages(run.heads[-1])
    first = (shelf.looks, len(shelf.read))
    run.turns(2)
    late.messages(run.heads[-1])

    assert first == (1, 20)
    assert (shelf.looks, len(shelf.read)) == (2, 22)


def test_a_thousand_messages_are_written_once_and_read_with_one_look(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(500, size=2_000)
    whole = "".join(message_line(message) for number in range(500) for message in a_turn(number, size=2_000))

    read = worker(shelf).messages(run.heads[-1])

    assert len(read) == 1_000
    assert sum(len(line) for group in shelf.kept for line in group.lines) == len(whole)
    assert shelf.looks == 1


def test_chains_that_leave_the_cache_are_read_again(shelf: Shelf) -> None:
    chains = worker(shelf, cached_characters=500)
    run = Run(chains).turns(30)
    other = chains.append(None, a_conversation(3))

    assert chains.messages(run.heads[-1]) == run.messages
    assert chains.messages(other) == tuple(a_conversation(3))
    assert shelf.looks > 0


def test_append_to_a_missing_head_is_refused(shelf: Shelf) -> None:
    with pytest.raises(ChainBroken) as caught:
        worker(shelf).append(NOWHERE, a_turn(1))

    assert caught.value.code == "chain-missing"


def test_a_missing_head_is_reported(shelf: Shelf) -> None:
    with pytest.raises(ChainBroken, match="0000") as caught:
        worker(shelf).messages(NOWHERE)

    assert caught.value.code == "chain-missing"
    assert not worker(shelf).holds(NOWHERE)


@pytest.mark.parametrize("lost", [0, 2, 4])
def test_a_gap_is_found_and_repaired_by_appending_everything_again(shelf: Shelf, lost: int) -> None:
    run = Run(worker(shelf)).turns(5)
    shelf.lose(run.heads[lost])
    found = worker(shelf)

    with pytest.raises(ChainBroken) as caught:
        found.messages(run.heads[-1])
    held = found.holds(run.heads[-1])
    repaired = found.append(None, run.messages)

    assert caught.value.code == "chain-missing"
    assert not held
    assert repaired == run.head
    assert found.messages(repaired) == worker(shelf).messages(repaired) == run.messages
    assert found.holds(repaired)


def test_a_process_with_a_cached_chain_notices_its_loss(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(2)
    shelf.lose(run.heads[-1])

    with pytest.raises(ChainBroken):
        run.chains.append(run.head, a_turn(2))
    with pytest.raises(ChainBroken):
        run.chains.append(run.head, ())


@pytest.mark.parametrize("spoilt", [0, 2, 4])
def test_a_changed_message_is_never_returned_and_can_be_repaired(shelf: Shelf, spoilt: int) -> None:
    run = Run(worker(shelf)).turns(5)
    head, before = run.heads[spoilt], run.heads[spoilt - 1].digest if spoilt else ""
    shelf.keep(MessageGroup(head.digest, before, tuple(map(message_line, a_turn(99)))))
    found = worker(shelf)

    with pytest.raises(ChainBroken) as caught:
        found.messages(run.heads[-1])
    repaired = found.append(None, run.messages)

    assert caught.value.code == "chain-damaged"
    assert worker(shelf).messages(repaired) == run.messages


def test_a_self_referencing_group_does_not_loop(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(3)
    head = run.heads[1].digest
    shelf.keep(MessageGroup(head, head, tuple(map(message_line, a_turn(1)))))

    with pytest.raises(ChainBroken):
        worker(shelf).messages(run.heads[-1])
    assert not worker(shelf).holds(run.heads[-1])


def test_a_head_that_counts_wrongly_is_refused(shelf: Shelf) -> None:
    run = Run(worker(shelf)).turns(2)
    wrong = run.heads[-1].model_copy(update={"count": 5})

    for chains in (run.chains, worker(shelf)):
        with pytest.raises(ChainBroken):
            chains.messages(wrong)
        assert not chains.holds(wrong)


def test_appending_no_messages_is_a_mistake(shelf: Shelf) -> None:
    with pytest.raises(UsageMistake) as caught:
        worker(shelf).append(None, ())

    assert caught.value.code == "no-messages"


def test_processes_that_append_the_same_at_once_agree(shelf: Shelf) -> None:
    with ThreadPoolExecutor(4) as workers:
        runs = list(workers.map(lambda _: Run(worker(shelf)).turns(20), range(4)))

    assert len({run.heads[-1].digest for run in runs}) == 1
    assert worker(shelf).messages(runs[0].heads[-1]) == runs[0].messages


def test_one_process_serves_many_runs_at_once(shelf: Shelf) -> None:
    chains = worker(shelf, cached_characters=5_000)

    def work(number: int) -> tuple[ChainHead, tuple[AgentMessage, ...]]:
        said = a_conversation(number + 1)
        head = None
        for message in said:
            head = chains.append(head, (message,))
            chains.messages(head)
        assert head is not None
        return head, tuple(said)

    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(work, range(8)))

    assert [chains.messages(head) for head, _ in done] == [said for _, said in done]
