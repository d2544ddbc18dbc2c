"""``penwright manuscript export --evidence`` and ``penwright trace check``: the copy, and what it says."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from penwright.domain.citations.scanning.storing import KeptTarget, rows_of
from schemas.agent_state import StateChanges, StateKey, WriteState
from schemas.base import OpId
from schemas.citations import CitationChange, CitationProposal, CitationTarget, FoundWork, TargetStanding
from schemas.scholarly import Author
from tests.support.citations.rehearsed import NEXT_RUN
from tests.support.gateway.services import Run, StageServices

ENTRY = (
    "@article{lee2020tides, author = {Lee, Ann}, title = {Tides of the northern coast}, year = {2020}, "
    "doi = {10.5555/tides.7}, url = {https://doi.org/10.5555/tides.7}}"
)
SENTENCE = "The water rises twice a day."
DRAFT = (
    f"# Ebb\n\n{SENTENCE} [[{ENTRY}]] Nobody asks why [[@misc{{orr1999, title = {{Lamps}}}}]].\n\n"
    "潮水退了。灯灭了。\n"
)
WORK = FoundWork(
    source="crossref",
    doi="10.5555/tides.7",
    title="Tides of the northern coast",
    authors=(Author(family="Lee", given="Ann"),),
    passage="The water rises twice a day and higher in spring.",
)


@pytest.fixture(autouse=True)
def home(services: StageServices, tmp_path: Path) -> Path:
    services.settings["PENWRIGHT_HOME"] = str(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def paper(run: Run, services: StageServices, tmp_path: Path) -> str:
    """A paper with two citations: a scan found the first, a person accepted it; the other was typed."""
    (tmp_path / "draft.md").write_text(DRAFT, "utf-8")
    place = str(tmp_path / "ebb")
    assert run("manuscript", "new", place, "--title", "Ebb <b>", "--author", "M. Orr")[0] == 0
    assert run("manuscript", "import", str(tmp_path / "draft.md"), "--into", place)[0] == 0
    novel = json.loads(run("manuscript", "list", place, "--json")[1])["novel_id"]
    change = CitationChange(
        after=f"{SENTENCE} [[{ENTRY}]]",
        entries=(ENTRY,),
        keys=("lee2020tides",),
        verdict="verified",
        reason="It says so.",
        support="abstract only",
        overlap=1.0,
        sources=("crossref", "openalex"),
        works=(WORK,),
    )
    target = CitationTarget(number=1, kind="insert", sentence=2, text=SENTENCE)
    proposal = CitationProposal(target=target, state="verified", change=change)
    for version, (day, standing) in enumerate(
        (
            (3, TargetStanding(number=1, state="verified")),
            (5, TargetStanding(number=1, state="accepted", by="ann", applied=True)),
        )
    ):
        rows = rows_of([KeptTarget(proposal=proposal, standing=standing)])
        written = services.store.agent_states.write(
            WriteState(
                key=StateKey(novel=novel),
                changes=StateChanges(citation_targets=rows),
                base_version=version,
                op_id=OpId(f"scan-{version}"),
                at=datetime(2026, 5, day, 12, tzinfo=UTC),
            )
        )
        assert written.outcome == "written"
    return place


def copied(run: Run, paper: str, place: Path) -> tuple[str, dict[str, Any]]:
    """The page of a copy, and its evidence."""
    arguments = ("manuscript", "export", paper, "--to", "html", "--evidence", "--output", str(place))
    code, _, said = run(*arguments)
    assert (code, said) == (0, "")
    page = place.read_text("utf-8")
    data = page.split('<script type="application/json" id="evidence">')[1].split("</script>")[0]
    return page, json.loads(data)


def test_a_cited_sentence_has_its_record_its_day_its_support_and_who_accepted_it(
    run: Run, paper: str, tmp_path: Path
) -> None:
    _, evidence = copied(run, paper, tmp_path / "copy.html")

    (cited,) = evidence["sentences"][1]["citations"]
    assert cited == {
        "key": "lee2020tides",
        "found": {
            "sources": ["crossref", "openalex"],
            "on": "2026-05-03",
            "verdict": "verified",
            "reason": "It says so.",
            "support": "abstract only",
            "overlap": 1.0,
            "abstract": WORK.passage,
        },
        "decided": {"by": "ann", "at": "2026-05-05T12:00:00+00:00"},
    }
    work = next(each for each in evidence["works"] if each["key"] == "lee2020tides")
    assert (work["url"], work["authors"]) == ("https://doi.org/10.5555/tides.7", ["Lee, Ann"])


def test_a_citation_that_no_scan_has_seen_says_nothing_of_registries(
    run: Run, paper: str, tmp_path: Path
) -> None:
    _, evidence = copied(run, paper, tmp_path / "copy.html")

    assert evidence["sentences"][2]["citations"] == [{"key": "orr1999"}]
    assert {"block": 1, "number": 1} in evidence["sentences"]


def test_the_last_audit_is_told_of_each_citation(run: Run, paper: str, tmp_path: Path) -> None:
    run("cite", "audit", paper)

    _, evidence = copied(run, paper, tmp_path / "copy.html")

    (typed,) = evidence["sentences"][2]["citations"]
    assert typed["audit"]["state"] == "not_found"
    assert typed["audit"]["on"] == NEXT_RUN.date().isoformat()


def test_each_block_has_its_author_and_chinese_sentences_are_apart(
    run: Run, paper: str, tmp_path: Path
) -> None:
    page, evidence = copied(run, paper, tmp_path / "copy.html")

    assert [each["by"] for each in evidence["blocks"]] == ["human", "human", "human"]
    assert [each["block"] for each in evidence["sentences"]] == [1, 2, 2, 3, 3]
    assert "潮水退了。</span\n><span\n" in page
    assert "<title>Ebb &lt;b&gt;</title>" in page


def test_the_same_commit_and_state_give_the_same_copy(run: Run, paper: str, tmp_path: Path) -> None:
    first, _ = copied(run, paper, tmp_path / "one.html")
    second, _ = copied(run, paper, tmp_path / "two.html")

    assert first == second


def test_a_copy_is_checked_without_engine_and_a_change_is_named(
    run: Run, services: StageServices, paper: str, tmp_path: Path
) -> None:
    place = tmp_path / "copy.html"
    page, _ = copied(run, paper, place)
    key = run("trace", "key")[1].splitlines()[0]
    services.runs = False
    whole = run("trace", "check", str(place), "--key", key)
    other = run("trace", "check", str(place), "--key", "0" * 64)
    place.write_text(page.replace("twice a day", "thrice a day", 1), "utf-8")
    changed = json.loads(run("trace", "check", str(place), "--json")[1])

    assert (whole[0], whole[1]) == (0, f"Every byte is as it was signed by the key {key}.\n")
    assert other[0] == 1
    assert "another key" in other[1]
    assert (changed["whole"], changed["changed"], changed["key"]) == (False, ["sentence 2"], key)
    assert run("trace", "check", str(place))[0] == 1
    assert run("trace", "check", str(tmp_path / "none.html"))[0] == 2


def test_evidence_is_an_html_page_and_needs_the_engine(
    run: Run, services: StageServices, paper: str, tmp_path: Path
) -> None:
    refused = run(
        "manuscript", "export", paper, "--to", "docx", "--evidence", "--output", str(tmp_path / "c")
    )
    services.runs = False
    down = run("manuscript", "export", paper, "--to", "html", "--evidence", "--output", str(tmp_path / "d"))

    assert (refused[0], "evidence-needs-html" in refused[2]) == (2, True)
    assert "engine-not-running" in down[2]
    assert not (tmp_path / "d").exists()


def test_a_key_that_others_could_read_stops_the_export(
    run: Run, paper: str, home: Path, tmp_path: Path
) -> None:
    assert run("trace", "key")[0] == 0
    (home / "signing-key.pem").chmod(0o644)

    code, _, said = run("manuscript", "export", paper, "--to", "html", "--evidence")

    assert (code, "signing-key-exposed" in said) == (1, True)


def test_a_book_is_saved_as_a_readers_copy(run: Run, tmp_path: Path) -> None:
    place, copy = str(tmp_path / "tide"), str(tmp_path / "tide.html")
    assert run("book", "init", place, "--title", "Tide", "--author", "M. Orr")[0] == 0
    assert run("book", "session", place)[0] == 0

    made = run("book", "export", place, "--evidence", "--output", copy)
    other = run("book", "export", place, "--evidence", "--to", "epub")

    assert made[0] == 0
    assert run("trace", "check", copy)[0] == 0
    assert '"by":"ai"' in Path(copy).read_text("utf-8")
    assert (other[0], "evidence-needs-html" in other[2]) == (2, True)
