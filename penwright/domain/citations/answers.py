"""Answers of several sources, put together and cut to fit a payload."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, get_args

from schemas.scholarly import Answer, Outage, ScholarlyRecord, SourceName

SOURCES: Final[tuple[SourceName, ...]] = get_args(SourceName)
"""All sources, the one whose record is preferred first."""
_ABSTRACT = 1_000
_AUTHORS = 30
_LONGEST = 400
_TITLE = 2_000
_NAME = 100
_PAYLOAD_BYTES = 60_000


def rank(source: SourceName) -> int:
    """Return the place of a source in the order of preference."""
    return SOURCES.index(source)


def merged(answers: Iterable[Answer]) -> Answer:
    """Return one answer: no record, outage or source twice, in the order of the sources."""
    given = tuple(answers)
    records = dict.fromkeys(record.model_dump_json() for each in given for record in each.records)
    unique = tuple(ScholarlyRecord.model_validate_json(each) for each in records)
    outages = {out.source: out for each in given for out in each.outages}
    asked = {source for each in given for source in each.asked}
    return Answer(
        records=tuple(sorted(unique, key=lambda record: rank(record.source))),
        outages=tuple(sorted(outages.values(), key=lambda out: rank(out.source))),
        asked=tuple(sorted(asked, key=rank)),
    )


def preferring(answer: Answer, first: Collection[SourceName]) -> Answer:
    """Return an answer with the records of those sources before the others."""
    records = sorted(answer.records, key=lambda record: record.source not in first)
    return answer.model_copy(update={"records": tuple(records)})


def is_unanswered(answer: Answer) -> bool:
    """Whether registries were asked, and none of them answered."""
    asked = {each for each in answer.asked if each != "bibliography"}
    return bool(asked) and asked <= {each.source for each in answer.outages}


def reason_of(outage: Outage) -> str:
    """Reason why a source did not answer, and for how long it will not if it asked for more than a minute."""
    seconds = outage.retry_after or 0
    if seconds <= 60:
        return outage.reason
    long = f"{seconds / 3600:.0f} h" if seconds >= 5400 else f"{seconds / 60:.0f} min"
    return f"{outage.reason}, for {long}"


def bounded(record: ScholarlyRecord) -> ScholarlyRecord:
    """Return a record whose fields and names are no longer than those of any work."""
    authors = tuple(
        each.model_copy(update={"family": each.family[:_NAME], "given": each.given[:_NAME]})
        for each in record.authors
    )
    cut = _cut_fields(record, {"title": _TITLE, "url": _TITLE})
    return record.model_copy(update={**cut, "authors": authors})


def shortened(record: ScholarlyRecord) -> ScholarlyRecord:
    """Return a record of at most about 6 KB: abstract, authors and overlong fields are cut."""
    return record.model_copy(
        update={
            **_cut_fields(record, {}),
            "abstract": _cut(record.abstract, _ABSTRACT),
            "authors": record.authors[:_AUTHORS],
            "notices": record.notices[:10],
        }
    )


def fitting(answer: Answer) -> Answer:
    """Return an answer that fits a payload: shortened records, as many as 60 KB hold."""
    kept: list[ScholarlyRecord] = []
    size = 0
    for record in map(shortened, answer.records):
        size += len(record.model_dump_json().encode())
        if size > _PAYLOAD_BYTES:
            break
        kept.append(record)
    return answer.model_copy(update={"records": tuple(kept)})


def _cut_fields(record: ScholarlyRecord, longest: Mapping[str, int]) -> dict[str, str]:
    """Texts of a record but its abstract, of ``_LONGEST`` characters where ``longest`` says no other."""
    return {
        name: value[: longest.get(name, _LONGEST)]
        for name, value in record
        if isinstance(value, str) and name != "abstract"
    }


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
