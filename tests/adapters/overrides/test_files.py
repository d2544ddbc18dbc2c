"""Override files as people and accidents leave them."""

import json
import os
from pathlib import Path

import pytest

from penwright.adapters.overrides import JsonOverrideFiles
from penwright.agents.prompt.overrides import resolve
from penwright.errors import PenwrightError, PermanentError, UsageMistake
from schemas.overrides import Override, OverrideSet
from tests.support.agents.gardener import gardener
from tests.support.each import for_each

ENTRY = {"path": "yard", "field": "body", "expected": "0" * 64, "text": "Rake it."}
HEADER = {"format": 1, "namespace": "garden", "key": "keeper", "tag": "latest"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "garden" / "keeper" / "latest.json"
    place.parent.mkdir(parents=True)
    return place


def reading(place: Path) -> OverrideSet | None:
    return JsonOverrideFiles(place.parents[2]).read("garden", "keeper", "latest")


def refused(place: Path) -> PenwrightError:
    with pytest.raises(UsageMistake) as caught:
        reading(place)
    assert place.name in caught.value.message or "garden/keeper/latest" in caught.value.message
    return caught.value


def a_file(**changes: object) -> bytes:
    return json.dumps({**HEADER, "overrides": [ENTRY], **changes}).encode()


def entry(**changes: object) -> bytes:
    return a_file(overrides=[{**ENTRY, **changes}])


def a_set(text: str = "Rake it.") -> OverrideSet:
    override = Override(path="yard", field="body", expected="0" * 64, text=text)
    return OverrideSet(namespace="garden", key="keeper", tag="latest", overrides=(override,))


@pytest.mark.parametrize("text", ["Rake it.", ["Rake it."], ["Rake it.", "", "Then rest."]])
def test_a_person_may_write_a_text_as_its_lines(place: Path, text: str | list[str]) -> None:
    place.write_bytes(b"\xef\xbb\xbf" + entry(text=text))

    assert reading(place) == a_set(text if isinstance(text, str) else "\n".join(text))


def test_a_text_of_several_lines_is_written_as_its_lines(place: Path) -> None:
    JsonOverrideFiles(place.parents[2]).keep(a_set("Rake it.\n\nThen rest — früh.\n"))

    assert json.loads(place.read_bytes())["overrides"][0]["text"] == [
        "Rake it.",
        "",
        "Then rest — früh.",
        "",
    ]
    assert "früh" in place.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "Expecting value"),
        (b"overrides:\n- path: yard\n", "Expecting value"),
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 100_000, "nested"),
        (b"[]", "the whole"),
        (a_file(format=2), "format"),
        (a_file(owner="me"), "owner"),
        (a_file(overrides={}), "overrides"),
        (a_file(overrides=[ENTRY, ENTRY]), "'yard'"),
        (b'{"format": 1, "format": 1}', "'format'"),
        (a_file(format=float("nan")), "NaN"),
        (entry(text="\ud83d"), "surrogate"),
    ],
)
def test_a_malformed_file_is_refused_with_the_faulty_place(place: Path, content: bytes, named: str) -> None:
    place.write_bytes(content)

    error = refused(place)

    assert error.code == "overrides-malformed"
    assert named in error.message


@for_each(
    "malformed, named",
    [
        ({**ENTRY, "field": "title"}, "field"),
        ({**ENTRY, "text": 7}, "text"),
        ({**ENTRY, "name": "rake"}, "name"),
        ("rake", "the whole"),
        (None, "the whole"),
    ],
)
def test_a_malformed_entry_is_skipped_and_told_and_never_written_away(
    place: Path, malformed: object, named: str
) -> None:
    place.write_bytes(a_file(overrides=[malformed, ENTRY]))
    found = reading(place)
    assert found is not None

    (skipped,) = resolve(gardener(), found).skipped[1:]

    assert found.overrides == a_set().overrides
    assert skipped.why.startswith(f"entry 1: {named}")
    with pytest.raises(UsageMistake, match="entry 1"):
        JsonOverrideFiles(place.parents[2]).replace(found, found)


@pytest.mark.parametrize("changes", [{"namespace": "farm"}, {"key": "warden"}, {"tag": "other"}])
def test_a_misplaced_override_file_is_refused(place: Path, changes: dict[str, str]) -> None:
    place.write_bytes(a_file(**changes))

    error = refused(place)

    assert error.code == "override-misplaced"
    assert next(iter(changes.values())) in error.message


def test_special_and_oversize_files_are_refused_at_once(place: Path, tmp_path: Path) -> None:
    def a_link() -> None:
        (tmp_path / "elsewhere.json").write_bytes(a_file())
        place.symlink_to(tmp_path / "elsewhere.json")

    def a_long_file() -> None:
        place.touch()
        os.truncate(place, 5 * 1024 * 1024)

    for strange in (a_link, place.mkdir, lambda: os.mkfifo(place), a_long_file):
        strange()

        assert refused(place).code == "overrides-unreadable"

        place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


def test_a_damaged_file_is_never_taken_for_an_empty_place(place: Path) -> None:
    place.write_bytes(b"{")

    files = JsonOverrideFiles(place.parents[2])

    with pytest.raises(UsageMistake):
        files.keep(a_set())
    with pytest.raises(UsageMistake):
        files.replace(a_set(), a_set("x"))

    assert place.read_bytes() == b"{"


def test_the_next_write_removes_files_of_an_interrupted_one(place: Path) -> None:
    (place.parent / ".half.part").write_bytes(b"{")

    JsonOverrideFiles(place.parents[2]).keep(a_set())

    assert sorted(found.name for found in place.parent.iterdir()) == [".lock", "latest.json"]


def test_other_files_are_not_tags(place: Path) -> None:
    for name in ("notes.txt", "Upper.json", ".hidden.json"):
        (place.parent / name).touch()
    place.write_bytes(a_file())

    assert JsonOverrideFiles(place.parents[2]).tags("garden", "keeper") == ("latest",)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "garden").touch()

    with pytest.raises(PermanentError) as caught:
        JsonOverrideFiles(tmp_path).keep(a_set())

    assert caught.value.code == "overrides-unwritable"
    assert "latest.json" in caught.value.message
