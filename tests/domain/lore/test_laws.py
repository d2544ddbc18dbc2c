"""What holds for every lorebook and every scan."""

from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.scanning import scan
from schemas.lore import Lorebook, LoreCase, LoreEntry, LoreTimer
from tests.support.lore import book, case, entry, explain, words

VOCABULARY = ("rose", "thorn", "red rose", "Rose", "/ro.e/", "/thorn/i", "/(/", "龍", "")
TEXT = st.lists(st.sampled_from(["rose", "thorn", "red", "roses", "龍", "THORN", "x"]), max_size=6).map(
    " ".join
)
KEYS = st.lists(st.sampled_from(VOCABULARY), max_size=2).map(tuple)
FEW = st.integers(0, 3)

ENTRIES = st.builds(
    LoreEntry,
    uid=st.just("?"),
    content=TEXT,
    keys=KEYS,
    secondary=KEYS,
    logic=st.sampled_from(["and-any", "not-all", "not-any", "and-all"]),
    selective=st.booleans(),
    enabled=st.sampled_from([True, True, False]),
    constant=st.sampled_from([False, False, True]),
    case_sensitive=st.sampled_from([None, True, False]),
    whole_words=st.sampled_from([None, True, False]),
    order=FEW,
    priority=FEW,
    probability=st.sampled_from([0, 50, 100, 100]),
    groups=st.sampled_from([(), (), ("g",), ("g", "h")]),
    group_weight=FEW,
    group_wins=st.booleans(),
    sticky=FEW,
    cooldown=FEW,
    delay=FEW,
    scan_depth=st.sampled_from([None, None, 0, 1, 9]),
    not_recursed=st.booleans(),
    stops_recursion=st.booleans(),
    only_recursed=st.sampled_from([False, False, True]),
    ignores_budget=st.sampled_from([False, False, True]),
    characters=st.sampled_from([(), (), ("ann",)]),
)


@st.composite
def books(draw: st.DrawFn, id: str) -> Lorebook:
    entries = draw(st.lists(ENTRIES, max_size=6))
    return Lorebook(
        id=id,
        name=id,
        entries=tuple(each.model_copy(update={"uid": f"{at}"}) for at, each in enumerate(entries)),
        scan_depth=draw(st.sampled_from([None, 0, 2])),
        token_budget=draw(st.sampled_from([None, 0, 4])),
        priority=draw(FEW),
        recursive=draw(st.booleans()),
        case_sensitive=draw(st.booleans()),
        whole_words=draw(st.booleans()),
    )


TIMERS = st.builds(
    LoreTimer, book=st.sampled_from(["a", "b", "c"]), uid=FEW.map(str), message=st.integers(0, 5)
)
CASES = st.builds(
    LoreCase,
    books=st.tuples(books("a"), books("b")),
    messages=st.lists(TEXT, max_size=4).map(tuple),
    more=st.dictionaries(st.just("the scenario"), TEXT),
    message_number=st.integers(0, 6),
    seed=st.sampled_from(["s/1", "s/2"]),
    timers=st.lists(TIMERS, max_size=3).map(tuple),
    scan_messages=FEW,
    tokens=st.integers(0, 12),
    for_character=st.sampled_from(["", "ann"]),
    for_names=st.sampled_from([(), ("bob",)]),
)


@given(CASES)
def test_the_same_case_has_the_same_answer_with_a_kept_index_or_a_new_one(asked: LoreCase) -> None:
    kept = LoreIndexes()

    answers = [scan(asked, words, indexes=kept), scan(asked, words, indexes=kept), scan(asked, words)]

    assert answers[0] == answers[1] == answers[2]


@given(CASES, st.randoms(use_true_random=False))
def test_the_order_of_books_and_entries_does_not_matter(asked: LoreCase, chance: Random) -> None:
    shuffled = [
        each.model_copy(update={"entries": tuple(chance.sample(each.entries, len(each.entries)))})
        for each in chance.sample(asked.books, len(asked.books))
    ]

    assert scan(asked.model_copy(update={"books": tuple(shuffled)}), words) == scan(asked, words)


@given(CASES)
def test_no_budget_is_exceeded_and_nothing_is_trimmed_that_had_room(asked: LoreCase) -> None:
    found = scan(asked, words)
    entries = {(each.id, inner.uid): inner for each in asked.books for inner in each.entries}
    used = dict.fromkeys(("", "a", "b"), 0)
    for hit in found.hits:
        for name in ("", hit.book):
            used[name] += 0 if entries[hit.book, hit.uid].ignores_budget else hit.tokens
    limits = {"": asked.tokens} | {each.id: each.token_budget for each in asked.books}

    assert all(limit is None or used[name] <= limit for name, limit in limits.items())
    for each in found.verdicts:
        if each.outcome == "trimmed":
            needed = {name: used[name] + each.tokens for name in ("", each.book)}
            assert any((limit := limits[name]) is not None and sum > limit for name, sum in needed.items())


@given(CASES)
def test_every_entry_has_one_verdict_and_the_scan_gives_the_same_ones(asked: LoreCase) -> None:
    every = explain(asked, words)
    found = scan(asked, words)
    named = [(each.book, each.uid) for each in every]

    assert sorted(named) == sorted((each.id, inner.uid) for each in asked.books for inner in each.entries)
    assert set(found.verdicts) <= set(every)
    fired = {(each.book, each.uid) for each in every if each.outcome == "fired"}
    assert {(hit.book, hit.uid) for hit in found.hits} <= fired
    unsaid = {each.outcome for each in set(every) - set(found.verdicts)}
    assert unsaid <= {"no-key", "disabled", "character", "delay", "cooldown"}
    assert all(each.why.endswith(".") and ".." not in each.why for each in every)


@given(CASES)
def test_of_a_group_at_most_one_entry_fires(asked: LoreCase) -> None:
    entries = {(each.id, inner.uid): inner for each in asked.books for inner in each.entries}
    fired = [
        entries[each.book, each.uid] for each in explain(asked, words) if each.outcome in ("fired", "trimmed")
    ]

    assert all(sum(group in each.groups for each in fired) <= 1 for group in ("g", "h"))


@pytest.mark.parametrize(
    "pattern", [r"(a+)+$", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(?:rosebush){e<=6}!", r"(a|aa)+$", r"(.*a){25}b"]
)
def test_an_expression_that_runs_away_is_given_up_and_its_verdict_says_so(pattern: str) -> None:
    asked = case(book(entry("e", f"/{pattern}/"), entry("f", "rose")), said="rose " + "a" * 20_000 + "!!")

    began = process_time()
    found = scan(asked, words)

    assert process_time() - began < 2
    assert [hit.uid for hit in found.hits] == ["f"]
    assert "was given up" in found.verdicts[0].why


def test_many_expressions_that_run_away_cost_a_bounded_time() -> None:
    wild = [entry(f"{at:04}", f"/(a+)+{at}$/") for at in range(1_500)]
    asked = case(book(*wild, entry("z", "rose")), said="a" * 5_000 + " rose")

    began = process_time()
    answers = explain(asked, words)

    assert process_time() - began < 10
    assert answers[-1].outcome == "fired"
    assert sum("was given up" in each.why for each in answers) == 10
    assert sum("took all the time" in each.why for each in answers) == 1_490


def test_keys_within_keys_cost_a_bounded_time() -> None:
    nested = [entry(f"{at:03}", "a" * at, whole_words=False) for at in range(1, 101)]

    began = process_time()
    found = scan(case(book(*nested), said="a" * 10_000, tokens=100_000), words)

    assert process_time() - began < 10
    assert len(found.hits) == 100


def test_a_book_is_read_again_only_when_it_has_changed() -> None:
    kept = LoreIndexes()
    first = kept.of(book(entry("e", "rose")))

    assert kept.of(book(entry("e", "rose"))) is first
    assert kept.of(book(entry("e", "thorn"))) is not first


def test_only_so_many_entries_are_kept() -> None:
    kept = LoreIndexes(entries=10)
    small = book(*(entry(str(at), "rose") for at in range(6)), id="small")
    large = book(*(entry(str(at), "rose") for at in range(20)), id="large")
    first = kept.of(small)

    assert kept.of(large) is not kept.of(large), "it is too large to be kept"
    assert kept.of(small) is first
    kept.of(book(*(entry(str(at), "rose") for at in range(6)), id="other"))
    assert kept.of(small) is not first
