"""Random turns of several hands at two files, and the truth about every word."""

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import Phase
from hypothesis import strategies as st

from penwright.domain.text.comparing.descent import COPIED
from tests.support.ledgers.scribes import BOOK, paragraphs

NOTES = "notes.md"
_WORDS = ("tide", "lamp", "harbour", "winter", "letter", "bell", "salt", "stone", "window", "rope", "gull")
_TWIN = ("“No,”", "she", "said.")


@dataclass(frozen=True)
class Word:
    text: str
    author: str
    mixed: bool = False
    """Whether it was in a paragraph of two authors; a part of such a one may be called mixed for ever."""


Card = tuple[Word, ...]
"""A paragraph."""


@dataclass
class Truth:
    """Who wrote each word of two files."""

    files: dict[str, list[Card]] = field(default_factory=lambda: {BOOK: [], NOTES: []})
    written: int = 0

    def new(self, author: str, length: int) -> Card:
        """Words that occur nowhere else."""
        self.written += 1
        return tuple(Word(f"{_WORDS[at % len(_WORDS)]}{self.written}x{at}", author) for at in range(length))

    def text(self, path: str) -> str:
        return paragraphs(*(" ".join(word.text for word in card) for card in self.files[path]))

    def right(self, path: str) -> list[set[str]]:
        """The answers that are right for each paragraph."""
        return [_right(card) for card in self.files[path]]

    def remember(self) -> None:
        """Mark the words of paragraphs by two authors."""
        for cards in self.files.values():
            for at, card in enumerate(cards):
                if "MIXED" in _right(card):
                    cards[at] = tuple(replace(word, mixed=True) for word in card)


PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
FEW = 8
"""Fewer words of a second author may go unnoticed, where nothing but they is left of a paragraph."""


def _right(card: Card) -> set[str]:
    words = Counter(word.author for word in card)
    found = {"MIXED"} if len(words) > 1 or any(word.mixed for word in card) else set(words)
    main = words.most_common(1)[0][0]
    few = all(count < FEW for author, count in words.items() if author != main)
    return found | ({main} if few else set())


@dataclass(frozen=True)
class Step:
    """One change, by number: places are taken modulo what is there."""

    verb: str
    path: str
    at: int
    to: int
    length: int


def _copied(card: Card, author: str) -> Card:
    """A copy; of a few words it cannot be told that they are one."""
    return card if len(card) >= COPIED else tuple(Word(word.text, author) for word in card)


def apply(truth: Truth, step: Step, author: str, *, by_git: bool) -> None:
    cards = truth.files[step.path]
    other = truth.files[NOTES if step.path == BOOK else BOOK] if step.length % 3 == 0 else cards
    place = step.to % (len(cards) + 1)
    if step.verb == "new" or not cards:
        cards.insert(place, truth.new(author, step.length))
        return
    at = step.at % len(cards)
    card = cards[at]
    match step.verb:
        case "echo":
            cards.insert(place, tuple(Word(text, author) for text in _TWIN))
        case "edit":
            word = step.to % len(card)
            cards[at] = (*card[:word], *truth.new(author, 1), *card[word + 1 :])
        case "insert":
            word = step.to % len(card)
            cards[at] = (*card[:word], *truth.new(author, step.length), *card[word:])
        case "cut":
            cards[at] = card[: max(COPIED, len(card) * 3 // 4)]
        case "split" if len(card) >= 2 * COPIED:
            word = COPIED + step.to % (len(card) - 2 * COPIED + 1)
            cards[at : at + 1] = [card[:word], card[word:]]
        case "snip" if len(card) > 1:
            word = 1 + step.to % (len(card) - 1)
            cards[at : at + 1] = [card[:word], card[word:]]
        case "join" if at + 1 < len(cards):
            cards[at : at + 2] = [card + cards[at + 1]]
        case "copy":
            other.insert(step.to % (len(other) + 1), _copied(card, author))
        case "move":
            cards.pop(at)
            in_two_commits = by_git and other is not cards
            moved = _copied(card, author) if in_two_commits else card
            other.insert(step.to % (len(other) + 1), moved)
        case "swap":
            to = step.to % len(cards)
            if [word.text for word in card] != [word.text for word in cards[to]]:
                cards[at], cards[to] = cards[to], card
        case "remove":
            cards.pop(at)


SAME_WORDS = ("split", "join", "copy", "move", "swap", "cut", "remove")
VERBS = ("new", "edit", "insert", *SAME_WORDS)
HANDS = {"person": "HUMAN", "model": "AI", "hand": "HUMAN", "engine": "UNKNOWN"}


def turns(hands: tuple[str, ...], verbs: tuple[str, ...]) -> st.SearchStrategy[list[tuple[str, Step]]]:
    steps = st.builds(
        Step,
        st.sampled_from(verbs),
        st.sampled_from([BOOK, BOOK, NOTES]),
        st.integers(0, 9),
        st.integers(0, 40),
        st.integers(8, 20),
    )
    return st.lists(st.tuples(st.sampled_from(hands), steps), min_size=2, max_size=10)
