"""Actions on the citations of a document, as its page asks the desk."""

from nicegui import ui

from gateway.desk.citations import scans
from gateway.desk.citations.scans import DecisionOutcome
from gateway.desk.citations.taking_back import take_back
from gateway.desk.engine.waits import quietly
from gateway.desk.principals import Scope
from gateway.desk.works.documents import Document
from gateway.ui.parts.acting import Act
from gateway.ui.visit import Visit
from schemas.citations import CitationDecision


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
