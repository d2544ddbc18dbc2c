"""Which planned sections stand in a text, and which titles a plan may have."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from penwright.domain.manuscript.sections import bare_title, sections_of
from schemas.manuscript import SectionLength
from schemas.manuscript_roles import PlannedSection
from schemas.manuscript_text import SceneSection

_LEAST: Final = 0.6
_MOST: Final = 1.5
"""Parts of the planned words between which a section is as long as planned."""


def written_titles(titles: Sequence[str], text: str) -> tuple[str, ...]:
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


def as_standing(
    plan: Sequence[PlannedSection], before: Sequence[PlannedSection], text: str
) -> tuple[PlannedSection, ...]:
    """The new plan; a section that stands is drafted, unless the plan before had it to be written."""
    stands = {bare_title(title) for title in written_titles([each.section_title for each in plan], text)}
    ordered = {bare_title(each.section_title) for each in before if each.status == "pending"}
    return tuple(
        each.model_copy(
            update={"status": "drafted" if bare_title(each.section_title) in stands - ordered else "pending"}
        )
        for each in plan
    )


def off_length(plan: Sequence[PlannedSection], text: str) -> tuple[SectionLength, ...]:
    """Return the sections that are below 60 % or above 150 % of the words that the plan wants.

    A section that stood when the plan was made is as its author wants it. Words of a subsection that is
    planned by itself count there alone.
    """
    sections = sections_of(text)
    planned = {bare_title(each.section_title) for each in plan}
    measured = (
        SectionLength(title=each.section_title, words=words, planned=each.section_word_count)
        for each in plan
        if each.status == "pending" and (words := _words_of(each.section_title, sections, planned))
    )
    return tuple(each for each in measured if each.planned and not _is_long_enough(each))


def _is_long_enough(length: SectionLength) -> bool:
    return _LEAST * length.planned <= length.words <= _MOST * length.planned


def _words_of(title: str, sections: Sequence[SceneSection], planned: Collection[str]) -> int:
    """Words under all headings of a title, with those of its subsections."""
    wanted, words = bare_title(title), 0
    for at, section in enumerate(sections):
        if bare_title(section.title) == wanted:
            below = _below(section, sections[at + 1 :])
            words += section.words + sum(
                each.words for each in below if bare_title(each.title) not in planned
            )
    return words


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
