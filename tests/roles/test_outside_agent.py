"""Outside agents: the tools they may call, the files they may read, and their error results."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright import errors
from penwright.agents.files.filesystem import TreeFiles
from penwright.agents.tools.argument_types import arguments_schema
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, STATE, chapter_path
from penwright.errors import NotFound, Refused, UsageMistake
from penwright.roles import catalogue
from penwright.roles.outside_agent import reading, scene_tools, searching, tools
from penwright.roles.outside_agent.telling import UNNAMED_AGENT, denial_of, known_as
from schemas.book import (
    ChapterOutline,
    Chapters,
    ConfigPayload,
    CurrentReview,
    MaterialFile,
    SessionPayload,
)
from tests.support.agents.memory_files import MemoryTree
from tests.support.each import for_each
from tests.support.sweeps import examples

LONG = "The tide went out over the flats. " * 2000
CONFIG = ConfigPayload(target_length=1000, chapter_count=3, chapter_structure="linear", words_per_session=100)


def files(texts: Mapping[str, str | bytes]) -> TreeFiles:
    held = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
    return TreeFiles(MemoryTree(held))


def refused(name: str, arguments: Mapping[str, object]) -> UsageMistake:
    with pytest.raises(UsageMistake) as mistake:
        tools.admitted(name, arguments)
    return mistake.value


def test_a_valid_call_is_parsed_into_its_tool_type() -> None:
    asked = tools.admitted("deliver_prose", {"session": "s", "prose": "Rain.", "human_edits": ["a.md"]})

    assert asked == tools.DeliverProse(session="s", prose="Rain.", human_edits=("a.md",))


def test_an_unknown_tool_error_suggests_the_nearest_name() -> None:
    mistake = refused("deliver_prise", {})

    assert mistake.code == "unknown-tool"
    assert "'deliver_prose'" in mistake.message
    assert "read_chapter" in mistake.details["tools"]


@for_each(
    "name, arguments, fields",
    [
        ("read_chapter", {"number": "1"}, "number"),
        ("read_chapter", {"number": 0, "colour": 1}, "number, colour"),
        ("deliver_prose", {"session": "s"}, "prose"),
        ("deliver_prose", {"session": "s", "prose": "\ud800 half"}, "prose"),
        ("deliver_prose", {"session": "", "prose": "x", "human_edits": [1]}, "session, human_edits.0"),
        ("search_book", {"text": None}, "text"),
        ("search_book", {"text": "x", "most": float("nan")}, "most"),
    ],
)
def test_bad_arguments_are_named_by_field(name: str, arguments: dict[str, object], fields: str) -> None:
    mistake = refused(name, arguments)

    assert (mistake.code, mistake.details["fields"]) == ("invalid-arguments", fields)
    assert set(mistake.details["known_fields"].split(", ")) == set(tools.TOOLS[name].params.model_fields)


def test_oversized_arguments_are_refused_with_the_limit() -> None:
    prose = refused("deliver_prose", {"session": "s", "prose": "x" * 6_000_000})
    other = refused("search_book", {"text": "x" * 60_000})

    assert (prose.code, other.code) == ("arguments-too-long", "arguments-too-long")
    assert prose.details["most_bytes"] == str(tools.LONGEST_DELIVERY)
    assert "this session's prose only" in prose.details["action_hint"]


def test_deeply_nested_arguments_are_refused() -> None:
    nested: object = []
    for _ in range(100_000):
        nested = [nested]

    assert refused("search_book", {"text": nested}).code == "invalid-arguments"


VALUES = st.none() | st.integers() | st.text(max_size=8) | st.lists(st.floats(), max_size=2)


@settings(max_examples=examples(40))
@given(
    st.sampled_from([*tools.TOOLS, "deliver"]),
    st.dictionaries(st.sampled_from(["session", "prose", "number", "x"]), VALUES, max_size=3),
)
def test_no_call_breaks_the_door(name: str, arguments: dict[str, object]) -> None:
    if (mistake := _mistake(name, arguments)) is not None:
        assert mistake.code in {"unknown-tool", "invalid-arguments"}


def _mistake(name: str, arguments: Mapping[str, object]) -> UsageMistake | None:
    try:
        tools.admitted(name, arguments)
    except UsageMistake as mistake:
        return mistake
    return None


def test_every_tool_describes_each_of_its_arguments() -> None:
    for tool in (*tools.TOOLS.values(), *scene_tools.TOOLS.values()):
        fields = arguments_schema(tool.params).get("properties", {})
        assert all(field.get("description") for field in fields.values()), tool.name


def test_a_chapter_is_read_by_its_number() -> None:
    page = reading.read_chapter(files({chapter_path(2): "# The Boat\n"}), 2)

    assert (page.path, page.text, page.next_offset) == (chapter_path(2), "# The Boat\n", None)
    with pytest.raises(NotFound, match="Chapter_09"):
        reading.read_chapter(files({chapter_path(2): ""}), 9)


def test_a_long_text_is_read_page_by_page_to_its_end() -> None:
    book, offset, read = files({FULL_BOOK: LONG}), 0, ""

    while True:
        page = reading.read_material(book, FULL_BOOK, offset)
        read += page.text
        assert len(page.text) <= reading.LONGEST_PAGE
        if page.next_offset is None:
            break
        offset = page.next_offset

    assert read == LONG


def test_a_bare_name_is_a_file_of_the_material() -> None:
    page = reading.read_material(files({"Global Material/Soul.md": "Dry."}), "Soul.md")

    assert page.path == "Global Material/Soul.md"


@for_each(
    "path, code",
    [
        ("../secret", "bad-path"),
        ("/etc/passwd", "bad-path"),
        (f"./{STATE}", "not-readable"),
        ("src/../notes/plan.md", "not-readable"),
        ("Review/picture.png", "not-text"),
        ("Review/gone.md", "no-such-file"),
    ],
)
def test_files_that_are_not_book_text_are_refused(path: str, code: str) -> None:
    held = files(
        {STATE: "book_id: b", "notes/plan.md": "mine", "Review/picture.png": b"\x89PNG\xff", REVIEW: ""}
    )

    with pytest.raises((UsageMistake, Refused, NotFound)) as no:
        reading.read_material(held, path)

    assert no.value.code == code


def test_a_search_shows_the_words_in_the_middle_of_a_long_line() -> None:
    book = files({FULL_BOOK: f"# Book\n\n{LONG}A Lamp burns. {LONG}\n", "notes.md": "a lamp"})

    found = searching.search(book, "lamp burns", 5)

    (place,) = found.places
    assert (place.path, place.line, found.more) == (FULL_BOOK, 3, False)
    assert "A Lamp burns" in place.excerpt
    assert len(place.excerpt) < 650


def test_a_search_shows_passages_from_the_newest_back_with_a_little_around() -> None:
    book = files(
        {
            FULL_BOOK: "## One\n\nHe lit\nthe lamp. The lamp burned.\n\n<!-- PAGE 2 -->\n\nShe came.\n\n"
            f"{LONG}\n\nThe lamp was out.\n",
            REVIEW: "A second lamp.\n",
            "Global Material/Lore.md": "No lamp in June.\n",
            "Changelog/2026.md": "lamp\n",
        }
    )

    found = searching.search(book, "LAMP", 10)
    across = searching.search(book, "lit the lamp", 10)

    assert [place.path.partition("/")[0] for place in found.places] == [
        *("Review", "Current version", "Current version", "Global Material", "Changelog"),
    ]
    newest, oldest = found.places[1:3]
    assert newest.excerpt.startswith("… ")
    assert newest.excerpt.endswith("\n\nThe lamp was out.")
    assert oldest.excerpt == "## One\n\nHe lit\nthe lamp. The lamp burned.\n\nShe came."
    assert across.places == (oldest.model_copy(update={"line": 3}),)


def test_a_cut_search_reports_more_hits() -> None:
    found = searching.search(files({FULL_BOOK: "rain\n\n" * 30, REVIEW: "rain\n"}), "RAIN", 7)

    assert (len(found.places), found.more) == (7, True)


def payload(**lengths: int) -> SessionPayload:
    return SessionPayload(
        config=CONFIG,
        global_material=(
            MaterialFile(filename="Lore.md", content="l" * lengths["lore"]),
            MaterialFile(filename="Soul.md", content="s" * lengths["soul"]),
        ),
        chapters=Chapters(current=ChapterOutline(path=chapter_path(1), content="o" * lengths["outline"])),
        current_review=CurrentReview(content="r" * lengths["review"]),
    )


@given(st.fixed_dictionaries({name: st.integers(0, 300) for name in ("lore", "soul", "outline", "review")}))
def test_an_oversized_payload_is_cut_and_lists_the_omitted_texts(lengths: dict[str, int]) -> None:
    whole = payload(**lengths)

    fitting, left = reading.fitted(whole, most=400)

    kept = sum(len(text) for _, text in reading.texts_of(fitting))
    assert kept <= 400
    assert kept + sum(each.characters for each in left) == sum(lengths.values())
    assert left or fitting == whole


@for_each(
    "error, kind, code, recoverable",
    [
        (UsageMistake("bad-path", "no"), "INVALID_CALL", "BAD_PATH", True),
        (Refused("intent-changed", "no"), "REFUSED", "INTENT_CHANGED", True),
        (Refused("killed", "no"), "REFUSED", "KILLED", False),
        (Refused("odd", "no", error_type="SCOPE_VIOLATION"), "SCOPE_VIOLATION", "ODD", True),
        (errors.EngineUnavailable("engine-not-running", "no"), "UNAVAILABLE", "ENGINE_NOT_RUNNING", True),
        (errors.BrokenBook("config-missing", "no"), "FAILED", "CONFIG_MISSING", False),
    ],
)
def test_an_error_result_has_its_type_and_advice(
    error: errors.PenwrightError, kind: str, code: str, recoverable: bool
) -> None:
    told = denial_of(error)

    assert (told.error_type, told.error_code, told.recoverable) == (kind, code, recoverable)
    assert told.action_hint


def test_a_hint_of_the_rule_itself_wins() -> None:
    told = denial_of(Refused("empty-prose", "no", action_hint="write of the sea", path="Review/current.md"))

    assert told.action_hint == "write of the sea"
    assert told.details == {"path": "Review/current.md"}


def test_a_program_cannot_smuggle_lines_into_a_commit_by_its_name() -> None:
    assert known_as("claude-code", "2.1") == "claude-code 2.1"
    assert known_as("a\nApproved-By: ada\x1b[0m") == "a Approved-By: ada [0m"
    assert len(known_as("x" * 500)) == 80
    assert known_as(" \n") == UNNAMED_AGENT


@pytest.mark.parametrize("name", ["read_chapter", "read_material", "search_book"])
def test_built_in_and_outside_agents_have_the_same_reading_tools(name: str) -> None:
    inside, outside = catalogue.find("ink/editor").definition.tools[name], tools.TOOLS[name]

    assert arguments_schema(inside.params) == arguments_schema(outside.params)
    assert inside.description == outside.description
