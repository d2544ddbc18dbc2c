"""Citations that are proposed: what can be decided about all of them, and a card for each sentence."""

from gateway.desk.citations.scans import Review
from gateway.desk.works.documents import Document
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.manuscript.citation_acts import CitationActs
from gateway.ui.parts.manuscript.citation_card import CitationCard
from gateway.ui.visit import Visit
from penwright.domain.citations.proposals import WAITING


def citations(visit: Visit, made: Frame, found: Document, review: Review | None) -> None:
    """One card for each sentence of the last scan; nothing enters the text before it is accepted."""
    if review is None or not review.targets:
        said = "No sentence was looked up yet. A scan finds sentences that need a source, and works for them."
        if review is not None and review.running:
            said = "The scan looks for sentences that need a source, and for works; they are shown here."
        text("p", said, classes="empty")
        return
    acts, counts = CitationActs(visit, found), review.counts
    card = CitationCard(made, acts)
    text(
        "p",
        f"{counts.found} sentences: {counts.proposed + counts.verified} wait for you, {counts.applied} are "
        f"cited, {counts.rejected} rejected, {counts.mismatch} do not match their source, {counts.failed} "
        "are without a work.",
        classes="soft",
    )
    with box(classes="row-of"):
        waiting = [each.standing for each in review.targets if each.standing.state in WAITING]
        if len(waiting) > 1 and counts.verified:
            action(made, f"Accept all {counts.verified} that are verified", acts.accepting_verified())
        if (by_abstract := sum(each.by_abstract for each in waiting)) > 1:
            question = "Accept also what only an abstract was compared with? Nobody has read those texts."
            many = f"Accept {by_abstract + counts.verified} by text or abstract"
            confirmed(made, many, question, acts.accepting_verified(abstracts=True))
        if counts.applied:
            question = "Take out of the text what was cited last, as a new commit?"
            confirmed(made, "Take the last citations back", question, acts.taking_back())
    for each in review.targets:
        card.draw(each)
