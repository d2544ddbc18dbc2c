"""``penwright cite audit``: files and documents, for people, as JSON and as SARIF; its exit codes."""

import json
from pathlib import Path

import pytest

from schemas.scholarly import EditorialNotice, Outage
from tests.support.citations.desk import HARBOURS, TIDES
from tests.support.gateway.http import a_novel
from tests.support.gateway.services import Run, StageServices

RIGHT = (
    "@article{lee2020tides,\n  author = {Lee, Ann and Marsh, Jon},\n"
    "  title = {Tides of the northern coast},\n  journal = {Journal of Shores},\n"
    "  year = {2020}, doi = {10.5555/tides.7}\n}\n"
)
SWAPPED = RIGHT.replace("lee2020tides", "lee2020silt").replace("Tides of the northern coast", "On silt")
INVENTED = "@article{orr1999, author = {Orr, M.}, title = {Counterfeit dawns in parishes}, year = {1999}}\n"


@pytest.fixture(autouse=True)
def registries(services: StageServices) -> None:
    services.audits.sources.records = (TIDES, HARBOURS)


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_what_is_right_is_counted_and_the_exit_code_is_0(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("cite", "audit", written(tmp_path, "refs.bib", RIGHT))

    assert (code, out) == (0, "1 entry: 1 found.\n")


def test_what_differs_is_shown_field_by_field_and_an_invented_entry_is_not_found(
    run: Run, tmp_path: Path
) -> None:
    code, out, _ = run("cite", "audit", written(tmp_path, "refs.bib", RIGHT + SWAPPED + INVENTED))

    lines = out.splitlines()
    assert (code, lines[0]) == (1, "3 entries: 1 found, 1 differ, 1 not found.")
    assert [line.split()[:2] for line in lines[2:]] == [["not", "found"], ["differs", "lee2020silt"]]
    assert f"{tmp_path}/refs.bib:7  " in lines[3]
    assert "title: On silt → Tides of the northern coast" in lines[3]


def test_a_retraction_names_its_notice_and_day(run: Run, services: StageServices, tmp_path: Path) -> None:
    notice = EditorialNotice(kind="retraction", source="crossref", doi="10.5555/notice.1", date="2024-05-01")
    services.audits.sources.records = (TIDES.model_copy(update={"notices": (notice,)}),)

    code, out, _ = run("cite", "audit", written(tmp_path, "refs.bib", RIGHT))

    assert code == 1
    assert "retraction of 2024-05-01 by crossref, https://doi.org/10.5555/notice.1" in out


def test_a_correction_is_told_and_is_not_wrong(run: Run, services: StageServices, tmp_path: Path) -> None:
    notice = EditorialNotice(kind="correction", source="crossref")
    services.audits.sources.records = (TIDES.model_copy(update={"notices": (notice,)}),)

    code, out, _ = run("cite", "audit", written(tmp_path, "refs.bib", RIGHT), "--json")

    assert (code, json.loads(out)["status"], json.loads(out)["counts"]) == (0, "clean", {"corrected": 1})


def test_an_identifier_that_no_registry_knows_is_dead_where_the_work_exists(run: Run, tmp_path: Path) -> None:
    dead = RIGHT.replace("10.5555/tides.7", "10.5555/tides.70000")

    code, out, _ = run("cite", "audit", written(tmp_path, "refs.bib", dead), "--json")

    (entry,) = json.loads(out)["entries"]
    assert (code, entry["state"]) == (1, "dead")
    assert entry["reason"] == (
        "the work exists, but no registry that was asked knows DOI 10.5555/tides.70000"
    )


def test_a_registry_that_is_out_has_an_exit_code_of_its_own(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    out_for = Outage(source="crossref", reason="rate-limited", retry_after=3600)
    services.audits.sources.outages["crossref"] = out_for

    code, out, _ = run("cite", "audit", written(tmp_path, "refs.bib", RIGHT + INVENTED))

    assert (code, out.splitlines()[0]) == (4, "2 entries: 2 unreachable.")
    assert "crossref rate-limited, for 60 min" in out
    assert "`--wait` asks again" in out


def test_a_text_is_read_with_the_bibliography_beside_it(run: Run, tmp_path: Path) -> None:
    written(tmp_path, "references.bib", RIGHT)
    text = written(tmp_path, "paper.md", "It rises [@lee2020tides]. It falls [@nobody].\n")

    code, out, _ = run("cite", "audit", text)

    assert (code, out.splitlines()[0]) == (1, "1 entry: 1 found.")
    assert "paper.md:1: nothing says what 'nobody' is" in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("export.ris", "TY  - JOUR\nAU  - Lee, Ann\nAU  - Marsh, Jon\nTI  - Tides of the northern coast\n"
         "PY  - 2020\nDO  - 10.5555/tides.7\nER  -\n"),
        ("items.json", json.dumps([{
            "id": "lee2020", "type": "article-journal", "title": "Tides of the northern coast",
            "author": [{"family": "Lee", "given": "Ann"}, {"family": "Marsh", "given": "Jon"}],
            "issued": {"date-parts": [[2020]]}, "DOI": "10.5555/tides.7"}])),
    ],
)  # fmt: skip
def test_references_of_other_programs_are_audited(name: str, text: str, run: Run, tmp_path: Path) -> None:
    code, out, _ = run("cite", "audit", written(tmp_path, name, text))

    assert (code, out) == (0, "1 entry: 1 found.\n")


def test_sarif_has_a_result_with_its_line_for_each_entry_that_is_not_right(run: Run, tmp_path: Path) -> None:
    bib, log = written(tmp_path, "refs.bib", RIGHT + SWAPPED), tmp_path / "audit.sarif"

    run("cite", "audit", bib, "--sarif", str(log))
    again = run("cite", "audit", bib, "--sarif", str(log))

    (made,) = json.loads(log.read_text())["runs"]
    (result,) = made["results"]
    place = result["locations"][0]["physicalLocation"]
    assert again[0] == 1
    assert (result["ruleId"], result["level"]) == ("differs", "error")
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (bib, 7)
    assert result["ruleId"] in {each["id"] for each in made["tool"]["driver"]["rules"]}


def test_a_document_of_the_desk_is_audited_and_put_on_a_timetable(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    novel = a_novel(services, tmp_path / "ebb")
    inline = f"# Ebb\n\nIt rises. [[{' '.join(RIGHT.split())}]]\n"
    run("manuscript", "import", written(tmp_path, "draft.md", inline), "--into", novel, "--scene", "one")

    code, out, err = run("cite", "audit", novel, "--scene", "one", "--json")
    scheduled = run("cite", "audit", novel, "--scene", "one", "--every", "7d")
    ended = run("cite", "audit", novel, "--scene", "one", "--never")
    twice = run("cite", "audit", novel, "--scene", "one", "--never")

    assert (code, json.loads(out)["counts"]) == (0, {"found": 1}), err
    assert (scheduled[0], f"{novel}/one is audited every 7d, next at 20" in scheduled[1]) == (0, True)
    assert (ended[0], twice[0], "error[not-scheduled]" in twice[2]) == (0, 3, True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nothing.bib",), "no-such-file"),
        (("refs.bib", "elsewhere"), "files-or-novel"),
        (("refs.bib", "--scene", "one"), "scene-of-a-file"),
        (("refs.bib", "--every", "7d"), "schedules-no-file"),
        (("paper.docx",), "unknown-reference-format"),
    ],
)
def test_what_cannot_be_audited_is_refused_by_name(
    arguments: tuple[str, ...], code: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("refs.bib", "paper.docx"):
        written(tmp_path, name, RIGHT)

    done, _, err = run("cite", "audit", *arguments)

    assert (done != 0, f"error[{code}]" in err) == (True, True), err
