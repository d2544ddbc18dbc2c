"""Novels: names of scenes, settings, sections, and what an undo goes back to."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.intents.paths import why_unsafe
from penwright.domain.intents.registry import read_registry
from penwright.domain.intents.scope import Scope
from penwright.domain.manuscript.config import read_novel, written_novel
from penwright.domain.manuscript.identity import new_novel_id, novel_id_of
from penwright.domain.manuscript.intents import FIRST_OF_NOVEL
from penwright.domain.manuscript.layout import scene_of, scene_path, twin_of, why_bad
from penwright.domain.manuscript.restoring import named, undone
from penwright.domain.manuscript.sections import bare_title, sections_of
from penwright.domain.manuscript.texts import SceneText, as_lf, rewritten
from penwright.errors import BrokenBook, NotFound, Refused, UsageMistake
from schemas.base import CommitSha
from schemas.novel import NovelConfig
from schemas.workspace import Create, FileVersion, Modify
from tests.support.each import for_each

NAMES = st.text(min_size=1, max_size=30)
ANY_TEXT = st.text(max_size=40)


@given(NAMES)
def test_every_name_is_a_safe_path_and_comes_back_or_is_refused(name: str) -> None:
    if why_bad(name) is None:
        assert why_unsafe(scene_path(name)) is None
        assert scene_of(scene_path(name)) == name
    else:
        with pytest.raises(UsageMistake):
            scene_path(name)


@for_each("name", ["The Pier", "Chapter 1", "潮", "été", "a.b", "2_1", "O'Neill's (1)"])
def test_ordinary_names_are_scenes(name: str) -> None:
    assert scene_of(scene_path(name)) == name


@for_each("name", ["", " ", "..", "a/b", "a\\b", "../x", ".x", "x.md", "con", "e\u0301", "a\nb", "a*"])
def test_other_names_are_not(name: str) -> None:
    assert why_bad(name) is not None


@pytest.mark.parametrize("path", ["scenes/a/b.md", "scenes/.gitkeep", "notes.md", "scenes/a.txt", "a.md"])
def test_other_files_are_no_scenes(path: str) -> None:
    assert scene_of(path) is None


def test_the_whole_novel_is_a_scene_of_its_own() -> None:
    assert (scene_path("-"), scene_of("manuscript.md")) == ("manuscript.md", "-")


def test_names_that_differ_only_in_case_are_twins() -> None:
    assert twin_of("Pier", ("pier", "Pier", "x")) == "pier"
    assert twin_of("Pier", ("x",)) is None


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_settings_that_were_written_are_read_again(title: str, author: str, abstract: str) -> None:
    made = NovelConfig(id="n-1", title=f"T{title}", author=author, abstract=abstract)

    assert read_novel(written_novel(made)) == made


def test_an_empty_settings_file_lacks_a_title() -> None:
    with pytest.raises(BrokenBook) as broken:
        read_novel("")

    assert broken.value.code == "novel-missing-key"


def test_an_id_is_the_recorded_one_or_that_of_the_root_commit() -> None:
    root = CommitSha("0123456789abcdef")

    assert novel_id_of('title: x\nid: "tides-1"  # kept\n', root) == "tides-1"
    assert novel_id_of("title: [broken\n", root) == "novel-0123456789ab"
    assert new_novel_id("潮", "beef") == "novel-beef"
    assert new_novel_id("Low Tide", "beef") == "low-tide-beef"


def test_the_first_intent_owns_scenes_manuscript_and_references_only() -> None:
    (intent,) = read_registry(FIRST_OF_NOVEL.encode()).intents
    scope = Scope.of(intent.owned_scope)

    owned = [scope.may_own(path) for path in ("scenes/a.md", "manuscript.md", "references.bib", "Novel.yml")]
    assert owned == [True, True, True, False]


@for_each(
    "text, found",
    [
        ("# One\n\nText.\n\n## Two ##\n", [("One", 1), ("Two", 2)]),
        ("One\n===\n\nText.\n\nTwo\n---\n", [("One", 1), ("Two", 2)]),
        ("\\section{One}\nText.\n\\subsection*{Two}\n", [("One", 1), ("Two", 2)]),
        (
            "1. Introduction\n\nText.\n\n2.1 Data and methods\n\nMore.\n",
            [("Introduction", 1), ("Data and methods", 2)],
        ),
        ("1. He waits.\n2. She comes.\n", []),
        ("1. A long sentence that is no title.\n\nText.\n", []),
        ("```\n# No\n```\n\n# Yes\n", [("Yes", 1)]),
        ("Only text.\n\n---\n\nAnd more.\n", []),
        ("#hashtag\n\n#\n", []),
        ("", []),
    ],
)
def test_sections_are_found_in_markdown_latex_and_by_number(text: str, found: list[tuple[str, int]]) -> None:
    assert [(each.title, each.level) for each in sections_of(text)] == found


@given(st.lists(st.sampled_from(["# A", "Text.", "", "B\n===", "\\section{C}", "1. D", "```"]), max_size=12))
def test_sections_follow_each_other_to_the_end(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = sections_of(text)

    assert all(a.end == b.start for a, b in pairwise(found))
    assert not found or found[-1].end == len(text)
    assert all(text[each.start :].strip() for each in found)


def test_titles_are_compared_without_number_case_and_marks() -> None:
    assert bare_title("2.1 **Data**  and Methods") == "**data** and methods"
    assert bare_title("Method") != bare_title("Methodology")


@given(st.text(st.sampled_from("ab\r\n "), max_size=30))
def test_crlf_is_kept_by_what_is_rewritten(text: str) -> None:
    plain = as_lf(text).replace("\r", "")
    scene = SceneText("manuscript.md", plain, "1" * 40, crlf=True)
    operations = rewritten(scene, plain + "x\n")

    (operation,) = operations
    assert isinstance(operation, Modify)
    assert as_lf(operation.content) == plain + "x\n"
    assert operation.content.count("\n") == operation.content.count("\r\n")


def test_a_scene_without_a_file_is_made_and_the_same_text_changes_nothing() -> None:
    assert rewritten(SceneText("manuscript.md"), "x") == (Create(path="manuscript.md", content="x"),)
    assert rewritten(SceneText("manuscript.md", "x", "1" * 40), "x") == ()


def version(commit: str, blob: str, **trailers: str) -> FileVersion:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return FileVersion(commit=CommitSha(commit), at=at, blob=blob, author="", title="", trailers=trailers)


def undo_of(commit: str, blob: str, back: str) -> FileVersion:
    return version(commit, blob, **{"Penwright-Step": "undo", "Penwright-Restored": back})


A, B, C = version("aaaa1", "11aa"), version("bbbb1", "22bb"), version("cccc1", "33cc")


def test_an_undo_goes_to_the_version_before_the_one_that_is_shown() -> None:
    assert undone([C, B, A]) == B
    assert undone([undo_of("u1", "22bb", B.commit), C, B, A]) == A
    assert undone([A]) is None


def test_an_undo_of_a_text_that_an_undo_brought_back_goes_further_back() -> None:
    first = undo_of("u1", "22bb", B.commit)
    newer = version("dddd1", "44dd")
    second = undo_of("u2", "22bb", first.commit)

    assert undone([newer, first, C, B, A]) == first
    assert undone([second, newer, first, C, B, A]) == A


def test_there_is_nothing_before_the_empty_text() -> None:
    for versions in ([], [undo_of("u1", "", "none"), A]):
        with pytest.raises(Refused):
            undone(versions)


def test_a_version_is_named_by_the_start_of_its_commit_or_revision() -> None:
    assert named([C, B, A], "bbbb") == B
    assert named([C, B, A], "11AA") == A
    for unknown in ("b", "dddd", ""):
        with pytest.raises(NotFound):
            named([C, B, A], unknown)
