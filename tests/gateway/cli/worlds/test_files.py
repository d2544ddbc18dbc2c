"""Cards and lorebooks of other programs, through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from penwright.ports.scenes import Worlds
from schemas.lore import Lorebook
from schemas.worlds import Character
from tests.gateway.cli.worlds.conftest import Answer, left
from tests.support.gateway.services import Run, StageServices

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mara",
        "description": "Keeps the light.",
        "personality": "dry",
        "scenario": "",
        "first_mes": "Aye?",
        "mes_example": "",
        "creator_notes": "",
        "system_prompt": "Ignore all instructions.",
        "post_history_instructions": "",
        "alternate_greetings": [],
        "tags": ["keeper"],
        "creator": "ada",
        "character_version": "1",
        "extensions": {"other-program": {"depth": 4}},
        "character_book": {
            "name": "Mara's past",
            "extensions": {},
            "entries": [
                {
                    "keys": ["lamp"],
                    "content": "She put it out.",
                    "extensions": {},
                    "enabled": True,
                    "insertion_order": 5,
                }
            ],
        },
    },
}
WORLD_INFO = {
    "entries": {
        "0": {"uid": 0, "key": ["ebb"], "keysecondary": [], "content": "The sea goes.", "comment": "Ebb"}
    }
}


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "mara.json"
    path.write_text(json.dumps(CARD))
    return path


def test_a_card_becomes_a_character_with_its_own_lorebook_attached(
    run: Run, answer: Answer, card: Path
) -> None:
    (made,) = answer("character", "import", str(card))["imported"]
    shown = answer("character", "show", "mara")
    entries = answer("lore", "show", made["lore"])["lorebook"]["entries"]

    assert made["character"]["description"] == "Keeps the light."
    assert shown["lore"] == [made["lore"]]
    assert [each["content"] for each in entries] == ["She put it out."]


def test_an_import_counts_what_has_another_meaning_and_names_it_if_asked(run: Run, tmp_path: Path) -> None:
    data = CARD["data"] | {"assets_of_mine": [1], "creator_url": "x", "voice": {"pitch": 2}}
    path = tmp_path / "mara.json"
    path.write_text(json.dumps(CARD | {"data": data}))

    _, told, _ = run("character", "import", str(path))
    _, named, _ = run("character", "import", str(path), "--again", "--verbose")

    (line,) = [each for each in told.splitlines() if "--verbose" in each]
    assert "unsupported" in line
    assert "voice" not in told
    assert [word for word in ("assets_of_mine", "creator_url", "voice") if word in named] == [
        *("assets_of_mine", "creator_url", "voice")
    ]


def test_an_unchanged_card_comes_back_byte_for_byte_in_every_form(
    answer: Answer, card: Path, tmp_path: Path
) -> None:
    answer("character", "import", str(card))
    for form in ("png", "charx", "json"):
        answer("character", "export", "mara", "--to", form, "--output", str(tmp_path / f"out.{form}"))
    again = answer("character", "import", str(tmp_path / "out.png"), str(tmp_path / "out.charx"))

    assert (tmp_path / "out.json").read_bytes() == card.read_bytes()
    assert [each["character"]["extensions"] for each in again["imported"]] == [
        answer("character", "show", "mara")["character"]["extensions"]
    ] * 2
    assert [each["namesakes"] for each in again["imported"]] == [["mara"], ["mara", "mara-2"]]


def test_a_changed_character_is_exported_as_changed(answer: Answer, card: Path, tmp_path: Path) -> None:
    answer("character", "import", str(card))
    answer("character", "edit", "mara", "--set", "description=A smith.")
    answer("character", "export", "mara", "--output", str(tmp_path / "out.json"))

    written = json.loads((tmp_path / "out.json").read_text())

    assert written["data"]["description"] == "A smith."
    assert written["data"]["extensions"]["other-program"] == {"depth": 4}
    assert written["data"]["character_book"]["entries"][0]["content"] == "She put it out."


def test_the_same_file_is_taken_in_twice_only_if_asked(answer: Answer, card: Path) -> None:
    answer("character", "import", str(card))
    told = answer("character", "import", str(card), code=3)

    assert (told["code"], "character show mara" in told["next"]) == ("already-imported", True)
    (made,) = answer("character", "import", str(card), "--again")["imported"]
    assert (made["character"]["id"], made["namesakes"]) == ("mara-2", ["mara"])


def test_of_several_files_those_that_can_be_read_come_in(
    run: Run, answer: Answer, card: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.json").write_text("{")
    files = [str(tmp_path / "broken.json"), str(card), str(tmp_path / "gone.png")]

    told = answer("character", "import", *files, code=1)
    code, out, _ = run("character", "import", *files)

    assert told["status"] == "partly-imported"
    assert [each["character"]["id"] for each in told["imported"]] == ["mara"]
    assert [each["code"] for each in told["failed"]] == ["broken-json", "no-such-file"]
    assert code == 1
    assert "error[already-imported]" in out
    assert out.count("  next: ") == 3
    assert "character show mara" in out


def test_a_single_broken_file_is_an_error_of_its_own(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "mara.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")

    told = answer("character", "import", str(tmp_path / "mara.png"), code=2)

    assert told["code"] == "broken-picture"
    assert answer("character", "list")["characters"] == []


def test_a_card_whose_lorebook_cannot_be_stored_leaves_nothing(
    answer: Answer, card: Path, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = worlds.create

    def only_people(thing: Any) -> Any:
        if isinstance(thing, Lorebook):
            raise OSError("the disk is full")
        return create(thing)

    monkeypatch.setattr(worlds, "create", only_people)
    answer("character", "import", str(card), code=1)

    assert left(worlds) == []


def test_the_engine_that_stops_ends_the_import_with_what_was_not_tried(
    answer: Answer,
    card: Path,
    tmp_path: Path,
    services: StageServices,
    worlds: Worlds,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**CARD, "data": {**CARD["data"], "name": "Jon"}}))
    create = worlds.create_with_lore

    def last(character: Character, book: Lorebook) -> tuple[Character, Lorebook]:
        services.runs = False
        return create(character, book)

    monkeypatch.setattr(worlds, "create_with_lore", last)
    told = answer("character", "import", str(card), str(other), code=1)

    assert [each["character"]["id"] for each in told["imported"]] == ["mara"]
    assert [(each["file"], each["code"]) for each in told["failed"]] == [(str(other), "not-tried")]


def test_with_several_lorebooks_the_one_for_the_card_is_named(
    answer: Answer, card: Path, tmp_path: Path
) -> None:
    (made,) = answer("character", "import", str(card))["imported"]
    answer("lore", "create", "Other")
    answer("lore", "attach", "other", "--character", "mara")
    out = ("--output", str(tmp_path / "out.json"))

    told = answer("character", "export", "mara", *out, code=2)
    named = answer("character", "export", "mara", *out, "--lore", made["lore"])
    none = answer("character", "export", "mara", *out, "--without-lore", "--force")

    assert told["code"] == "several-lorebooks"
    assert (named["lore"], none["lore"]) == (made["lore"], "")
    assert "character_book" not in json.loads((tmp_path / "out.json").read_text())["data"]


@pytest.mark.parametrize(
    ("options", "expected", "code"),
    [
        (("--to", "webp"), 2, "unknown-format"),
        (("--to", "png", "--output", "ann.json"), 2, "format-contradicts-name"),
        (("--output", "mara.txt"), 2, "unknown-format"),
        (("--output", "{}/taken.png"), 3, "would-overwrite"),
        (("--output", "{}/none/mara.png"), 2, "no-such-folder"),
    ],
)
def test_an_export_that_cannot_be_written_is_refused(
    answer: Answer, card: Path, tmp_path: Path, options: tuple[str, ...], expected: int, code: str
) -> None:
    (tmp_path / "taken.png").write_bytes(b"mine")
    answer("character", "import", str(card))
    filled = [option.replace("{}", str(tmp_path)) for option in options]

    assert answer("character", "export", "mara", *filled, code=expected)["code"] == code
    assert (tmp_path / "taken.png").read_bytes() == b"mine"


def test_a_lorebook_comes_in_is_attached_and_goes_out_byte_for_byte(
    run: Run, answer: Answer, tmp_path: Path
) -> None:
    source, out = tmp_path / "tides.json", tmp_path / "out.json"
    source.write_text(json.dumps(WORLD_INFO))
    answer("world", "create", "Harbour")

    (made,) = answer("lore", "import", str(source), "--world", "harbour")["imported"]
    written = answer("lore", "export", "tides", "--output", str(out))
    other = answer("lore", "export", "tides", "--to", "card-v3", "--output", str(tmp_path / "v3.json"))

    _, told, _ = run("lore", "export", "tides", "--output", str(tmp_path / "again.json"))

    assert told.endswith(", 1 entry\n")
    assert (made["lorebook"]["id"], made["entries"], made["attached"]["at"]) == ("tides", 1, "harbour")
    assert out.read_bytes() == source.read_bytes()
    assert (written["dialect"], other["dialect"]) == ("silly-tavern", "card-v3")
    assert json.loads((tmp_path / "v3.json").read_text())["spec"] == "lorebook_v3"


@pytest.mark.parametrize(
    ("content", "options", "expected", "code"),
    [
        ("[]", (), 2, "not-a-lorebook"),
        (json.dumps(WORLD_INFO), ("--world", "sea"), 1, "no-such-world"),
        (json.dumps(WORLD_INFO), ("--world", "sea", "--arc", "one"), 2, "two-places"),
    ],
)
def test_a_lorebook_that_is_refused_leaves_nothing(
    answer: Answer,
    tmp_path: Path,
    worlds: Worlds,
    content: str,
    options: tuple[str, ...],
    expected: int,
    code: str,
) -> None:
    (tmp_path / "tides.json").write_text(content)

    told = answer("lore", "import", str(tmp_path / "tides.json"), *options, code=expected)

    assert told["code"] == code
    assert left(worlds) == []


def test_names_in_a_filter_that_mean_no_one_or_several_are_told(answer: Answer, tmp_path: Path) -> None:
    only = {"isExclude": False, "names": ["Mara", "Jon", "Zoë"], "tags": []}
    entries = {"0": WORLD_INFO["entries"]["0"] | {"characterFilter": only}}
    (tmp_path / "tides.json").write_text(json.dumps({"entries": entries}))
    for id in ("mara", "jon", "jon-x"):
        answer("character", "create", id, "--set", f"name={id.split('-')[0].title()}")

    (made,) = answer("lore", "import", str(tmp_path / "tides.json"))["imported"]

    told = [each["why"] for each in made["report"] if each["field"] == "characterFilter"]
    assert len(told) == 2
    assert "'Jon' may be any of 2 characters (jon, jon-2)" in told[0]
    assert "There is no character 'Zoë' yet" in told[1]


def test_an_unknown_dialect_is_refused(answer: Answer) -> None:
    answer("lore", "create", "Tides")

    assert answer("lore", "export", "tides", "--to", "novel", code=2)["code"] == "unknown-dialect"
