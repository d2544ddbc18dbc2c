"""Compare what characters and their seats were shown, passage by passage, with all that the scene has."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from penwright.domain.scene.certificate.attendance import present_at
from penwright.domain.scene.certificate.passages import RUN, Passage, Words, passages, strings, words_of
from penwright.domain.scene.certificate.sources import Paths, Source, sources
from schemas.certificate import (
    Certificate,
    Leak,
    PromptChecked,
    SceneEvidence,
    SeatChecked,
    SeatPart,
    SeatShown,
    SourceKind,
    StoredPrompt,
)
from schemas.envelope import Envelope

_UNBOUND = ("director", "narrator")
_NOT_SHOWN = frozenset(
    {
        *("request_type", "scene", "round", "pass_number", "budget", "items", "lore_verdicts", "lore_books"),
        *("memories", "summarised_history"),
    }
)
"""Fields of an envelope that are not in the prompt, or are looked at by themselves."""
_NAMES = frozenset({"id", "character", "score"})
"""Fields of lines that no prompt has."""


def certified(evidence: SceneEvidence) -> Certificate:
    """Return what was shown to characters and seats that may not know it, and what that was compared with."""
    table = _Table(evidence)
    known = {each.id for each in evidence.characters}
    checked, leaks = list[PromptChecked](), [*_false_witnesses(evidence, known)]
    for prompt in evidence.prompts:
        if prompt.who not in _UNBOUND:
            found, of_prompt = table.check(prompt)
            checked.append(found)
            leaks += of_prompt
    seats = [table.check_seat(each) for each in evidence.seats]
    return Certificate(
        scene=evidence.located.scene.id,
        prompts=tuple(checked),
        seats=tuple(seat for seat, _ in seats),
        unbound=sum(each.who in _UNBOUND for each in evidence.prompts),
        messages=len(evidence.messages),
        leaks=(*leaks, *(leak for _, of_seat in seats for leak in of_seat)),
        sha256=hashlib.sha256(evidence.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest(),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Character that was shown something, and the rounds that it may know of by then."""

    who: str
    path: frozenset[int]
    round: int = 0
    part: SeatPart | None = None

    def leak(self, kind: SourceKind, text: str, source: str) -> Leak:
        return Leak(round=self.round, who=self.who, kind=kind, text=text, source=source, part=self.part)


class _Table:
    """All passages of all sources, by which one is found again."""

    def __init__(self, evidence: SceneEvidence) -> None:
        self._evidence = evidence
        self._paths = Paths(evidence)
        self._sources = list(dict.fromkeys(each for each in sources(evidence) if each.text.strip()))
        self._having: defaultdict[Passage, list[Source]] = defaultdict(list)
        self._lengths = {RUN}
        for source in self._sources:
            for passage in set(passages(source.text)):
                self._having[passage].append(source)
                self._lengths.add(len(passage))
        self._joined = [(each, f" {' '.join(words_of(each.text).words)} ") for each in self._sources]
        self._owners = {each.id: each.character for each in evidence.memories}

    def check(self, prompt: StoredPrompt) -> tuple[PromptChecked, list[Leak]]:
        who, path = prompt.who, self._paths.to(prompt.round)
        closed = sum(not each.open_to(who, path) for each in self._sources)
        checked = PromptChecked(round=prompt.round, who=who, words=0, closed=closed, missing=prompt.missing)
        if prompt.envelope is None:
            return checked, []
        reader = _Reader(who, path, prompt.round)
        leaks = [*self._memories(prompt, prompt.envelope, path), *self._summaries(reader, prompt.envelope)]
        texts = _texts(prompt.envelope, self._own_elsewhere(prompt.envelope, who))
        count, told, of_texts = self._of_texts(reader, texts)
        return checked.model_copy(update={"words": count, "told": told}), [*leaks, *of_texts]

    def check_seat(self, shown: SeatShown) -> tuple[SeatChecked, list[Leak]]:
        reader = _Reader(shown.who, self._paths.now, part=shown.part)
        count, _, leaks = self._of_texts(reader, shown.texts)
        closed = sum(not each.open_to(shown.who, reader.path) for each in self._sources)
        return SeatChecked(who=shown.who, part=shown.part, words=count, closed=closed), leaks

    def _of_texts(self, reader: _Reader, texts: Iterable[str]) -> tuple[int, int, list[Leak]]:
        """Return how many words there are, how many were only told, and the leaks."""
        count, told, leaks = 0, 0, list[Leak]()
        for words in map(words_of, texts):
            of_text, told_here = self._of_text(reader, words)
            count += len(words.words)
            told += told_here
            leaks += of_text
        return count, told, leaks

    def _of_text(
        self, reader: _Reader, words: Words, kind: SourceKind | None = None
    ) -> tuple[list[Leak], int]:
        """Return the leaks of one text, passages that touch together, and the words that were only told.

        Args:
            kind: compare it with sources of this kind alone.
        """
        found, told = list[tuple[int, int, Source]](), 0
        for place in range(len(words.words)):
            for length in self._lengths:
                passage = words.at(place, length)
                of_all = self._having.get(passage, ()) if passage else ()
                having = [each for each in of_all if kind in (None, each.kind)]
                if not having or not passage:
                    continue
                first = next((each for each in having if each.open_to(reader.who, reader.path)), None)
                if first is not None:
                    told += first.kind == "guidance" and _only_told(having, reader.who, reader.path)
                elif not self._is_open(passage, reader.who, reader.path):
                    found.append((place, place + length - 1, having[0]))
        return [*_leaks(reader, words, found)], told

    def _is_open(self, passage: Passage, who: str, path: frozenset[int]) -> bool:
        """Whether a passage of few words stands somewhere in what the reader may know."""
        if len(passage) == RUN:
            return False
        sought = f" {' '.join(passage)} "
        return any(sought in joined and source.open_to(who, path) for source, joined in self._joined)

    def _memories(self, prompt: StoredPrompt, envelope: Envelope, path: frozenset[int]) -> Iterator[Leak]:
        for each in envelope.memories:
            owner = self._owners.get(each.id, each.character)
            if owner != prompt.who:
                text = words_of(each.text).text[:160]
                yield Leak(
                    round=prompt.round, who=prompt.who, kind="memory", text=text, source=f"memory of {owner}"
                )

    def _summaries(self, reader: _Reader, envelope: Envelope) -> Iterator[Leak]:
        """Return the leaks of stretches of the summary, whose words are a model's own."""
        for text in envelope.summarised_history:
            yield from self._of_text(reader, words_of(text), "summary")[0]

    def _own_elsewhere(self, envelope: Envelope, who: str) -> frozenset[str]:
        """Ids of memories of other scenes, of which only the owner can be checked here."""
        here = self._evidence.located.scene.id
        return frozenset(
            each.id for each in envelope.memories if each.scene not in ("", here) and each.character == who
        )


def _only_told(having: Iterable[Source], who: str, path: frozenset[int]) -> bool:
    """Whether a passage is private to others, and known to the reader by guidance alone."""
    is_open = [(each.open_to(who, path), each.kind) for each in having]
    return not all(open_ for open_, _ in is_open) and all(
        kind == "guidance" for open_, kind in is_open if open_
    )


def _leaks(reader: _Reader, words: Words, found: Iterable[tuple[int, int, Source]]) -> Iterator[Leak]:
    """One leak for each run of passages of one source."""
    for source, group in groupby(found, key=lambda each: each[2]):
        places = list(group)
        went = source.kind == "message" and source.open_to(reader.who, reader.path | source.rounds)
        text = words.excerpt(places[0][0], max(last for _, last, _ in places))
        yield reader.leak("taken back" if went else source.kind, text, source.place)


def _false_witnesses(evidence: SceneEvidence, known: set[str]) -> Iterator[Leak]:
    """Messages that name a character as their witness who was not there."""
    rounds = {each.number: each for each in evidence.rounds}
    for message in evidence.messages:
        present = present_at(message, rounds)
        for who in known & set(message.witnesses) - (known if present is None else present):
            yield Leak(
                round=message.round,
                who=who,
                kind="witness",
                text=message.text[:160],
                source=f"message {message.stored}, by {message.name}",
            )


def _texts(envelope: Envelope, elsewhere: frozenset[str]) -> Iterator[str]:
    """Return every text of an envelope that stands in the prompt."""
    yield from (each.text for each in envelope.memories if each.id not in elsewhere)
    yield from strings(envelope.model_dump(exclude=set(_NOT_SHOWN)), without=_NAMES)
