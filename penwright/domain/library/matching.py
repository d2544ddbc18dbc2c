"""Whether the file of a source is a certain work."""

from penwright.domain.citations.works import folded, same_work
from schemas.scholarly import Reference

_LEAST = 12
"""Letters of a title that says enough by itself."""


def is_work(source: Reference, work: Reference) -> bool:
    """Whether both name one work; where the source lacks author or year, its whole title decides."""
    if same_work(source, work):
        return True
    identified = (source.doi and work.doi) or (source.arxiv and work.arxiv) or (source.pmid and work.pmid)
    title = folded(source.title)
    if identified or len(title) < _LEAST or title != folded(work.title):
        return False
    if source.year and work.year and abs(source.year - work.year) > 1:
        return False
    return not (source.people and work.people) or _surname(source) == _surname(work)


def _surname(work: Reference) -> str:
    return folded(work.people[0].family or work.people[0].given)
