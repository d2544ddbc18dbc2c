"""Proposals for a target, made of verified records: entries, the new sentence, a verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from penwright.domain.citations.changes import with_entries
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, read_entry, written
from penwright.domain.citations.proposals import ENTRY_DIFFERS, NO_REGISTRY, proposal
from penwright.domain.citations.references import KnownReference, References, canonical, cited
from penwright.domain.citations.scanning.searching import is_retracted, shown
from penwright.domain.citations.scanning.storing import VERIFIED
from penwright.domain.citations.support.comparing import support_by_abstract, weakest
from penwright.domain.citations.support.telling import place_told, support_told
from penwright.domain.citations.verdicts import listed
from penwright.domain.text.inline_citations import find_citations
from schemas.base import Cause
from schemas.citations import CitationChange, CitationProposal, CitationTarget, ClaimSupport
from schemas.scholarly import ScholarlyRecord, Verdict

_ABSTRACT = 1_500
"""Characters of an abstract that are shown beside a proposal."""
_LINE = 400
"""Characters of a title, journal or DOI that the generator reads; a registry's long answer costs no more."""
_NAME = 80


@dataclass(frozen=True, slots=True)
class FoundWork:
    """A work and the verdict on it."""

    record: ScholarlyRecord
    verdict: Verdict
    own: ClaimSupport | None = None
    """Support by its text, if it is a source of one's own."""

    def compared(self, sentence: str) -> ClaimSupport:
        """Support by its text, else by its abstract."""
        return self.own or support_by_abstract(sentence, self.record)


def nothing_offered(target: CitationTarget, cause: Cause) -> CitationProposal:
    """A target for which there is nothing to decide, and why."""
    return CitationProposal(target=target, state="failed", code=cause.code, message=cause.message)


def insertion(
    target: CitationTarget, found: Sequence[FoundWork], reason: str, references: References, today: date
) -> CitationProposal:
    """Cite the works behind the sentence; what is retracted, or refuted by a registry, is left out."""
    standing = [each for each in found if each.verdict.status != "retracted" and not _is_refuted(each)]
    if not standing:
        said = found[0].verdict.reason if found else "no work was found"
        code = found[0].verdict.status.upper() if found else "NOTHING_FOUND"
        return nothing_offered(target, Cause(code=code, message=said))
    entries, works = _entries(standing, references, today)
    worst = next((each.verdict for each in works if each.verdict.status != "verified"), works[0].verdict)
    compared = [each.compared(target.text) for each in works]
    least = weakest(compared)
    change = CitationChange(
        after=with_entries(target.text, [each.text for each in entries]),
        entries=tuple(each.text for each in entries),
        keys=tuple(each.key for each in entries),
        verdict=worst.status,
        reason=" ".join(filter(None, (reason, worst.reason if worst.status != "verified" else ""))),
        abstract=works[0].record.abstract[:_ABSTRACT],
        support=least.support,
        overlap=least.share,
        quote=least.quote,
        works=tuple(shown(each.record, said) for each, said in zip(works, compared, strict=True)),
        sources=tuple(dict.fromkeys(source for each in works for source in each.verdict.confirmed_by)),
    )
    made = proposal(target, change, sure=least.support == "says")
    unlike = _unlike(works, references, change.keys)
    if unlike and not made.code:
        return made.model_copy(update={"code": ENTRY_DIFFERS, "message": unlike})
    return made


def _is_refuted(found: FoundWork) -> bool:
    """Whether it is an entry of the workspace's own bibliography that a registry contradicts."""
    return found.record.source == "bibliography" and found.verdict.status in ("mismatch", "not_found")


def _unlike(works: Sequence[FoundWork], references: References, keys: Sequence[str]) -> str:
    """Name entries of the document that are meant for these works and that their records do not confirm."""
    return " ".join(
        f"The entry {old!r} of this document is not what {each.record.source} records: "
        f"{listed(apart)}; correct it. This sentence cites {new!r}, made from the record."
        for each, new in zip(works, keys, strict=True)
        for old, apart in references.unlike(each.record)
        if old != new
    )


def _entries(
    found: Sequence[FoundWork], references: References, today: date
) -> tuple[list[KnownReference], list[FoundWork]]:
    """An entry for each work, those that the document has already first, then by year."""
    made: dict[str, tuple[bool, int, KnownReference, FoundWork]] = {}
    for each in found:
        is_known = references.entry_for(each.record) is not None
        references, entry = cited(references, each.record, today)
        made.setdefault(entry.text, (not is_known, each.record.year or 9999, entry, each))
    ordered = sorted(made.values(), key=lambda one: one[:2])
    return [one[2] for one in ordered], [one[3] for one in ordered]


def checked(
    target: CitationTarget,
    verdicts: Sequence[Verdict],
    references: References,
    compared: ClaimSupport | None = None,
) -> CitationProposal:
    """Proposal after looking up the sentence's own citations: right, right but in another form, or wrong.

    Args:
        compared: what their works say of the sentence, which is told and changes nothing.
    """
    wrong = next((each for each in verdicts if each.status != "verified"), None)
    if wrong is not None or not verdicts:
        code = wrong.status.upper() if wrong else "NOTHING_FOUND"
        if wrong is not None and wrong.unanswered:
            code = NO_REGISTRY
        return nothing_offered(
            target, Cause(code=code, message=wrong.reason if wrong else "nothing to check")
        )
    after = _normalised(target.text, references)
    if after == target.text:
        said = "its citations were looked up and are right"
        if compared is not None:
            said = f"{said}; {support_in_words(compared)}"
        return CitationProposal(target=target, state="skipped", code=VERIFIED, message=said)
    citations = find_citations(after).citations
    change = CitationChange(
        after=after,
        entries=tuple(each.entry for each in citations),
        keys=tuple(each.key for each in citations),
        verdict="verified",
        reason="the same works, in the form of this house",
        support=compared.support if compared else None,
        overlap=compared.share if compared else None,
        quote=compared.quote if compared else None,
        sources=tuple(dict.fromkeys(source for each in verdicts for source in each.confirmed_by)),
    )
    return proposal(target, change, sure=True)


def _normalised(sentence: str, references: References) -> str:
    """The sentence with its citations in the house's form."""
    parts, behind = [], 0
    for each in find_citations(sentence).citations:
        entry = read_entry(each.entry)
        new = written(canonical(entry, references)) if isinstance(entry, Entry) else each.entry
        parts += [sentence[behind : each.start], f"[[{new}]]"]
        behind = each.end
    return "".join([*parts, sentence[behind:]])


def with_proposed(references: References, proposals: Iterable[CitationProposal]) -> References:
    """The document's references, with those that are proposed for other sentences."""
    entries = [entry for each in proposals if each.change for entry in each.change.entries]
    read = [(text, read_entry(text)) for text in dict.fromkeys(entries)]
    new = [known_as(text, entry) for text, entry in read if isinstance(entry, Entry)]
    present = {each.text for each in references.known}
    return References(
        (*references.known, *(each for each in new if each.text not in present)),
        references.taken | {each.key for each in new},
    )


def known_as(text: str, entry: Entry) -> KnownReference:
    """An entry as it is written somewhere, with the work that it names."""
    return KnownReference(entry.key, text, reference_of(entry))


def support_in_words(compared: ClaimSupport) -> str:
    """Tell the service of a work to a sentence, with its words and where they stand."""
    quote = f" “{compared.quote.quote}” ({place_told(compared.quote)})" if compared.quote else ""
    return f"{support_told(compared.support, compared.share)}{quote}"


def line_of(record: ScholarlyRecord, compared: ClaimSupport | None = None) -> str:
    """A record on one line, as the generator reads it."""
    names = (f"{each.family[:_NAME]}, {each.given[:_NAME]}" for each in record.people[:6])
    authors = "; ".join(each.strip(", ") for each in names)
    more = " et al." if len(record.people) > 6 else ""
    where = ", ".join(filter(None, (record.container[:_LINE], str(record.year or ""), record.doi[:_LINE])))
    abstract = f" Abstract: {record.abstract[:_ABSTRACT]}" if record.abstract else ""
    carried = f" Support: {support_in_words(compared)}." if compared else ""
    retracted = "RETRACTED: " if is_retracted(record) else ""
    return f"{retracted}{record.title[:_LINE]} — {authors}{more} ({where}).{carried}{abstract}"
