"""Citations in a manuscript: what is to be cited, what is proposed for it, and what people decided.

A citation stands inline as ``[[@type{key, fields}]]``, after its sentence.
"""

from datetime import datetime
from typing import Literal

from schemas.base import Value
from schemas.library import LocatedQuote
from schemas.scholarly import Identifier, Query, Reference, SourceName, VerdictStatus

TargetKind = Literal["insert", "verify", "normalise"]
"""``insert``: the sentence has no citation yet. ``verify``: it has, and they are to be looked up.
``normalise``: it has one that is not written in the house's form."""

ProposalState = Literal["found", "skipped", "proposed", "verified", "accepted", "rejected", "failed"]
"""``found``: not looked up yet. ``skipped``: nothing to change. ``proposed``: a change waits for a person.
``verified``: it waits, and rules may accept it. ``accepted``, ``rejected``: decided. ``failed``: no change
can be offered, or the accepted one no longer fits the text."""

Support = Literal[
    "says",  # a sentence of its text does
    "contradicts",
    "not found",
    "abstract only",  # a sentence of its abstract does; its text was not read
    "no text",
]
"""Service of a work to the sentence that cites it, see ``penwright.domain.citations.support``."""

ReferenceFormat = Literal["bibtex", "ris", "csl-json"]


class ClaimSupport(Value):
    """The service of a work to one claim, and its words for it."""

    support: Support
    share: float
    """Of the claim's content words, names and numbers, in the sentence that has most of them; 0 to 1."""
    quote: LocatedQuote | None = None
    """That sentence, verbatim; None: nothing of the work says or denies the claim."""


class CitationFinding(Value):
    """Something wrong with a citation or reference, for people."""

    code: str
    """Such as ``UNBALANCED_CITATION`` or ``DUPLICATE_KEY``."""
    message: str
    """Fault, and what to do."""
    line: int = 0
    """From 1; 0 if it belongs to no line."""
    key: str = ""
    scene: str = ""
    """The one that ``line`` is of, where a command names it."""


class CitationTarget(Value):
    """One sentence that the orchestrator picked."""

    number: int
    """Its number in this scan, from 1."""
    kind: TargetKind
    sentence: int
    """The sentence's number in the text that was scanned, from 1."""
    text: str
    """The sentence as it stood there, its citations included."""
    same: int = 1
    """Which of several equal sentences it is, from 1."""
    of_same: int = 1
    """Number of equal sentences there were."""
    section: str = ""
    """Title of the heading above it."""
    reason: str = ""
    evidence: str = ""
    """The kind of evidence it needs, such as ``statistic``."""


class FoundWork(Reference):
    """A work that registries found for a sentence, short enough to be kept beside its proposal."""

    source: SourceName
    url: str = ""
    passage: str = ""
    """The beginning of its abstract."""
    retracted: bool = False
    compared: ClaimSupport | None = None
    """Support of the sentence by this work; None: not compared."""


class CitationSearch(Value):
    """Search that a person asks for, for one sentence: identifiers, or words to search for."""

    number: int
    """Of the target."""
    identifiers: tuple[Identifier, ...] = ()
    query: Query | None = None


class CitationChange(Value):
    """Change that a proposal makes to its sentence, and the reasons for it."""

    after: str
    """The sentence with its citations changed; its own words are the same."""
    entries: tuple[str, ...] = ()
    """The BibTeX entries it would have."""
    keys: tuple[str, ...] = ()
    verdict: VerdictStatus = "unverifiable"
    reason: str = ""
    """Reason why the source fits the sentence, in the generator's words; or the verdict's."""
    abstract: str = ""
    support: Support | None = None
    """The weakest of its works'; None: not compared."""
    overlap: float | None = None
    """Share of the sentence's content words, names and numbers in the quote, 0 to 1."""
    quote: LocatedQuote | None = None
    """Words of the work that say the sentence or deny it, verbatim."""
    sources: tuple[SourceName, ...] = ()
    """The registries that have the record."""
    works: tuple[FoundWork, ...] = ()
    """The works of ``entries``, in their order."""


class CitationDecision(Value):
    """A person's, or a rule's, answer to proposals."""

    verb: Literal["accept", "reject"]
    who: str
    numbers: tuple[int, ...] = ()
    """Targets it is about."""
    every: Literal["", "verified", "all"] = ""
    """Instead of numbers: all that wait, or those of them that are verified."""
    abstracts: bool = False
    """With ``verified``: also those of which only an abstract was compared."""
    reason: str = ""
    """Reason why it was rejected, in the person's words."""


class CitationProposal(Value):
    """A target, and what was found for it."""

    target: CitationTarget
    state: ProposalState = "found"
    code: str = ""
    """Reason why it was skipped or failed."""
    message: str = ""
    change: CitationChange | None = None
    """None unless there is something to decide."""
    others: tuple[FoundWork, ...] = ()
    """Other works found for the sentence, to be chosen instead."""


class TargetStanding(Value):
    """The state of one target, without its texts."""

    number: int
    state: ProposalState = "found"
    code: str = ""
    """Reason why it was skipped or failed."""
    message: str = ""
    by: str = ""
    """Person who decided; ``rule`` for what was accepted because it is verified."""
    at: datetime | None = None
    """When that was; None: not decided, or before this was kept."""
    reason: str = ""
    """Reason why that person rejected it."""
    by_abstract: bool = False
    """It waits because nothing but an abstract was compared; else it would be ``verified``."""
    applied: bool = False
    """The change is in the text."""


class CitationCounts(Value):
    """Number of targets in each state; all but ``found`` and ``applied`` add up to ``found``."""

    found: int = 0
    pending: int = 0
    """Not looked up yet."""
    skipped: int = 0
    proposed: int = 0
    verified: int = 0
    accepted: int = 0
    rejected: int = 0
    mismatch: int = 0
    """Their citation differs from what registries have, or names another work."""
    failed: int = 0
    """No change can be offered for another reason, or the accepted one no longer fits."""
    applied: int = 0
    """Of the accepted ones, those that are in the text."""
