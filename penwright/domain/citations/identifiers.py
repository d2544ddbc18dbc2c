"""Identifiers of works in their one canonical form."""

import re
from collections.abc import Iterable

from schemas.scholarly import Identifier, IdentifierKind, Reference, ScholarlyRecord

_SIGN = r"[^\s<>\"{}|\\^`\x00-\x1f]"
_DOI = re.compile(rf"10\.[0-9]{{4,9}}(?:\.[0-9]+)*/(?:{_SIGN}|<[0-9]+:{_SIGN}{{0,60}}>){{1,200}}")
"""Articles of the nineties have one with the SICI of the article, such as ``36:1+<1::AID-XYZ>3.0.CO;2-0``."""
_DOI_PREFIX = re.compile(r"(?:doi\s*:\s*|(?:https?://)?(?:dx\.|www\.)?doi\.org/)", re.IGNORECASE)
_PMID = re.compile(
    r"(?:pmid\s*:?\s*|(?:https?://)?(?:www\.)?pubmed\.ncbi\.nlm\.nih\.gov/)?([0-9]{1,9})/?", re.I
)
_ARXIV = re.compile(
    r"(?:arxiv\s*:\s*|(?:https?://)?(?:www\.)?arxiv\.org/(?:abs|pdf)/)?"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_ARXIV_IN = re.compile(
    r"(?:\barxiv(?:\s*:\s*|\.org/(?:abs|pdf|html)/|\s+(?:e-?print|preprint)?\s*(?=\d))|10\.48550/arxiv\.|\babs/)"
    r"([0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?![0-9])",
    re.IGNORECASE,
)
ARXIV_DOI = "10.48550/arxiv."
"""Prefix of the DOIs that arXiv registers for its own papers."""


def doi(text: str) -> str:
    """Return a DOI in lower case without a resolver; empty if ``text`` is none."""
    bare = _DOI_PREFIX.sub("", text.strip(), count=1).rstrip(".,;")
    return bare.lower() if _DOI.fullmatch(bare) else ""


def pmid(text: str) -> str:
    """Return the digits of a PMID without leading zeros; empty if ``text`` is none."""
    match = _PMID.fullmatch(text.strip())
    return match[1].lstrip("0") if match else ""


def arxiv(text: str) -> str:
    """Return an arXiv id without its version, also of an arXiv DOI; empty if ``text`` is none."""
    bare = doi(text).removeprefix(ARXIV_DOI) or text.strip()
    match = _ARXIV.fullmatch(bare)
    return match[1].lower() if match else ""


def arxiv_in(text: str) -> str:
    """Return the first arXiv id that a text names as such, without its version; empty if it names none."""
    match = _ARXIV_IN.search(text)
    return match[1].lower() if match else ""


def names(identifier: Identifier, record: Reference) -> bool:
    """Whether a record has this identifier; an arXiv DOI and the arXiv id are one."""
    if identifier.kind == "doi" and (preprint := arxiv(identifier.value)):
        return preprint == record.arxiv or identifier.value == record.doi
    return bool(getattr(record, identifier.kind) == identifier.value)


def to_ask(reference: Reference) -> tuple[Identifier, ...]:
    """Return the identifiers to resolve: those of the reference, and the other form of an arXiv id or DOI."""
    found = {each.kind: each for each in of_reference(reference)}
    if "arxiv" in found and "doi" not in found:
        found["doi"] = Identifier(kind="doi", value=ARXIV_DOI + found["arxiv"].value)
    elif "doi" in found and "arxiv" not in found and arxiv(found["doi"].value):
        found["arxiv"] = Identifier(kind="arxiv", value=arxiv(found["doi"].value))
    return tuple(found.values())


def of_reference(reference: Reference) -> tuple[Identifier, ...]:
    """Return the readable identifiers of a reference: DOI, PMID, arXiv."""
    found = (
        Identifier(kind="doi", value=doi(reference.doi)),
        Identifier(kind="pmid", value=pmid(reference.pmid)),
        Identifier(kind="arxiv", value=arxiv(reference.arxiv)),
    )
    return tuple(each for each in found if each.value)


def unknown(reference: Reference, records: Iterable[ScholarlyRecord]) -> tuple[IdentifierKind, ...]:
    """Return the kinds of the reference's identifiers that no registry's record has."""
    known = tuple(each for each in records if each.source != "bibliography")
    found = of_reference(reference)
    return tuple(each.kind for each in found if not any(names(each, record) for record in known))


def unreadable(reference: Reference) -> tuple[str, ...]:
    """Return the fields whose text is no such identifier, sorted."""
    read = {"arxiv": arxiv, "doi": doi, "pmid": pmid}
    return tuple(
        name for name in sorted(read) if getattr(reference, name) and not read[name](getattr(reference, name))
    )
