"""Citations that are proposed: the sentence, the works, the verdict, and the decision."""

from gateway.desk.book.sessions import quietly
from gateway.desk.citations import scans
from gateway.desk.citations.scans import Review, ReviewedTarget
from gateway.desk.manuscript.runs import Document
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.figures import facts
from gateway.ui.parts.html import box, text
from gateway.ui.parts.prose import difference
from gateway.ui.parts.states import state
from gateway.ui.visit import Visit
from schemas.citations import CitationDecision


def citations(visit: Visit, made: Frame, found: Document, review: Review | None) -> None:
    """One card for each sentence of the last scan; nothing enters the text before it is accepted."""
    if review is None or not review.targets:
        text("p", "No sentence was looked up yet.", classes="empty")
        return
    waiting = [each for each in review.targets if each.standing.state in ("proposed", "verified")]
    if len(waiting) > 1:
        every = CitationDecision(verb="accept", who=visit.principal.name, every="verified")
        with box(classes="row-of"):
            action(made, "Accept all that are verified", _decided(visit, found, every))
    for each in review.targets:
        _card(visit, made, found, each)


def _card(visit: Visit, made: Frame, found: Document, each: ReviewedTarget) -> None:
    target, change, standing = each.proposal.target, each.proposal.change, each.standing
    with box("article", classes="card citation"):
        text("h3", f"Sentence {standing.number}")
        state("applied" if standing.applied else standing.state)
        if change is None:
            text("p", target.text, classes="prose")
            text("p", standing.message or each.proposal.message, classes="needs")
            return
        difference(target.text, change.after)
        facts(
            {
                "Why it needs one": target.reason,
                "Works": ", ".join(change.keys),
                "Verdict": f"{change.verdict}{': ' if change.reason else ''}{change.reason}",
                "Known by": ", ".join(change.sources),
            }
        )
        if change.abstract:
            with box("details"):
                text("summary", "Supporting passage")
                text("p", change.abstract, classes="prose")
        if standing.state in ("proposed", "verified") and not standing.applied:
            numbers, who = (standing.number,), visit.principal.name
            with box(classes="row-of"):
                accept = CitationDecision(verb="accept", who=who, numbers=numbers)
                action(made, "Accept", _decided(visit, found, accept), look="main")
                action(
                    made,
                    "Reject",
                    _decided(visit, found, CitationDecision(verb="reject", who=who, numbers=numbers)),
                )


def _decided(visit: Visit, found: Document, decision: CitationDecision) -> Act:
    async def act() -> str:
        visit.require("approve", f"novel/{found.novel.novel_id}")
        done = await visit.ask_engine(scans.decide, found, decision, wait=quietly)
        return f"{done.counts.applied} citations are in the text, {done.counts.rejected} rejected"

    return act
