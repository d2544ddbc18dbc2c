"""Place of a passage that a model quotes in a text: the only one, or a refusal."""

from collections.abc import Iterator
from math import ceil
from unicodedata import combining

from rapidfuzz.distance import Levenshtein

from penwright.domain.text.locating.infix import Ends, folded, least_distance, spread
from penwright.domain.text.locating.meaning import cuts_word, edge_kind, mismatch
from penwright.domain.text.locating.normal_form import NormalForm, normal_form
from schemas.patching import Ambiguous, Candidate, Located, NotFound, Span, Unique

_ONE_EDIT_PER = 20
"""Characters of a needle for which one edit is allowed: 5 %."""
_LONGEST = 20_000
"""Characters of a needle beyond which only the same letters are looked for."""
_SIMILAR = 0.3
"""Edits per character up to which a passage is shown as the nearest one."""
_MOST_EDITS = 200
_MARGIN = 0.02
"""Edits per character by which any other passage must be less like."""
_LEAST_MARGIN = 3
_EXCERPT = 600
_MOST_CANDIDATES = 3


def locate(needle: str, text: str) -> Located:
    """Find the only passage of ``text`` that ``needle`` quotes, within an edit distance of 5 %.

    Tried in this order: the same characters; the same in the normal form of both; the least edit distance
    of at most a twentieth of the needle's length, if no other passage is nearly as like and neither numbers,
    negations, commands nor citations differ, and no word is cut. An empty needle is not found.
    """
    if not needle:
        return NotFound()
    if found := _same(needle, text, text):
        return found
    quoted, form = normal_form(needle.strip()).text, normal_form(text)
    if not quoted:
        return NotFound()
    if found := _same(quoted, form.text, text, form):
        return found
    return _like(quoted, form, text)


def occurrences(needle: str, text: str) -> tuple[tuple[Span, ...], bool]:
    """All passages with the same characters, else with the same normal form; none overlaps the one before.

    Returns:
        The passages, and whether their characters are the same.
    """
    if spans := tuple(_each(needle, text)):
        return spans, True
    quoted, form = normal_form(needle.strip()).text, normal_form(text)
    alike: list[Span] = []
    for span in map(form.original, _each(quoted, form.text)):
        # Two halves of one ellipsis are the same passage.
        if not alike or span.start >= alike[-1].end:
            alike.append(span)
    return tuple(alike), False


def _each(needle: str, text: str) -> Iterator[Span]:
    at = text.find(needle) if needle else -1
    while at >= 0:
        yield Span(start=at, end=at + len(needle))
        at = text.find(needle, at + len(needle))


def _same(needle: str, searched: str, text: str, form: NormalForm | None = None) -> Located | None:
    """The passages with the same letters; ``searched`` is the text or its normal form."""
    starts: list[int] = []
    at = searched.find(needle)
    while at >= 0 and len(starts) < _MOST_CANDIDATES:
        # Before a mark that belongs to its last letter, it ends with another letter.
        if not combining(searched[at + len(needle) : at + len(needle) + 1] or " "):
            starts.append(at)
        at = searched.find(needle, at + 1)
    if not starts:
        return None
    spans = [Span(start=start, end=start + len(needle)) for start in starts]
    if form:
        spans = [form.original(span) for span in spans]
    if len(spans) == 1:
        return Unique(span=spans[0], exact=form is None)
    candidates = tuple(_candidate(span, 0, text) for span in spans)
    return Ambiguous(candidates=candidates, count=max(searched.count(needle), len(spans)))


def _like(needle: str, form: NormalForm, text: str) -> Located:
    """The passage with the least distance; ``needle`` is in normal form too."""
    limit = len(needle) // _ONE_EDIT_PER if len(needle) <= _LONGEST else 0
    quoted, searched = folded(needle, form.text)
    ends = least_distance(quoted, searched, limit) if limit else None
    if ends is None:
        return NotFound(nearest=_nearest(needle, form, text))
    best = _best(needle, form.text, ends)
    here = _candidate(form.original(best), ends.distance, text)
    rivals = [*_apart(needle, form, ends, best), *_beside(needle, form, ends, best)]
    if rivals:
        candidates = (here, *(_candidate(form.original(span), far, text) for span, far in rivals))
        return Ambiguous(candidates=candidates[:_MOST_CANDIDATES], count=len(candidates))
    passage = form.text[best.start : best.end]
    cut = cuts_word(form.text, best.start) or cuts_word(form.text, best.end)
    if wrong := mismatch(needle, passage) or ("token_mismatch" if cut else None):
        return NotFound(outcome=wrong, nearest=here)
    return Unique(span=here.span, distance=ends.distance, exact=False)


def _best(needle: str, text: str, ends: Ends) -> Span:
    """Of the passages with the least distance, the one that cuts no word and is most like the needle in size.

    It begins and ends with the same kind of character as the needle if one does, so that the space behind a
    misspelt word, or the full stop of its sentence, is treated as in the needle.
    """
    size, far = len(needle), ends.distance
    kinds = edge_kind(needle[0]), edge_kind(needle[-1])

    def rank(span: tuple[int, int]) -> tuple[int, int, int, int]:
        start, end = span
        cut = cuts_word(text, start) + cuts_word(text, end)
        other = (edge_kind(text[start]) != kinds[0]) + (edge_kind(text[end - 1]) != kinds[1])
        return cut, other, abs(end - start - size), start

    near = [end for end in ends.places if end - ends.places[0] <= spread(far)]
    spans = ((start, end) for end in near for start in range(max(0, end - size - far), end - size + far + 1))
    for start, end in sorted(spans, key=rank):
        if Levenshtein.distance(needle, text[start:end], score_cutoff=far) == far:
            return Span(start=start, end=end)
    raise AssertionError("every end has a start")


def _apart(needle: str, form: NormalForm, ends: Ends, best: Span) -> Iterator[tuple[Span, int]]:
    """An equally like passage that ends too far away to be the same one, but overlaps it."""
    for end in (ends.places[0], ends.places[-1]):
        if abs(end - best.end) > 2 * ends.distance:
            yield _best(needle, form.text, Ends(ends.distance, (end,))), ends.distance
            return


def _beside(needle: str, form: NormalForm, ends: Ends, best: Span) -> Iterator[tuple[Span, int]]:
    """Passages before and after it that are almost as like."""
    quoted, searched = folded(needle, form.text)
    limit = ends.distance + max(_LEAST_MARGIN, ceil(len(needle) * _MARGIN))
    for start, end in ((0, best.start), (best.end, len(form.text))):
        found = least_distance(quoted, searched[start:end], limit)
        if found:
            span = _best(needle, form.text[start:end], found)
            yield Span(start=start + span.start, end=start + span.end), found.distance


def _nearest(needle: str, form: NormalForm, text: str) -> Candidate | None:
    """The most similar passage of all, for people and models to look at."""
    quoted, searched = folded(needle, form.text)
    limit = min(_MOST_EDITS, int(len(needle) * _SIMILAR))
    found = least_distance(quoted, searched, limit) if len(needle) <= _LONGEST else None
    if found is None:
        return None
    span = _best(needle, form.text, Ends(found.distance, found.places[:1]))
    return _candidate(form.original(span), found.distance, text)


def _candidate(span: Span, distance: int, text: str) -> Candidate:
    passage = text[span.start : span.end]
    if len(passage) > _EXCERPT:
        passage = f"{passage[: _EXCERPT // 2]} … {passage[-_EXCERPT // 2 :]}"
    return Candidate(span=span, distance=distance, excerpt=passage)
