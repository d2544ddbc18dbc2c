"""Citation scans: started, followed, decided, taken back."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from gateway.desk.engine import messages
from gateway.desk.engine.citations import Scans
from gateway.desk.engine.pipelines import Message
from gateway.desk.engine.waits import Wait
from gateway.desk.manuscript import editing, scenes
from gateway.desk.manuscript.runs import known_at_once
from gateway.desk.services import Services
from gateway.desk.works import books, inspecting, novels
from gateway.desk.works.documents import Document
from gateway.desk.works.override_tags import checked_tag
from penwright.domain.citations.cited_versions import last_cited
from penwright.domain.citations.proposals import counts, undecidable
from penwright.domain.citations.scanning import searching
from penwright.domain.citations.scanning.status import PIPELINE, run_name
from penwright.domain.citations.scanning.storing import read_rows, reconciled
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.citation_scan import CitationScanInput, CitationScanResult, ProposalList, ScanReview
from schemas.citations import (
    CitationCounts,
    CitationDecision,
    CitationProposal,
    CitationSearch,
    TargetStanding,
)
from schemas.manuscript_text import TextRestored


@dataclass(frozen=True, slots=True)
class ScanWish:
    """Options of a person for a scan."""

    max_targets: int | None = None
    """Sentences to look up at most; None: as the document's settings have it."""
    auto_accept: bool = False
    waits: bool = False
    intent: str = ""
    minutes: int | None = None
    call_cost_micros: int | None = None
    cost_micros: int | None = None
    tag: str = ""
    """Tag of the override set of its agents; empty: as their profiles say."""
    who: str = ""
    """Person who asks; empty: the person of the services."""
    accepts_abstracts: bool = False
    """With ``auto_accept``: also what only an abstract was compared with."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """A scan that was started or joined."""

    session: str
    fresh: bool
    """False: one ran already; what was asked for here does not count."""
    result: CitationScanResult | None = None
    """None: no caller waited for its end."""


@dataclass(frozen=True, slots=True)
class ReviewedTarget:
    """One sentence, what is proposed for it, and what became of that."""

    proposal: CitationProposal
    standing: TargetStanding


@dataclass(frozen=True, slots=True)
class Review:
    """Proposals of the running scan, or the last one."""

    targets: tuple[ReviewedTarget, ...]
    counts: CitationCounts
    running: bool


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """Result of a decision; with ``result``, of the run that carried it out."""

    counts: CitationCounts
    result: CitationScanResult | None = None


def order_of(services: Services, found: Document, wish: ScanWish) -> CitationScanInput:
    """The order for one scan. Raises as ``checked_tag``."""
    tag = checked_tag(services, wish.tag, "scan")
    defaults = services.defaults()
    return CitationScanInput(
        novel=found.novel.novel_id,
        scene=found.scene,
        session=books.new_session(services.now()),
        workspace=found.novel.workspace,
        who=wish.who or services.person(),
        intent=wish.intent,
        max_targets=most_targets(services, found) if wish.max_targets is None else wish.max_targets,
        auto_accept=wish.auto_accept,
        accepts_abstracts=wish.accepts_abstracts,
        waits=wish.waits,
        minutes=wish.minutes,
        call_cost_micros=wish.call_cost_micros,
        cost_micros=wish.cost_micros,
        repo_queue=defaults.repo_queue,
        model_queue=defaults.model_queue,
        override_tag=tag,
    )


def most_targets(services: Services, found: Document) -> int:
    """The document's setting: what its last scan was given, else the default."""
    with services.open_store() as store:
        return inspecting.state(store, found.key).max_targets


async def scan(services: Services, found: Document, wish: ScanWish, *, wait: Wait | None) -> Scanned:
    """Start a scan, or join the one that runs; without ``wait``, return as soon as that is done."""
    given = await asyncio.to_thread(order_of, services, found, wish)
    await asyncio.to_thread(novels.enter, services, found.novel)
    async with services.engine() as engine:
        fresh = await engine.scans.start(given)
        if fresh:
            await asyncio.to_thread(known_at_once, services, found, run_name(given), PIPELINE)
        ended = await _ending(engine.scans, found.name, wait) if wait else None
    return Scanned(given.session, fresh, ended)


async def watch(services: Services, found: Document, wait: Wait) -> CitationScanResult:
    """Wait for the end of the scan, or say how the last one ended.

    Raises:
        NotFound: ``no-scan``.
    """
    async with services.engine() as engine:
        ended = await _ending(engine.scans, found.name, wait)
    if ended is None:
        raise no_scan(found)
    return ended


async def review(services: Services, found: Document) -> Review:
    """Read the proposals of the running scan, or those the last one left.

    Raises:
        NotFound: ``no-scan``.
    """
    async with services.engine() as engine:
        running = await engine.scans.review(found.name)
    return await asyncio.to_thread(_review, services, found, running)


def _review(services: Services, found: Document, running: ScanReview | None) -> Review:
    if running is None:
        left = _left(services, found)
        return Review(left, counts(each.standing for each in left), running=False)
    listed = ProposalList()
    if running.proposals is not None:
        with services.open_store() as store:
            listed = ProposalList.model_validate_json(store.blobs.get(running.proposals))
    states = {each.number: each for each in running.standings}
    pairs = tuple(ReviewedTarget(each, states[each.target.number]) for each in listed.proposals)
    return Review(pairs, running.counts, running=True)


def _left(services: Services, found: Document) -> tuple[ReviewedTarget, ...]:
    """Read what the last scan left, as the text has it now; raises ``NotFound`` (``no-scan``)."""
    with services.open_store() as store:
        state = store.agent_states.read(found.key)
    if state is None:
        raise no_scan(found)
    text = scenes.show(services, found.novel, found.scene).text
    kept = reconciled(read_rows(state.citation_targets), text)
    return tuple(ReviewedTarget(each.proposal, each.standing) for each in kept if not each.earlier)


def _check(services: Services, found: Document, decision: CitationDecision) -> None:
    """Refuse a decision about what the last scan did not leave."""
    left = _left(services, found)
    if refusal := undecidable([each.standing for each in left], decision):
        raise Refused(*refusal)


async def search(
    services: Services, found: Document, number: int, words: str, *, who: str, wait: Wait
) -> DecisionOutcome:
    """Look works up for a sentence: the first that is found is proposed, the others can be chosen.

    Args:
        words: a DOI, an arXiv id, or what to search for.

    Raises:
        UsageMistake: ``nothing-to-search``.
        Refused: ``unknown-target``, ``not-waiting`` or ``cited-already``.
    """
    if not words.strip():
        raise UsageMistake("nothing-to-search", "say what to look for: a title, a subject, or a DOI")
    return await _looked_up(services, found, searching.by_words(number, words[:_LONGEST_SEARCH]), who, wait)


async def choose(
    services: Services, found: Document, number: int, work: int, *, who: str, wait: Wait
) -> DecisionOutcome:
    """Propose another of the works that were found for a sentence, once it is verified.

    Args:
        work: which of ``others``, from 1.

    Raises:
        Refused: ``unknown-work``, or as ``search``.
    """
    shown = await review(services, found)
    others = next((each.proposal.others for each in shown.targets if each.standing.number == number), None)
    if others is None:
        with _hinted(found):
            raise Refused("unknown-target", f"there is no target {number}")
    if not 1 <= work <= len(others):
        said = f"sentence {number} has no other work {work}; it has {len(others)}"
        raise Refused("unknown-work", said, hint=f"`penwright cite review {found.options}` lists them")
    return await _looked_up(services, found, searching.for_work(number, others[work - 1]), who, wait)


async def _looked_up(
    services: Services, found: Document, wanted: CitationSearch, who: str, wait: Wait
) -> DecisionOutcome:
    """By the scan that waits for decisions, or by a run of its own."""
    shown = await review(services, found)
    with _hinted(found):
        _check_search(shown, wanted)
        async with services.engine() as engine:
            if shown.running:
                return DecisionOutcome(await engine.scans.search(found.name, wanted))
            order = await asyncio.to_thread(_order_again, services, found, who)
            if not await engine.scans.start(order.model_copy(update={"searches": (wanted,)})):
                raise Refused(*_MEANWHILE)
            ended = await _ending(engine.scans, found.name, wait)
    assert ended is not None, "it was started"
    return DecisionOutcome(ended.counts, ended)


def _check_search(shown: Review, wanted: CitationSearch) -> None:
    """Refuse what cannot be given another work."""
    if refusal := searching.unsearchable([each.standing for each in shown.targets], wanted):
        raise Refused(*refusal)
    about = next(each.proposal for each in shown.targets if each.standing.number == wanted.number)
    if refusal := searching.not_an_insertion(about):
        raise Refused(*refusal)


async def decide(
    services: Services, found: Document, decision: CitationDecision | None, *, who: str = "", wait: Wait
) -> DecisionOutcome:
    """Carry a decision out: by the scan that waits for it, or by a run of its own.

    Args:
        decision: None: only put into the text what was accepted and is not in it yet.
        who: who asks for that; empty: the person of the services.
    """
    with _hinted(found):
        return await _decided(services, found, decision, who, wait)


async def _decided(
    services: Services, found: Document, decision: CitationDecision | None, who: str, wait: Wait
) -> DecisionOutcome:
    async with services.engine() as engine:
        running = await engine.scans.progress(found.name)
        if running is not None:
            if decision is None:
                raise Refused("scan-runs", "a scan runs, and applies what is accepted by itself")
            return DecisionOutcome(await engine.scans.decide(found.name, decision))
        if decision is not None:
            await asyncio.to_thread(_check, services, found, decision)
        given = await asyncio.to_thread(_order_again, services, found, decision.who if decision else who)
        taken = (decision,) if decision else ()
        if not await engine.scans.start(given.model_copy(update={"decisions": taken})):
            raise Refused(*_MEANWHILE)
        ended = await _ending(engine.scans, found.name, wait)
    assert ended is not None, "it was started"
    return DecisionOutcome(ended.counts, ended)


def _order_again(services: Services, found: Document, who: str) -> CitationScanInput:
    """The order to take up what the last scan left; the novel is registered."""
    novels.ensure_registered(services, found.novel)
    return order_of(services, found, ScanWish(who=who)).model_copy(update={"again": True})


_LONGEST_SEARCH: Final = 500
"""Characters of a search by hand."""
_MEANWHILE: Final = ("scan-runs", "another decision is being carried out, or a scan began meanwhile")
_STEPS: Final = {
    "scan-runs": "`penwright cite review {}` shows how the proposals stand",
    "scan-over": "`penwright cite review {}` shows what it left",
    "nothing-waits": "`penwright cite review {0}` shows what became of each, "
    "`penwright cite apply {0}` puts in what is accepted and not in the text yet",
    "cited-already": "change it in the text; `penwright cite scan {}` looks it up again",
    "unknown-target": "`penwright cite review {}` lists the targets with their numbers",
    "not-waiting": "`penwright cite review {}` shows which targets still wait",
    "nothing-named": "`penwright cite review {}` lists the targets with their numbers",
    "nothing-cited": "`penwright cite review {0}` shows what is proposed, "
    "`penwright cite accept {0} --verified --abstracts` puts it in",
}
"""Code of what cannot be done -> what to do."""


@contextmanager
def _hinted(found: Document) -> Iterator[None]:
    """Say what to do after a refusal that knows the targets and not the document."""
    try:
        yield
    except Refused as refusal:
        if refusal.code not in _STEPS:
            raise
        raise Refused(
            refusal.code, refusal.message, hint=_STEPS[refusal.code].format(found.options)
        ) from None


async def undo(services: Services, found: Document, *, who: str = editing.LOCAL) -> TextRestored:
    """Take back the citations that were put in last, if the text has not been changed since.

    Args:
        who: who asks.

    Raises:
        Refused: ``nothing-cited``, ``undone-already``, or ``scan-runs``.
    """
    async with services.engine() as engine:
        if await engine.scans.progress(found.name) is not None:
            said = "a scan runs; kill it or wait for its end, then undo"
            raise Refused("scan-runs", said, hint=f"`penwright cite kill {found.options}` ends it")
    # The scene's own versions say it: a later run that changed nothing left none.
    versions = await asyncio.to_thread(scenes.versions, services, found.novel, found.scene)
    with _hinted(found):
        cited, before = last_cited(versions)
    if versions[0].blob == before.blob:
        said = "what was cited last was taken out already; nothing was done"
        hint = f"`penwright manuscript versions {found.words}` lists the changes"
        raise Refused("undone-already", said, hint=hint)
    return await editing.rollback(
        services, found.novel, found.scene, before.commit, expected=cited.blob, principal=who
    )


async def send(services: Services, found: Document, message: Message) -> None:
    """Kill, pause or resume the scan; returns once it has confirmed that.

    Raises:
        Refused: ``no-scan-runs``.
        EngineUnavailable: the error of ``not_acknowledged``.
    """
    nothing = Refused(
        "no-scan-runs",
        f"no scan runs on {found.name!r}",
        hint=f"`penwright cite scan {found.options}` starts one",
    )
    async with services.engine() as engine:
        await messages.send(engine.scans, found.name, message, nothing)


def no_scan(found: Document) -> NotFound:
    """Make the error for a missing scan."""
    return NotFound(
        "no-scan",
        f"no scan has proposed anything for {found.name!r} yet",
        hint=f"`penwright cite scan {found.options}` scans it",
    )


async def _ending(scans: Scans, name: str, wait: Wait) -> CitationScanResult | None:
    waited: Awaitable[CitationScanResult | None] = scans.result(name)
    return await wait(waited, lambda: scans.progress(name))
