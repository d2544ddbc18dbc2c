"""The scenarios that every harness must pass."""

import asyncio

import pytest

from tests.contract.harness.conftest import Trial
from tests.contract.harness.harness import Call, Can, Outcome
from tests.support.engine_home import until
from tests.support.running_books import prose_of

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("harness")]

needs = pytest.mark.needs


@needs(Can.REFUSE)
async def test_nothing_is_written_before_an_intent_is_selected(trial: Trial) -> None:
    session = await trial.opened()
    before = await trial.world.before()

    prose = await trial.call("deliver_prose", session=session, prose=prose_of("a"))
    move = await trial.call("advance_chapter", session=session)

    assert (prose.code, move.code) == ("INTENT_NOT_SELECTED", "INTENT_NOT_SELECTED")
    assert "select_active_intent" in prose.value["action_hint"]
    assert await trial.world.before() == before


async def test_a_book_is_written_under_the_selected_intent_and_says_by_whom(trial: Trial) -> None:
    session = await trial.selected()

    closed = await trial.done("deliver_prose", session=session, prose=prose_of("b"), summary="Rain.")

    commit = trial.world.book.git("log", "-1", "--format=%B", closed.value["commit"])
    assert closed.value["session_word_count"] == 100
    assert "Penwright-Intent: INT-001" in commit
    assert f"Penwright-Agent: {trial.harness.who}" in commit
    assert "bw100" in trial.world.book.text("Review/current.md")
    assert "Penwright-Step: close" in commit


DENIED: tuple[tuple[str, dict[str, object], str], ...] = (
    ("write_file", {"path": "Soul.md"}, "UNKNOWN_TOOL"),
    ("deliver_prose", {"prose": 7, "colour": "red"}, "INVALID_ARGUMENTS"),
    ("select_active_intent", {"session": "", "intent_id": "INT-001"}, "INVALID_ARGUMENTS"),
    ("read_material", {"path": "../../etc/passwd"}, "BAD_PATH"),
    ("read_material", {"path": "./Global Material/../.ink-state.yml"}, "NOT_READABLE"),
)


@needs(Can.REFUSE)
async def test_a_denied_call_leaves_tip_and_state_to_the_byte(trial: Trial) -> None:
    await trial.selected()
    before = await trial.world.before()

    for tool, arguments, code in DENIED:
        denied = await trial.call(tool, **arguments)

        assert denied.code == code
        assert set(denied.value) >= {"error_type", "error_code", "recoverable", "action_hint", "details"}
        assert denied.value["action_hint"]
        assert await trial.world.before() == before


@needs(Can.REFUSE)
async def test_bad_arguments_are_named_by_field(trial: Trial) -> None:
    denied = await trial.call("deliver_prose", prose=7, colour="red")

    assert denied.value["details"]["fields"] == "session, prose, colour"


@needs(Can.REFUSE)
async def test_an_intent_that_changed_is_denied_until_it_is_selected_again(trial: Trial) -> None:
    session = await trial.selected()
    trial.world.reword("Write it colder")
    before = await trial.world.before()

    stale = await trial.call("deliver_prose", session=session, prose=prose_of("c"))
    after = await trial.world.before()
    again = await trial.done("select_active_intent", session=session, intent_id="INT-001")
    closed = await trial.done("deliver_prose", session=session, prose=prose_of("c"))

    assert stale.code == "INTENT_CHANGED"
    assert (stale.value["recoverable"], after) == (True, before)
    assert "Write it colder" in again.value["context"]
    assert closed.value["status"] == "closed"


@needs(Can.REFUSE, Can.SESSIONS)
async def test_a_stale_write_is_refused(trial: Trial) -> None:
    stale = await trial.selected("first")
    await trial.world.kill("wrong chapter")
    fresh = await trial.selected("second")
    before = await trial.world.before()

    late = await trial.call("deliver_prose", session=stale, prose=prose_of("d"))
    guess = await trial.call("deliver_prose", session="made-up", prose=prose_of("d"))

    assert stale != fresh
    assert (late.code, guess.code) == ("KILLED", "OTHER_SESSION")
    assert await trial.world.before() == before


async def test_a_kill_ends_the_session_for_good(trial: Trial) -> None:
    session = await trial.selected()
    await trial.world.kill("wrong chapter")
    tip = trial.world.tip

    late = await trial.call("deliver_prose", session=session, prose=prose_of("e"))

    assert (late.code, late.value["recoverable"]) == ("KILLED", False)
    assert "wrong chapter" in late.value["message"]
    assert trial.world.tip == tip
    assert "ew1" not in trial.world.book.everything()


@needs(Can.TOGETHER)
async def test_a_kill_in_the_middle_of_a_call_ends_it_on_a_commit_edge(trial: Trial) -> None:
    session = await trial.selected()
    await trial.world.pause()
    call = asyncio.create_task(trial.call("deliver_prose", session=session, prose=prose_of("f")))
    await trial.world.reached(lambda state: state.written is not None)

    await trial.world.kill("wrong chapter")
    outcome = await call

    assert not outcome.denied
    assert outcome.value["commit"] == trial.world.tip
    assert "fw1" in trial.world.book.text("Review/current.md")


@needs(Can.TOGETHER, Can.READ)
async def test_ten_calls_at_once_have_ten_outcomes(trial: Trial) -> None:
    numbers = [1, 2, 3, 9, 1, 2, 3, 9, 1, 2]

    outcomes = await asyncio.gather(*(trial.call("read_chapter", number=number) for number in numbers))

    titles = ["The Pier", "The Boat", "The Sea"]
    for number, outcome in zip(numbers, outcomes, strict=True):
        if number == 9:
            assert outcome.code == "NO_SUCH_FILE"
        else:
            assert titles[number - 1] in outcome.value["text"]


@needs(Can.TOGETHER, Can.REFUSE)
async def test_of_two_deliveries_at_once_one_is_in_the_book(trial: Trial) -> None:
    session = await trial.selected()

    first, second = await asyncio.gather(
        *(trial.call("deliver_prose", session=session, prose=prose_of(name)) for name in ("g", "h"))
    )

    assert sorted((first.code, second.code)) == ["", "ALREADY_DELIVERED"]
    written = "g" if not first.denied else "h"
    review = trial.world.book.text("Review/current.md")
    assert (f"{written}w1 " in review, f"{'gh'.replace(written, '')}w1 " in review) == (True, False)


@needs(Can.TWINS, Can.READ)
async def test_twin_calls_pair_by_position(trial: Trial) -> None:
    calls = [Call("read_chapter", {"number": number}) for number in (3, 9, 1)]

    third, none, first = await trial.harness.twins(calls)

    assert "The Sea" in third.value["text"]
    assert none.code == "NO_SUCH_FILE"
    assert "The Pier" in first.value["text"]


@needs(Can.OVERSIZE)
async def test_six_megabytes_are_refused_with_what_to_do_instead(trial: Trial) -> None:
    session = await trial.selected()
    before = await trial.world.before()

    denied = await trial.call("deliver_prose", session=session, prose="x" * 6_000_000)

    assert denied.code == "ARGUMENTS_TOO_LONG"
    assert int(denied.value["details"]["most_bytes"]) < 6_000_000
    assert "this session's prose only" in denied.value["action_hint"]
    assert await trial.world.before() == before


@needs(Can.READ)
async def test_reading_shows_the_commit_and_not_what_lies_about(trial: Trial) -> None:
    path = "Chapters material/Chapter_01.md"
    before = trial.world.book.read(path)
    trial.world.book.write(path, "# Unsaved\n")

    read = await trial.done("read_chapter", number=1)
    found = await trial.done("search_book", text="he WAITS")
    trial.world.book.write(path, before)

    assert "The Pier" in read.value["text"]
    assert [place["path"] for place in found.value["places"]] == [path]


@needs(Can.PROGRESS)
async def test_a_call_that_lasts_says_what_is_being_done(trial: Trial) -> None:
    session = await trial.selected()
    await trial.world.pause()
    heard: list[str] = []
    delivery = Call("deliver_prose", {"session": session, "prose": prose_of("i")})
    call = asyncio.create_task(trial.harness.call(delivery, heard))
    await asyncio.to_thread(until, lambda: bool(heard))

    await trial.world.resume()
    outcome = await call

    assert not outcome.denied
    assert "Paused" in heard[0]


@needs(Can.RESTART, Can.SESSIONS)
async def test_an_answer_that_was_lost_is_given_again(trial: Trial) -> None:
    session = await trial.selected("mine")
    await trial.world.pause()
    delivery = Call("deliver_prose", {"session": session, "prose": prose_of("j")})
    lost = asyncio.create_task(trial.harness.call(delivery))
    await trial.world.reached(lambda state: state.written is not None)
    await trial.harness.kill()
    gone = await asyncio.gather(lost, return_exceptions=True)
    await trial.harness.start()
    held = await trial.opened("mine")
    await trial.world.resume()

    again = await trial.harness.call(delivery)
    await trial.world.desk.pipelines.result(trial.world.book.book_id)
    later = await trial.harness.call(delivery)
    other = await trial.call("deliver_prose", session=session, prose=prose_of("k"))

    assert isinstance(gone[0], ConnectionError)
    assert held == session
    assert _done(again) == _done(later)
    assert (again.value["repeated"], later.value["repeated"]) == (False, True)
    assert other.code == "ALREADY_DELIVERED"
    assert trial.world.book.text("Review/current.md").count("jw1 ") == 1


def _done(outcome: Outcome) -> tuple[object, object]:
    assert not outcome.denied, outcome.value
    return outcome.value["commit"], outcome.value["session_word_count"]
