"""An author who writes in one file from which a session moves passages into another, and what must stand."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from penwright.domain.text.merging.saving import brought_together, with_carried
from penwright.domain.text.merging.units import has_words, split_units

LEXICON = ["".join(Random(at).choices("abdeilmnorstu", k=3 + at % 6)) for at in range(600)]


@dataclass
class TwoSides:
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
        paragraphs = paragraphs_of(text)
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
        """Change the waiting text, move its first paragraphs into the book, add one that is like them."""
        self.review = self.changed(self.review, self.written)
        paragraphs = paragraphs_of(self.review)
        cut = self.chance.randint(0, len(paragraphs))
        self.book = joined([*paragraphs_of(self.book), *paragraphs[:cut]])
        moved = (text for text in paragraphs[:cut] if name(text) not in self.written)
        like = [text for text in moved if len(text.split()) > 9][:1]
        self.review = joined([*paragraphs[cut:], *map(self.refrain, like)])

    def refrain(self, text: str) -> str:
        """A new paragraph with half its words of another."""
        words, own = text.split(" ")[1:], self.paragraph().split(" ")
        added = " ".join([own[0], *words[: len(words) // 2], *own[1 : 2 + len(words) // 2]])
        self.written[own[0]] = added
        return added

    def author_saves(self) -> None:
        """Save the draft, and check each paragraph of both files."""
        together = brought_together(self.base, self.draft, self.review, self.book)
        self.told += "".join(f"{place.mine} {place.theirs}\n" for place in together.places)
        self.saved(together.text, with_carried(self.book, together.carried))

    def saved(self, review: str, book: str) -> None:
        """Check what both files became, and go on from there."""
        self.book = book
        self.review = self.base = self.draft = review
        self.check()
        self.typed, self.written = {}, {}
        self.stands = {name(text): text for text in self.all()}

    def all(self) -> list[str]:
        """The paragraphs of both files."""
        return [text for file in (self.book, self.review) for text in paragraphs_of(file)]

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
    """A mark that tells a paragraph from all others."""
    return paragraph.split(" ")[0]


def paragraphs_of(text: str) -> list[str]:
    """Paragraphs without the notes between two versions, which both sides take out when they see them."""
    return [unit.text for unit in split_units(text) if has_words(unit.text)]


def joined(paragraphs: list[str]) -> str:
    """A file of these paragraphs."""
    return "\n\n".join(paragraphs) + "\n" if paragraphs else ""
