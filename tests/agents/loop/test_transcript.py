"""The transcript: a common envelope, numbered without gaps by source."""

from datetime import timedelta

from penwright.agents.loop.run import begin
from penwright.agents.loop.transcript import gaps, without_stored
from schemas.agent_run import TranscriptEntry
from tests.support.agents.clerk import clerk
from tests.support.agents.loop import NOON, World, call, calls, given_run, say

READ = call("read_page", '{"path": "a.md"}')


def entry(sequence: int, source: str = "main") -> TranscriptEntry:
    return TranscriptEntry(source=source, sequence=sequence, type="call-ended", at=NOON)


def test_missing_and_duplicate_entries_are_named_with_their_source() -> None:
    assert gaps([entry(1), entry(1, "child"), entry(2), entry(2, "child")]) == ()
    assert gaps([entry(1), entry(3), entry(4)]) == ("main: 2 was expected, and 3 follows",)
    assert gaps([entry(1), entry(1)]) == ("main: 2 was expected, and 1 follows",)
    assert gaps([entry(2, "child")]) == ("child: 1 was expected, and 2 follows",)


def test_entries_carry_number_time_and_source() -> None:
    world = World(clerk(), [calls(READ), say("Done.")], tick=timedelta(seconds=1))
    world.play(given_run(source="run-9/call/2"))
    assert [one.sequence for one in world.entries] == list(range(1, len(world.entries) + 1))
    assert {one.source for one in world.entries} == {"run-9/call/2"}
    assert [one.type for one in world.entries] == [
        "run-prepared",
        "model-answered",
        "call-started",
        "call-ended",
        "model-answered",
        "run-ended",
    ]
    times = [one.at for one in world.entries]
    assert times == sorted(times)
    assert all(one.utcoffset() == timedelta() for one in times)


def test_a_call_entry_holds_positions_and_no_argument_text() -> None:
    secret = call("read_page", '{"path": "secret-word.md"}')
    world = World(clerk(), [calls(secret), say("Done.")], files={"secret-word.md": "hush"})
    world.play()
    ended = next(one for one in world.entries if one.type == "call-ended")
    assert ended.detail == {"number": 1, "key": "run-1/call/1", "tool": "read_page", "kind": "succeeded"}
    assert not any("secret-word" in one.model_dump_json() for one in world.entries)


def test_entries_stay_until_they_are_stored_and_go_then() -> None:
    run = begin(clerk(), given_run())
    for _ in range(3):
        run = run.with_entry("agent-told", NOON)
    kept = without_stored(run.state, run.state.entries[:2])
    assert [one.sequence for one in kept.entries] == [3]
    assert without_stored(run.state, ()).entries == run.state.entries
