"""``penwright cite import``, ``check``, ``scan --estimate`` and a failed ``scan``: no model, no engine."""

import json
from pathlib import Path
from typing import Any

import pytest

from penwright.domain.citations.scanning import status
from penwright.domain.citations.scanning.research import nothing_found
from schemas.base import BlobRef
from schemas.citation_scan import CitationScanInput, CitationScanState, RecordsGathered
from schemas.citations import TargetStanding
from schemas.manuscript import ManuscriptInput
from tests.support.each import for_each
from tests.support.gateway.advised_states import ends_of_steps
from tests.support.gateway.services import IDENTITY, RehearsedRuns, Run, StageServices, git_in

NO_RECORDS = BlobRef(sha256="0" * 64, size=0)
BIBTEX = "@article{lee2020tides, title = {The tides}, author = {Lee, Ann}, year = {2020}}\n"
RIS = "TY  - JOUR\nAU  - Lee, Ann\nTI  - The tides\nPY  - 2020\nDO  - 10.1000/tide.7\nER  -\n"
CSL = json.dumps(
    [
        {
            "id": "lee2020tides",
            "type": "article-journal",
            "title": "The tides",
            "author": [{"family": "Lee", "given": "Ann"}],
            "issued": {"date-parts": [[2020]]},
        }
    ]
)


@pytest.fixture
def novel(run: Run, tmp_path: Path) -> Path:
    place = tmp_path / "tides"
    code, _, err = run("manuscript", "new", str(place), "--title", "Low Tide", "--author", "M. Orr")
    assert (code, err) == (0, "")
    return place


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("library.bib", BIBTEX), ("export.ris", RIS), ("items.json", CSL)],
)
def test_references_come_in_from_each_format_once_and_as_one_commit(
    name: str, text: str, run: Run, novel: Path, tmp_path: Path
) -> None:
    file = written(tmp_path, name, text)
    before = int(git_in(novel, "rev-list", "--count", "main"))

    code, out, err = run("cite", "import", file, "--into", str(novel), "--json")
    again = run("cite", "import", file, "--into", str(novel))

    assert (code, err, json.loads(out)["added"]) == (0, "", ["lee2020tides"])
    assert "{The tides}" in git_in(novel, "show", "main:references.bib")
    assert again[0] == 0
    assert "0 references added" in again[1]
    assert "ALREADY_THERE" in again[1]
    assert int(git_in(novel, "rev-list", "--count", "main")) == before + 1


def test_a_format_is_named_where_the_file_does_not_say_it(run: Run, novel: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "refs.txt", RIS)

    refused = run("cite", "import", file, "--into", str(novel))
    taken = run("cite", "import", file, "--into", str(novel), "--format", "ris")

    assert (refused[0], "error[unknown-reference-format]" in refused[2]) == (2, True)
    assert (taken[0], "1 reference added" in taken[1]) == (0, True)


@pytest.mark.parametrize("text", ["", "[{]", '{"id": 1}', "[]"])
def test_an_import_of_nothing_exits_with_1(text: str, run: Run, novel: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "items.json", text)

    code, out, _ = run("cite", "import", file, "--into", str(novel))

    assert (code, out.splitlines()[0]) == (1, "0 references added, 1 remark.")


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [("none.bib", None, "no-such-file"), ("picture.bib", bytes(range(128, 256)) * 9, "references-not-text")],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(
    name: str, content: bytes | None, code: str, run: Run, novel: Path, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)

    done, _, err = run("cite", "import", str(tmp_path / name), "--into", str(novel))

    assert (done != 0, f"error[{code}]" in err) == (True, True)


@for_each("name, encoding", [("tides.bib", "cp1252"), ("tides.ris", "cp1250"), ("tides.json", "gb18030")])
def test_references_in_another_encoding_come_in_and_the_guess_is_said(
    name: str, encoding: str, run: Run, novel: Path, tmp_path: Path
) -> None:
    title = {"cp1252": "Über Wehre", "cp1250": "Źródła i jazy na Wiśle", "gb18030": "河流与水坝"}[encoding]
    text = {
        ".bib": f"@book{{a, title={{{title}}}, year={{2010}}}}",
        ".ris": f"TY  - BOOK\r\nTI  - {title}\r\nPY  - 2010\r\nER  - \r\n",
        ".json": f'[{{"type": "book", "title": "{title}"}}]',
    }
    file = tmp_path / name
    file.write_bytes(text[file.suffix].encode(encoding))

    guessed = run("cite", "import", str(file), "--into", str(novel), "--json")
    named = run("cite", "import", str(file), "--into", str(novel), "--encoding", encoding, "--json")

    findings = json.loads(guessed[1])["findings"]
    assert [each["code"] for each in findings] == ["ENCODING_GUESSED"]
    assert encoding in findings[0]["message"]
    assert f"{{{title}}}" in git_in(novel, "show", "main:references.bib")
    assert [each["code"] for each in json.loads(named[1])["findings"]] == ["ALREADY_THERE"]


def test_a_broken_entry_is_named_with_its_line_and_the_others_come_in(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    file = written(tmp_path, "some.bib", "@book{b, title={y}\n" + BIBTEX)

    code, out, _ = run("cite", "import", file, "--into", str(novel), "--json")

    told = json.loads(out)
    assert (code, told["added"]) == (0, ["lee2020tides"])
    assert [(each["code"], each["line"]) for each in told["findings"]] == [("BROKEN_ENTRY", 1)]


def test_what_is_wrong_with_the_citations_of_a_text_is_named_and_nothing_is_changed(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    text = (
        "# Ebb\n\nIt falls [[@book{a, title = {One}}]]. It rises [[@book{a, title = {Two}}]]. So [[@book{c.\n"
    )
    run("manuscript", "import", written(tmp_path, "draft.md", text), "--into", str(novel))
    before = git_in(novel, "rev-parse", "main")

    code, out, _ = run("cite", "check", str(novel), "--json")

    told = json.loads(out)
    assert (code, told["citations"]) == (1, 2)
    assert {each["code"] for each in told["findings"]} >= {"UNBALANCED_CITATION"}
    assert any("'a'" in each["message"] for each in told["findings"])
    assert git_in(novel, "rev-parse", "main") == before


def test_a_text_without_faults_is_checked_with_0(run: Run, novel: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "draft.md", "# Ebb\n\nIt falls. [[@book{a, title = {One}}]]\n")
    run("manuscript", "import", file, "--into", str(novel))

    assert run("cite", "check", str(novel))[:2] == (0, "1 citation, 0 faults.\n")


def test_an_estimate_names_calls_and_money_and_needs_no_engine(
    run: Run, novel: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "# Ebb\n\nThe water falls twice a day. Harbours fill with silt.\n"
    run("manuscript", "import", written(tmp_path, "draft.md", text), "--into", str(novel))

    _, shown, _ = run("cite", "scan", str(novel), "--estimate")
    services.runs = False
    code, out, err = run("cite", "scan", str(novel), "--max-targets", "1", "--estimate", "--json")

    told = json.loads(out)
    assert (code, err) == (0, "")
    assert (told["status"], told["sentences"], told["targets"]) == ("estimated", 2, 1)
    assert [each["role"] for each in told["roles"]] == ["citation-orchestrator", "citation-generator"]
    assert told["calls"] == sum(each["calls"] for each in told["roles"]) > 0
    assert (told["cost_micros"], told["unknown_prices"]) == (0, 0)
    assert "at most 2 are looked up" in shown
    assert "nothing was started" in shown


THESIS = r"""\documentclass{article}\begin{document}\section{Tides}\label{sec:a}
As \citet{lee2020tides} and \citet{ghost1999} show, it rose \citep[see][p.~3]{lee2020tides}, see
Figure~\ref{fig:a} and page~\pageref{fig:a}. % \ref{none}
\begin{figure}\includegraphics{a.png}\caption{A tide.}\label{fig:a}\end{figure}
\end{document}
"""


def test_a_textual_citation_of_an_imported_paper_is_in_its_bibliography_or_named(
    run: Run, tmp_path: Path
) -> None:
    """What the document cites is exported with its entry, and losses of the import are counted."""
    paper = tmp_path / "paper"
    source, bib = written(tmp_path, "thesis.tex", THESIS), written(tmp_path, "refs.bib", BIBTEX)

    code, imported, err = run("manuscript", "import", source, "--into", str(paper), "--json")
    run("cite", "import", bib, "--into", str(paper))
    _, checked, _ = run("cite", "check", str(paper), "--json")
    _, exported, _ = run("manuscript", "export", str(paper), "--output", str(tmp_path / "out.tex"), "--json")

    assert (code, err) == (0, "")
    assert "cross-references turned into plain text: 2" in imported
    assert "without their figure: 1" in imported
    assert json.loads(checked)["citations"] == 3
    assert [each["key"] for each in json.loads(checked)["findings"]] == ["ghost1999"]
    assert "lee2020tides" in (tmp_path / "out.bib").read_text()
    assert "ghost1999" in json.loads(exported)["warnings"][0]


class UnansweredScans(RehearsedRuns):
    """Scans of one sentence, for which no registry answers; once they do, of none."""

    unanswered = True

    async def start(self, given: ManuscriptInput | CitationScanInput) -> bool:
        assert isinstance(given, CitationScanInput)
        none = RecordsGathered(records=NO_RECORDS, outages=("crossref (unreachable)",), unanswered=True)
        why = nothing_found(none)
        standing = TargetStanding(number=1, state="failed", code=why.code, message=why.message)
        standings = (standing,) if self.unanswered else ()
        self.scanned = status.result(given, CitationScanState(standings=standings))
        return True

    async def result(self, name: str) -> Any:  # Any: a scan's, where a run has another
        return self.scanned


def test_a_scan_that_no_registry_answers_exits_with_1_and_says_so_first(
    run: Run, novel: Path, services: StageServices, tmp_path: Path
) -> None:
    run("manuscript", "import", written(tmp_path, "draft.md", "# Ebb\n\nIt falls.\n"), "--into", str(novel))
    services.scans = scans = UnansweredScans()

    code, out, err = run("cite", "scan", str(novel))
    failed, told, _ = run("cite", "scan", str(novel), "--json")
    scans.unanswered = False
    followed = ends_of_steps(run, err)

    first, *more = err.splitlines()
    ended = json.loads(told)
    assert (code, out) == (1, "")
    assert first.startswith("error[registries-unreachable]: no registry answered: crossref (unreachable)")
    assert "`penwright cite scan " in more[0]
    assert (failed, ended["status"], ended["code"]) == (1, "error", "registries-unreachable")
    assert (ended["counts"]["failed"], "`penwright cite scan " in ended["next"]) == (1, True)
    assert followed == [0, 0]


def test_a_work_that_is_cited_under_two_keys_is_named(run: Run, novel: Path, tmp_path: Path) -> None:
    twin = BIBTEX.replace("lee2020tides", "tides").replace("{2020}", "{2020}, note = {Read}")
    text = "# Ebb\n\nIt rises [@lee2020tides].\n\nIt falls [@tides].\n"
    run("manuscript", "import", written(tmp_path, "draft.md", text), "--into", str(novel))
    written(novel, "references.bib", f"{BIBTEX}\n{twin}")
    git_in(novel, "add", ".")
    git_in(novel, *IDENTITY, "commit", "-q", "-m", "By hand")

    code, out, _ = run("cite", "check", str(novel), "--json")
    _, exported, _ = run("manuscript", "export", str(novel), "--output", str(tmp_path / "o.tex"), "--json")

    found = [(each["code"], each["key"], each["line"]) for each in json.loads(out)["findings"]]
    assert (code, found) == (1, [("TWO_KEYS", "tides", 5)])
    assert "name one work" in json.loads(exported)["warnings"][0]
