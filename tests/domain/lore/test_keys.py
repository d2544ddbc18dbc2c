"""What of a lore entry's keys occurs in the messages."""

import pytest

from tests.support.each import for_each
from tests.support.lore import book, case, entry, reasons, scanned, uids


def fires(key: str, said: str, **fields: object) -> bool:
    return uids(scanned(entry("e", key, **fields), said=said)) == ["e"]


@for_each(
    "key, said",
    [
        ("rose", "A ROSE, red"),
        ("rose", "_rose_ and Rose's thorn"),
        ("old harbour", "the old\n  harbour"),
        ("Ren’s map", "Ren's map is torn"),
        ("café", "the cafe\u0301 by the sea"),
        ("straße", "in der STRASSE"),
        ("ΟΔΟΣ", "η οδος"),
        ("дракон", "Старый дракон спит"),
        ("龍", "古い龍が眠る"),
        ("서울", "서울에서 만나요"),
        ("กรุงเทพ", "ฉันอยู่กรุงเทพวันนี้"),
        ("C++", "written in C++, mostly"),
        ("and/or", "this and/or that"),
        ("/home/user", "cd /home/user now"),
    ],
)
def test_a_key_is_found_as_whole_words_of_any_script(key: str, said: str) -> None:
    assert fires(key, said)


@for_each(
    "key, said",
    [
        ("rose", "roses and prose"),
        ("дракон", "драконы"),
        ("εγώ", "εγώισμός"),
        ("नम", "नमस्ते"),
        ("cafe", "the cafe\u0301"),
        ("", "anything"),
        ("   ", "any   thing"),
    ],
)
def test_a_part_of_a_word_is_not_the_key(key: str, said: str) -> None:
    assert not fires(key, said)


def test_parts_of_words_count_where_the_entry_or_the_book_says_so() -> None:
    assert fires("rose", "primroses", whole_words=False)
    assert uids(scanned(entry("e", "rose"), said="primroses")) == []
    loose = case(book(entry("e", "rose"), entry("strict", "rose", whole_words=True), whole_words=False))
    answers = reasons(loose.model_copy(update={"messages": ("primroses",)}))
    assert [answers[uid][0] for uid in ("e", "strict")] == ["fired", "no-key"]


def test_case_counts_where_the_entry_or_the_book_says_so() -> None:
    assert not fires("Rose", "a rose", case_sensitive=True)
    assert fires("Rose", "Rose came", case_sensitive=True)
    strict = book(entry("e", "Rose"), entry("loose", "Rose", case_sensitive=False), case_sensitive=True)
    answers = reasons(case(strict, said="a rose"))
    assert [answers[uid][0] for uid in ("e", "loose")] == ["no-key", "fired"]


@for_each(
    "key, said, found",
    [
        ("/drag(on|oon)s?/", "dragoons", True),
        ("/Dragon/", "dragon", False),
        ("/Dragon/i", "dragon", True),
        ("/^Ren:/m", "Ann: hello\nRen: hi", True),
        (r"/a\/b/", "a/b", True),
        ("/one.two/s", "one\ntwo", True),
        ("/one[^]two/", "one\ntwo", True),
        ("/one[]?two/", "onetwo", True),
        (r"/\u{1F56F}/u", "a 🕯 burns", True),
        (r"/[\u{1F311}-\u{1F318}]/u", "under 🌕", True),
        (r"/\ud83d\udd6f/", "a 🕯 burns", True),
        (r"/(?<bell>ding) \k<bell>/", "ding ding", True),
        (r"/\p{Script=Cyrillic}{3}/u", "the мол", True),
        (r"/^\Mole/", "Mole", True),
        (r"/[[(]tide/", "[tide", True),
    ],
)
def test_an_expression_has_its_own_flags(key: str, said: str, found: bool) -> None:
    assert fires(key, said) is found


@pytest.mark.parametrize(
    "key", ["/(/", "/[a/", r"/(?P<x>a)(?P=y)/", r"/\u{FFFFFFFF}/", "/a{99999999999999999999}/"]
)
def test_an_invalid_expression_never_matches_and_its_verdict_says_so(key: str) -> None:
    answer = reasons(case(book(entry("e", key, "rose")), said="( [a rose"))

    assert answer["e"][0] == "fired"
    assert f"The key “{key}” is no regular expression" in answer["e"][1]
    assert not fires(key, key)


@pytest.mark.parametrize("key", ["k" * 201, "/" + "k" * 501 + "/"])
def test_a_key_that_is_too_long_is_never_found_and_its_verdict_says_so(key: str) -> None:
    outcome, why = reasons(case(book(entry("e", key)), said=key))["e"]

    assert outcome == "no-key"
    assert "is longer than" in why


@for_each(
    "logic, said, found",
    [
        ("and-any", "rose thorn", True),
        ("and-any", "rose", False),
        ("and-all", "rose thorn", False),
        ("and-all", "rose thorn red", True),
        ("not-any", "rose", True),
        ("not-any", "rose red", False),
        ("not-all", "rose red", True),
        ("not-all", "rose red thorn", False),
    ],
)
def test_the_four_logics_of_secondary_keys(logic: str, said: str, found: bool) -> None:
    asked = entry("e", "rose", secondary=("thorn", "red"), selective=True, logic=logic)

    outcome, why = reasons(case(book(asked), said=said))["e"]

    assert (outcome == "fired") is found
    assert found or (outcome == "secondary" and "secondary key" in why)


def test_secondary_keys_count_only_if_the_entry_is_selective_and_has_some() -> None:
    assert fires("rose", "rose", secondary=("thorn",), selective=False, logic="and-all")
    assert fires("rose", "rose", secondary=(), selective=True, logic="and-all")
    assert fires("rose", "rose THORNS", secondary=("/thorn/i",), selective=True)


def test_only_so_many_of_the_newest_messages_are_searched() -> None:
    said = ("rose", "b", "c", "d", "e")
    deeper = book(entry("own", "rose", scan_depth=5), entry("book", "rose"), scan_depth=2)

    assert uids(scanned(entry("e", "rose"), said=said)) == []
    assert uids(scanned(entry("e", "rose"), said=said, scan_messages=5)) == ["e"]
    answers = reasons(case(deeper, said=said, scan_messages=5))
    assert answers["own"] == ("fired", "“rose” occurs in the message 4 before the newest.")
    assert answers["book"] == ("no-key", "Its key does not occur in the newest 2 messages.")


def test_an_expression_is_searched_as_deep_as_a_plain_key() -> None:
    said = ("red rose", "b", "c")

    assert uids(scanned(entry("e", "/r.d rose/", scan_depth=2), said=said)) == []
    assert uids(scanned(entry("e", "/r.d rose/", scan_depth=3), said=said)) == ["e"]
    answer = reasons(case(book(entry("e", "/b/", "/c/")), said=said))["e"]
    assert answer[1] == "“/b/” occurs in the message before the newest."


def test_other_texts_are_searched_whatever_the_depth() -> None:
    assert uids(scanned(entry("e", "rose", scan_depth=0), said="x", more={"the notes": "a rose"})) == ["e"]
    assert uids(scanned(entry("e", "/rose/", scan_depth=0), said="x", more={"the notes": "a rose"})) == ["e"]


def test_a_key_across_two_messages_does_not_occur() -> None:
    assert uids(scanned(entry("e", "old harbour"), said=("the old", "harbour"))) == []
