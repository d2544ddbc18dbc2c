"""Scans at the desk: started once, reviewed and decided while they run and after, taken back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest
from temporalio import activity
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from activities.citations.scholarly import ScholarlyActivities
from gateway.cli.cite import reports
from gateway.desk.citations import estimating, references, scans
from gateway.desk.citations.scans import ScanWish
from gateway.desk.citations.taking_back import take_back
from gateway.desk.engine.temporal.citations import TemporalScans
from gateway.desk.works.documents import Document
from gateway.desk.works.novels import Novel
from penwright.adapters.scholarly import bibliography
from penwright.domain.citations.building import entry_of
from penwright.domain.citations.entries import read_entries, written
from penwright.domain.citations.exchange.exporting import exported
from penwright.domain.manuscript.layout import BIBLIOGRAPHY, scene_path
from penwright.errors import NotFound, PenwrightError, UsageMistake
from schemas.base import BookId
from schemas.citation_scan import EndScan
from schemas.citations import CitationCounts, CitationDecision
from schemas.control import KillRequest
from schemas.manuscript_text import TextRestored, TextSaved
from schemas.novel import NovelConfig
from schemas.scholarly import Outage
from tests.support.agents.scripted_model import scripted_catalog
from tests.support.books.repos import commit_all, git
from tests.support.citations.desk import TEXT, TIDES, ScanDesk, scan_desk
from tests.support.scholarly.server import NAMES
from workers.wiring import activity_methods
from workflows.options import scholarly_queue

if TYPE_CHECKING:
    from gateway.desk.services import Services

T = TypeVar("T")
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


async def wait(awaited: Awaitable[T], progress: Callable[[], Awaitable[object]]) -> T:
    return await awaited


@dataclass
class Office:
    """The services of the desk, around one scan desk."""

    desk: ScanDesk
    number: int = 0

    def now(self) -> datetime:
        self.number += 1
        return NOON.replace(second=self.number)

    def person(self) -> str:
        return "ann"

    def defaults(self) -> Any:
        return SimpleNamespace(repo_queue=self.desk.queue, model_queue=self.desk.queue)

    def workspaces(self, kind: str) -> Any:
        return self.desk.novel.git

    @contextmanager
    def open_store(self) -> Iterator[Any]:
        yield self.desk.novel.store

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Any]:
        yield SimpleNamespace(scans=TemporalScans(self.desk.client, self.desk.queue), editors=self)

    async def save(self, given: object, order: Any, key: str) -> TextSaved:
        return self.desk.novel.save(self.desk.novel.text(order.text), order.base)

    async def restore(self, given: object, order: Any, key: str) -> TextRestored:
        return self.desk.novel.rollback(order.to, expected=order.expected)


@asynccontextmanager
async def office(
    env: WorkflowEnvironment, folder: Path, *, text: str = TEXT
) -> AsyncIterator[tuple[Any, Document]]:
    async with scan_desk(env.client, folder, text=text) as desk:
        registries = ScholarlyActivities(desk.sources, desk.novel.store.blobs, bibliography)
        queue = scholarly_queue(desk.queue)
        async with Worker(env.client, task_queue=queue, activities=activity_methods(registries)):
            novel = Novel(BookId(desk.novel_id), desk.novel.workspace, NovelConfig(id="tides", title="Tides"))
            yield Office(desk), Document(novel, "-")


def accept(*numbers: int, **more: Any) -> CitationDecision:
    return CitationDecision(verb="accept", who="ann", numbers=numbers, **more)


async def refusal(awaited: Awaitable[object]) -> str:
    with pytest.raises(PenwrightError) as refused:
        await awaited
    return refused.value.code


async def hint(awaited: Awaitable[object]) -> str:
    with pytest.raises(PenwrightError) as refused:
        await awaited
    return str(refused.value.details["hint"])


async def test_a_scan_is_known_at_once_and_one_in_its_last_step_is_awaited(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    """Lists show the first one as ended as soon as its last step has written that down."""
    at_the_end, may_end = asyncio.Event(), asyncio.Event()

    @activity.defn
    async def end_scan(request: EndScan) -> None:
        at_the_end.set()
        await may_end.wait()

    async with scan_desk(
        temporal_env.client, tmp_path, text="# Shores", fakes={"end_scan": end_scan}
    ) as desk:
        novel = Novel(BookId(desk.novel_id), desk.novel.workspace, NovelConfig(id="tides", title="Tides"))
        services, found = cast("Services", Office(desk)), Document(novel, "-")
        first = await scans.scan(services, found, ScanWish(), wait=None)
        row = desk.novel.store.records.run(f"citations/{found.name}#{first.session}")
        await at_the_end.wait()
        second = asyncio.create_task(scans.scan(services, found, ScanWish(), wait=None))
        await asyncio.sleep(0.3)
        may_end.set()
        fresh = (await second).fresh

    assert row is not None
    assert (row.stage, first.fresh, fresh) == ("open", True, True)


async def test_one_citation_is_taken_back_by_itself_whatever_was_written_since(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        novel = services.desk.novel
        await scans.scan(services, found, ScanWish(), wait=wait)
        early = await refusal(take_back(services, found, 1))
        await scans.decide(services, found, accept(1, 2), wait=wait)
        cited = novel.committed
        novel.save(f"{cited}\nAnd so on.\n")
        await take_back(services, found, 1)
        shown = await scans.review(services, found)
        twice = await refusal(take_back(services, found, 1))
        again = await scans.decide(services, found, accept(1), wait=wait)

    assert [each.standing.state for each in shown.targets] == ["proposed", "accepted"]
    assert (early, twice) == ("not-cited", "not-cited")
    assert again.counts.applied == 2
    assert novel.committed == f"{cited}\nAnd so on."


async def test_a_scan_is_reviewed_and_decided_after_its_end_and_taken_back(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        before = await refusal(scans.review(services, found))
        done = await scans.scan(services, found, ScanWish(), wait=wait)
        shown = await scans.review(services, found)
        decided = await scans.decide(services, found, accept(1), wait=wait)
        cited = services.desk.novel.committed
        again = await refusal(scans.decide(services, found, accept(1), wait=wait))
        unknown = await refusal(scans.decide(services, found, accept(7), wait=wait))
        undone = await scans.undo(services, found)
        after = await scans.review(services, found)

    assert before == "no-scan"
    assert done.fresh
    assert done.result is not None
    assert (done.result.outcome, shown.running, shown.counts.proposed) == ("waiting", False, 2)
    assert (decided.counts.applied, decided.counts.proposed) == (1, 1)
    assert "lee2020tides" in cited
    assert (again, unknown) == ("not-waiting", "unknown-target")
    assert undone.outcome == "restored"
    assert services.desk.novel.committed == TEXT.strip()
    assert (after.counts.proposed, after.counts.applied) == (2, 0)
    lines = "\n".join(reports.review_lines(found, shown))
    assert "1. [proposed] insert in Shores: a finding" in lines
    assert "+ The water rises twice a day. [[@article{lee2020tides" in lines
    assert "support: abstract only: 100%" in lines
    assert "“The water rises twice a day and higher in spring.” (crossref)" in lines


async def test_undo_takes_back_the_last_citations_whatever_runs_came_after_and_once(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        await scans.scan(services, found, ScanWish(), wait=wait)
        await scans.decide(services, found, accept(1), wait=wait)
        first = services.desk.novel.committed
        await scans.decide(services, found, accept(2), wait=wait)
        nothing = await refusal(scans.decide(services, found, accept(every="all"), wait=wait))
        idle = await scans.decide(services, found, None, wait=wait)
        undone = await scans.undo(services, found)
        after = services.desk.novel.committed
        again = await refusal(scans.undo(services, found))

    assert idle.result is not None
    assert (nothing, idle.result.commits) == ("nothing-waits", ())
    assert "takes back" not in "\n".join(reports.ending_lines(found, idle.result))
    assert (undone.outcome, after) == ("restored", first)
    assert again == "undone-already"


async def test_a_scan_that_registries_left_without_answers_says_why_and_what_can_be_done(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        for source in NAMES:
            services.desk.sources.outages[source] = Outage(source=source, reason="slow")
        services.desk.sources.outages["crossref"] = Outage(
            source="crossref", reason="rate-limited", retry_after=86_400
        )
        done = await scans.scan(services, found, ScanWish(), wait=wait)
        shown = await scans.review(services, found)

    assert done.result is not None
    assert (done.result.outcome, done.result.code) == ("failed", "registries-unreachable")
    assert done.result.message.startswith("no registry answered: arxiv (slow), crossref (rate-limited")
    assert f"Next: `penwright cite review {found.options}` says why 2 failed." in reports.ending_lines(
        found, done.result
    )
    told = "\n".join(reports.review_lines(found, shown))
    assert "crossref (rate-limited, for 24 h)" in told
    assert "pubmed (slow)" in told
    assert f"`penwright cite search WORDS --number N --in {found.options}` looks works up" in told


async def test_what_cannot_be_decided_names_a_command_that_helps(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        await scans.scan(services, found, ScanWish(), wait=wait)
        await scans.decide(services, found, accept(every="all"), wait=wait)
        nothing = await hint(scans.decide(services, found, accept(every="all"), wait=wait))
        cited = await hint(scans.search(services, found, 1, "tides", who="ann", wait=wait))
        await scans.undo(services, found)
        again = await hint(scans.undo(services, found))
        with pytest.raises(PenwrightError, match="no target 9"):
            await scans.choose(services, found, 9, 1, who="ann", wait=wait)
        race = await asyncio.gather(
            *(scans.decide(services, found, accept(1), wait=wait) for _ in range(2)), return_exceptions=True
        )

    assert nothing.startswith(f"`penwright cite review {found.options}` shows what became of each")
    assert cited == f"`penwright cite review {found.options}` shows which targets still wait"
    assert again == f"`penwright manuscript versions {found.words}` lists the changes"
    (lost,) = (each for each in race if isinstance(each, PenwrightError))
    assert lost.code == "scan-runs"
    assert "decision" in lost.message
    assert lost.details["hint"] == f"`penwright cite review {found.options}` shows how the proposals stand"


@pytest.mark.long
async def test_undo_leaves_what_a_person_wrote_between_or_after_citations(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        desk = services.desk
        await scans.scan(services, found, ScanWish(waits=True), wait=None)
        handle = desk.client.get_workflow_handle(desk.scan_id)
        await desk.until_waiting(handle)
        await scans.decide(services, found, accept(1), wait=wait)
        async with asyncio.timeout(60):
            while "lee2020tides" not in desk.novel.committed:
                await desk.pause()
        desk.novel.save(desk.novel.committed + "\n\nMine.\n")
        await scans.decide(services, found, accept(2), wait=wait)
        await scans.watch(services, found, wait)
        undone = await scans.undo(services, found)
        after = desk.novel.committed
        desk.novel.save(after.replace("Mine.", "Mine, again."))
        again = await scans.decide(services, found, accept(2), wait=wait)
        desk.novel.save(desk.novel.committed + "\n\nMore.\n")
        refused = await scans.undo(services, found)

    assert undone.outcome == "restored"
    assert ("lee2020tides" in after, "okoro2018harbours" in after, "Mine." in after) == (True, False, True)
    assert again.counts.applied == 2
    assert (refused.outcome, refused.code) == ("conflict", "edited-meanwhile")


async def test_what_waits_outlives_a_scan_that_looks_at_less(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        await scans.scan(services, found, ScanWish(), wait=wait)
        before = await scans.review(services, found)
        stopped = await scans.scan(services, found, ScanWish(cost_micros=0), wait=wait)
        kept = await scans.review(services, found)
        decided = await scans.decide(services, found, accept(2), wait=wait)
        after = await scans.review(services, found)

    assert stopped.result is not None
    assert (stopped.result.outcome, stopped.result.counts.found) == ("stopped", 0)
    assert kept.counts == before.counts
    empty = scans.Review((), CitationCounts(), running=False)
    assert f"`penwright cite scan {found.options}`" in reports.review_lines(found, empty)[-1]
    assert [each.proposal for each in kept.targets] == [each.proposal for each in before.targets]
    assert (decided.counts.applied, after.counts.proposed) == (1, 1)


async def test_the_most_sentences_are_kept_for_the_next_scan(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        first = scans.most_targets(services, found)
        await scans.scan(services, found, ScanWish(max_targets=1), wait=wait)
        shown = await scans.review(services, found)
        await scans.decide(services, found, accept(1), wait=wait)

        assert (first, shown.counts.found) == (10, 1)
        assert scans.most_targets(services, found) == 1
        assert scans.order_of(services, found, ScanWish()).max_targets == 1


async def test_a_waiting_scan_is_joined_reviewed_decided_and_killed(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        first = await scans.scan(services, found, ScanWish(waits=True), wait=None)
        second = await scans.scan(services, found, ScanWish(), wait=None)
        handle = services.desk.client.get_workflow_handle(services.desk.scan_id)
        await services.desk.until_waiting(handle)
        shown = await scans.review(services, found)
        decided = await scans.decide(services, found, accept(2), wait=wait)
        running = await refusal(scans.undo(services, found))
        await scans.send(services, found, KillRequest(who="ann", reason="enough"))
        ended = await scans.watch(services, found, wait)
        nothing = await refusal(scans.send(services, found, "pause"))

    assert (first.fresh, second.fresh, first.result) == (True, False, None)
    assert (shown.running, len(shown.targets)) == (True, 2)
    assert decided.counts.accepted == 1
    assert (running, nothing) == ("scan-runs", "no-scan-runs")
    assert (ended.outcome, ended.stopped_by) == ("stopped", "ann")


async def test_what_was_accepted_before_a_kill_is_applied_later(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        await scans.scan(services, found, ScanWish(), wait=wait)
        done = await scans.decide(services, found, None, wait=wait)
        nothing = await refusal(scans.undo(services, found))

    assert done.counts.applied == 0
    assert nothing == "nothing-cited"


async def test_references_of_other_programs_are_added_in_one_commit(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    source = tmp_path / "library.bib"
    source.write_text("@book{a, title={X}}\n@book{a, title={Y}}\n@book{b, title={open\n", "utf-8")
    async with office(temporal_env, tmp_path) as (services, found):
        done = references.add(services, found.novel, source, references.format_of(source))
        again = references.add(services, found.novel, source, "bibtex")
        folder = services.desk.novel.folder
        with pytest.raises(UsageMistake):
            references.format_of(tmp_path / "library.doc")
        with pytest.raises(NotFound):
            references.add(services, found.novel, tmp_path / "none.bib", "bibtex")

    assert (done.added, [each.code for each in done.findings]) == (("a",), ["DUPLICATE_KEY", "BROKEN_ENTRY"])
    assert git(folder, "show", "main:references.bib").startswith("@book{a,")
    assert (again.added, again.commit, again.findings[-1].code) == ((), "", "ALREADY_THERE")


async def test_a_work_in_the_text_and_in_the_bibliography_stays_one_and_undo_restores_both_files(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    """The bibliography's entry has a note more, which is said; a third sentence that cites it adds none."""
    inline = written(entry_of(TIDES, "lee2020tides"))
    fuller = f"{inline[:-1].rstrip()}, note = {{Read}}}}\n"
    cites = TEXT.replace("higher in spring.", f"higher in spring. [[{inline}]]")
    async with office(temporal_env, tmp_path, text=cites) as (services, found):
        novel = services.desk.novel
        (novel.folder / BIBLIOGRAPHY).write_text(fuller)
        commit_all(novel.folder)
        files = [novel.folder / BIBLIOGRAPHY, novel.folder / scene_path("-")]
        before = [each.read_bytes() for each in files]
        await scans.scan(services, found, ScanWish(), wait=wait)
        await scans.decide(services, found, accept(1), wait=wait)
        cited = novel.committed
        checked = references.check(services, found.novel, "-")
        await scans.undo(services, found)
        after = [each.read_bytes() for each in files]

    assert cited.count(f"[[{inline}]]") == cited.count("[[") == 2
    assert {(each.code, each.key) for each in checked.findings} == {("ENTRIES_DIFFER", "lee2020tides")}
    assert "differ in note;" in checked.findings[0].message
    assert len(read_entries(exported(cited, read_entries(fuller).entries).bibliography).entries) == 1
    assert after == before


async def test_an_estimate_counts_calls_at_most_and_starts_nothing(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with office(temporal_env, tmp_path) as (services, found):
        catalog = scripted_catalog(services.desk.script)
        made = estimating.estimate(services, catalog, found, 3)
        await services.desk.run()

    calls = {each.role: each.calls for each in made.roles}
    assert (made.sentences, made.targets) == (4, 3)
    assert calls == {"citation-orchestrator": 2, "citation-generator": 6}
    assert len(services.desk.asked) <= sum(calls.values())
    assert all(each.input_tokens > 0 for each in made.roles)
