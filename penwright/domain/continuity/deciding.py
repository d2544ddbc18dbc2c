"""The author's decisions on a story: facts that are corrected or rejected, contradictions that are silent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from penwright.domain.continuity.known import Known, KnownFact, folded
from penwright.domain.prose.intended import as_line, decision
from schemas.continuity import (
    ContinuityFinding,
    Correction,
    Decisions,
    FactDecision,
)
from schemas.prose import ContinuityRule, Intended


def decided(story: Known, decisions: Decisions) -> Known:
    """The story without rejected facts, and with the author's value of corrected ones."""
    if not decisions.corrected and not decisions.rejected:
        return story
    names = _names(story)
    out = {_of_statement(each, names) for each in decisions.rejected}
    right = {_of_statement(each, names): each for each in decisions.corrected if each.quote}
    facts = tuple(each for each in story.facts if _key(each) not in out)
    standing = {_key(each) for each in facts}
    return replace(
        story,
        facts=tuple(_corrected(each, right.get(_key(each))) for each in facts),
        rejected=tuple(each for each in story.facts if _key(each) in out),
        corrections=tuple(
            each for each in decisions.corrected if not each.quote or _of_statement(each, names) in standing
        ),
    )


def decisions_on(story: Known, fact: KnownFact, decisions: Decisions) -> Decisions:
    """Those of the author's decisions that correct or reject one fact."""
    names, key = _names(story), _key(fact)
    return Decisions(
        corrected=tuple(
            each for each in decisions.corrected if each.quote and _of_statement(each, names) == key
        ),
        rejected=tuple(each for each in decisions.rejected if _of_statement(each, names) == key),
    )


def _names(story: Known) -> Mapping[str, str]:
    return {folded(name): each.name for each in story.entities for name in each.names}


_Statement = tuple[str, str, str]
"""Entity, trait and quote, as they are compared."""


def _of_statement(each: Correction | FactDecision, names: Mapping[str, str]) -> _Statement:
    about = names.get(folded(each.about), each.about)
    return folded(about), folded(each.trait), as_line(each.quote)


def _key(fact: KnownFact) -> _Statement:
    return folded(fact.entity), folded(fact.trait), as_line(fact.place.quote)


def _corrected(fact: KnownFact, correction: Correction | None) -> KnownFact:
    return replace(fact, value=correction.value, misread=fact.value) if correction else fact


def on_fact(fact: KnownFact) -> FactDecision:
    """The decision that rejects a fact."""
    return FactDecision(about=fact.entity, trait=fact.trait, quote=as_line(fact.place.quote))


def correcting(fact: KnownFact, value: str) -> Correction:
    """The decision that corrects a fact."""
    return Correction(**on_fact(fact).model_dump(), value=as_line(value))


def on_finding(finding: ContinuityFinding) -> Intended:
    """The decision that is kept when an author says that a contradiction is intended."""
    return decision(finding.rule, finding.later.quote, finding.earlier.quote)


@dataclass(frozen=True, slots=True)
class SortedFindings:
    """The contradictions of a book by the author's decisions."""

    left: tuple[ContinuityFinding, ...]
    intended: tuple[ContinuityFinding, ...]
    later: tuple[ContinuityFinding, ...]
    """Silent until the next session."""

    @property
    def numbered(self) -> dict[int, ContinuityFinding]:
        """Every one by its number."""
        return dict(enumerate((*self.left, *self.intended, *self.later), 1))


def sorted_by(found: Sequence[ContinuityFinding], decisions: Decisions, session: str = "") -> SortedFindings:
    """Sort contradictions by the author's decisions.

    Args:
        session: tag of the last session; empty: there was none.
    """
    meant = frozenset(decisions.intended)
    late = {each.pair for each in decisions.later if each.session == session} - meant
    return SortedFindings(
        tuple(each for each in found if on_finding(each) not in meant | late),
        tuple(each for each in found if on_finding(each) in meant),
        tuple(each for each in found if on_finding(each) in late),
    )


def counts(decisions: Decisions) -> dict[str, int]:
    """Decisions by kind: how far the clerk is right."""
    rules = get_args(ContinuityRule)
    return {
        "confirmed": len({each.pair for each in decisions.confirmed}),
        "intended": sum(each.rule in rules for each in decisions.intended),
        "corrected": sum(bool(each.quote) for each in decisions.corrected),
        "rejected": len(decisions.rejected),
    }
