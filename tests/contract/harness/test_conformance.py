"""The scenarios that every harness must pass."""

import asyncio
import re

import pytest

from tests.contract.harness.conftest import Trial
from tests.contract.harness.harness import Call, Can, Outcome
from tests.support.books.running_books import prose_of
from tests.support.engine.home import until

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("harness")]

needs = pytest.mark.needs


@needs(Can.REFUSE)
async def test_nothing_is_written_before_an_intent_is_selected(trial: Trial) -> None:
    session = await trial.opened()
    before = await trial.world.before()

    denied = await trial.write(session, "a")

    assert denied.code == "INTENT_NOT_SELECTED"
    assert "select_active_intent" in denied.told
    assert await trial.world.before() == before


@needs(Can.REFUSE, Can.DELIVER)
async def test_no_chapter_is_left_before_an_intent_is_selected(trial: Trial) -> None:
    session = await trial.opened()
    before = await trial.world.before()

    denied = await trial.call("advance_chapter", session=session)

    assert denied.code == "INTENT_NOT_SELECTED"
    assert await trial.world.before() == before


async def test_a_write_carries_the_selected_intent_and_its_author(trial: Trial) -> None:
    session = await trial.selected()

    written = await trial.written(session, "b")

    commit = trial.world.book.git("log", "-1", "--format=%B", written.value["commit"])
    assert "Penwright-Intent: INT-001" in commit
    assert f"Penwright-Agent: {trial.harness.who}" in commit
    assert trial.world.landed("b") == 1


@needs(Can.DELIVER)
async def test_a_delivery_returns_its_result(trial: Trial) -> None:
    session = await trial.selected()

    closed = await trial.written(session, "bb")

    commit = trial.world.book.git("log", "-1", "--format=%B", closed.value["commit"])
    assert (closed.value["status"], closed.value["session_word_count"]) == ("closed", 100)
    assert "bbw100" in trial.world.book.text("Review/current.md")
    assert "Penwright-Step: close" in commit


DENIED: tuple[tuple[str, dict[str, object], str], ...] = (
    ("write_file", {"path": "Soul.md"}, "UNKNOWN_TOOL"),
    ("select_active_intent", {"session": "", "intent_id": "INT-001"}, "INVALID_ARGUMENTS"),
    ("select_active_intent", {"intent": "INT-001"}, "INVALID_ARGUMENTS"),
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
        assert await trial.world.before() == before


@needs(Can.REFUSE)
async def test_bad_arguments_are_named_by_field(trial: Trial) -> None:
    session = await trial.selected()
    before = await trial.world.before()
    fitting = trial.harness.writing(session, prose_of("a"))
    wrong = dict.fromkeys(fitting.arguments, 7)

    denied = await trial.call(fitting.tool, **wrong, colour="red")

    assert denied.code == "INVALID_ARGUMENTS"
    assert [field for field in (*wrong, "colour") if field not in denied.told] == []
    assert await trial.world.before() == before


@needs(Can.REFUSE)
async def test_an_intent_that_changed_is_denied_until_it_is_selected_again(trial: Trial) -> None:
    session = await trial.selected()
    trial.world.reword("Write it colder")
    before = await trial.world.before()

    stale = await trial.write(session, "c")
    after = await trial.world.before()
    again = await trial.select(session)
    await trial.written(session, "c")

    assert stale.code == "INTENT_CHANGED"
    assert (stale.value["recoverable"], after) == (True, before)
    assert "Write it colder" in again.value["context"]
    assert trial.world.landed("c") == 1


@needs(Can.REFUSE, Can.SESSIONS)
async def test_a_stale_write_is_refused(trial: Trial) -> None:
    stale = await trial.selected("first")
    await trial.world.work.kill("wrong chapter")
    fresh = await trial.selected("second")
    before = await trial.world.before()

    late = await trial.write(stale, "d")
    guess = await trial.write("made-up", "d")

    assert stale != fresh
    assert (late.code, guess.code) == ("KILLED", "OTHER_SESSION")
    assert await trial.world.before() == before


@needs(Can.SESSIONS)
async def test_a_kill_ends_the_session_for_good(trial: Trial) -> None:
    session = await trial.selected()
    await trial.world.work.kill("wrong chapter")
    tip = trial.world.tip

    late = await trial.write(session, "e")

    assert (late.code, late.value["recoverable"]) == ("KILLED", False)
    assert "wrong chapter" in late.value["message"]
    assert trial.world.tip == tip
    assert trial.world.landed("e") == 0


@needs(Can.TOGETHER)
async def test_a_kill_in_the_middle_of_a_call_ends_it_on_a_commit_edge(trial: Trial) -> None:
    session = await trial.selected()
    tip = trial.world.tip
    await trial.world.work.pause()
    call = asyncio.create_task(trial.write(session, "f"))
    await trial.world.work.arrived()

    await trial.world.work.kill("wrong chapter")
    outcome = await call

    kept = Can.DELIVER in trial.harness.can
    assert (outcome.denied, trial.world.landed("f")) == (not kept, int(kept))
    assert trial.world.tip == (outcome.value["commit"] if kept else tip)


@needs(Can.TOGETHER, Can.READ)
async def test_ten_calls_at_once_have_ten_outcomes(trial: Trial) -> None:
    numbers = [1, 2, 3, 9, 1, 2, 3, 9, 1, 2]

    outcomes = await trial.harness.together([Call("read_chapter", {"number": n}) for n in numbers])

    titles = ["The Pier", "The Boat", "The Sea"]
    for number, outcome in zip(numbers, outcomes, strict=True):
        if number == 9:
            assert outcome.code == "NO_SUCH_FILE"
        else:
            assert titles[number - 1] in outcome.value["text"]


@needs(Can.TOGETHER, Can.REFUSE, Can.DELIVER)
async def test_only_one_of_two_concurrent_deliveries_is_published(trial: Trial) -> None:
    session = await trial.selected()

    first, second = await trial.harness.together(
        [trial.harness.writing(session, prose_of(name)) for name in ("g", "h")]
    )

    assert sorted((first.code, second.code)) == ["", "ALREADY_DELIVERED"]
    assert (trial.world.landed("g"), trial.world.landed("h")) == (1 - first.denied, 1 - second.denied)


@needs(Can.TWINS, Can.READ)
async def test_twin_calls_pair_by_position(trial: Trial) -> None:
    calls = [Call("read_chapter", {"number": number}) for number in (3, 9, 1)]

    third, none, first = await trial.harness.twins(calls)

    assert "The Sea" in third.value["text"]
    assert none.code == "NO_SUCH_FILE"
    assert "The Pier" in first.value["text"]


@needs(Can.OVERSIZE)
async def test_six_megabytes_are_refused_with_advice(trial: Trial) -> None:
    session = await trial.selected()
    before = await trial.world.before()

    denied = await trial.harness.call(trial.harness.writing(session, "x" * 6_000_000))

    assert denied.code in {"ARGUMENTS_TOO_LONG", "TURN_TOO_LARGE"}
    assert re.search(r"prose only|much shorter", denied.told)
    assert await trial.world.before() == before


@needs(Can.READ)
async def test_reading_shows_the_commit_not_unsaved_files(trial: Trial) -> None:
    path = "Chapters material/Chapter_01.md"
    before = trial.world.book.read(path)
    trial.world.book.write(path, "# Unsaved\n")

    read = await trial.done("read_chapter", number=1)
    found = await trial.done("search_book", text="he WAITS")
    trial.world.book.write(path, before)

    assert "The Pier" in read.value["text"]
    assert [place["path"] for place in found.value["places"]] == [path]


@needs(Can.PROGRESS)
async def test_a_long_call_reports_progress(trial: Trial) -> None:
    session = await trial.selected()
    await trial.world.work.pause()
    heard: list[str] = []
    delivery = trial.harness.writing(session, prose_of("i"))
    call = asyncio.create_task(trial.harness.call(delivery, heard))
    await asyncio.to_thread(until, lambda: bool(heard))

    await trial.world.work.resume()
    outcome = await call

    assert not outcome.denied
    assert "Paused" in heard[0]


@needs(Can.RESTART, Can.SESSIONS)
async def test_an_answer_that_was_lost_is_given_again(trial: Trial) -> None:
    session = await trial.selected("mine")
    await trial.world.work.pause()
    delivery = trial.harness.writing(session, prose_of("j"))
    lost = asyncio.create_task(trial.harness.call(delivery))
    await trial.world.work.arrived()
    await trial.harness.kill()
    gone = await asyncio.gather(lost, return_exceptions=True)
    await trial.harness.start()
    held = await trial.opened("mine")
    await trial.world.work.resume()

    again = await trial.harness.call(delivery)
    await trial.world.work.over()
    later = await trial.harness.call(delivery)
    other = await trial.write(session, "k")

    assert isinstance(gone[0], ConnectionError)
    assert held == session
    assert _done(again) == _done(later)
    assert (again.value["repeated"], later.value["repeated"]) == (False, True)
    assert other.code == "ALREADY_DELIVERED"
    assert trial.world.landed("j") == 1


@needs(Can.LOSE)
async def test_a_retry_after_a_lost_answer_publishes_once(trial: Trial) -> None:
    session = await trial.selected()
    tip = trial.world.tip

    trial.harness.lose()
    written = await trial.written(session, "l")

    made = trial.world.book.git("rev-list", f"{tip}..main").splitlines()
    assert made == [written.value["commit"]]
    assert trial.world.landed("l") == 1


SOUL = "Global Material/Soul.md"
TOLD = "# Soul\n\nDry and near.\n"
BENT = "# Soul\n\nWet and far.\n"


@pytest.fixture
def soul(trial: Trial) -> str:
    """A file that every scenario finds as it was laid out."""
    if trial.world.book.text(SOUL) + "\n" != TOLD:
        trial.world.revise(SOUL, TOLD)
    return SOUL


@needs(Can.FILES)
async def test_replacing_unread_text_is_denied(trial: Trial, soul: str) -> None:
    await trial.selected()
    before = await trial.world.before()

    unseen = await trial.call("write_to_file", path=soul, content=BENT, mutation_class="INTENT_EVOLUTION")
    after = await trial.world.before()
    await trial.done("read_material", path="Soul.md")
    await trial.done("write_to_file", path=soul, content=BENT, mutation_class="INTENT_EVOLUTION")

    assert (unseen.code, after) == ("BASELINE_REQUIRED", before)
    assert "read" in unseen.value["action_hint"]
    assert trial.world.book.read(soul) == BENT


@needs(Can.FILES)
async def test_overwriting_text_changed_since_it_was_read_is_denied(trial: Trial, soul: str) -> None:
    await trial.selected()
    await trial.done("read_material", path="Soul.md")
    trial.world.revise(soul, "# Soul\n\nBy hand.\n")
    before = await trial.world.before()
    change = {"path": soul, "content": BENT, "mutation_class": "INTENT_EVOLUTION"}

    stale = await trial.call("write_to_file", **change)
    after = await trial.world.before()
    await trial.done("read_material", path="Soul.md")
    await trial.done("write_to_file", **change)

    assert (stale.code, after) == ("STALE_FILE", before)
    assert trial.world.book.read(soul) == BENT


@needs(Can.FILES)
async def test_an_agent_that_wrote_a_file_may_go_on_with_it(trial: Trial) -> None:
    await trial.selected()
    path = "Global Material/Lore.md"
    first = {"path": path, "content": "# Lore\n\nSalt.\n", "mutation_class": "INTENT_EVOLUTION"}
    then = {"path": path, "old": "Salt.", "new": "Salt and rope.", "mutation_class": "INTENT_EVOLUTION"}

    await trial.done("write_to_file", **first)
    await trial.done("edit", **then)

    assert trial.world.book.read(path) == "# Lore\n\nSalt and rope.\n"


@needs(Can.FILES)
async def test_an_edit_keeps_changes_by_others_elsewhere_in_the_file(trial: Trial, soul: str) -> None:
    await trial.selected()
    trial.world.revise(soul, f"{TOLD}\nThe last.\n")
    await trial.done("read_material", path="Soul.md")
    trial.world.revise(soul, f"{TOLD}\nThe last, by hand.\n")

    await trial.done("edit", path=soul, old="Dry", new="Wet", mutation_class="INTENT_EVOLUTION")

    assert trial.world.book.read(soul) == "# Soul\n\nWet and near.\n\nThe last, by hand.\n"


FORBIDDEN: tuple[tuple[str, dict[str, object], str], ...] = (
    ("write_to_file", {"path": "Current version/New.md", "content": "New.\n"}, "SCOPE_VIOLATION"),
    ("write_to_file", {"path": ".ink-kill", "content": "stop\n"}, "PATH_PROTECTED"),
    ("write_to_file", {"path": "../out.md", "content": "Out.\n"}, "BAD_PATH"),
    ("write_to_file", {"path": "Global Material/Nul.md", "content": "a\0b"}, "NOT_TEXT"),
    ("edit", {"path": SOUL, "old": "nowhere", "new": "here"}, "TEXT_NOT_ONCE"),
    ("edit", {"path": "Global Material/None.md", "old": "a", "new": "b"}, "NO_SUCH_FILE"),
)


@needs(Can.FILES)
async def test_forbidden_writes_are_denied_and_change_nothing(trial: Trial, soul: str) -> None:
    await trial.selected()
    await trial.done("read_material", path="Soul.md")
    before = await trial.world.before()

    for tool, arguments, code in FORBIDDEN:
        denied = await trial.call(tool, **arguments, mutation_class="INTENT_EVOLUTION")

        assert denied.code == code
        assert await trial.world.before() == before


@needs(Can.FILES)
async def test_an_understated_mutation_class_is_denied(trial: Trial, soul: str) -> None:
    await trial.selected()
    await trial.done("read_material", path="Soul.md")
    before = await trial.world.before()

    denied = await trial.call("edit", path=soul, old="Dry", new="Wet", mutation_class="AST_REFACTOR")

    assert denied.code == "MUTATION_CLASS_UNDERSTATED"
    assert await trial.world.before() == before


def _done(outcome: Outcome) -> tuple[object, object]:
    assert not outcome.denied, outcome.value
    return outcome.value["commit"], outcome.value["session_word_count"]
