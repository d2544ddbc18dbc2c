"""Count the words of a text by people, by models, by both and of unknown origin, chapter by chapter."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from penwright.domain.text.counted import counted
from penwright.domain.text.words import count_words
from penwright.domain.trace.reports.attribution import Attributed, attribute
from penwright.domain.trace.reports.people import making_commits, people_of
from penwright.domain.trace.reports.texts import text_at
from penwright.domain.trace.source import TraceSource

Share = Literal["human", "ai", "mixed", "edited", "ambiguous", "unknown"]
SHARES: tuple[Share, ...] = ("human", "ai", "mixed", "edited", "ambiguous", "unknown")
"""``edited``: of unknown origin, and edited by a model. ``ambiguous``: by one of several authors."""

_SHARE_OF: Mapping[str, Share] = {"HUMAN": "human", "AI": "ai", "MIXED": "mixed", "UNKNOWN": "unknown"}
_LEVELS = 2
"""Heading levels that make a chapter."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words by who wrote them."""

    human: int = 0
    ai: int = 0
    mixed: int = 0
    edited: int = 0
    ambiguous: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(map(self.of, SHARES))

    def of(self, share: Share) -> int:
        """Words of one kind."""
        return int(getattr(self, share))

    def plus(self, share: Share, words: int) -> "Words":
        """The same with ``words`` more of one kind."""
        return replace(self, **{share: self.of(share) + words})

    def per_cent(self) -> dict[Share, float]:
        """Shares to a tenth, which add up to 100; nothing that is there is called 0.0."""
        if not self.total:
            return dict.fromkeys(SHARES, 0.0)
        tenths = {share: self.of(share) * 1000 // self.total for share in SHARES}
        by_rest = sorted(SHARES, key=lambda share: -(self.of(share) * 1000 % self.total))
        for share in by_rest[: 1000 - sum(tenths.values())]:
            tenths[share] += 1
        most = max(SHARES, key=self.of)
        for share in SHARES:
            if self.of(share) and not tenths[share]:
                tenths[share], tenths[most] = 1, tenths[most] - 1
        return {share: count / 10 for share, count in tenths.items()}


@dataclass(frozen=True, slots=True)
class Chapter:
    """The text under one heading of the two topmost levels, its own line included."""

    path: str
    heading: tuple[str, ...]
    """Empty for the text before the first heading."""
    words: Words


@dataclass(frozen=True, slots=True)
class Disclosure:
    """The words of some files."""

    paths: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    total: Words
    models: Mapping[str, int]
    """Words in which each model had a part, or may have had one."""
    people: Mapping[str, int]
    """Words in which each person had a part, of those that people wrote alone; by name."""
    named: Mapping[Share, tuple[str, ...]]
    """The models that had a part in the words of a kind, or may have had one; several people by name."""
    untraced: int
    """Words of unknown origin that no record speaks of; the others were recorded as unknown."""
    left_out: int
    """Damaged lines of the ledger that were not believed."""
    unread: int = 0
    """Commits by hand that are too old to be read."""
    waiting: int = 0
    """Words that wait for review, and are in none of the files."""

    @property
    def statement(self) -> str:
        """A sentence for a publisher, and one on what is not known."""
        return " ".join(_statement(self))


def disclose(source: TraceSource, *paths: str, waiting: int = 0) -> Disclosure:
    """Count the words of files at the tip, in this order.

    Args:
        waiting: words that wait for review, and are in none of the files.

    Raises:
        NotFound: ``no-such-file``.
        Refused: ``not-text``.
    """
    attribution = attribute(source, {path: text_at(source, path) for path in paths})
    found = [each for path in paths for each in attribution.files[path]]
    sized = [(each, count_words(each.block.text)) for each in found]
    commits = making_commits(source, attribution, found)
    models: Counter[str] = Counter()
    people: Counter[str] = Counter()
    named: dict[Share, dict[str, None]] = {}
    for each, words in sized:
        for model in each.written.author.models if each.written else ():
            models[model] += words
            named.setdefault(share_of(each), {})[model] = None
        people.update(dict.fromkeys(people_of(each.written, commits, attribution.among), words))
    if len(people) > 1:
        named["human"] = dict.fromkeys(name for name, _ in people.most_common())
    return Disclosure(
        paths=paths,
        chapters=tuple(each for path in paths for each in _chapters(path, attribution.files[path])),
        total=words_of(found),
        models=dict(models.most_common()),
        people=dict(people.most_common()),
        named={share: tuple(names) for share, names in named.items()},
        untraced=sum(words for each, words in sized if each.written is None),
        left_out=attribution.left_out,
        unread=attribution.unread,
        waiting=waiting,
    )


def share_of(each: Attributed) -> Share:
    """Which kind a block's words are of."""
    if each.written is None:
        return "unknown"
    if each.written.ambiguous:
        return "ambiguous"
    author = each.written.author
    return "edited" if author.entity_type == "UNKNOWN" and author.models else _SHARE_OF[author.entity_type]


def words_of(blocks: Iterable[Attributed]) -> Words:
    """Words of some blocks."""
    counts = dict.fromkeys(SHARES, 0)
    for each in blocks:
        counts[share_of(each)] += count_words(each.block.text)
    return Words(**counts)


def _chapters(path: str, blocks: Sequence[Attributed]) -> Iterator[Chapter]:
    top = sorted({level for each in blocks for level, _ in each.block.headings})[:_LEVELS]
    heading: tuple[str, ...] = ()
    held: list[Attributed] = []
    for each in blocks:
        headings = each.block.headings
        if each.block.kind == "heading" and headings and headings[-1][0] in top:
            if held:
                yield Chapter(path, heading, words_of(held))
            heading, held = tuple(title for level, title in headings if level in top), []
        held.append(each)
    if held:
        yield Chapter(path, heading, words_of(held))


def _statement(found: Disclosure) -> Iterator[str]:
    if not found.total.total:
        waiting = (
            f"; {counted(found.waiting, 'word waits', 'words wait')} for your review" if found.waiting else ""
        )
        yield f"There are no words yet{waiting}."
        return
    share, count = found.total.per_cent(), found.total.of
    named = {name: f" ({', '.join(models)})" for name, models in found.named.items()}
    said = [
        f"{count(name):,} ({share[name]} %) {part}{named.get(name, '')}"
        for name, part in _PARTS.items()
        if count(name)
    ]
    yield f"Of the {counted(found.total.total, 'word')} of this text, {_listed(said)}."
    if count("unknown"):
        yield (
            "What is of unknown origin was there before the ledger began or came in past it; "
            "nothing is claimed about it."
        )


_PARTS: Mapping[Share, str] = {
    "human": "were written by people",
    "ai": "were generated by a language model",
    "mixed": "were written by people and a language model together",
    "edited": "are of unknown origin and were edited by a language model",
    "ambiguous": "are by one of several authors, and which cannot be decided",
    "unknown": "are of unknown origin",
}


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
