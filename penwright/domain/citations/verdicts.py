"""Whether a reference exists, is the work that it claims to be, and still stands.

Three questions with one answer each. Exists: a registry has a record with each identifier, or one that a
search found. Is that work: the record has the same title, authors and year, and none that says where it
appeared contradicts. Still stands: no registry
knows of a retraction, and each that would know has answered. What cannot be determined is never ``verified``,
and an outage is never ``not_found``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, get_args

from penwright.domain.citations import identifiers
from penwright.domain.citations.answers import is_unanswered, rank, reason_of
from penwright.domain.citations.comparing import NEAR, PLACE, Compared, compare
from penwright.domain.citations.titles import notice_in
from schemas.scholarly import (
    Answer,
    EditorialNotice,
    Identifier,
    NoticeKind,
    Outage,
    Reference,
    ScholarlyRecord,
    SourceName,
    Verdict,
    VerdictStatus,
)

STANDING: Final[frozenset[SourceName]] = frozenset({"crossref", "pubmed", "openalex"})
"""Registries that know of retractions: a work stands only if each of them that was asked has answered."""

MOST_NOTICES: Final = 20
_GRAVITY: Final[tuple[NoticeKind, ...]] = get_args(NoticeKind)


@dataclass(frozen=True, slots=True)
class _Named:
    """Records of the registries under one identifier."""

    identifier: Identifier
    same: tuple[Compared, ...]
    other: tuple[Compared, ...]
    """Records that are not the claimed work."""

    @property
    def disputed(self) -> bool:
        """Whether registries differ: one has the claimed work under the identifier, another does not."""
        return bool(self.same) and any(each.likeness < NEAR for each in self.other)


def judge(claimed: Reference, answer: Answer) -> Verdict:
    """Judge a reference by what the sources answered to its identifiers and to a search for its title.

    Args:
        claimed: the reference as the text or a model has it.
        answer: merged answers; which record belongs to which identifier is read from the records.
    """
    verdict = _judged(claimed, answer)
    return verdict.model_copy(
        update={
            "outages": answer.outages,
            "unanswered": is_unanswered(answer),
            "unresolved": () if answer.outages else identifiers.unknown(claimed, answer.records),
        }
    )


def is_named(claimed: Reference, answer: Answer) -> bool:
    """Whether a registry has a record with one of the identifiers, so that no search is needed."""
    found = identifiers.of_reference(claimed)
    return any(identifiers.names(each, record) for record in _registries(answer) for each in found)


def _judged(claimed: Reference, answer: Answer) -> Verdict:
    broken = identifiers.unreadable(claimed)
    if broken:
        return _mismatch(
            broken, _nearest(claimed, answer), f"{listed(broken)} cannot be read as an identifier"
        )
    named = tuple(_named(claimed, each, answer) for each in identifiers.of_reference(claimed))
    if any(each.same or each.other for each in named):
        return _by_identifier(claimed, named, answer)
    return _untitled(claimed, answer) or _by_search(claimed, answer)


def _untitled(claimed: Reference, answer: Answer) -> Verdict | None:
    """The verdict on a work that a registry has without a title: it exists, and nothing can be compared."""
    for identifier in identifiers.of_reference(claimed):
        for record in answer.records:
            if record.source != "bibliography" and identifiers.names(identifier, record):
                named = f"{record.source} has {_shown(identifier)} without one"
                reason = f"found, no title: {named}; compare it yourself"
                return Verdict(
                    status="unverifiable", record=record, reason=reason, notices=_notices([record])
                )
    return None


def _by_identifier(claimed: Reference, named: tuple[_Named, ...], answer: Answer) -> Verdict:
    same = tuple(each for one in named for each in one.same)
    wrong = tuple(sorted(one.identifier.kind for one in named if not one.same))
    if not same:
        nearest = _best(each for one in named for each in one.other)
        return _mismatch(nearest.fields, nearest, _differs(nearest))
    disputed = next((one for one in named if one.disputed), None)
    if disputed:
        dissenter = _best(each for each in disputed.other if each.likeness < NEAR)
        return _mismatch(
            ("title",), dissenter, f"{dissenter.record.source} has another work under this identifier"
        )
    best = _best(same)
    missing = tuple(one.identifier.kind for one in named if not one.same and not one.other)
    if missing and answer.outages:
        return _unverifiable(
            best, f"no source that answered knows the {listed(missing)}, {_silent(answer.outages)}"
        )
    if wrong:
        return _mismatch(wrong, best, _disagreement(named, best))
    if _conflicting(claimed, same):
        return _mismatch(("pmid",), best, _two_works(claimed, same))
    return _standing(same, answer)


def _disagreement(named: Iterable[_Named], best: Compared) -> str:
    """Name the identifiers that are not the claimed work's, with what they are, beside those that are."""
    right = [_shown(one.identifier) for one in named if one.same]
    wrong = [
        f"{_shown(one.identifier)} is {_short(_best(one.other).record.title)}"
        if one.other
        else f"no source knows {_shown(one.identifier)}"
        for one in named
        if not one.same
    ]
    return f"{' and '.join(right)} is {_short(best.record.title)}, but {' and '.join(wrong)}"


def _two_works(claimed: Reference, same: Iterable[Compared]) -> str:
    doi, pmid = identifiers.doi(claimed.doi), identifiers.pmid(claimed.pmid)
    other = next(each.record.doi for each in same if each.record.pmid == pmid and each.record.doi != doi)
    return f"PMID {pmid} has the DOI {other}, not DOI {doi}: they name two works"


def _shown(identifier: Identifier) -> str:
    return f"{listed([identifier.kind])} {identifier.value}"


def _by_search(claimed: Reference, answer: Answer) -> Verdict:
    compared = tuple(compare(claimed, record) for record in _registries(answer))
    same = tuple(each for each in compared if each.is_work)
    kinds = tuple(sorted(each.kind for each in identifiers.of_reference(claimed)))
    nearest = _nearest(claimed, answer)
    if same and not kinds:
        return _standing(same, answer)
    if answer.outages or not answer.asked:
        silent = _silent(answer.outages) if answer.outages else "no source can be asked for it"
        return _unverifiable(nearest, f"not found, but {silent}")
    if same:
        asked = " and ".join(_shown(each) for each in identifiers.of_reference(claimed))
        return _mismatch(kinds, _best(same), f"the work exists, but no source knows {asked}")
    if nearest and nearest.likeness >= NEAR:
        return _mismatch((*nearest.fields, *kinds), nearest, _differs(nearest))
    own = _own(claimed, answer)
    if own and not kinds:
        return _unverifiable(own, "only the workspace's own bibliography has it, which proves nothing")
    return Verdict(status="not_found", reason="every source answered, and none has such a work")


def _standing(same: tuple[Compared, ...], answer: Answer) -> Verdict:
    """The verdict on a work that exists and is the claimed one."""
    notices = _notices(_of_one_work([each.record for each in same], answer))
    kinds = {each.kind for each in notices}
    silent = tuple(out for out in answer.outages if out.source in STANDING)
    if kinds & {"retraction", "withdrawal"}:
        return _of("retracted", "it was retracted or withdrawn", same, notices)
    if contradicted := _contradicted(same):
        nearest = _best(same)
        said = f"{listed(contradicted)} differ from the record of {nearest.record.source}"
        return _mismatch(contradicted, nearest, said).model_copy(update={"notices": notices})
    if "concern" in kinds:
        return _of("unverifiable", "its publisher has expressed concern about it", same, notices)
    if "library" in answer.asked and not _others(answer):
        return _at_hand(same, notices)
    if silent or not STANDING & set(answer.asked):
        reason = _silent(silent) if silent else "no source that knows of retractions is set up"
        return _of("unverifiable", f"whether it was retracted is not known: {reason}", same, notices)
    if subtitle := min(each.subtitle for each in same):
        reason = (
            f"a registry has this work, but none has the subtitle {_short(subtitle)}; compare it yourself"
        )
        return _of("unverifiable", reason, same, notices)
    return _of("verified", "a registry has this work, and no retraction is known", same, notices)


def _others(answer: Answer) -> set[SourceName]:
    """The registries that were asked."""
    return set(answer.asked) - {"library", "bibliography"}


def _at_hand(same: tuple[Compared, ...], notices: tuple[EditorialNotice, ...]) -> Verdict:
    """The verdict where only sources of one's own may be asked, whose files lie there."""
    if unsure := sorted({name for each in same for name in each.record.unsure}):
        said = f"it is one of your own sources; a guess from its file is its {listed(unsure)}"
        return _of("unverifiable", f"{said}, which nobody has confirmed", same, notices)
    if all(each.record.people and each.record.year for each in same):
        said = "it is one of your own sources; whether it was retracted was asked of no registry"
        return _of("verified", said, same, notices)
    said = "it is one of your own sources, and its entry in sources/sources.bib lacks author or year"
    return _of("unverifiable", said, same, notices)


def _contradicted(same: tuple[Compared, ...]) -> tuple[str, ...]:
    """Fields of the place of publication that the claim states and no registry confirms, although one has
    them.

    One record must agree with all that the claim says; what it lacks itself, another one has to confirm.
    """
    unconfirmed = {name for name in PLACE if _is_unconfirmed(name, same)}
    return min(
        (tuple(sorted({*each.fields, *unconfirmed})) for each in same),
        key=lambda fields: (len(fields), fields),
    )


def _is_unconfirmed(name: str, same: tuple[Compared, ...]) -> bool:
    having = [each for each in same if getattr(each.record, name).strip()]
    return bool(having) and all(name in each.fields for each in having)


def _of_one_work(records: list[ScholarlyRecord], answer: Answer) -> tuple[ScholarlyRecord, ...]:
    """The records, and all others with an identifier of theirs, whatever their titles."""
    named = {(kind, value) for each in records for kind, value in _identifiers(each)}
    return tuple(each for each in _registries(answer) if each in records or named & set(_identifiers(each)))


def _identifiers(record: Reference) -> tuple[tuple[str, str], ...]:
    found = (("doi", record.doi), ("pmid", record.pmid), ("arxiv", record.arxiv))
    return tuple(each for each in found if each[1])


def _named(claimed: Reference, identifier: Identifier, answer: Answer) -> _Named:
    compared = tuple(
        compare(claimed, record, any_year=_is_preprint(identifier, claimed))
        for record in _registries(answer)
        if identifiers.names(identifier, record)
    )
    same = tuple(each for each in compared if each.is_work)
    return _Named(identifier, same, tuple(each for each in compared if not each.is_work))


def _is_preprint(identifier: Identifier, claimed: Reference) -> bool:
    """Whether it is the arXiv id of a work that also has a publisher's DOI: the years may differ."""
    doi = identifiers.doi(claimed.doi)
    return identifier.kind == "arxiv" and bool(doi) and not identifiers.arxiv(doi)


def _conflicting(claimed: Reference, same: tuple[Compared, ...]) -> bool:
    """Whether the record of the PMID says that it has another DOI."""
    doi, pmid = identifiers.doi(claimed.doi), identifiers.pmid(claimed.pmid)
    others = {each.record.doi for each in same if pmid and each.record.pmid == pmid}
    return bool(doi) and bool(others - {doi, ""}) and not identifiers.arxiv(doi)


def _notices(records: Iterable[ScholarlyRecord]) -> tuple[EditorialNotice, ...]:
    found: set[EditorialNotice] = set()
    for record in records:
        kind = notice_in(record.title)
        found.update(record.notices, [EditorialNotice(kind=kind, source=record.source)] if kind else [])
    return tuple(sorted(found, key=lambda each: (_GRAVITY.index(each.kind), rank(each.source), each.doi)))[
        :MOST_NOTICES
    ]


def _registries(answer: Answer) -> tuple[ScholarlyRecord, ...]:
    """The records that can be compared with a title."""
    return tuple(each for each in answer.records if each.source != "bibliography" and each.title)


def _own(claimed: Reference, answer: Answer) -> Compared | None:
    own = (compare(claimed, record) for record in answer.records if record.source == "bibliography")
    return next((each for each in own if each.is_work), None)


def _nearest(claimed: Reference, answer: Answer) -> Compared | None:
    compared = [compare(claimed, record) for record in _registries(answer)]
    near = [each for each in compared if each.likeness >= NEAR]
    return _best(near) if near else None


def _best(compared: Iterable[Compared]) -> Compared:
    """The same record of several, in whatever order they came."""
    return min(
        compared,
        key=lambda each: (
            len(each.fields),
            -each.likeness,
            each.years_apart,
            rank(each.record.source),
            not each.record.doi,
            each.record.model_dump_json(),
        ),
    )


def _mismatch(fields: tuple[str, ...], compared: Compared | None, reason: str) -> Verdict:
    return Verdict(
        status="mismatch",
        fields=tuple(sorted(fields)),
        record=compared.record if compared else None,
        similarity=compared.likeness if compared else None,
        reason=reason,
        notices=_notices([compared.record]) if compared else (),
    )


def _unverifiable(compared: Compared | None, reason: str) -> Verdict:
    return Verdict(
        status="unverifiable",
        record=compared.record if compared else None,
        similarity=compared.likeness if compared else None,
        reason=reason,
    )


def _of(
    status: VerdictStatus, reason: str, same: tuple[Compared, ...], notices: tuple[EditorialNotice, ...]
) -> Verdict:
    best = _best(same)
    return Verdict(
        status=status,
        record=_completed(best.record, [each.record for each in same]),
        similarity=best.likeness,
        reason=reason,
        confirmed_by=tuple(sorted({each.record.source for each in same}, key=rank)),
        notices=notices,
    )


def _completed(record: ScholarlyRecord, confirming: list[ScholarlyRecord]) -> ScholarlyRecord:
    """The record with what it lacks and another registry has under the same DOI, such as its PMID."""
    others = [each for each in confirming if record.doi and each.doi == record.doi]
    found = {
        name: next((value for each in others if (value := getattr(each, name))), "")
        for name in ("pmid", "volume", "issue", "pages")
        if not getattr(record, name)
    }
    return record.model_copy(update=found)


def _differs(compared: Compared) -> str:
    if compared.likeness < NEAR:
        return f"{compared.record.source} has another work: {_short(compared.record.title)}"
    return f"{listed(compared.fields)} differ from the record of {compared.record.source}"


def _short(title: str) -> str:
    return f"“{title if len(title) <= 120 else title[:119] + '…'}”"


def _silent(outages: Iterable[Outage]) -> str:
    return ", ".join(f"{out.source} did not answer ({reason_of(out)})" for out in outages)


def listed(names: Iterable[str]) -> str:
    """Fields of a reference as people read them, such as ``title and PMID``."""
    shown = {"doi": "DOI", "pmid": "PMID", "arxiv": "arXiv id"}
    return " and ".join(shown.get(name, name) for name in names)
