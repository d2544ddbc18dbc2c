"""Every way of counting tokens keeps the same promises; an estimate says that it is one."""

from collections.abc import Sequence

import pytest

from penwright.adapters.tokens import CountedOnce, EstimatedTokens, LitellmTokens
from penwright.errors import ModelFinal
from penwright.ports.scenes import TokenCounter
from schemas.model_catalog import DEMO, ModelCatalog, ModelEntry, Profile
from tests.support.each import for_each

pytestmark = [
    # litellm is slow to import: all of its tests share one process.
    pytest.mark.xdist_group("litellm"),
    # Its internals are not ours to fix.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

ENGLISH = (
    "The lamp on the harbour wall had been out since Tuesday, and Ann, who never slept well, had been the "
    "first to notice.\n\n“You could ask him,” said Bob. He didn't look up. *She shrugs.* “He's bitten "
    "before, hasn't he?”\n\n“That was a dog, Ann.”\n\n"
)
SCRIPTS = (
    "Лампа не горела",
    "Το φανάρι είχε σβήσει",
    "港口的灯灭了",
    "ランプは消えた",
    "등불은 꺼져 있었고",
    "โคมไฟดับ",
    "🕯🌊",
)
CATALOG = ModelCatalog(
    models=(
        DEMO,
        ModelEntry(name="known", provider="litellm", model="openai/gpt-4o"),
        ModelEntry(name="other", provider="litellm", model="vendor/never-heard-of"),
        ModelEntry(name="newer", provider="litellm", model="openai/gpt-audio"),
        ModelEntry(name="here", provider="litellm", model="openai/gpt-4o", api_base="http://127.0.0.1:1/v1"),
        ModelEntry(name="small", provider="litellm", model="openai/own", context_tokens=8_192),
    ),
    roles={"character": "known", "narrator": "other", "director": "demo", "summariser": "known"},
    profiles={"summariser": Profile(fallback="small"), "world-agent": Profile(context_tokens=6_000)},
)
COUNTERS = (
    (EstimatedTokens(), "character"),
    (LitellmTokens(CATALOG), "character"),
    (LitellmTokens(CATALOG), "narrator"),
    (LitellmTokens(CATALOG), "director"),
    (CountedOnce(EstimatedTokens()), "character"),
)


@pytest.mark.parametrize(("counter", "role"), COUNTERS)
def test_there_is_one_count_for_each_text_in_order(counter: TokenCounter, role: str) -> None:
    short, long, again = counter.count(role, ["One.", ENGLISH, "One."])

    assert 0 < short == again < long
    assert counter.count(role, []) == ()
    assert counter.count(role, [""]) == (0,)


@for_each("counter, role", COUNTERS)
@for_each("text", [*SCRIPTS, "<|endoftext|>", "\ud800", "a" * 50_000])
def test_any_text_is_counted(counter: TokenCounter, role: str, text: str) -> None:
    assert 0 < counter.count(role, [text])[0] <= len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("known", "gpt-4o"),
        ("other", "about (counted as OpenAI's models do, for other)"),
        ("newer", "about (counted as OpenAI's models do, for newer)"),
        ("here", "about (counted as OpenAI's models do, for here)"),
        ("demo", "about (estimated by letters)"),
    ],
)
def test_only_a_models_own_tokenizer_goes_without_about(model: str, name: str) -> None:
    assert LitellmTokens(CATALOG).name(f"model:{model}") == name


def test_a_known_model_has_its_context_size_and_an_unknown_one_has_none() -> None:
    counter = LitellmTokens(CATALOG)

    assert counter.sizes("character") == {"context": 128_000}
    assert [counter.sizes(f"model:{name}") for name in ("other", "here", "demo")] == [{}, {}, {}]
    assert EstimatedTokens().sizes("character") == {}


def test_a_prompt_fits_the_smallest_of_profile_model_and_fallback_besides_their_thought() -> None:
    counter = LitellmTokens(CATALOG)

    assert counter.sizes("summariser") == {"context": 8_192 - 8_192 // 4}
    assert counter.sizes("world-agent") == {"context": 6_000}


def test_a_model_that_is_not_configured_is_named() -> None:
    with pytest.raises(ModelFinal) as refused:
        LitellmTokens(CATALOG).count("model:gone", ["One."])

    assert refused.value.code == "unknown-model"


def test_the_estimate_of_english_is_never_below_a_models_count_and_below_one_and_a_half_times_it() -> None:
    counted, estimated = (counter.count("character", [ENGLISH * 10])[0] for counter, _ in COUNTERS[1::-1])

    assert counted <= estimated <= 1.5 * counted


@for_each("text", SCRIPTS)
def test_the_estimate_of_other_scripts_is_never_far_below_a_models_count(text: str) -> None:
    counted, estimated = (counter.count("character", [text * 10])[0] for counter, _ in COUNTERS[1::-1])

    assert counted <= 1.2 * estimated


class Asked:
    """Counts letters, and notes what it was asked."""

    def __init__(self) -> None:
        self.texts = list[str]()

    def name(self, role: str) -> str:
        return role

    def count(self, role: str, texts: Sequence[str]) -> tuple[int, ...]:
        self.texts += texts
        return tuple(map(len, texts))

    def sizes(self, role: str) -> dict[str, int]:
        return {}


def test_a_text_is_counted_once_for_each_way_of_counting() -> None:
    below = Asked()
    counter = CountedOnce(below)

    assert counter.count("character", ["One.", "Three.", "One."]) == (4, 6, 4)
    assert counter.count("character", ["Three.", "Seventeen."]) == (6, 10)
    assert counter.count("director", ["One."]) == (4,)
    assert below.texts == ["One.", "Three.", "Seventeen.", "One."]


def test_counts_beyond_the_limit_are_forgotten_and_counted_again() -> None:
    below = Asked()
    counter = CountedOnce(below, most=2)

    assert counter.count("character", ["a", "bb", "ccc"]) == (1, 2, 3)
    assert counter.count("character", ["a"]) == (1,)
    assert below.texts == ["a", "bb", "ccc", "a"]
