"""Edits of citations as operations on a text: made on the newest one, each with a passage that is unique."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penwright.domain.citations.agreement import is_work
from penwright.domain.citations.entries import Entry, read_entry
from penwright.domain.citations.proposals import STALE
from penwright.domain.citations.sentences import Sentence, sentences_of
from penwright.domain.text.inline_citations import without_marks
from schemas.citations import CitationProposal, CitationTarget
from schemas.patching import Operation

UNCONFIRMED = "UNCONFIRMED"
"""Code of an accepted change whose entries are not those of the works found for it."""


class Places:
    """Positions in a text of the sentences that a scan proposes to change."""

    def __init__(self, sentences: Iterable[Sentence], proposals: Iterable[CitationProposal]) -> None:
        self._by_text: defaultdict[str, list[Sentence]] = defaultdict(list)
        for sentence in sentences:
            self._by_text[sentence.text].append(sentence)
        self._afters: defaultdict[str, set[str]] = defaultdict(set)
        for each in proposals:
            if each.change is not None:
                self._afters[each.target.text].add(each.change.after)

    def of(self, proposal: CitationProposal) -> Sentence | None:
        """The sentence as it was scanned, or with its change made; None if it cannot be told which it is.

        Of equal sentences, some may have been changed already: they count where all together are as many
        as there were.
        """
        target, change = proposal.target, proposal.change
        before = self._by_text.get(target.text, [])
        if len(before) == target.of_same:
            return before[target.same - 1]
        afters = self._afters[target.text] - {target.text}
        either = sorted(
            (*before, *(each for after in afters for each in self._by_text.get(after, []))),
            key=lambda sentence: sentence.start,
        )
        known = {target.text, *([change.after] if change else [])}
        place = either[target.same - 1] if len(either) == target.of_same else None
        return place if place is not None and place.text in known else None


@dataclass(frozen=True, slots=True)
class CitationEdits:
    """Operations that apply accepted changes, and which of them cannot or need not be applied."""

    operations: tuple[Operation, ...] = ()
    numbers: tuple[tuple[int, ...], ...] = ()
    """The targets of each operation."""
    present: tuple[int, ...] = ()
    """Targets whose change stands in the text already."""
    stale: tuple[int, ...] = ()
    """Targets whose sentence was changed or deleted meanwhile; nothing of them is applied."""


def edits_for(
    text: str, accepted: Iterable[CitationProposal], all_of: Iterable[CitationProposal] = ()
) -> CitationEdits:
    """Edit ``text``, the newest one, according to the accepted changes.

    Args:
        all_of: every proposal of the scan; of equal sentences, others may have their citations already.
    """
    accepted = tuple(accepted)
    places = Places(sentences_of(text), (*accepted, *all_of))
    edits: list[_Edit] = []
    present, stale = [], []
    for each in accepted:
        assert each.change is not None, "only a change can be accepted"
        place = places.of(each)
        if place is None:
            stale.append(each.target.number)
        elif place.text == each.target.text:
            edits.append(_edit(text, place, each.target.number, each.change.after))
        else:
            present.append(each.target.number)
    joined = _joined(sorted(edits, key=lambda edit: edit.start))
    return CitationEdits(
        tuple(edit.operation(text) for edit in joined),
        tuple(edit.numbers for edit in joined),
        tuple(present),
        tuple(stale),
    )


def without_change(
    text: str, proposal: CitationProposal, all_of: Iterable[CitationProposal] = ()
) -> str | None:
    """``text`` with the sentence as it was before its change; None if it was changed in another way since."""
    assert proposal.change is not None, "only a change can be taken back"
    place = Places(sentences_of(text), (proposal, *all_of)).of(proposal)
    if place is None or place.text != proposal.change.after:
        return None
    return f"{text[: place.start]}{proposal.target.text}{text[place.end :]}"


def with_entries(sentence: str, entries: Sequence[str]) -> str:
    """The sentence with citations behind it, each after one blank, and no mark that it has none."""
    return "".join([without_marks(sentence), *(f" [[{entry}]]" for entry in entries)])


def is_of_its_works(proposal: CitationProposal) -> bool:
    """Whether the entries of an insertion are those of the works that were looked up for it."""
    change = proposal.change
    if change is None or proposal.target.kind != "insert":
        return True
    read = [read_entry(each) for each in change.entries]
    return len(read) == len(change.works) and all(
        isinstance(entry, Entry) and is_work(entry, work)
        for entry, work in zip(read, change.works, strict=True)
    )


def unconfirmed_message(target: CitationTarget) -> tuple[str, str]:
    """Code and message for entries that no registry's record confirms."""
    said = f"the entries for {target.text[:60]!r} are not those that registries have; scan it again"
    return UNCONFIRMED, said


def stale_message(target: CitationTarget) -> tuple[str, str]:
    """Code and message for a sentence that is not there any more."""
    begins = target.text[:60]
    return STALE, f"{begins!r} was changed or deleted since the scan; nothing was done. Scan again"


@dataclass(frozen=True, slots=True)
class _Edit:
    """New sentences, and the passage to be searched for, which no other passage of the text equals."""

    start: int
    end: int
    numbers: tuple[int, ...]
    parts: tuple[tuple[int, int, str], ...]
    """Start, end and new text of each sentence."""

    def operation(self, text: str) -> Operation:
        pieces, behind = [], self.start
        for start, end, after in self.parts:
            pieces += [text[behind:start], after]
            behind = end
        replacement = "".join([*pieces, text[behind : self.end]])
        return Operation(kind="replace", find=text[self.start : self.end], replace=replacement)


def _edit(text: str, place: Sentence, number: int, after: str) -> _Edit:
    """Of several equal passages the text around is part of the search."""
    start, end, reach = place.start, place.end, 20
    while text.count(text[start:end]) > 1:
        reach *= 2
        start, end = max(0, place.start - reach), min(len(text), place.end + reach)
    return _Edit(start, end, (number,), ((place.start, place.end, after),))


def _joined(edits: Sequence[_Edit]) -> list[_Edit]:
    """Edits whose passages overlap are one operation."""
    joined: list[_Edit] = []
    for edit in edits:
        if joined and edit.start < joined[-1].end:
            last = joined.pop()
            edit = _Edit(
                last.start,
                max(last.end, edit.end),
                (*last.numbers, *edit.numbers),
                tuple(sorted((*last.parts, *edit.parts))),
            )
        joined.append(edit)
    return joined
