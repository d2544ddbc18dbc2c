"""A citation scan as Temporal carries it out: a real novel, a scripted model, registries with given works."""

import asyncio
from datetime import date
from pathlib import Path
from typing import Literal

import pytest
from temporalio import workflow
from temporalio.client import WorkflowFailureError, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.citations.building import entry_of
from penwright.domain.citations.entries import written
from penwright.domain.citations.scanning import searching as searching_rules
from penwright.domain.citations.scanning.storing import KeptTarget
from penwright.domain.text.inline_citations import find_citations, without_citations
from schemas.citation_scan import CitationScanInput, CitationScanResult
from schemas.citations import CitationDecision
from schemas.control import KillRequest
from schemas.holding import DocumentHolder
from schemas.intents import ApprovalDecision, ApprovalRequest
from schemas.library import LocatedQuote
from schemas.scholarly import EditorialNotice, Outage, SourceName
from tests.support.books.repos import commit_all
from tests.support.citations.desk import (
    FILL,
    HARBOURS,
    RISES,
    SPRING,
    TEXT,
    TIDES,
    USUAL,
    ScanDesk,
    naming,
    picking,
    proposals_of,
    scan_desk,
    script,
    searching,
)
from tests.support.library import paper_pdf
from workers.temporal_plugin import WORKFLOWS
from workflows import citation_scan
from workflows.citation_scan import CitationScan
from workflows.holding import DocumentLock

KILL = KillRequest(who="ada", reason="enough")
ACCEPT_FIRST = CitationDecision(verb="accept", who="ann", numbers=(1,))
SOURCES: tuple[SourceName, ...] = ("crossref", "pubmed", "openalex", "datacite", "arxiv")


def codes(desk: ScanDesk) -> dict[int, str]:
    """State or code of each target that is kept, by number."""
    rows = [row for row in desk.row.citation_targets if not row.get("earlier")]
    standings = [row["standing"] for row in rows]
    return {each["number"]: each.get("code") or each["state"] for each in standings}  # type: ignore[index, call-overload, union-attr, misc]


async def test_what_is_verified_is_cited_by_rule(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        ended = await desk.run(auto_accept=True)

    text = desk.novel.committed
    assert (ended.outcome, ended.counts.accepted, ended.counts.applied) == ("done", 2, 2)
    assert "twice a day. [[@article{lee2020tides, author = {Lee, Ann and Marsh, Jon}," in text
    assert "silt. [[@article{okoro2018harbours," in text
    assert without_citations(text) == TEXT.strip()
    assert (len(ended.commits), ended.push) == (1, "local")


OWN_TIDES = """\
= Methods
Gauges stand at two coasts, and were read by hand.

#pagebreak()
= Results
Shores differ. At every gauge the water rises twice a day. Spring is higher.

= References
Okoro, B. (2018). Harbours fill with silt. _Silt Letters_, 4(2), 11–19.
"""


def with_own_tides(desk: ScanDesk) -> None:
    """The novel has this text as a source of its own."""
    own = paper_pdf(OWN_TIDES, title=TIDES.title, authors=("Ann Lee", "Jon Marsh"), doi=TIDES.doi)
    (desk.novel.folder / "sources").mkdir()
    (desk.novel.folder / "sources/lee.pdf").write_bytes(own)
    commit_all(desk.novel.folder)


async def test_the_rule_takes_what_a_text_says_and_leaves_what_only_an_abstract_has(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        with_own_tides(desk)
        ended = await desk.run(auto_accept=True, accepts_abstracts=False)

    assert (ended.outcome, ended.counts.applied, ended.counts.proposed) == ("waiting", 1, 1)
    assert "[[@article{lee2020tides" in desk.novel.committed
    first, second = (KeptTarget.model_validate(row) for row in desk.row.citation_targets)
    assert first.proposal.change is not None
    assert first.proposal.change.quote == LocatedQuote(
        source="lee.pdf", quote="At every gauge the water rises twice a day.", page=2, section="Results"
    )
    assert (first.proposal.change.support, first.proposal.change.overlap) == ("says", 1)
    assert first.standing.by == "rule"
    assert first.standing.at is not None
    assert (second.standing.by_abstract, second.standing.at) == (True, None)


async def test_citations_that_stand_are_told_what_an_own_source_says(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    entry = written(entry_of(TIDES, "lee2020tides", date(2026, 5, 4)))
    text = TEXT.replace("twice a day.", f"twice a day. [[{entry}]]")
    answers = script(name_0=naming(RISES, kind="verify"), name_1=naming())
    async with scan_desk(temporal_env.client, tmp_path, text=text, answers=answers) as desk:
        with_own_tides(desk)
        await desk.run(auto_accept=True)

    (row,) = (KeptTarget.model_validate(each) for each in desk.row.citation_targets)
    assert (row.standing.state, row.standing.code) == ("skipped", "VERIFIED")
    assert "“At every gauge the water rises twice a day.” (lee.pdf, page 2, Results)" in row.proposal.message
    assert desk.novel.committed == text.strip()


async def test_without_a_rule_nothing_is_changed_before_a_person_decides(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        ended = await desk.run()

    assert (ended.outcome, ended.counts.proposed, ended.commits) == ("waiting", 2, ())
    assert desk.novel.committed == TEXT.strip()
    assert codes(desk) == {1: "proposed", 2: "proposed"}


async def test_people_decide_while_it_waits_and_each_decision_is_one_commit(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(waits=True)
        review = await desk.until_waiting(handle)
        first, second = proposals_of(desk, review)
        await desk.decide(handle, "accept", 1)
        await desk.decide(handle, "reject", 2)
        ended = await handle.result()

    assert first.change is not None
    assert (first.change.verdict, first.change.reason) == ("verified", "It says so.")
    assert first.change.abstract == TIDES.abstract
    assert second.target.section == "Shores"
    assert (ended.outcome, ended.counts.applied, ended.counts.rejected) == ("done", 1, 1)
    assert first.change.after in desk.novel.committed
    assert "okoro" not in desk.novel.committed


async def test_a_decision_about_something_else_is_refused_by_name(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await handle.execute_update(
                CitationScan.decide, CitationDecision(verb="accept", who="ann", numbers=(9,))
            )
        await handle.signal(CitationScan.kill, KILL)
        await handle.result()

    assert isinstance(refused.value.cause, ApplicationError)
    assert refused.value.cause.type == "unknown-target"


async def test_an_outage_is_never_a_fabrication_and_nothing_is_accepted(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        for source in SOURCES:
            desk.sources.outages[source] = Outage(source=source, reason="unreachable")
        with pytest.raises(WorkflowFailureError) as failed:
            await desk.run(auto_accept=True)

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "registries-unreachable"
    assert codes(desk) == {1: "NO_REGISTRY", 2: "NO_REGISTRY"}
    assert desk.novel.committed == TEXT.strip()


async def test_a_target_whose_generator_fails_loses_nothing_of_the_others(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = [ScriptedAnswer(op="*/1/search*", text="I do not know."), *USUAL]
    async with scan_desk(temporal_env.client, tmp_path, answers=answers) as desk:
        ended = await desk.run(auto_accept=True)

    assert (ended.counts.failed, ended.counts.applied) == (1, 1)
    assert "okoro2018harbours" in desk.novel.committed


async def test_no_metadata_comes_from_the_model_and_an_empty_choice_is_a_good_answer(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = [
        *script(search_1=searching("tides", ("doi", "10.5555/invented.9")), pick_2=picking()),
        *USUAL,
    ]
    async with scan_desk(temporal_env.client, tmp_path, answers=answers) as desk:
        ended = await desk.run(auto_accept=True)

    assert codes(desk) == {1: "accepted", 2: "NOTHING_FITS"}
    assert "invented" not in desk.novel.committed
    assert ended.counts.applied == 1


@pytest.mark.long
async def test_a_work_that_two_sentences_share_has_one_entry(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    answers = [
        *script(name_0=naming(RISES, FILL, SPRING), search_3=searching("tides"), pick_3=picking(1)),
        *USUAL,
    ]
    async with scan_desk(temporal_env.client, tmp_path, answers=answers) as desk:
        await desk.run(auto_accept=True)

    entries = [each.entry for each in find_citations(desk.novel.committed).citations]
    assert len(entries) == 3
    assert entries[0] == entries[2] != entries[1]


@pytest.mark.long
async def test_two_works_of_one_author_and_year_get_two_keys(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    twin = HARBOURS.model_copy(
        update={"authors": TIDES.authors, "year": 2020, "title": "Tides and their silt in harbours"}
    )
    async with scan_desk(temporal_env.client, tmp_path, records=(TIDES, twin)) as desk:
        await desk.run(auto_accept=True)

    keys = [each.key for each in find_citations(desk.novel.committed).citations]
    assert sorted(keys) == ["lee2020atides", "lee2020tides"]


@pytest.mark.long
async def test_a_work_of_the_novels_own_bibliography_keeps_its_entry_there(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        shelf = (
            "@article{mine, author={Lee, A. and Marsh, J.}, title={Tides of the northern coast}, "
            "year={2020}, doi={10.5555/tides.7}}\n"
        )
        (desk.novel.folder / "references.bib").write_text(shelf)
        commit_all(desk.novel.folder)
        await desk.run(auto_accept=True)

    keys = [each.key for each in find_citations(desk.novel.committed).citations]
    assert keys == ["mine", "okoro2018harbours"]


@pytest.mark.long
async def test_an_invented_entry_with_a_real_doi_is_cited_by_no_other_sentence(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    """Not by the scan, nor after an undo and a second decision, nor by a rescan."""
    bogus = "@article{bogus, title = {A wholly invented title}, doi = {10.5555/tides.7}, pmid = {33333333}}"
    async with scan_desk(temporal_env.client, tmp_path, text=f"{TEXT}\nNets learn. [[{bogus}]]\n") as desk:
        before = desk.novel.committed
        ended = await desk.run(auto_accept=True)
        cited = desk.novel.committed
        desk.novel.save(before)
        await desk.run("s2", again=True, decisions=(CitationDecision(verb="accept", who="ann", every="all"),))
        again = desk.novel.committed
        await desk.run("s3", auto_accept=True)

    keys = [each.key for each in find_citations(cited).citations]
    assert keys == ["lee2020tides", "okoro2018harbours", "bogus"]
    assert again == desk.novel.committed == cited
    assert any("'bogus'" in said and "PMID" in said for said in ended.warnings)


@pytest.mark.long
async def test_a_rescan_changes_nothing_that_stands(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        await desk.run(auto_accept=True)
        before = desk.novel.committed
        again = await desk.run("s2", auto_accept=True)

    assert desk.novel.committed == before
    assert (again.counts.skipped, again.commits) == (2, ())
    assert codes(desk) == {1: "ALREADY_VERIFIED", 2: "ALREADY_VERIFIED"}


@pytest.mark.long
async def test_what_was_rejected_is_not_proposed_again(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        everything = CitationDecision(verb="reject", who="ann", every="all")
        await desk.run(decisions=(everything,))
        again = await desk.run("s2", auto_accept=True)

    assert again.counts.skipped == 2
    assert codes(desk) == {1: "REJECTED_BEFORE", 2: "REJECTED_BEFORE"}


@pytest.mark.long
async def test_what_a_scan_left_is_decided_in_a_later_run(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        await desk.run()
        decision = CitationDecision(verb="accept", who="ann", numbers=(2,))
        ended = await desk.run("s2", again=True, decisions=(decision,))

    assert (ended.outcome, ended.counts.applied, ended.counts.proposed) == ("waiting", 1, 1)
    assert "okoro2018harbours" in desk.novel.committed
    assert "lee2020tides" not in desk.novel.committed


@pytest.mark.long
async def test_works_are_looked_up_by_hand_while_the_scan_waits_and_in_a_later_run(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        await handle.execute_update(CitationScan.search, searching_rules.by_words(1, HARBOURS.doi))
        review = await desk.until_waiting(handle)
        first, _ = proposals_of(desk, review)
        await desk.decide(handle, "reject", 1, reason="not about tides")
        await handle.signal(CitationScan.kill, KILL)
        await handle.result()
        asked = len(desk.asked)
        rejected = desk.row.citation_targets[0]["standing"]
        later = searching_rules.for_work(1, first.others[0])
        ended = await desk.run("s2", again=True, searches=(later,))
        taken = await desk.run("s3", again=True, decisions=(ACCEPT_FIRST,))

    assert first.change is not None
    assert "okoro2018harbours" in first.change.keys
    assert [each.doi for each in first.others] == [TIDES.doi]
    assert isinstance(rejected, dict)
    assert (rejected["state"], rejected["reason"]) == ("rejected", "not about tides")
    assert (ended.outcome, ended.counts.proposed) == ("waiting", 2)
    assert len(desk.asked) == asked, "no model is asked about a choice by hand"
    assert taken.counts.applied == 1
    assert "lee2020tides" in desk.novel.committed


async def test_a_search_by_hand_that_finds_nothing_keeps_the_proposal(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        await desk.run()
        ended = await desk.run("s2", again=True, searches=(searching_rules.by_words(1, "10.5555/none.0"),))

    assert ended.counts.proposed == 2
    proposal = desk.row.citation_targets[0]["proposal"]
    assert isinstance(proposal, dict)
    assert "found nothing" in str(proposal["message"])


@pytest.mark.long
async def test_what_was_taken_out_of_the_text_waits_again(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        await desk.run(auto_accept=True)
        desk.novel.save(TEXT)
        ended = await desk.run("s2", again=True)

    assert (ended.outcome, ended.counts.proposed, ended.counts.applied) == ("waiting", 2, 0)


async def test_a_later_run_without_a_scan_is_refused(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        ended = await desk.run(again=True)

    assert (ended.outcome, ended.code) == ("refused", "no-scan")


async def test_a_sentence_deleted_meanwhile_is_stale_and_the_other_is_cited(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        desk.novel.save(
            TEXT.replace("The water rises twice a day.", "The water is high.").replace("We say", "I say")
        )
        await desk.decide(handle, "accept", every="verified", abstracts=True)
        ended = await handle.result()

    assert (ended.counts.applied, ended.counts.failed) == (1, 1)
    assert codes(desk) == {1: "STALE", 2: "accepted"}
    text = desk.novel.committed
    assert "The water is high. Harbours fill with silt. [[@article{okoro2018harbours" in text
    assert "I say so." in text


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("@article{lee2020tides, author = {Lee, Ann}, title = {Tides of the northern coast}, year = {2020}, "
         "doi = {10.5555/tides.7}, url = {https://doi.org/10.5555/tides.7}}", "VERIFIED"),
        ("@article{lee2020tides, author = {Lee, Ann}, title = {Something else about trains}, year = {2020}, "
         "doi = {10.5555/tides.7}, url = {https://doi.org/10.5555/tides.7}}", "MISMATCH"),
        pytest.param("@article{ghost1999none, author = {Ghost, A}, title = {A work that nobody has written}, "
         "year = {1999}}", "NOT_FOUND", marks=pytest.mark.long),
        pytest.param("@article{lee, title = {A}, title = {B}}", "DUPLICATE_FIELD", marks=pytest.mark.long),
    ],
)  # fmt: skip
async def test_a_citation_that_stands_is_looked_up_and_judged(
    entry: str, code: str, temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    text = TEXT.replace("twice a day.", f"twice a day. [[{entry}]]")
    answers = script(name_0=naming(RISES, kind="verify"), name_1=naming())
    async with scan_desk(temporal_env.client, tmp_path, text=text, answers=answers) as desk:
        ended = await desk.run(auto_accept=True)

    assert codes(desk) == {1: code}
    assert desk.novel.committed == text.strip()
    assert ended.commits == ()


@pytest.mark.long
async def test_a_right_citation_in_another_form_is_normalised(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    entry = (
        "@article{lee2020tides, year=2020, title={Tides of the northern coast}, author={Lee, Ann}, "
        "pages={11-19}, doi={https://doi.org/10.5555/TIDES.7}}"
    )
    text = TEXT.replace("twice a day.", f"twice a day [[{entry}]].")
    answers = script(name_0=naming(RISES), name_1=naming())
    async with scan_desk(temporal_env.client, tmp_path, text=text, answers=answers) as desk:
        await desk.run(auto_accept=True)

    assert (
        "twice a day [[@article{lee2020tides, author = {Lee, Ann}, title = {Tides of the northern coast}, "
        "year = {2020}, pages = {11--19}, doi = {10.5555/tides.7}, url = {https://doi.org/10.5555/tides.7}}]]."
    ) in desk.novel.committed


async def test_a_retracted_work_is_not_offered(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    notice = EditorialNotice(kind="retraction", source="crossref")
    retracted = TIDES.model_copy(update={"notices": (notice,)})
    async with scan_desk(temporal_env.client, tmp_path, records=(retracted, HARBOURS)) as desk:
        await desk.run(auto_accept=True)

    assert codes(desk) == {1: "RETRACTED", 2: "accepted"}
    assert "lee2020tides" not in desk.novel.committed


@pytest.mark.long
async def test_a_retracted_citation_that_stands_is_named_and_left_for_a_person(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    notice = EditorialNotice(kind="retraction", source="crossref")
    retracted = TIDES.model_copy(update={"notices": (notice,)})
    entry = (
        "@article{lee2020tides, author = {Lee, Ann}, title = {Tides of the northern coast}, year = {2020}, "
        "doi = {10.5555/tides.7}}"
    )
    text = TEXT.replace("twice a day.", f"twice a day. [[{entry}]]")
    answers = script(name_0=naming(RISES, kind="verify"), name_1=naming())
    async with scan_desk(
        temporal_env.client, tmp_path, text=text, records=(retracted,), answers=answers
    ) as desk:
        ended = await desk.run(auto_accept=True)

    assert codes(desk) == {1: "RETRACTED"}
    assert (desk.novel.committed, ended.commits) == (text.strip(), ())


async def test_a_reply_after_a_kill_is_not_applied(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    answers = [ScriptedAnswer(op="*/2/search*", fault="hang"), *USUAL]
    async with scan_desk(temporal_env.client, tmp_path, answers=answers) as desk:
        handle = await desk.start(auto_accept=True)
        await desk.until_asked("2/search")
        await handle.signal(CitationScan.kill, KILL)
        ended = await handle.result()

    assert (ended.outcome, ended.stopped_by) == ("stopped", "ada")
    assert desk.novel.committed == TEXT.strip()
    counts = ended.counts
    assert counts.found == 2 == counts.pending + counts.proposed
    assert counts.pending >= 1


async def test_a_scan_pauses_and_goes_on(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(auto_accept=True)
        await handle.signal(CitationScan.pause)
        await desk.pause(0.5)
        paused = await handle.query(CitationScan.progress)
        await handle.signal(CitationScan.resume)
        ended = await handle.result()

    assert paused.paused
    assert not paused.ended
    assert ended.counts.applied == 2


async def test_a_document_that_another_workflow_has_refuses_the_scan_by_name(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        loop = DocumentHolder(
            novel=desk.novel_id, scene="-", workflow_id="manuscript/x", session="s", what="manuscript loop"
        )
        lock = await desk.client.start_workflow(
            DocumentLock.run,
            loop,
            id=loop.lock_id,
            task_queue=desk.queue,
            memo={"holder": loop.model_dump(mode="json")},
        )
        ended = await desk.run()
        await lock.signal(DocumentLock.release)
        await lock.result()

    assert (ended.outcome, ended.code) == ("refused", "document-busy")
    assert "manuscript loop" in ended.message
    assert desk.asked == []


async def test_while_people_decide_others_may_have_the_document(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        lock = desk.client.get_workflow_handle(f"document/{desk.novel_id}/-")
        while (status := (await lock.describe()).status) is not None and status.name == "RUNNING":
            await desk.pause()
        await handle.signal(CitationScan.kill, KILL)
        ended = await handle.result()

    assert status is not None
    assert (status.name, ended.counts.proposed) == ("COMPLETED", 2)


@pytest.mark.long
async def test_a_manuscript_without_sentences_ends_at_once(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path, text="# Only a heading\n") as desk:
        ended = await desk.run()

    assert (ended.outcome, ended.message, desk.asked) == ("done", "no sentence needs a citation", [])


@pytest.mark.long
async def test_what_is_broken_in_the_text_is_reported(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    text = TEXT + "\nIt is so [[@article{open, title={x]].\n"
    async with scan_desk(temporal_env.client, tmp_path, text=text) as desk:
        ended = await desk.run()

    assert [(each.code, each.key) for each in ended.findings] == [("UNBALANCED_CITATION", "open")]


@workflow.defn(name="CitationScan", sandboxed=False)
class Restless(CitationScan):
    """The scan outside of the sandbox, where a test can tell it that its history is long."""

    @workflow.init
    def __init__(self, given: CitationScanInput) -> None:
        super().__init__(given)

    @workflow.run
    async def run(self, given: CitationScanInput) -> CitationScanResult:
        return await super().run(given)


async def test_a_scan_that_continues_as_new_again_and_again_comes_to_the_same_text(
    temporal_env: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        citation_scan, "should_continue_as_new", lambda: workflow.info().get_current_history_length() > 40
    )
    restless = [Restless, *(each for each in WORKFLOWS if each is not CitationScan)]
    async with scan_desk(temporal_env.client, tmp_path, workflows=restless) as desk:
        handle = await desk.start(auto_accept=True)
        ended = await handle.result()
        newest = await desk.client.get_workflow_handle(handle.id).describe()

    assert newest.run_id != handle.first_execution_run_id
    assert (ended.outcome, ended.counts.applied, len(ended.commits)) == ("done", 2, 1)
    assert sorted(desk.asked) == sorted(["name-0", "name-1", "1/search", "1/pick", "2/search", "2/pick"])
    keys = [each.key for each in find_citations(desk.novel.committed).citations]
    assert keys == ["lee2020tides", "okoro2018harbours"]


@workflow.defn(name="DocumentLock", sandboxed=False)
class SlowLock(DocumentLock):
    """A lock whose end takes a moment, in which people decide."""

    @workflow.run
    async def run(self, holder: DocumentHolder) -> None:
        await super().run(holder)
        await workflow.sleep(2)


async def test_what_is_accepted_while_the_scan_lets_go_of_the_document_is_applied(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    slow = [SlowLock, *(each for each in WORKFLOWS if each is not DocumentLock)]
    async with scan_desk(temporal_env.client, tmp_path, workflows=slow) as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        await desk.decide(handle, "accept", every="all")
        ended = await handle.result()

    assert (ended.outcome, ended.counts.applied) == ("done", 2)


# Approvals.


def reword_intent(desk: ScanDesk) -> None:
    """What is denied from now on, because the intent was selected in other words."""
    registry = desk.novel.folder / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("Write the manuscript", "Write all of it"))
    commit_all(desk.novel.folder)


async def a_denied_scan(desk: ScanDesk) -> WorkflowHandle[CitationScan, CitationScanResult]:
    """A person accepts the first proposal after the intent was worded anew."""
    handle = await desk.start(waits=True)
    await desk.until_waiting(handle)
    reword_intent(desk)
    await desk.decide(handle, "accept", 1)
    return handle


async def until_asked(handle: WorkflowHandle[CitationScan, CitationScanResult]) -> ApprovalRequest:
    async with asyncio.timeout(60):
        while not (asked := await handle.query(CitationScan.pending_approval)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return asked


def answer(asked: ApprovalRequest, decided: Literal["approved", "denied"]) -> ApprovalDecision:
    return ApprovalDecision(
        approval=asked.id, plan_digest=asked.need.plan_digest, decided=decided, by="ada", reason="as it was"
    )


@pytest.mark.long
async def test_a_citation_that_the_gate_denies_waits_for_a_person_and_enters_when_allowed(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await a_denied_scan(desk)
        asked = await until_asked(handle)
        told = await handle.query(CitationScan.progress)
        before = desk.novel.committed
        await desk.decide(handle, "accept", 2)
        await handle.execute_update(CitationScan.decide_approval, answer(asked, "approved"))
        second = await until_asked(handle)
        first_text = desk.novel.committed
        await handle.execute_update(CitationScan.decide_approval, answer(second, "approved"))
        ended = await handle.result()
        listed = desk.novel.store.records.events_after(0, run=f"{desk.scan_id}#s1")
        kinds = [event.kind for event in listed]

    assert (asked.need.codes, told.stage) == (("INTENT_CHANGED",), "approval")
    assert f"penwright intent approve {desk.novel_id}" in told.detail
    assert before == TEXT.strip()
    assert "lee2020tides" in first_text
    assert "okoro2018harbours" not in first_text
    assert (ended.outcome, ended.counts.applied, len(ended.commits)) == ("done", 2, 2)
    assert kinds[:2] == ["approval.asked", "approval.approved"]


async def test_a_citation_that_a_person_denies_fails_under_the_denials_code_and_the_others_still_wait(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await a_denied_scan(desk)
        await handle.execute_update(CitationScan.decide_approval, answer(await until_asked(handle), "denied"))
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "intent-changed"
    assert codes(desk) == {1: "intent-changed", 2: "proposed"}
    assert desk.novel.committed == TEXT.strip()


@pytest.mark.long
async def test_a_kill_while_a_person_is_asked_leaves_what_was_accepted_to_a_later_run(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await a_denied_scan(desk)
        await until_asked(handle)
        await handle.signal(CitationScan.kill, KILL)
        ended = await handle.result()
        left = codes(desk)
        later = await desk.run("s2", again=True)

    assert (ended.outcome, ended.stopped_by) == ("stopped", "ada")
    assert left == {1: "accepted", 2: "proposed"}
    assert later.counts.applied == 1


async def test_a_denial_that_no_person_can_lift_is_named_in_the_target(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with scan_desk(temporal_env.client, tmp_path) as desk:
        handle = await desk.start(waits=True)
        await desk.until_waiting(handle)
        registry = desk.novel.folder / ".orchestration/active_intents.yaml"
        registry.write_text("intents: [")
        commit_all(desk.novel.folder)
        await desk.decide(handle, "accept", every="all")
        ended = await handle.result()

    kept = codes(desk)
    assert (ended.outcome, ended.counts.failed) == ("done", 2)
    assert kept[1] == kept[2] not in ("accepted", "conflict")
    assert desk.novel.committed == TEXT.strip()
