"""An author writes in a text from which a session moves passages into the book, and saves at any moment."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.review.markers import rework_block
from penwright.domain.text.merging.saving import brought_together, saved_text, with_carried
from penwright.domain.text.merging.units import split_units
from tests.support.sweeps import LONG

LEXICON = ["".join(Random(at).choices("abdeilmnorstu", k=3 + at % 6)) for at in range(600)]
PASSAGES = [
    "The keeper counted three lamps at dusk, and then he slept. <!-- INK: make this shorter -->",
    "A ship passed without a light and did not answer her signal.",
    "By midnight the wind had taken the shutters from the tower.",
]
NEW = "Far out a bell rang twice, though nobody on the quay looked up."
BASE = "\n\n".join(PASSAGES) + "\n"
TYPED = BASE.replace("without a light", "without a single light")


@pytest.mark.parametrize(
    ("session", "book", "saved", "in_book", "told"),
    [
        # She typed in the first passage that the session moved: her words go with it.
        ((2,), (0, 1), PASSAGES[2:], "without a single light", []),
        # The session deleted what she typed in: only that passage waits for her, without the answered note.
        ((2,), (), [TYPED.split("\n\n")[1], PASSAGES[2]], "", [""]),
        # What she did not touch follows the session.
        ((1, 2), (0,), [TYPED.split("\n\n")[1], PASSAGES[2]], "", []),
    ],
)
def test_only_what_both_changed_waits_for_the_author(
    session: tuple[int, ...], book: tuple[int, ...], saved: list[str], in_book: str, told: list[str]
) -> None:
    theirs = "\n\n".join([*(PASSAGES[at] for at in session), NEW]) + "\n"
    moved = "\n\n".join(PASSAGES[at].split(" <!--")[0] for at in book)

    together = brought_together(BASE, TYPED, theirs, moved)

    assert [unit.text for unit in split_units(together.text)] == [*saved, NEW]
    assert in_book in with_carried(moved, together.carried)
    assert [place.theirs for place in together.places] == told


def test_the_answered_note_of_a_passage_that_she_changed_does_not_come_back() -> None:
    mine = BASE.replace("three lamps", "thirty lamps")

    together = brought_together(BASE, mine, f"{NEW}\n")

    assert together.text == f"{mine.split(' <!--')[0]}\n\n{NEW}\n"


def test_words_typed_in_a_passage_that_was_reworked_are_in_its_old_text_and_told() -> None:
    mine = BASE.replace("three lamps", "thirty lamps")
    rework = rework_block("make this shorter", "He counted and slept.", PASSAGES[0].split(" <!--")[0])

    together = brought_together(BASE, mine, "\n\n".join([rework, *PASSAGES[1:]]))

    assert together.text.count("lamps") == together.text.count("thirty lamps") == 1
    assert "<!-- INK: make" not in together.text
    (place,) = together.places
    assert ("thirty" in place.mine, "counted and slept" in place.theirs) == (True, True)
    assert saved_text(BASE, mine, "\n\n".join([rework, *PASSAGES[1:]])).places


@dataclass
class Desk:
    """Two files, a session that changes both, and a draft of the first; each paragraph has its own name."""

    chance: Random
    review: str = ""
    book: str = ""
    base: str = ""
    draft: str = ""
    made: int = 0
    typed: dict[str, str] = field(default_factory=dict)
    """Paragraphs as the author left them, by name; "" if she removed it. Since the last save."""
    written: dict[str, str] = field(default_factory=dict)
    """The same of the session."""
    stands: dict[str, str] = field(default_factory=dict)
    clashed: set[str] = field(default_factory=set)
    """Paragraphs in which both changed words."""
    doubled: set[str] = field(default_factory=set)
    """Those that stood in both versions since, of which the author was told."""
    told: str = ""

    def begin(self, count: int) -> None:
        """Lay out both files."""
        texts = [self.paragraph() for _ in range(count)]
        cut = self.chance.randint(0, count)
        self.book, self.review = joined(texts[:cut]), joined(texts[cut:])
        self.base = self.draft = self.review
        self.stands = {name(text): text for text in texts}

    def paragraph(self) -> str:
        """A new paragraph."""
        self.made += 1
        words = self.chance.choices(LEXICON, k=self.chance.randint(6, 30))
        return f"P{self.made} {' '.join(words)}."

    def word(self, text: str) -> str:
        """The paragraph with a word changed, added or taken out."""
        self.made += 1
        words = text.split(" ")
        at = self.chance.randrange(1, max(len(words), 2))
        taken = self.chance.randint(0, 1) if len(words) > 4 else 0
        words[at : at + taken] = [f"w{self.made}"] * max(1 - taken, self.chance.randint(0, 1))
        return " ".join(words)

    def changed(self, text: str, done: dict[str, str]) -> str:
        """Some changes of a file: edited, added, removed and moved paragraphs."""
        paragraphs = [unit.text for unit in split_units(text)]
        for _ in range(self.chance.randint(0, 3)):
            at = self.chance.randrange(len(paragraphs) + 1)
            kind = self.chance.choice(["edit", "edit", "add", "remove", "move"])
            if kind == "add" or at == len(paragraphs):
                paragraphs.insert(at, self.paragraph())
                done[name(paragraphs[at])] = paragraphs[at]
            elif kind == "edit":
                paragraphs[at] = done[name(paragraphs[at])] = self.word(paragraphs[at])
            else:
                taken = paragraphs.pop(at)
                if kind == "move":
                    paragraphs.insert(self.chance.randrange(len(paragraphs) + 1), taken)
                else:
                    done[name(taken)] = ""
        return joined(paragraphs)

    def author_types(self) -> None:
        """Change the draft."""
        self.draft = self.changed(self.draft, self.typed)

    def session_closes(self) -> None:
        """Change the waiting text, then move its first paragraphs into the book."""
        self.review = self.changed(self.review, self.written)
        paragraphs = [unit.text for unit in split_units(self.review)]
        cut = self.chance.randint(0, len(paragraphs))
        self.book = joined([*(unit.text for unit in split_units(self.book)), *paragraphs[:cut]])
        self.review = joined(paragraphs[cut:])

    def author_saves(self) -> None:
        """Save the draft, and check each paragraph of both files."""
        together = brought_together(self.base, self.draft, self.review, self.book)
        self.book = with_carried(self.book, together.carried)
        self.review = self.base = self.draft = together.text
        self.told += "".join(f"{place.mine} {place.theirs}\n" for place in together.places)
        self.check()
        self.typed, self.written = {}, {}
        self.stands = {name(text): text for text in self.all()}

    def all(self) -> list[str]:
        """The paragraphs of both files."""
        return [unit.text for text in (self.book, self.review) for unit in split_units(text)]

    def check(self) -> None:
        """Every paragraph stands once, as the one side left it that touched it."""
        there = {name(text): text for text in self.all()}
        twice = {each for each, count in Counter(map(name, self.all())).items() if count > 1}
        self.clashed |= self.typed.keys() & self.written.keys()
        assert twice <= self.clashed, twice
        self.doubled |= twice
        for each in {*self.stands, *self.typed, *self.written} - self.doubled:
            sides = [side[each] for side in (self.typed, self.written) if each in side]
            if len(sides) < 2 and not (self.typed.get(each) == "" and each in self.told.split()):
                assert there.get(each, "") == (sides[0] if sides else self.stands[each]), each
            elif self.typed.get(each) and each in self.written:
                new = {word for side in sides for word in side.split()} - set(
                    self.stands.get(each, "").split()
                )
                marks = {word for word in new if word.startswith("w")}
                assert marks <= {*" ".join(self.all()).split(), *self.told.split()}, each


def name(paragraph: str) -> str:
    """What tells a paragraph from all others."""
    return paragraph.split(" ")[0]


def joined(paragraphs: list[str]) -> str:
    """A file of these paragraphs."""
    return "\n\n".join(paragraphs) + "\n" if paragraphs else ""


ACTIONS = st.lists(st.sampled_from(["types", "types", "closes", "saves"]), max_size=8)


@settings(max_examples=5_000 if LONG else 100)
@given(st.integers(0, 12), ACTIONS, st.integers(0, 10**6))
def test_every_paragraph_stands_once_and_as_the_side_left_it_that_touched_it(
    count: int, actions: list[str], seed: int
) -> None:
    desk = Desk(Random(seed))
    desk.begin(count)
    for action in [*actions, "saves"]:
        {"types": desk.author_types, "closes": desk.session_closes, "saves": desk.author_saves}[action]()
