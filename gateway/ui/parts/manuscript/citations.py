"""Citations that are proposed: what can be decided about all of them, and a card for each sentence."""

from nicegui import ui

from gateway.desk.citations import scans
from gateway.desk.citations.scans import DecisionOutcome, Review, ReviewedTarget
from gateway.desk.citations.taking_back import take_back
from gateway.desk.engine.waits import quietly
from gateway.desk.principals import Scope
from gateway.desk.works.documents import Document
from gateway.ui.elements.html import attribute, box, outward, text
from gateway.ui.elements.states import state
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, acted, action
from gateway.ui.parts.confirm import confirmed
from gateway.ui.parts.plots.figures import facts
from gateway.ui.parts.sheets import sheet
from gateway.ui.visit import Visit
from penwright.domain.citations.building import doi_address
from penwright.domain.citations.proposals import WAITING
from penwright.domain.citations.support.telling import place_told, support_told
from schemas.citations import CitationChange, CitationDecision, FoundWork


class CitationActs:
    """Each method returns what a button does."""

    def __init__(self, visit: Visit, found: Document) -> None:
        self._visit, self._found = visit, found
        self._who = visit.principal.name

    def accepting(self, number: int) -> Act:
        """Accept what is proposed for a sentence."""
        return self._deciding(CitationDecision(verb="accept", who=self._who, numbers=(number,)))

    def accepting_verified(self, *, abstracts: bool = False) -> Act:
        """Accept all that exists and says its sentence; ``abstracts``: or whose abstract has its words."""
        decision = CitationDecision(verb="accept", who=self._who, every="verified", abstracts=abstracts)
        return self._deciding(decision)

    def rejecting(self, number: int, reason: str) -> Act:
        """Reject what is proposed for a sentence."""
        decision = CitationDecision(verb="reject", who=self._who, numbers=(number,), reason=reason)
        return self._deciding(decision)

    def choosing(self, number: int, work: int) -> Act:
        """Propose another of the works that were found, counted from 1."""

        async def act() -> str:
            self._require("approve")
            asked = self._visit.ask_engine
            return _told(await asked(scans.choose, self._found, number, work, who=self._who, wait=quietly))

        return act

    def searching(self, number: int, field: ui.input) -> Act:
        """Look up what stands in the field."""

        async def act() -> str:
            self._require("approve")
            words = field.value if isinstance(field.value, str) else ""
            asked = self._visit.ask_engine
            return _told(await asked(scans.search, self._found, number, words, who=self._who, wait=quietly))

        return act

    def taking_back(self) -> Act:
        """Take out of the text what was cited last."""

        async def act() -> str:
            self._require("write")
            answer = await self._visit.ask_engine(scans.undo, self._found, who=self._who)
            return (
                answer.message if answer.outcome in ("refused", "conflict") else "they were taken out again"
            )

        return act

    def taking_out(self, number: int) -> Act:
        """Take the citation of one sentence out of the text."""

        async def act() -> str:
            self._require("write")
            await self._visit.ask_engine(take_back, self._found, number, who=self._who)
            return f"sentence {number} is as it was, and waits for you"

        return act

    def _deciding(self, decision: CitationDecision) -> Act:
        async def act() -> str:
            self._require("approve")
            done = await self._visit.ask_engine(scans.decide, self._found, decision, wait=quietly)
            many = done.counts.applied
            cited = "1 citation is" if many == 1 else f"{many} citations are"
            return f"{cited} in the text, {done.counts.rejected} rejected"

        return act

    def _require(self, scope: Scope) -> None:
        self._visit.require(scope, f"novel/{self._found.novel.novel_id}")


def _told(done: DecisionOutcome) -> str:
    if done.result is None:
        return "the scan looks it up"
    return f"looked up; {done.counts.proposed + done.counts.verified} sentences wait for you"


def work(found: FoundWork, *, passage: bool = True) -> None:
    """A work in two lines, with a link to it that resolves; ``passage``: offer how its abstract begins."""
    with box(classes="work"):
        text("p", found.title or "(without a title)", classes="what")
        with box("p", classes="soft"):
            told = (_authors(found), found.container, str(found.year or ""))
            text("span", ", ".join(each for each in told if each))
            if found.doi:
                text("span", ", ")
                outward(f"doi:{found.doi}", doi_address(found.doi))
            elif found.url:
                text("span", ", ")
                outward("its page", found.url)
        if found.retracted:
            state("retracted")
        if found.compared is not None:
            text("p", support_told(found.compared.support, found.compared.share), classes="soft")
        if passage and found.passage:
            with box("details"):
                text("summary", "How its abstract begins")
                text("blockquote", found.passage, classes="prose")


def _authors(found: FoundWork) -> str:
    names = [each.family for each in found.authors]
    return f"{names[0]} and others" if len(names) > 2 else " and ".join(names)


_SEARCHABLE = WAITING | {"rejected", "failed"}


class CitationCard:
    """Draws the cards of one document."""

    def __init__(self, frame: Frame, acts: CitationActs) -> None:
        self._frame, self._acts = frame, acts

    def draw(self, each: ReviewedTarget) -> None:
        """A card."""
        target, change, standing = each.proposal.target, each.proposal.change, each.standing
        with box("article", classes="card citation", label=f"Sentence {standing.number}"):
            with box("header"):
                text("h3", f"Sentence {standing.number}")
                state("applied" if standing.applied else standing.state)
            text("p", target.section, classes="soft")
            _sentence(target.text, change)
            facts({"Why it needs one": target.reason, "Evidence asked for": target.evidence})
            if change is not None:
                self._evidence(change)
            if said := standing.message or each.proposal.message:
                text("p", said, classes="needs")
            if standing.state == "rejected":
                why = f": {standing.reason}" if standing.reason else ""
                text("p", f"Rejected by {standing.by}{why}", classes="needs")
            if standing.applied:
                with box(classes="row-of"):
                    action(self._frame, "Take it back", self._acts.taking_out(standing.number))
            else:
                self._buttons(each)
                self._others(each)

    def _evidence(self, change: CitationChange) -> None:
        for each in change.works:
            work(each, passage=not change.abstract)
        if change.verdict != "verified":
            state(change.verdict.replace("_", " "))
        said = support_told(change.support, change.overlap or 0) if change.support else ""
        if change.quote is not None:
            text("blockquote", change.quote.quote, classes="prose")
            text("p", place_told(change.quote), classes="soft")
        facts({"Why it fits": change.reason, "Support": said, "Known by": ", ".join(change.sources)})
        if change.abstract:
            with box("details"):
                text("summary", "Abstract")
                text("blockquote", change.abstract, classes="prose")
        with box("details"):
            text("summary", "As it enters the text")
            attribute(text("pre", change.after, classes="lines"), "tabindex", "0")

    def _buttons(self, each: ReviewedTarget) -> None:
        number, stands = each.standing.number, each.standing.state
        with box(classes="row-of"):
            if each.proposal.change is not None and stands in (*WAITING, "rejected"):
                shown = "Accept after all" if stands == "rejected" else "Accept"
                action(self._frame, shown, self._acts.accepting(number), look="main")
            if stands in WAITING:
                button = ui.button("Reject …", on_click=lambda: self._ask_why(number), color=None)
                button.props("no-caps unelevated").classes("plain")

    def _ask_why(self, number: int) -> None:
        with sheet(f"Reject what is proposed for sentence {number}") as dialog:
            field = ui.input("Why (may be left empty)").props('outlined dense autofocus maxlength="500"')

            async def rejected() -> None:
                reason = field.value.strip() if isinstance(field.value, str) else ""
                dialog.close()
                if await acted(self._frame, self._acts.rejecting(number, reason)):
                    await self._frame.renew()

            field.on("keydown.enter", rejected)
            with box(classes="row-of"):
                ui.button("Reject", on_click=rejected, color=None).props("no-caps unelevated").classes(
                    "danger"
                )
                leave = ui.button("Leave it", on_click=dialog.close, color=None)
                leave.props("no-caps unelevated").classes("plain")

    def _others(self, each: ReviewedTarget) -> None:
        """Draw what else was found, and a search by hand."""
        number, others = each.standing.number, each.proposal.others
        if each.standing.state not in _SEARCHABLE or each.proposal.target.kind != "insert":
            return
        with box("details"):
            text("summary", f"Another work ({len(others)} more found)" if others else "Search for a work")
            for at, other in enumerate(others, 1):
                with box(classes="other"):
                    work(other)
                    button = action(self._frame, "Propose this", self._acts.choosing(number, at))
                    attribute(button, "aria-label", f"Propose this: {other.title[:120]}")
            field = ui.input("A title, a subject, or a DOI").props('outlined dense maxlength="500"')
            act = self._acts.searching(number, field)
            search = action(self._frame, "Search", act, icon="search")
            attribute(search, "aria-label", f"Search for a work for sentence {number}")

            async def entered() -> None:
                if await acted(self._frame, act):
                    await self._frame.renew()

            field.on("keydown.enter", entered)


def _sentence(sentence: str, change: CitationChange | None) -> None:
    """The sentence, and behind it what would be added; its own words stay as they are."""
    with box("p", classes="prose"):
        text("span", sentence)
        if change is not None and change.after.startswith(sentence):
            for key in change.keys:
                with box("ins"):
                    text("span", " added: ", classes="hidden-text")
                    text("span", f" [{key}]")


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
