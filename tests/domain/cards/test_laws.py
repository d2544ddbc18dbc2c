"""Laws of the fields: what was read is written back, and what was written is read."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.cards.characters import changed_card, read_book, read_character
from penwright.domain.cards.chats import read_message, written_message
from penwright.domain.cards.entries import read_entry, written_entry
from penwright.domain.cards.fields.book_fields import ENTRIES
from penwright.domain.cards.fields.character_fields import FIELDS
from penwright.domain.cards.fields.places import Key
from penwright.domain.cards.lorebooks import book_of, lorebook_json
from schemas.cards import CardSpec, ChatMessage, LoreDialect
from schemas.lore import LoreEntry
from schemas.worlds import Character
from tests.support.cards.books import DECORATED

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
CONTENTS = st.one_of(
    TEXTS,
    st.builds(str.__add__, st.sampled_from(DECORATED), TEXTS),
    st.lists(st.sampled_from(["@@depth 3", "@@depth", "@@@role user", "@@x", "", "text", "@@activate"])).map(
        "\n".join
    ),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 10**12), st.floats(-2, 300), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
LIKELY = st.one_of(
    VALUES,
    st.sampled_from([0, 1, 2, 3, 4, 7, 100, "1", "0.5", 0.5, True, False, "before_char", ["a"], "a,b"]),
)
DIALECTS: st.SearchStrategy[LoreDialect] = st.sampled_from(["silly-tavern", "card-v2", "card-v3"])
SPECS: st.SearchStrategy[CardSpec] = st.sampled_from(["v1", "v2", "v3"])


def objects(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.one_of(st.sampled_from(names), TEXTS), LIKELY, max_size=12)


def keys_of(dialect: LoreDialect, depth: int) -> list[str]:
    places = [place for field in ENTRIES[dialect] for place in field.places if isinstance(place, Key)]
    return sorted({place.path[-1] for place in places if len(place.path) == depth})


def raw_entries(dialect: LoreDialect) -> st.SearchStrategy[dict[str, Any]]:
    top = objects([*keys_of(dialect, 1), "content", "use_regex", "name", "uid", "id"])
    saved = objects([*(keys_of(dialect, 2) or ["x"]), "penwright"])
    ours = objects(list(LoreEntry.model_fields)).map(lambda value: {"penwright": value})
    extensions = st.one_of(LIKELY, saved, ours)
    return st.builds(
        lambda one, content, more: one | content | more,
        top,
        st.one_of(st.just({}), CONTENTS.map(lambda text: {"content": text})),
        st.one_of(st.just({}), extensions.map(lambda value: {"extensions": value})),
    )


ENTRY_CASES = DIALECTS.flatmap(lambda dialect: st.tuples(st.just(dialect), raw_entries(dialect)))
KEYS = st.lists(TEXTS.filter(lambda key: bool(key.strip())), max_size=3).map(tuple)
COUNTS = st.integers(0, 500)
NEW_ENTRIES = st.builds(
    LoreEntry,
    uid=st.just("7"),
    title=TEXTS,
    content=CONTENTS,
    keys=KEYS,
    secondary=KEYS,
    groups=KEYS,
    characters=KEYS,
    order=st.integers(-500, 500),
    priority=st.integers(-500, 500),
    depth=COUNTS,
    probability=st.integers(0, 100),
    group_weight=COUNTS,
    sticky=COUNTS,
    cooldown=COUNTS,
    delay=COUNTS,
    scan_depth=st.none() | COUNTS,
    extra=st.just({}),
)


@given(ENTRY_CASES)
def test_an_entry_that_was_only_read_is_written_as_it_was(case: tuple[LoreDialect, dict[str, Any]]) -> None:
    dialect, raw = case
    before = copy.deepcopy(raw)
    entry, _ = read_entry(raw, "7", dialect)

    assert raw == before
    if raw:
        assert written_entry(entry, dialect, dialect) == before


@given(ENTRY_CASES, NEW_ENTRIES)
def test_whatever_an_entry_becomes_is_read_again(
    case: tuple[LoreDialect, dict[str, Any]], wanted: LoreEntry
) -> None:
    dialect, raw = case
    entry, _ = read_entry(raw, "7", dialect)
    edited = wanted.model_copy(update={"extra": entry.extra})

    again, _ = read_entry(written_entry(edited, dialect, dialect), "7", dialect)

    assert again.model_copy(update={"extra": {}}) == wanted


@given(NEW_ENTRIES, DIALECTS, DIALECTS)
def test_an_entry_means_the_same_after_two_dialects(
    wanted: LoreEntry, one: LoreDialect, other: LoreDialect
) -> None:
    first, _ = read_entry(written_entry(wanted, one, one), "7", one)
    second, _ = read_entry(written_entry(first, one, other), "7", other)

    assert second.model_copy(update={"extra": {}}) == wanted


@given(ENTRY_CASES, st.sampled_from(["content", "title", "order", "constant", "depth", "sticky"]), st.data())
def test_an_edit_of_one_field_leaves_the_others_alone(
    case: tuple[LoreDialect, dict[str, Any]], name: str, draw: st.DataObject
) -> None:
    dialect, raw = case
    entry, _ = read_entry(raw, "7", dialect)
    edited = entry.model_copy(update={name: getattr(draw.draw(NEW_ENTRIES), name)})

    again, _ = read_entry(written_entry(edited, dialect, dialect), "7", dialect)

    assert again.model_copy(update={"extra": {}}) == edited.model_copy(update={"extra": {}})


def cards(spec: CardSpec) -> st.SearchStrategy[dict[str, Any]]:
    places = [place for field in FIELDS[spec] for place in field.places if isinstance(place, Key)]
    names = sorted({place.path[-1] for place in places})
    named = objects([*names, "extensions"]).map(lambda raw: raw | {"name": "Oda"})
    if spec == "v1":
        return named
    return st.builds(lambda data, top: top | {"data": data}, named, objects([*names, "spec"]))


CARD_CASES = SPECS.flatmap(lambda spec: st.tuples(st.just(spec), cards(spec)))
CHARACTERS = st.builds(
    Character,
    id=st.just(""),
    name=st.sampled_from(["Ilse", "林夏"]),
    nickname=TEXTS,
    description=TEXTS,
    first_message=TEXTS,
    alternate_greetings=st.lists(TEXTS, max_size=3).map(tuple),
    secrets=TEXTS,
    goals=TEXTS,
    talkative=st.integers(0, 100),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    creator_notes=TEXTS,
    extensions=st.dictionaries(
        TEXTS.filter(lambda name: name not in ("penwright", "talkativeness")), VALUES, max_size=3
    ),
)


@given(CARD_CASES)
def test_a_card_that_was_only_read_is_written_as_it_was(case: tuple[CardSpec, dict[str, Any]]) -> None:
    spec, document = case
    character, _ = read_character(document, spec, "")
    book, _ = read_book(document, spec, character.name)

    assert changed_card(document, spec, character, book) == document


@given(CARD_CASES, CHARACTERS)
def test_whatever_a_character_becomes_is_read_again(
    case: tuple[CardSpec, dict[str, Any]], wanted: Character
) -> None:
    spec, document = case

    again, _ = read_character(changed_card(document, spec, wanted, None), spec, "")

    assert again == wanted


@given(DIALECTS, st.lists(LIKELY | raw_entries("card-v3"), max_size=4), objects(["name", "scan_depth"]))
def test_a_book_that_was_only_read_is_written_as_it_was(
    dialect: LoreDialect, entries: list[Any], more: dict[str, Any]
) -> None:
    given_entries = [each for each in entries if isinstance(each, dict) and each]
    raw = more | {"entries": given_entries}

    read = book_of(raw, dialect, "")

    assert lorebook_json(read.book, dialect) == raw
    assert len({each.uid for each in read.book.entries}) == len(given_entries)


MESSAGE_KEYS = ["name", "mes", "swipes", "swipe_id", "swipe_info", "is_user", "is_system", "extra"]
RAW_MESSAGES = st.builds(
    lambda raw, swipes: raw | swipes,
    objects(MESSAGE_KEYS),
    st.one_of(st.just({}), st.lists(TEXTS, max_size=3).map(lambda texts: {"swipes": texts})),
)


@given(RAW_MESSAGES.filter(bool))
def test_a_message_that_was_only_read_is_written_as_it_was(raw: dict[str, Any]) -> None:
    message, _ = read_message(copy.deepcopy(raw), 1)

    assert written_message(message) == raw


@given(
    RAW_MESSAGES,
    st.lists(TEXTS, min_size=1, max_size=4).map(tuple),
    st.sampled_from(["user", "character", "narrator", "system"]),
    st.integers(0, 3),
    TEXTS,
)
def test_whatever_a_message_becomes_is_read_again(
    raw: dict[str, Any], texts: tuple[str, ...], speaker: Any, chosen: int, name: str
) -> None:
    before, _ = read_message(raw, 1)
    changes = {"alternatives": texts, "speaker": speaker, "chosen": chosen % len(texts), "name": name}
    wanted = ChatMessage.model_validate(before.model_dump() | changes)

    again, _ = read_message(json.loads(json.dumps(written_message(wanted))), 1)

    same = {"extra": {}, "hidden": False}
    assert again.model_copy(update=same) == wanted.model_copy(update=same)
