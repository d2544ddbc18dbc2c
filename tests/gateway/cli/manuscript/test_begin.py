"""``penwright manuscript new`` and ``import``."""

import json
import subprocess
from pathlib import Path

import pytest

from penwright.domain.manuscript.config import read_novel
from tests.gateway.cli.manuscript.conftest import DRAFT
from tests.support.books.repos import make_repository
from tests.support.cited_documents import cited_document
from tests.support.each import for_each
from tests.support.gateway.services import Run, StageServices, git_in


def test_a_new_novel_is_one_commit_with_its_settings_and_an_intent(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "tides"

    code, out, err = run(
        "manuscript", "new", str(place), "--title", 'Low "Tide"', "--language", "en-GB", "--json"
    )

    made = json.loads(out)
    config = read_novel((place / "Novel.yml").read_text())
    assert (code, err, made["status"]) == (0, "", "created")
    assert (config.title, config.language, config.id) == ('Low "Tide"', "en-GB", made["novel_id"])
    assert git_in(place, "rev-list", "--count", "main") == "1"
    assert set(git_in(place, "ls-files").splitlines()) == {
        ".gitignore",
        ".orchestration/active_intents.yaml",
        "Novel.yml",
        "scenes/.gitkeep",
    }


def test_a_novel_is_registered_and_found_by_its_id(run: Run, services: StageServices, novel: Path) -> None:
    _, out, _ = run("manuscript", "list", "--json")
    (row,) = json.loads(out)["novels"]
    head, line, folder = run("manuscript", "list")[1].splitlines()

    code, out, _ = run("manuscript", "show", row["book_id"])

    assert (row["title"], row["path"]) == ("Low Tide", str(novel))
    assert head.split() == ["novel", "scene", "state", "words", "score", "cost"]
    assert (line.split()[:3], folder.strip()) == ([row["book_id"], "-", "idle"], str(novel))
    assert (code, out) == (0, DRAFT)


def test_novels_and_books_are_in_lists_of_their_own(run: Run, book: Path, novel: Path) -> None:
    _, books, _ = run("book", "list", "--json")
    _, novels, _ = run("manuscript", "list", "--json")

    assert str(novel) not in books
    assert [row["path"] for row in json.loads(novels)["novels"]] == [str(novel)]


def test_a_repository_that_exists_becomes_a_novel_and_keeps_its_files(run: Run, tmp_path: Path) -> None:
    place = make_repository(tmp_path / "paper", {"manuscript.md": "# Ebb\n", ".gitignore": "*.log\n"})

    refused, _, err = run("manuscript", "new", str(place))
    kept, out, _ = run("manuscript", "new", str(place), "--keep", "--json")

    assert (refused, "error[would-overwrite]" in err, kept) == (3, True, 0)
    assert (place / ".gitignore").read_text() == "*.log\n"
    assert "Novel.yml" in json.loads(out)["files"]
    assert run("manuscript", "show", str(place))[1] == "# Ebb\n"


@pytest.mark.parametrize("verb", ["book init", "manuscript new"])
def test_a_novel_is_not_laid_out_over(run: Run, novel: Path, verb: str) -> None:
    code, _, err = run(*verb.split(), str(novel), *(["--agent"] if verb == "book init" else []))

    assert (code, "already-a-novel" in err or "already-a-novel" in _) == (3, True)


def test_a_book_is_not_made_a_novel(run: Run, book: Path) -> None:
    code, _, err = run("manuscript", "new", str(book))

    assert (code, "error[already-a-book]" in err) == (3, True)


@for_each(
    "line, code, said",
    [
        ('title: "Tides"\ntitel: x', "novel-wrong-value", "line 2: 'titel' is no key of this file"),
        ("author: x", "novel-missing-key", "'title' is missing"),
        ("title: [", "novel-broken-yaml", "invalid YAML"),
        ("title: 1984", "novel-wrong-value", "must be text"),
        ('title: " "', "novel-wrong-value", "must not be empty"),
        ("title: a\ntitle: b", "novel-duplicate-key", "duplicate key 'title'"),
        ("title: a\nlanguage: english please", "novel-wrong-value", "'language' must match"),
        ("title: a\ncitation_style: ../../etc/x.csl", "novel-wrong-value", "inside the novel's folder"),
        ("title: a\nid: Über", "bad-novel-id", "is not a novel's id"),
    ],
)
def test_what_is_wrong_with_the_settings_is_said_with_its_line(
    run: Run, novel: Path, line: str, code: str, said: str
) -> None:
    (novel / "Novel.yml").write_text(line + "\n")
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qam", "break")

    status, _, err = run("manuscript", "show", str(novel))

    assert status in (1, 2)
    assert f"error[{code}]" in err
    assert said in err


def test_a_folder_that_is_no_novel_says_how_to_make_one(run: Run, book: Path, tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "bare")

    for folder, command in ((bare, "manuscript new"), (book, "book status")):
        code, _, err = run("manuscript", "show", str(folder))

        assert (code, "error[novel-missing]" in err) == (1, True)
        assert f"penwright {command} {folder}" in err


def test_a_copy_is_a_novel_of_its_own_and_a_second_clone_is_not(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    copy, clone = tmp_path / "copy", tmp_path / "clone"
    remote = tmp_path / "remote.git"
    subprocess.run(["cp", "-r", str(novel), str(copy)], check=True)
    git_in(novel, "clone", "-q", "--bare", ".", str(remote))
    git_in(novel, "remote", "add", "origin", str(remote))
    git_in(novel, "clone", "-q", str(remote), str(clone))

    ids = [
        json.loads(run("manuscript", "show", str(place), "--json")[1])["novel_id"]
        for place in (novel, copy, clone)
    ]

    assert ids[0] == ids[2] != ids[1]


def paper(folder: Path, abstract: str) -> Path:
    source = folder / "paper.tex"
    source.write_text(
        f"\\title{{Ebb}}\\begin{{document}}\\begin{{abstract}}{abstract}\\end{{abstract}}"
        "\\section{One} Low.\\end{document}"
    )
    return source


def test_the_abstract_of_a_new_paper_is_in_its_settings(run: Run, tmp_path: Path) -> None:
    source, place = paper(tmp_path, "We count boats.\n\nTwice."), tmp_path / "ebb"

    _, out, _ = run("manuscript", "import", str(source), "--into", str(place), "--json")

    assert read_novel((place / "Novel.yml").read_text()).abstract == "We count boats.\n\nTwice."
    assert (place / "manuscript.md").read_text() == "# One\n\nLow.\n"
    assert json.loads(out)["notes"] == ["its abstract is in Novel.yml"]


def test_an_abstract_that_the_settings_cannot_hold_is_the_first_section(run: Run, tmp_path: Path) -> None:
    source, place = paper(tmp_path, "We count \\emph{boats} \\cite{a}."), tmp_path / "ebb"

    _, out, _ = run("manuscript", "import", str(source), "--into", str(place), "--json")

    text = "# Abstract\n\nWe count *boats* [@a].\n\n# One\n\nLow.\n"
    assert (place / "manuscript.md").read_text() == text
    assert json.loads(out)["notes"] == ["its abstract is the first section of the text"]


def test_the_abstract_of_a_scene_is_its_first_section(run: Run, novel: Path, tmp_path: Path) -> None:
    source = paper(tmp_path, "We count boats.")

    _, out, _ = run("manuscript", "import", str(source), "--into", str(novel), "--scene", "The Pier")

    assert (novel / "scenes/The Pier.md").read_text().startswith("# Abstract\n\nWe count boats.\n\n# One\n")
    assert f"manuscript show {novel} 'The Pier'" in out


def test_a_new_folder_may_be_a_bare_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.md").write_text("Low.\n")

    code, _, err = run("manuscript", "import", "x.md", "--into", "ebb")

    assert (code, err) == (0, "")
    assert (tmp_path / "ebb/manuscript.md").read_text() == "Low.\n"


def test_a_bare_name_may_be_an_id_while_the_engine_is_down(
    run: Run, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    services.runs = False
    (tmp_path / "x.md").write_text("Low.\n")

    code, _, err = run("manuscript", "import", "x.md", "--into", "ebb")

    assert (code, "error[unknown-novel]" in err) == (1, True)
    assert not (tmp_path / "ebb").exists()


def test_a_text_becomes_a_novel_in_a_new_folder(run: Run, tmp_path: Path) -> None:
    source, place = tmp_path / "ebb.tex", tmp_path / "ebb"
    source.write_text(
        "\\title{Ebb}\\author{M. Orr}\\begin{document}\\section{One} Low \\cite{orr2020} by $x$. \\input{two}"
        "\\end{document}"
    )

    code, out, _ = run("manuscript", "import", str(source), "--into", str(place), "--json")

    made = json.loads(out)
    assert (code, made["format"], made["scene"]) == (0, "latex", "-")
    assert made["notes"] == ["files that it includes, left out: 1; import each as a scene"]
    assert (place / "manuscript.md").read_text() == "# One\n\nLow [@orr2020] by $x$.\n"
    assert read_novel((place / "Novel.yml").read_text()).title == "Ebb"


def test_a_text_file_comes_in_escaped_but_for_headings_notes_and_citations(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    kept = "# Ebb\n\n<!-- INK: why -->\n\nIt rose [@orr2020tide].\n\n* * *\n"
    text = f"{kept}\n[Tessa]: Yes.\n\n- No, he said.\n\n1984. A year, <b>not</b> a list.\n"
    (tmp_path / "ebb.txt").write_text(text, encoding="utf-8")

    run("manuscript", "import", str(tmp_path / "ebb.txt"), "--into", str(novel), "--scene", "a")

    there = run("manuscript", "show", str(novel), "a")[1]
    assert there.startswith(kept)
    assert there.endswith("\\[Tessa]: Yes.\n\n\\- No, he said.\n\n1984\\. A year, \\<b>not\\</b> a list.\n")


def test_a_latex_source_is_read_in_the_encoding_that_it_names(run: Run, tmp_path: Path) -> None:
    source, place = tmp_path / "ebb.tex", tmp_path / "ebb"
    source.write_bytes(
        "\\usepackage[latin2]{inputenc}\\begin{document}Pátý člun\\end{document}".encode("latin2")
    )

    code, _, _ = run("manuscript", "import", str(source), "--into", str(place), "--json")

    assert (code, (place / "manuscript.md").read_text()) == (0, "Pátý člun\n")


ORR = {"id": 1, "type": "book", "title": "Tides", "author": [{"family": "Orr"}], "issued": {"raw": "2020"}}
LEE = {"id": 2, "title": "Ebb", "author": [{"family": "Lee"}]}
KNOWN = "@book{tides, title={Tides}, author={Orr}, year={2020}}\n@book{leendebb, title={Other}}\n"


def test_citations_of_a_document_come_with_their_records(run: Run, tmp_path: Path) -> None:
    source, place = tmp_path / "ebb.docx", tmp_path / "ebb"
    source.write_bytes(cited_document("Low", [ORR]))

    code, _, _ = run("manuscript", "import", str(source), "--into", str(place), "--json")

    assert (code, (place / "manuscript.md").read_text()) == (0, "Low [@orr2020tides]\n")
    assert "@book{orr2020tides," in (place / "references.bib").read_text()


def test_a_scene_cites_works_by_the_keys_that_the_novel_has_for_them(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    known, source = tmp_path / "known.bib", tmp_path / "ebb.docx"
    known.write_text(KNOWN)
    source.write_bytes(cited_document("Low", [ORR], [LEE]))
    run("cite", "import", str(known), "--into", str(novel))

    code, _, _ = run("manuscript", "import", str(source), "--into", str(novel), "--scene", "low", "--json")

    (scene,) = novel.rglob("low.md")
    assert (code, scene.read_text()) == (0, "Low [@tides][@leendaebb]\n")
    assert "@misc{leendaebb," in (novel / "references.bib").read_text()


def test_a_scene_is_added_as_a_persons_text_and_not_over_another(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    source = tmp_path / "pier.md"
    source.write_bytes(b"# The Pier\r\n\r\nFog.\r\n")
    order = ("manuscript", "import", str(source), "--into", str(novel), "--scene", "The Pier")

    added, again = run(*order), run(*order)
    source.write_text("# The Pier\n\nWind.\n")
    refused, forced = run(*order), run(*order, "--force")

    assert (added[0], again[0], refused[0], forced[0]) == (0, 3, 3, 0)
    assert "error[scene-exists]" in refused[2]
    assert (novel / "scenes/The Pier.md").read_text() == "# The Pier\n\nWind.\n"
    trailers = git_in(novel, "log", "-1", "--format=%(trailers:only)")
    assert "Penwright-Contributor: human" in trailers


@for_each("name", ["../x", "a/b", ".hidden", "x.md", "a..b", "con", "x" * 90, "e\u0301", " "])
def test_a_name_that_no_scene_can_have_is_a_mistake(run: Run, novel: Path, tmp_path: Path, name: str) -> None:
    before = git_in(novel, "rev-parse", "main")

    code, _, err = run(
        "manuscript", "import", str(tmp_path / "draft.md"), "--into", str(novel), "--scene", name
    )

    assert (code, "error[bad-scene-name]" in err) == (2, True)
    assert git_in(novel, "rev-parse", "main") == before


@for_each(
    "name, content, code",
    [
        ("x.md", b"a\0b", "source-not-text"),
        ("x.md", b" \n", "source-not-text"),
        ("x.pdf", b"%PDF-1.7", "unknown-format"),
        ("x.docx", b"no archive", "document-broken"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_name(
    run: Run, novel: Path, tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    (tmp_path / name).write_bytes(content)

    status, _, err = run("manuscript", "import", str(tmp_path / name), "--into", str(novel), "--scene", "x")

    assert status == 2
    assert f"error[{code}]" in err


@pytest.mark.parametrize(
    ("option", "kind"),
    [([], "human"), (["--authorship", "mixed"], "mixed"), (["--authorship", "unknown"], "unknown")],
)
def test_a_text_that_makes_a_novel_is_its_persons_unless_declared_otherwise(
    run: Run, tmp_path: Path, option: list[str], kind: str
) -> None:
    source, place = tmp_path / "pier.md", tmp_path / "pier"
    source.write_text("# The Pier\n\nThe keeper counts the lamps.\n")
    run("manuscript", "import", str(source), "--into", str(place), *option)

    _, out, _ = run("trace", "disclose", str(place), "--json")
    code, verified, _ = run("trace", "verify", str(place), "--json")

    total = json.loads(out)["total"]
    assert total[kind] == total["words"] == 8
    # Nothing is recorded before the first run, so nothing can be called clean.
    assert (code, json.loads(verified)["clean"]) == (0, False)
    assert {each["code"] for each in json.loads(verified)["findings"]} == {"HUMAN_UNTRACED", "NO_LEDGER"}


def test_a_disclosure_of_a_novel_covers_every_scene_of_it(run: Run, novel: Path, tmp_path: Path) -> None:
    source = tmp_path / "pier.md"
    source.write_text("# The Pier\n\nTwo lamps burn.\n")
    run("manuscript", "import", str(source), "--into", str(novel), "--scene", "pier")

    _, out, _ = run("trace", "disclose", str(novel), "--json")
    _, told, _ = run("trace", "disclose", str(novel))
    _, listed, _ = run("manuscript", "list", str(novel), "--json")

    found = json.loads(out)
    assert found["paths"] == ["manuscript.md", "scenes/pier.md"]
    assert found["total"]["words"] == sum(each["words"] for each in json.loads(listed)["scenes"]) == 21
    assert "scenes/pier.md: The Pier" in told


def test_a_disclosure_of_a_novel_that_has_scenes_only_covers_them(run: Run, tmp_path: Path) -> None:
    source, place = tmp_path / "pier.md", tmp_path / "tides"
    run("manuscript", "new", str(place))
    for scene in ("pier", "boat"):
        source.write_text(f"# The {scene}\n\nTwo lamps burn.\n")
        run("manuscript", "import", str(source), "--into", str(place), "--scene", scene)

    code, out, _ = run("trace", "disclose", str(place), "--json")

    assert (code, json.loads(out)["paths"]) == (0, ["scenes/boat.md", "scenes/pier.md"])
    assert json.loads(out)["total"] == {
        **dict.fromkeys(("ai", "mixed", "edited", "ambiguous", "unknown"), 0),
        **{"words": 12, "human": 12},
    }


def test_settings_mended_in_the_folder_count_though_broken_ones_were_committed(run: Run, novel: Path) -> None:
    sound = (novel / "Novel.yml").read_text()
    (novel / "Novel.yml").write_text("title: [\n")
    git_in(novel, "-c", "user.name=A", "-c", "user.email=a@e.org", "commit", "-qam", "break")
    code, _, err = run("manuscript", "list", str(novel))
    assert (code, "next: correct Novel.yml" in err, "manuscript list" in err) == (1, True, True)

    (novel / "Novel.yml").write_text(sound)

    assert run("manuscript", "show", str(novel))[0] == 0
    assert run("manuscript", "list", str(novel))[0] == 0


def test_a_list_says_which_file_in_the_folder_cannot_be_taken(run: Run, novel: Path) -> None:
    (novel / "manuscript.md").write_bytes(b"caf\xe9\n")
    assert "the folder's file is not UTF-8" in run("manuscript", "list", str(novel))[1]

    (novel / "manuscript.md").unlink()
    (novel / "manuscript.md").mkdir()
    assert "a folder in its place" in run("manuscript", "list", str(novel))[1]
