"""Every reply has one outcome: an answer, a repair, or a typed failure."""

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator

from penwright.agents.definition.output import dumped
from penwright.agents.loop.finishing import Answered, Repair, Reply, Unusable, finalized, read_reply
from penwright.agents.state import StateView
from penwright.domain.models.structured_output import LONGEST_TEXT
from penwright.errors import BrokenDefinition
from tests.support.agents.output import NO_STATE, Scene, an_agent
from tests.support.each import for_each

DAWN = Scene(title="Dawn", words=3)
DAWN_JSON = '{"title": "Dawn", "words": 3}'
DRAFT_JSON = '{"title": "Draft", "words": 1}'
MUCH = 6_000_000


def of_scene(reply: Reply, *, repaired: int = 0) -> Answered | Repair | Unusable:
    return read_reply(an_agent(), reply, repaired=repaired)


def a_repair(outcome: object) -> Repair:
    assert isinstance(outcome, Repair)
    return outcome


@for_each(
    "reply",
    [
        Reply(DAWN_JSON),
        Reply(f"For example {DRAFT_JSON}.\n\nNow the real one:\n```json\n{DAWN_JSON}\n```"),
        Reply(f"{DAWN_JSON} and, as I said, [1] and {{}}."),
        Reply(f"Only the call counts, not {DRAFT_JSON}.", answers=(DAWN_JSON,)),
        Reply(answers=(DRAFT_JSON, DAWN_JSON)),
        Reply(answers=(DRAFT_JSON, DAWN_JSON, '{"title": 7}')),
    ],
)
def test_the_last_candidate_that_fits_is_the_answer(reply: Reply) -> None:
    assert of_scene(reply) == Answered(DAWN)


@given(samples=st.lists(st.dictionaries(st.sampled_from(["title", "words", "x"]), st.integers() | st.text())))
def test_samples_before_the_answer_are_skipped(
    samples: list[dict[str, int | str]],
) -> None:
    text = "\n".join([*(f"Sample: {json.dumps(sample)}" for sample in samples), f"Answer: {DAWN_JSON}"])

    assert of_scene(Reply(text)) == Answered(DAWN)


@for_each(
    "reply, code",
    [
        (Reply(), "empty-reply"),
        (Reply(" \n\t "), "empty-reply"),
        (Reply(answers=("",)), "empty-reply"),
        (Reply("I would rather write prose."), "no-json"),
        (Reply(answers=("Dawn",)), "no-json"),
        (Reply('{"title": "Dawn"}'), "invalid-output"),
        (Reply(f'{DAWN_JSON[:-1]}, "checked_by": "me"}}'), "invalid-output"),
        (Reply(DAWN_JSON, answers=('{"words": 3}',)), "invalid-output"),
        (Reply(f"{DAWN_JSON} and then I", cut_off=True), "cut-off"),
        (Reply(DAWN_JSON[:-4], cut_off=True), "cut-off"),
        (Reply("x" * MUCH), "oversize-reply"),
        (Reply('{"title": "' + "x" * MUCH + '", "words": 3}'), "oversize-reply"),
        (Reply(answers=("[{" * (MUCH // 2),)), "oversize-reply"),
    ],
)
def test_a_reply_without_an_answer_is_repaired_under_its_name(reply: Reply, code: str) -> None:
    assert a_repair(of_scene(reply)).code == code


def test_a_long_reply_with_a_valid_end_is_an_answer() -> None:
    assert of_scene(Reply("x" * MUCH + DAWN_JSON)) == Answered(DAWN)


def test_a_repair_carries_the_errors_field_by_field() -> None:
    repair = a_repair(of_scene(Reply('{"title": 7, "extra": true}')))

    assert [problem.field for problem in repair.problems] == ["title", "words", "extra"]
    assert all(f"- {problem.field}: {problem.message}" in repair.message for problem in repair.problems)


def test_repair_lists_the_errors_of_the_nearest_candidate() -> None:
    repair = a_repair(of_scene(Reply('{"title": "Dawn", "words": "three"} See [3] and {this.')))

    assert [problem.field for problem in repair.problems] == ["words"]


def test_a_hidden_field_is_refused_as_a_field_that_does_not_exist_is() -> None:
    guessed = a_repair(of_scene(Reply(f'{DAWN_JSON[:-1]}, "checked_by": "me"}}'))).problems[0]
    invented = a_repair(of_scene(Reply(f'{DAWN_JSON[:-1]}, "invented": "me"}}'))).problems[0]

    assert (guessed.field, guessed.message) == ("checked_by", invented.message)


def test_a_repair_message_quotes_at_most_a_page_of_the_reply() -> None:
    names = {f"{number}-{'n' * 100_000}": 1 for number in range(9)}

    repair = a_repair(of_scene(Reply(json.dumps(names))))

    assert len(repair.message) < 10_000


def test_repairs_are_counted_and_then_the_run_fails_by_type() -> None:
    outcomes = [of_scene(Reply("prose only"), repaired=spent) for spent in range(3)]

    assert [type(outcome) for outcome in outcomes] == [Repair, Repair, Unusable]
    assert [outcome.attempt for outcome in outcomes if isinstance(outcome, Repair)] == [1, 2]
    last = outcomes[-1]
    assert isinstance(last, Unusable)
    assert (last.code, last.repairs) == ("no-json", 2)
    assert "'writer'" in last.message


def test_an_agent_without_repairs_fails_at_once() -> None:
    assert isinstance(read_reply(an_agent(repairs=0), Reply("prose"), repaired=0), Unusable)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply("  The lamp went out.\n"), "The lamp went out."),
        (Reply('{"title": "Dawn"}'), '{"title": "Dawn"}'),
        (Reply(" \n"), "empty-reply"),
        (Reply("x" * MUCH), "oversize-reply"),
        (Reply("The lamp went", cut_off=True), "cut-off"),
    ],
)
def test_a_plain_text_agent_accepts_every_reply(reply: Reply, outcome: str) -> None:
    found = read_reply(an_agent(None), reply, repaired=0)

    assert outcome == (found.value if isinstance(found, Answered) else found.code)


@given(
    text=st.text(alphabet='{}[]":,`\\ \nab1', max_size=200),
    answers=st.lists(st.text(alphabet='{}[]":,ab1', max_size=60), max_size=3),
    cut_off=st.booleans(),
    repaired=st.integers(0, 5),
)
def test_no_reply_raises(text: str, answers: list[str], cut_off: bool, repaired: int) -> None:
    found = of_scene(Reply(text, tuple(answers), cut_off), repaired=repaired)

    assert isinstance(found, Answered) or isinstance(found, Repair) == (repaired < 2)


@for_each(
    "hostile",
    ["{", "[", '"', "`", "```\n", '{"a":1} ', '{"a": "', "{{{[1,2,3],", 'b\\" c ', "{'a': ", '"a" "b" : , '],
)
def test_six_megabytes_of_anything_are_read_within_seconds(hostile: str) -> None:
    text = ("{{[" + hostile * (MUCH // len(hostile)))[:MUCH]
    began = perf_counter()

    outcome = of_scene(Reply(text))

    assert a_repair(outcome).code == "oversize-reply"
    assert perf_counter() - began < 10


class Counted(BaseModel):
    words: int

    @field_validator("words")
    @classmethod
    def _whole(cls, words: int) -> int:
        if words < 0:
            raise ValueError("a text has no fewer than 0 words")
        return words


def test_the_advice_of_a_validator_reaches_the_model() -> None:
    repair = a_repair(read_reply(an_agent(Counted), Reply('{"words": -1}'), repaired=0))

    assert "a text has no fewer than 0 words" in repair.message


def signed(value: BaseModel, state: StateView) -> BaseModel:
    return value.model_copy(update={"checked_by": "the house"})


def test_the_finalize_hook_fills_hidden_fields() -> None:
    agent = an_agent(finalize=signed)

    value = finalized(agent, Answered(DAWN), NO_STATE)

    assert isinstance(value, Scene)
    assert dumped(value) == {"title": "Dawn", "words": 3, "checked_by": "the house"}


def test_without_a_hook_an_answer_is_final_unchanged() -> None:
    assert finalized(an_agent(), Answered(DAWN), NO_STATE) == DAWN
    assert finalized(an_agent(None), Answered("prose"), NO_STATE) == "prose"


def raising(value: BaseModel, state: StateView) -> BaseModel:
    raise ZeroDivisionError("no words")


def mistyping(value: BaseModel, state: StateView) -> BaseModel:
    return value.model_copy(update={"checked_by": 7})


def swapping(value: BaseModel, state: StateView) -> BaseModel:
    return Counted(words=1)


@pytest.mark.parametrize(
    ("hook", "said"), [(raising, "no words"), (mistyping, "checked_by"), (swapping, "Counted")]
)
def test_a_hook_that_fails_is_a_mistake_of_the_definition(hook: object, said: str) -> None:
    agent = an_agent(finalize=hook)  # type: ignore[arg-type]

    with pytest.raises(BrokenDefinition, match=said) as caught:
        finalized(agent, Answered(DAWN), NO_STATE)

    assert caught.value.code == "finalize-failed"
    assert "'writer'" in caught.value.message


def test_the_repair_message_names_the_length_limit() -> None:
    assert str(LONGEST_TEXT) in a_repair(of_scene(Reply("x" * MUCH))).message
