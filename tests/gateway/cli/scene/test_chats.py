"""``penwright scene export`` and ``import``: files for people, programs and SillyTavern."""

import json
from pathlib import Path

import pytest

from schemas.worlds import Character, Persona, Scene
from tests.gateway.cli.scene.conftest import Told
from tests.support.gateway.services import Run, StageServices

CHAT = "\n".join(
    json.dumps(line)
    for line in (
        {"user_name": "Mira", "character_name": "Dov", "create_date": "2026-01-01@00h00m00s"},
        {"name": "Dov", "is_user": False, "mes": "Evening.", "send_date": "1"},
        {
            "name": "Mira",
            "is_user": True,
            "mes": "Who lit the lamp?",
            "send_date": "2",
        },
        {
            "name": "Dov",
            "is_user": False,
            "mes": "Nobody.",
            "send_date": "3",
            "swipe_id": 0,
            "swipes": ["Nobody.", "I did."],
            "extra": {"model": "some-model"},
        },
        {"name": "Ann Quist", "is_user": False, "mes": "He lies.", "send_date": "4"},
    )
)


@pytest.fixture
def played(scene: str, told: Told) -> str:
    told("say", scene, "Who lit the lamp?")
    told("edit", scene, "2", "--text", "Nobody did.")
    return scene


def test_markdown_has_the_chosen_texts(played: str, told: Told, tmp_path: Path) -> None:
    done = told("export", played, "--output", str(tmp_path / "quay.md"))

    text = (tmp_path / "quay.md").read_text()
    assert (done["form"], done["messages"]) == ("markdown", 3)
    assert text.startswith("# The Quay\n\n*Skerrow · Skerrow · Skerrow*\n\n")
    assert "**Ann Quist:** Nobody did." in text
    assert "answers in round 1." in text
    assert "Ann Quist answers" not in text


def test_json_has_everything(played: str, told: Told, tmp_path: Path) -> None:
    told("export", played, "--to", "json", "--output", str(tmp_path / "quay.data"))

    kept = json.loads((tmp_path / "quay.data").read_text())
    assert [each["number"] for each in kept["rounds_played"]] == [1]
    assert len(kept["messages"][1]["alternatives"]) == 2
    assert kept["located"]["scene"]["title"] == "The Quay"
    assert kept["memories"] == []


def test_json_has_what_was_undone_with_a_mark_and_an_import_says_that_it_stays_behind(
    played: str, told: Told, tmp_path: Path
) -> None:
    told("undo", played)
    file = str(tmp_path / "quay.json")
    done = told("export", played, "--output", file)

    kept = json.loads(Path(file).read_text())
    assert [each["undone"] for each in kept["messages"]] == [True, True, True]
    assert (done["messages"], done["undone"]) == (0, 3)
    told("redo", played)
    again = told("export", played, "--output", file, "--force")
    assert (again["messages"], again["undone"]) == (3, 0)


def test_a_chat_goes_out_and_comes_back_with_every_alternative(
    played: str, told: Told, people: StageServices, tmp_path: Path
) -> None:
    told("choose", played, "2", "1")
    file = str(tmp_path / "quay.jsonl")
    told("export", played, "--output", file)
    made = told("import", file, "--world", "skerrow", "--title", "Again")

    before, after = told("show", played)["messages"], told("show", made["scene"])["messages"]
    assert [each["alternatives"][each["chosen"]]["author"]["demo"] for each in after] == [False, True, True]
    assert made["made"] == []
    assert [(each["name"], each["speaker"], each["text"]) for each in after] == [
        (each["name"], each["speaker"], each["text"]) for each in before
    ]
    assert [[one["text"] for one in each["alternatives"]] for each in after] == [
        [one["text"] for one in each["alternatives"]] for each in before
    ]


def test_an_imported_chat_becomes_rounds_and_can_be_played_on(
    people: StageServices, told: Told, tmp_path: Path
) -> None:
    (tmp_path / "chat.jsonl").write_text(CHAT)
    made = told("import", str(tmp_path / "chat.jsonl"), "--world", "skerrow")
    shown = told("show", made["scene"])
    told("continue", made["scene"])

    scene = people.store.worlds.read(Scene, made["scene"])
    assert scene is not None
    assert (made["rounds"], made["messages"], made["made"]) == (
        2,
        4,
        ["campaign 'skerrow'", "arc 'skerrow'", "Dov"],
    )
    assert people.rounds.remembered == [made["scene"]]
    assert (made["later"]["rounds"], made["later"]["calls"], made["later"]["warning"]) == (2, 0, "")
    assert (scene.title, scene.roster, scene.persona) == ("Dov", ("dov", "ann-quist"), "mira")
    assert [each["round"] for each in shown["messages"]] == [1, 2, 2, 2]
    assert [each["text"] for each in shown["messages"][2]["alternatives"]] == ["Nobody.", "I did."]
    assert shown["messages"][2]["text"] == "Nobody."
    assert {each["author"]["name"] for each in shown["messages"][2]["alternatives"]} == {"some-model"}
    assert shown["messages"][1]["alternatives"][0]["author"]["kind"] == "person"
    assert (len(people.store.worlds.list(Character)), len(people.store.worlds.list(Persona))) == (4, 1)


def test_a_chat_that_is_not_there_is_named(people: StageServices, run: Run, tmp_path: Path) -> None:
    code, _, err = run("scene", "import", str(tmp_path / "none.jsonl"), "--world", "skerrow")

    assert (code, err.split(":")[0]) == (2, "error[no-such-file]")


@pytest.mark.parametrize("content", ["", "{}", "[1]", "\x00", CHAT.splitlines()[0]], ids=repr)
def test_a_file_that_is_no_chat_makes_nothing(
    people: StageServices, run: Run, tmp_path: Path, content: str
) -> None:
    (tmp_path / "chat.jsonl").write_text(content)

    code, out, err = run("scene", "import", str(tmp_path / "chat.jsonl"), "--world", "skerrow")

    assert (code, out) == (2, "")
    assert "error[" in err
    assert people.store.worlds.list(Scene) == ()
    assert len(people.store.worlds.list(Character)) == 3


def test_a_file_is_replaced_only_when_that_is_asked_for(
    played: str, run: Run, told: Told, tmp_path: Path
) -> None:
    place = tmp_path / "quay.md"
    place.write_text("mine")

    refused = run("scene", "export", played, "--output", str(place))
    unknown = run("scene", "export", played, "--to", "docx")
    other = run("scene", "export", played, "--to", "json", "--output", str(place), "--force")
    kept = place.read_text()
    told("export", played, "--output", str(place), "--force")

    assert (refused[0], "error[would-overwrite]" in refused[2], kept) == (3, True, "mine")
    assert (unknown[0], "error[unknown-format]" in unknown[2]) == (2, True)
    assert (other[0], "error[format-contradicts-name]" in other[2]) == (2, True)
    assert place.read_text() != "mine"


def test_our_own_json_comes_in_with_every_alternative_and_says_what_stays_behind(
    played: str, told: Told, people: StageServices, tmp_path: Path
) -> None:
    told("choose", played, "2", "1")
    file = str(tmp_path / "quay.json")
    told("export", played, "--output", file)
    made = told("import", file, "--world", "skerrow")

    before, after = told("show", played)["messages"], told("show", made["scene"])["messages"]
    assert [(each["name"], each["speaker"], each["text"]) for each in after] == [
        (each["name"], each["speaker"], each["text"]) for each in before
    ]
    assert [len(each["alternatives"]) for each in after] == [1, 2, 1]
    assert made["made"] == []
    scene = people.store.worlds.read(Scene, made["scene"])
    assert (scene and scene.title, scene and scene.persona) == ("The Quay", "mira")
    left = {each["field"] for each in made["report"] if each["fate"] == "unsupported"}
    assert {"state", "rounds_played"} <= left


def test_our_own_json_that_was_damaged_is_called_by_its_name(
    played: str, told: Told, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "quay.json"
    told("export", played, "--output", str(file))
    whole = file.read_text()
    document = json.loads(whole)
    document["messages"][1]["chosen"] = 7
    file.write_text(json.dumps(document))
    changed = run("scene", "import", str(file), "--world", "skerrow")
    file.write_text(whole[:-40])
    cut = run("scene", "import", str(file), "--world", "skerrow")

    assert (changed[0], "error[damaged-scene]" in changed[2]) == (2, True)
    assert (cut[0], "error[damaged-scene]" in cut[2], "--to json" in cut[2]) == (2, True, True)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_characters_with_one_name_come_back_each_as_itself(
    people: StageServices, told: Told, tmp_path: Path, ending: str
) -> None:
    people.store.worlds.create(Character(id="", name="Ann Quist", nickname="Other"))
    told("create", "Twins", "--world", "skerrow", "--cast", "ann-quist,ann-quist-2", "--persona", "Mira")
    told("say", "twins", "Hello?")
    file = str(tmp_path / f"twins.{ending}")
    told("export", "twins", "--output", file)
    made = told("import", file, "--world", "skerrow", "--title", "Again")

    scene = people.store.worlds.read(Scene, made["scene"])
    assert scene is not None
    assert scene.roster == ("ann-quist", "ann-quist-2")
    assert made["made"] == []
    spoke = [each["speaker_id"] for each in told("show", made["scene"])["messages"]]
    assert spoke == ["mira", "ann-quist", "ann-quist-2"]


def test_characters_with_one_name_who_are_not_known_are_made_each_by_itself(
    people: StageServices, told: Told, tmp_path: Path
) -> None:
    for _ in range(2):
        people.store.worlds.create(Character(id="", name="Dov"))
    told("create", "Twins", "--world", "skerrow", "--cast", "dov,dov-2", "--persona", "Mira")
    told("say", "twins", "Hello?")
    file = str(tmp_path / "twins.jsonl")
    told("export", "twins", "--output", file)
    for id in ("dov", "dov-2"):
        people.store.worlds.remove(Character, id)
    made = told("import", file, "--world", "skerrow")

    assert made["made"] == ["Dov", "Dov"]
    assert len({each["speaker_id"] for each in told("show", made["scene"])["messages"]}) == 3


def test_of_a_foreign_chat_the_caller_says_which_one_speaks(
    people: StageServices, run: Run, told: Told, tmp_path: Path
) -> None:
    people.store.worlds.create(Character(id="", name="Ann Quist"))
    (tmp_path / "chat.jsonl").write_text(CHAT)
    order = ("import", str(tmp_path / "chat.jsonl"), "--world", "skerrow")
    refused = run("scene", *order)
    unknown = run("scene", *order, "--as", "Zog=ann-quist")
    before = len(people.store.worlds.list(Character))
    made = told(*order, "--as", "Ann Quist=ann-quist-2")

    assert (refused[0], "error[ambiguous-name]" in refused[2]) == (2, True)
    assert '--as "Ann Quist=ann-quist"' in " ".join(refused[2].split())
    assert (unknown[0], "error[no-such-speaker]" in unknown[2], before) == (2, True, 4)
    scene = people.store.worlds.read(Scene, made["scene"])
    assert scene is not None
    assert scene.roster == ("dov", "ann-quist-2")


@pytest.mark.parametrize("form", ["markdown", "json", "silly-tavern"])
def test_an_export_to_standard_output_is_all_that_stands_there(
    played: str, run: Run, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    told("export", played, "--to", form, "--output", "kept")

    code, out, err = run("scene", "export", played, "--to", form, "--output", "-")
    both = run("scene", "export", played, "--to", form, "--output", "-", "--json")
    unnamed = run("scene", "export", played, "--output", "-")

    assert (code, out, err) == (0, (tmp_path / "kept").read_text(), "")
    assert (both[0], json.loads(both[1])["code"]) == (2, "two-answers")
    assert (unnamed[0], "error[unknown-format]" in unnamed[2], "--to" in unnamed[2]) == (2, True, True)
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
