"""``penwright manuscript sources``: own sources come in, are found, named, and taken back."""

import json
import re
import shlex
import shutil
import threading
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in
from tests.support.library import TIDES, paper_pdf
from tests.support.title_pages import LAYOUTS, TITLE, Page, typeset
from tests.support.zotero import running_zotero

_REFERENCE = (
    "@article{marsh2019tides, title = {Tides and the sleep of divers}, author = {Marsh, Ann and Li, Bo}, "
    "year = {2019}, journal = {Journal of Tides}, doi = {10.5555/tides.7}}\n"
)


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files: a paper, notes, and a file that is no PDF."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "Tides & sleep (final).pdf").write_bytes(paper_pdf(TIDES, doi="10.5555/tides.7"))
    (folder / "lamps.md").write_text("# Lamps\n\nOil was dear on the rock, wrote the keeper.\n")
    (folder / "half.pdf").write_bytes(b"%PDF-1.7 and no more")
    return folder


def asked(run: Run, *words: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = run("manuscript", "sources", *words, "--json")
    return code, json.loads(out)


@pytest.fixture
def filled(run: Run, novel: Path, papers: Path) -> Path:
    code, done = asked(run, "add", str(novel), *map(str, sorted(papers.iterdir())))
    assert (code, [each["name"] for each in done["added"]]) == (0, ["Tides-sleep-final.pdf", "lamps.md"])
    return novel


def test_files_come_in_as_one_commit_and_one_that_cannot_be_read_is_named(
    run: Run, novel: Path, papers: Path
) -> None:
    before = int(git_in(novel, "rev-list", "--count", "main"))
    code, out, err = run("manuscript", "sources", "add", str(novel), *map(str, sorted(papers.iterdir())))
    assert (code, err) == (0, "")
    assert "2 sources added." in out
    assert "half.pdf' cannot be read" in out
    assert "save it again" in out
    assert int(git_in(novel, "rev-list", "--count", "main")) == before + 1
    assert git_in(novel, "status", "--porcelain") == ""
    assert run("trace", "verify", str(novel))[0] == 0
    code, again = asked(run, "add", str(novel), str(papers / "lamps.md"))
    assert (code, again["added"], again["already_there"]) == (0, [], ["lamps.md"])
    code, none = asked(run, "add", str(novel), str(papers / "half.pdf"), str(papers / "gone.pdf"))
    assert (code, [each["code"] for each in none["refused"]]) == (1, ["document-broken", "no-such-file"])


def test_a_source_is_the_work_that_its_file_or_the_bibliography_says(run: Run, filled: Path) -> None:
    _, listed = asked(run, "list", str(filled))
    lamps, tides = listed["sources"]
    assert (tides["title"], tides["doi"]) == ("Tides and the sleep of divers", "10.5555/tides.7")
    assert tides["authors"] == ["Ann Marsh", "Bo Li"]
    assert (tides["pages"], tides["words"] > 300) == (3, True)
    assert (lamps["title"], lamps["pages"], lamps["words"] > 5) == ("lamps", None, True)


def test_a_question_finds_passages_with_their_pages(run: Run, filled: Path) -> None:
    _, found = asked(run, "search", str(filled), "divers slept less before spring tides")
    first = found["passages"][0]
    assert (first["source"], first["section"], first["page"] > 0) == (
        "Tides-sleep-final.pdf",
        "Results",
        True,
    )
    code, out, _ = run("manuscript", "sources", "search", str(filled), "dear to the keeper")
    assert (code, "lamps.md, Lamps\n  Oil was dear" in out) == (0, True)
    code, out, _ = run("manuscript", "sources", "search", str(filled), "parliament")
    assert (code, out) == (0, "Nothing in the sources is about that.\n")


def test_a_person_says_which_work_a_source_is(run: Run, filled: Path, tmp_path: Path) -> None:
    (tmp_path / "own.bib").write_text(_REFERENCE)
    assert run("cite", "import", str(tmp_path / "own.bib"), "--into", str(filled))[0] == 0
    code, done = asked(run, "identify", str(filled), "lamps.md", "--key", "marsh2019tides")
    assert (code, done["status"]) == (0, "identified")
    _, listed = asked(run, "list", str(filled))
    assert [each["key"] for each in listed["sources"]] == ["marsh2019tides", "marshndtides"]
    assert (filled / "sources/sources.bib").read_text().count("file = {lamps.md}") == 1
    code, done = asked(run, "identify", str(filled), "lamps.md", "--doi", "10.5555/lamps.1")
    assert [each["doi"] for each in asked(run, "list", str(filled))[1]["sources"]] == [
        "10.5555/lamps.1",
        "10.5555/tides.7",
    ]
    for words, wrong in (
        (("lamps.md", "--key", "marsh2019tide"), "no-such-reference"),
        (("lamps.md", "--doi", "tides"), "bad-doi"),
        (("lamp.md", "--doi", "10.5555/x"), "no-such-source"),
        (("lamps.md",), "which-work"),
    ):
        assert asked(run, "identify", str(filled), *words)[1]["code"] == wrong


def test_an_added_file_of_a_known_work_has_its_key(
    run: Run, novel: Path, papers: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.bib").write_text(_REFERENCE)
    assert run("cite", "import", str(tmp_path / "own.bib"), "--into", str(novel))[0] == 0
    _, done = asked(run, "add", str(novel), str(papers / "Tides & sleep (final).pdf"))
    assert [(each["key"], each["year"]) for each in done["added"]] == [("marsh2019tides", 2019)]


def test_what_is_removed_is_found_no_more_and_an_undo_brings_it_back(run: Run, filled: Path) -> None:
    kept = {each.name: each.read_bytes() for each in (filled / "sources").iterdir()}
    code, out, _ = run("manuscript", "sources", "remove", str(filled), "lamps.md")
    assert (code, f"`penwright manuscript sources undo {filled}`" in out) == (0, True)
    assert [each["name"] for each in asked(run, "list", str(filled))[1]["sources"]] == [
        "Tides-sleep-final.pdf"
    ]
    assert asked(run, "search", str(filled), "price of oil on the rock")[1]["passages"] == []
    code, done = asked(run, "undo", str(filled))
    assert (code, done["sources"]) == (0, ["lamps.md"])
    assert {each.name: each.read_bytes() for each in (filled / "sources").iterdir()} == kept
    assert asked(run, "search", str(filled), "price of oil on the rock")[1]["passages"] != []
    asked(run, "undo", str(filled))
    assert not (filled / "sources/lamps.md").exists()


def test_each_undo_goes_one_change_further_back_until_none_is_left(run: Run, filled: Path) -> None:
    asked(run, "identify", str(filled), "lamps.md", "--doi", "10.5555/lamps.1")
    asked(run, "remove", str(filled), "lamps.md")
    code, out, _ = run("manuscript", "sources", "undo", str(filled))
    assert (code, "Taken back: Remove the source lamps.md." in out) == (0, True)
    assert "The change before it: `penwright manuscript sources undo" in out
    assert run("manuscript", "sources", "undo", str(filled))[1].startswith(
        "Taken back: Say which work lamps.md"
    )
    assert [each["doi"] for each in asked(run, "list", str(filled))[1]["sources"]] == ["", "10.5555/tides.7"]
    assert asked(run, "undo", str(filled))[0] == 0
    assert not list((filled / "sources").glob("*"))
    assert asked(run, "list", str(filled))[1]["sources"] == []
    code, _, err = run("manuscript", "sources", "undo", str(filled))
    assert (code, "error[nothing-to-undo]" in err, "nothing more to undo" in err) == (3, True, True)


def test_a_change_after_an_undo_is_the_next_to_be_taken_back(run: Run, filled: Path) -> None:
    asked(run, "remove", str(filled), "lamps.md")
    asked(run, "undo", str(filled))
    asked(run, "remove", str(filled), "Tides-sleep-final.pdf")
    assert asked(run, "undo", str(filled))[1]["sources"] == ["Tides-sleep-final.pdf"]
    assert asked(run, "undo", str(filled))[1]["sources"] == ["Tides-sleep-final.pdf", "lamps.md"]


def test_a_second_file_of_one_work_is_named_in_its_entry_and_both_texts_count(
    run: Run, filled: Path, tmp_path: Path
) -> None:
    preprint = tmp_path / "preprint.pdf"
    preprint.write_bytes(paper_pdf("= Ships\nNo ship sailed that week.", title="Ebb", doi="10.5555/tides.7"))
    code, out, _ = run("manuscript", "sources", "add", str(filled), str(preprint))
    assert (code, "The same work as Tides-sleep-final.pdf" in out) == (0, True)
    _, listed = asked(run, "list", str(filled))
    assert [(each["key"], each["same_work"]) for each in listed["sources"]] == [
        ("anonndlamps", []),
        ("marshndtides", ["Tides-sleep-final.pdf"]),
        ("marshndtides", ["preprint.pdf"]),
    ]
    asked(run, "remove", str(filled), "Tides-sleep-final.pdf")
    assert "file = {preprint.pdf}" in (filled / "sources/sources.bib").read_text()
    asked(run, "undo", str(filled))
    (step,) = re.findall(r"`penwright ([^`]*identify[^`]*--doi DOI)`", out)
    assert run(*shlex.split(step.replace(" DOI", " 10.5555/ebb.1")))[0] == 0
    assert [each["same_work"] for each in asked(run, "list", str(filled))[1]["sources"]] == [[], [], []]


def test_a_year_that_was_guessed_is_marked_until_a_person_says_it(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    (tmp_path / "tides.pdf").write_bytes(typeset(LAYOUTS["undated"]))
    code, out, _ = run("manuscript", "sources", "add", str(novel), str(tmp_path / "tides.pdf"))
    assert (code, "  Marsh and Li, 2019?" in out) == (0, True)
    assert "  year not sure: the file was made then, which says little." in out
    assert "unsure = {year: the file was made then" in (novel / "sources/sources.bib").read_text()
    assert " 2019? " in run("manuscript", "sources", "list", str(novel))[1]
    (step,) = re.findall(r"`penwright ([^`]*identify[^`]*)`", out)
    assert run(*shlex.split(step))[0] == 0
    (source,) = asked(run, "list", str(novel))[1]["sources"]
    assert (source["year"], source["unsure"], source["key"]) == (2019, {}, "marsh2019tides")
    code, _, err = run(
        "manuscript", "sources", "identify", str(novel), "tides.pdf", "--key", "x", "--year", "9999"
    )
    assert (code, "year" in err) == (2, True)


def test_a_file_of_which_only_the_title_is_known_is_its_entry_in_the_bibliography(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    own = f"@book{{orr2001, title = {{{TITLE}}}, author = {{Orr, May}}, year = {{2001}}}}"
    (tmp_path / "own.bib").write_text(own)
    assert run("cite", "import", str(tmp_path / "own.bib"), "--into", str(novel))[0] == 0
    (tmp_path / "t.pdf").write_bytes(
        typeset(Page("#text(17pt)[TITLE]\n\nBODY", described=f'title: "{TITLE}"'))
    )
    _, done = asked(run, "add", str(novel), str(tmp_path / "t.pdf"))
    assert [(each["key"], each["year"], each["unsure"]) for each in done["added"]] == [("orr2001", 2001, {})]


def test_two_files_of_whose_work_nothing_is_known_stay_two(run: Run, novel: Path, tmp_path: Path) -> None:
    for folder, text in (("a", "Oil was dear."), ("b", "Rope was cheap.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "notes.md").write_text(text)
    _, done = asked(run, "add", str(novel), str(tmp_path / "a/notes.md"), str(tmp_path / "b/notes.md"))
    assert [each["same_work"] for each in done["added"]] == [[], []]


def test_each_change_is_pushed_and_a_remote_that_is_away_is_named(
    run: Run, novel: Path, papers: Path, tmp_path: Path
) -> None:
    remote = tmp_path / "remote.git"
    git_in(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git_in(novel, "remote", "add", "origin", str(remote))
    _, done = asked(run, "add", str(novel), str(papers / "lamps.md"))
    assert (done["push"], git_in(remote, "rev-parse", "main")) == (
        "pushed",
        git_in(novel, "rev-parse", "main"),
    )
    asked(run, "remove", str(novel), "lamps.md")
    assert git_in(remote, "rev-parse", "main") == git_in(novel, "rev-parse", "main")
    remote.rename(tmp_path / "gone.git")
    code, out, _ = run("manuscript", "sources", "undo", str(novel))
    assert (code, "Not pushed yet; the next push takes it" in out) == (0, True)
    (tmp_path / "gone.git").rename(remote)
    asked(run, "undo", str(novel))
    assert git_in(remote, "rev-parse", "main") == git_in(novel, "rev-parse", "main")


def test_what_zotero_holds_comes_in_with_its_works(
    run: Run, novel: Path, papers: Path, services: StageServices, tmp_path: Path
) -> None:
    orr = "@article{orr2021, title = {Oil and light}, author = {Orr, May}, year = {2021}}"
    (tmp_path / "oil and light.pdf").write_bytes(paper_pdf("= Oil\nOil was dear on the rock.", title="x"))
    works = {
        "AAAA": ("Tides", _REFERENCE, papers / "Tides & sleep (final).pdf"),
        "BBBB": ("Lamps", orr, tmp_path / "oil and light.pdf"),
        "CCCC": ("Tides", orr, None),
    }
    with running_zotero(works) as address:
        services.settings["PENWRIGHT_SCHOLARLY__ZOTERO"] = address
        code, done = asked(run, "add", str(novel), "--zotero", "Tides")
        assert (code, [(each["key"], each["year"]) for each in done["added"]]) == (
            0,
            [("marsh2019tides", 2019)],
        )
        code, done = asked(run, "add", str(novel), "--zotero")
        assert [(each["name"], each["key"]) for each in done["added"]] == [("oil-and-light.pdf", "orr2021")]
        assert done["already_there"] == ["Tides-sleep-final.pdf"]
        assert asked(run, "add", str(novel), "--zotero", "Lamp")[1]["code"] == "no-such-collection"
    code, silent = asked(run, "add", str(novel), "--zotero")
    assert (code, silent["code"]) == (1, "zotero-silent")
    assert "start Zotero" in str(silent)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[{",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[{",
        b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[{"key":1}]',
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"",
    ],
)
def test_a_zotero_that_dies_in_mid_answer_or_is_another_program_adds_nothing(
    run: Run, novel: Path, services: StageServices, answer: bytes
) -> None:
    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.readline()
            self.wfile.write(answer)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        services.settings["PENWRIGHT_SCHOLARLY__ZOTERO"] = f"http://127.0.0.1:{server.server_address[1]}"
        code, done = asked(run, "add", str(novel), "--zotero")
        server.shutdown()
    assert (code, done["code"]) == (1, "zotero-silent"), done
    assert not (novel / "sources").exists()


def test_an_empty_list_says_how_sources_come_in(run: Run, novel: Path, papers: Path) -> None:
    _, out, _ = run("manuscript", "sources", "list", str(novel))
    step = re.findall(r"`penwright ([^`]+)`", out)[0].replace("FILE", str(papers / "lamps.md"))
    assert run(*shlex.split(step))[0] == 0
    _, out, _ = run("manuscript", "sources", "list", str(novel))
    assert out.splitlines()[1].split() == ["lamps.md", "lamps", "-", "-", "9"]


def test_a_mistake_is_answered_with_a_step_that_helps(
    run: Run, filled: Path, papers: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.bib").write_text(_REFERENCE)
    both = (str(papers / "lamps.md"), str(papers / "half.pdf"), "--doi", "10.5555/x")
    for words in (
        ("add", str(filled), *both),
        ("remove", str(filled), "lamp.md"),
        ("identify", str(filled), "lamps.md", "--key", "marsh2019tides"),
    ):
        code, _, err = run("manuscript", "sources", *words)
        (step,) = re.findall(r"`penwright ([^`]+)`", err)
        step = step.replace("FILE", str(tmp_path / "own.bib")).replace("identify", "identify --help")
        assert (code > 0, run(*shlex.split(step))[0]) == (True, 0), err
    assert (
        run("manuscript", "sources", "identify", str(filled), "lamps.md", "--key", "marsh2019tides")[0] == 0
    )


def test_a_file_that_a_person_committed_is_a_source_and_one_without_a_commit_is_not(
    run: Run, novel: Path, papers: Path
) -> None:
    (novel / "sources").mkdir()
    shutil.copy(papers / "Tides & sleep (final).pdf", novel / "sources" / "by hand.pdf")
    shutil.copy(papers / "half.pdf", novel / "sources" / "half.pdf")
    git_in(novel, "add", "sources/by hand.pdf", "sources/half.pdf")
    git_in(novel, *IDENTITY, "commit", "-qm", "By hand")
    shutil.copy(papers / "lamps.md", novel / "sources" / "lamps.md")
    _, listed = asked(run, "list", str(novel))
    assert [(each["name"], each["key"], bool(each["error"])) for each in listed["sources"]] == [
        ("by hand.pdf", "", False),
        ("half.pdf", "", True),
    ]
    _, found = asked(run, "search", str(novel), "divers slept less before spring tides")
    assert found["passages"][0]["title"] == "Tides and the sleep of divers"
