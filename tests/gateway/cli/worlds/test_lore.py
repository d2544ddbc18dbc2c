"""``penwright lore``: books, entries, attachments."""

from pathlib import Path

import pytest
import typer

from tests.gateway.cli.worlds.conftest import Answer, Says, Types
from tests.support.gateway.services import Run, StageServices


@pytest.fixture(autouse=True)
def tides(answer: Answer) -> None:
    answer("world", "create", "Harbour")
    answer("lore", "create", "Tides", "--token-budget", "500")
    answer(
        "lore", "add", "tides", "--title", "Spring", "--key", "spring tide", "--content", "The sea comes in."
    )


def test_entries_are_added_with_rising_uids_and_listed(run: Run, answer: Answer) -> None:
    more = answer("lore", "add", "tides", "--constant", "--content", "The sea is near.")
    _, out, _ = run("lore", "show", "tides")

    assert more["entry"]["uid"] == "2"
    assert out.splitlines()[-2:] == ["1    Spring  spring tide", "2                         always"]
    assert "token budget\n  500\n" in out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--key", "ebb"), "no-content"),
        (("--content", "x"), "no-keys"),
        (("--content", "x", "--key", " "), "bad-key"),
        (("--content", "x", "--key", "/(ebb/"), "bad-key"),
        (("--content", "x", "--key", "y", "--set", "probability=101"), "bad-value"),
        (("--content", "x", "--key", "y", "--set", "position=top"), "bad-value"),
        (("--content", "x", "--key", "y", "--set", "title=a\nb"), "bad-name"),
    ],
)
def test_an_entry_that_could_never_work_is_refused(
    answer: Answer, options: tuple[str, ...], code: str
) -> None:
    assert answer("lore", "add", "tides", *options, code=2)["code"] == code
    assert len(answer("lore", "show", "tides")["lorebook"]["entries"]) == 1


def test_an_entry_is_edited_by_uid_or_title_and_the_others_stay(
    run: Run, answer: Answer, types: Types, says: Says
) -> None:
    answer("lore", "add", "tides", "--title", "Neap", "--key", "neap", "--content", "The sea stays out.")
    answer("lore", "edit", "tides", "Neap", "--set", "probability=50", "--set", "keys=[neap, /ebb+/i]")
    types({"The sea comes in.": "The sea takes the street."})
    says(True)
    code, out, _ = run("lore", "edit", "tides", "1")

    first, second = answer("lore", "show", "tides")["lorebook"]["entries"]
    assert (code, out) == (0, "Stored entry 1 of tides, now at version 5.\n")
    assert first["content"] == "The sea takes the street."
    assert (second["probability"], second["keys"]) == (50, ["neap", "/ebb+/i"])


def test_two_people_edit_two_entries_at_once(
    run: Run, answer: Answer, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer("lore", "add", "tides", "--title", "Neap", "--key", "neap", "--content", "The sea stays out.")
    types({"The sea comes in.": "The sea takes the street."})

    def confirm(question: str, **_: object) -> bool:
        answer("lore", "edit", "tides", "Neap", "--set", "content=Theirs.")
        return True

    monkeypatch.setattr(typer, "confirm", confirm)

    assert run("lore", "edit", "tides", "Spring")[0] == 0
    entries = answer("lore", "show", "tides")["lorebook"]["entries"]
    assert [each["content"] for each in entries] == ["The sea takes the street.", "Theirs."]


def test_a_book_itself_is_edited_without_touching_its_entries(answer: Answer) -> None:
    told = answer("lore", "edit", "tides", "--set", "token-budget=null", "--set", "recursive=true")

    assert (told["lorebook"]["token_budget"], told["lorebook"]["recursive"]) == (None, True)
    assert len(told["lorebook"]["entries"]) == 1


def test_the_form_of_an_entry_adds_the_same_entry_again(run: Run, answer: Answer) -> None:
    _, form, _ = run("lore", "show", "tides", "1", "--form")
    made = answer("lore", "add", "tides", "--from", "-", stdin=form.encode())["entry"]

    assert {**made, "uid": "1"} == answer("lore", "show", "tides", "1")["entry"]


def test_an_unknown_or_ambiguous_entry_is_named(answer: Answer) -> None:
    answer("lore", "add", "tides", "--title", "spring", "--key", "x", "--content", "y")

    assert answer("lore", "show", "tides", "9", code=1)["code"] == "no-such-entry"
    told = answer("lore", "edit", "tides", "SPRING", "--set", "order=1", code=2)
    assert told["code"] == "ambiguous-name"
    assert "1, 2" in told["error"]


def test_a_book_is_attached_and_detached_once(run: Run, answer: Answer) -> None:
    place = ("--world", "Harbour")
    first, second = answer("lore", "attach", "tides", *place), answer("lore", "attach", "Tides", *place)
    shown = answer("lore", "show", "tides")["attached"]
    gone, again = answer("lore", "detach", "tides", *place), answer("lore", "detach", "tides", *place)

    assert (first["changed"], second["changed"], gone["changed"], again["changed"]) == (
        True,
        False,
        True,
        False,
    )
    assert shown == [{"book": "tides", "level": "world", "at": "harbour"}]
    assert answer("world", "show", "harbour")["lore"] == []
    assert "active in the world harbour" in run("lore", "attach", "tides", *place)[1]


def test_a_lorebook_is_shared_by_the_books_and_novels_it_is_attached_to(
    answer: Answer, services: StageServices, book: Path, run: Run, tmp_path: Path
) -> None:
    assert run("manuscript", "new", str(tmp_path / "fog"), "--title", "Fog")[0] == 0
    to_book, to_novel = (
        answer("lore", "attach", "tides", "--to", str(book)),
        answer("lore", "attach", "tides", "--to", str(tmp_path / "fog")),
    )
    shown = answer("lore", "show", "tides")["attached"]
    gone = answer("lore", "detach", "tides", "--to", to_book["at"])

    assert [(each["level"], each["at"]) for each in shown] == [
        ("book", services.book(book).book_id),
        ("novel", to_novel["at"]),
    ]
    assert (gone["status"], gone["changed"], gone["level"]) == ("detached", True, "book")
    assert answer("lore", "attach", "tides", "--to", "nothing", code=1)["code"] == "unknown-book"


@pytest.mark.parametrize(
    ("options", "expected", "code"),
    [
        ((), 2, "no-place"),
        (("--world", "harbour", "--to", "."), 2, "two-places"),
        (("--world", "harbour", "--character", "mara"), 2, "two-places"),
        (("--scene", "pier"), 1, "no-such-scene"),
    ],
)
def test_a_wrong_place_is_refused(answer: Answer, options: tuple[str, ...], expected: int, code: str) -> None:
    assert answer("lore", "attach", "tides", *options, code=expected)["code"] == code


def test_an_entry_and_a_book_are_removed(answer: Answer) -> None:
    answer("lore", "attach", "tides", "--world", "harbour")
    would = answer("lore", "remove", "tides", "Spring", "--dry-run")
    refused = answer("lore", "remove", "tides", "Spring", code=3)
    entry = answer("lore", "remove", "tides", "1", "--yes")
    book = answer("lore", "remove", "tides", "--yes")

    assert (would["status"], refused["code"]) == ("would-remove", "needs-yes")
    assert (entry["status"], entry["entry"]["title"]) == ("removed", "Spring")
    assert (book["with"]["entries"], book["with"]["attachments"]) == (0, ["tides@harbour"])
    assert answer("lore", "list")["lorebooks"] == []


def test_an_entry_names_its_characters_by_name_or_id(answer: Answer) -> None:
    answer("character", "create", "Mara Orr")
    answer("lore", "edit", "tides", "1", "--set", "characters=[Mara Orr, mara-orr]")
    wrong = answer("lore", "edit", "tides", "1", "--set", "characters=[Nobody]", code=1)

    assert answer("lore", "show", "tides", "1")["entry"]["characters"] == ["mara-orr"]
    assert wrong["code"] == "no-such-character"
