"""A model's operations, made on the text that it saw, brought onto the text as it is now."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from penwright.domain.manuscript.planned_sections import written_titles
from penwright.domain.manuscript.sections import bare_title, sections_of
from penwright.domain.text import patches
from penwright.domain.text.merging.three_way import WordChange, changed_words, merge
from penwright.domain.text.words import split_words
from schemas.patching import Merged, Operation, OperationResult, Patched, Span

_CONFLICT: Final = "people changed this place while the model worked; read the text again before changing it"
_STANDS: Final = "the section stands already; change its passages instead of writing it a second time"
_ADDING: Final = ("append", "insert_after")
_NOTHING: Final = Operation()
"""Changes nothing: it does not say what to look for."""
_WORDS_APART: Final = 3
"""Unchanged words of one sentence between what two sides changed, so that both rewordings can stand."""
_SENTENCE_END: Final = re.compile(r"[\n.!?。！？]")


@dataclass(frozen=True, slots=True)
class PatchedScene:
    """A scene's text after the operations of one reply."""

    text: str
    results: tuple[OperationResult, ...]
    """One for each operation, in their order."""

    @property
    def in_conflict(self) -> bool:
        """Whether no operation was applied, at least one of them because of what people changed."""
        outcomes = {result.outcome for result in self.results}
        return "conflict" in outcomes and "applied" not in outcomes


def patched_scene(
    operations: Sequence[Operation],
    snapshot: str,
    head: str,
    *,
    max_hunks: int | None = None,
    new_citations: Collection[str] | None = (),
    once: bool = False,
) -> PatchedScene:
    """Apply ``operations`` to ``snapshot`` and merge the result with ``head``, both with LF.

    Of several operations only those are left out, as conflicts, that meet a place which ``head`` changed, or
    reword what stands within two words of it.

    Args:
        new_citations: as of ``patches.apply``.
        once: refuse to add a section that stands already.
    """
    if once and (stands := _standing(operations, snapshot)):
        kept = [_NOTHING if at in stands else each for at, each in enumerate(operations)]
        rest = patched_scene(kept, snapshot, head, max_hunks=max_hunks, new_citations=new_citations)
        return PatchedScene(rest.text, _refused(rest.results, stands))
    first = _patched(operations, snapshot, max_hunks=max_hunks, new_citations=new_citations)
    if not first.changed:
        return PatchedScene(head, first.results)
    if snapshot == head:
        return PatchedScene(first.text, first.results)
    if (merged := _merged(snapshot, first.text, head)) is not None:
        return PatchedScene(merged, first.results)
    return _without_conflicts(operations, first, snapshot, head, new_citations=new_citations)


def _standing(operations: Sequence[Operation], text: str) -> frozenset[int]:
    """Numbers of the operations that add a section which has words in the text."""
    first = [sections_of(each.replace.lstrip())[:1] if each.kind in _ADDING else () for each in operations]
    titles = {at: found[0].title for at, found in enumerate(first) if found and not found[0].start}
    stands = written_titles(list(titles.values()), text)
    return frozenset(at for at, title in titles.items() if title in stands)


def _refused(results: Sequence[OperationResult], stands: frozenset[int]) -> tuple[OperationResult, ...]:
    changes = {"outcome": "section_stands", "message": _STANDS}
    return tuple(
        each.model_copy(update=changes) if each.index in stands and each.outcome == "empty_find" else each
        for each in results
    )


def _patched(
    operations: Sequence[Operation],
    text: str,
    *,
    max_hunks: int | None = None,
    new_citations: Collection[str] | None,
) -> Patched:
    """The operations on the text that the model saw, each first in the section that it names."""
    within = [_section(each.section, text) if each.section else None for each in operations]
    return patches.apply(operations, text, max_hunks=max_hunks, new_citations=new_citations, within=within)


def _section(title: str, text: str) -> Span | None:
    """The section of this title with its subsections; None if the text has none or several."""
    sections, wanted = sections_of(text), bare_title(title)
    found = [at for at, each in enumerate(sections) if bare_title(each.title) == wanted]
    if len(found) != 1:
        return None
    first = sections[found[0]]
    following = (each.start for each in sections[found[0] + 1 :] if each.level <= first.level)
    return Span(start=first.start, end=next(following, len(text)))


def _merged(snapshot: str, made: str, head: str) -> str | None:
    """Both sides' changes in one text; None if they meet."""
    merged = merge(snapshot, made, head)
    if not isinstance(merged, Merged) or _is_reworded_by_both(snapshot, made, head):
        return None
    return merged.text


def _is_reworded_by_both(snapshot: str, made: str, head: str) -> bool:
    """Whether both sides changed words of one sentence that stand close together."""
    marked = [(each, "model") for each in changed_words(snapshot, made)]
    ordered = sorted([*marked, *((each, "people") for each in changed_words(snapshot, head))])
    return any(
        side != other and one != two and _is_close(snapshot, one, two)
        for (one, side), (two, other) in pairwise(ordered)
    )


def _is_close(base: str, one: WordChange, two: WordChange) -> bool:
    between = base[one.end : two.start]
    both_reword = one.end > one.start and two.end > two.start
    return both_reword and not _SENTENCE_END.search(between) and len(split_words(between)) < _WORDS_APART


def _without_conflicts(
    operations: Sequence[Operation],
    first: Patched,
    snapshot: str,
    head: str,
    *,
    new_citations: Collection[str] | None,
) -> PatchedScene:
    """Leave out each operation that alone is in conflict, and all if the others still are."""
    applied = [result.index for result in first.results if result.outcome == "applied"]
    good = []
    for index in applied:
        alone = _patched([operations[index]], snapshot, new_citations=new_citations)
        if _merged(snapshot, alone.text, head) is not None:
            good.append(index)
    rest = _patched([operations[index] for index in good], snapshot, new_citations=new_citations)
    merged = _merged(snapshot, rest.text, head)
    left = [each for each in applied if each not in good] if merged is not None else applied
    now = {index: _versions(operations[index], snapshot, head, new_citations) for index in left}
    return PatchedScene(merged if merged is not None else head, _marked(first.results, now))


def _versions(
    operation: Operation, snapshot: str, head: str, new_citations: Collection[str] | None
) -> tuple[str, str]:
    """The sentences that an operation would change, as people have them now and as it would have them."""
    made = _patched([operation], snapshot, new_citations=new_citations).text
    changes = changed_words(snapshot, made)
    if not changes:
        return "", ""
    start, end = changes[0].start, max(each.end for each in changes)
    starts = [found.end() for found in _SENTENCE_END.finditer(snapshot, 0, start)]
    start = starts[-1] if starts else 0
    following = _SENTENCE_END.search(snapshot, end)
    end = following.end() if following else len(snapshot)
    return _passage(head, start, end, changed_words(snapshot, head)), _passage(made, start, end, changes)


def _passage(side: str, start: int, end: int, changes: Sequence[WordChange]) -> str:
    return side[_moved(start, changes) : _moved(end, changes, after=True)].strip()


def _moved(place: int, changes: Sequence[WordChange], *, after: bool = False) -> int:
    """Map an offset of the old text to the new one; inside a change, to its edge."""
    moved = place
    for start, end, text in changes:
        if start >= place and not (after and start == place):
            break
        moved += len(text) - (end - start) if end <= place else start - place + (len(text) if after else 0)
    return moved


def _marked(
    results: Sequence[OperationResult], conflicts: dict[int, tuple[str, str]]
) -> tuple[OperationResult, ...]:
    return tuple(
        result.model_copy(
            update={
                "outcome": "conflict",
                "message": _CONFLICT,
                "places": 0,
                "nearest": conflicts[result.index][0],
                "wanted": conflicts[result.index][1],
            }
        )
        if result.index in conflicts
        else result
        for result in results
    )
