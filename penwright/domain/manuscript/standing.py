"""Which planned sections stand in a text, and which titles a plan may have."""

from collections.abc import Iterable, Sequence

from penwright.domain.manuscript.sections import bare_title, sections_of
from schemas.manuscript_text import SceneSection


def standing(titles: Sequence[str], text: str) -> tuple[str, ...]:
    """Return those of ``titles`` whose heading is in ``text`` with words under it, subsections included.

    Titles are compared without number, marks and case, and as a whole: a heading "Methodology" is not the
    section "Method".
    """
    found = _titles_with_words(sections_of(text))
    return tuple(title for title in titles if bare_title(title) in found)


def headed(title: str, text: str) -> bool:
    """Whether ``text`` has a heading of this title, with words under it or not."""
    wanted = bare_title(title)
    return any(bare_title(each.title) == wanted for each in sections_of(text))


def _titles_with_words(sections: Sequence[SceneSection]) -> frozenset[str]:
    return frozenset(
        bare_title(section.title)
        for at, section in enumerate(sections)
        if section.words or any(below.words for below in _below(section, sections[at + 1 :]))
    )


def _below(section: SceneSection, later: Iterable[SceneSection]) -> Iterable[SceneSection]:
    """The subsections of a section."""
    for each in later:
        if each.level <= section.level:
            return
        yield each


def unwritten(titles: Sequence[str], written: Iterable[str]) -> tuple[str, ...]:
    """Return the titles that are not ``written``, in plan order."""
    done = {bare_title(title) for title in written}
    return tuple(title for title in titles if bare_title(title) not in done)
