"""A person types while a model works: every keystroke is in the text, or in a named conflict.

The editor is simulated: it types a few words that occur nowhere else, sends what it shows with the revision
it was made from, and takes over what comes back. The model works on texts that it saw some saves ago.
"""

import random
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from schemas.manuscript_text import OperationsApplied, TextSaved
from schemas.patching import Operation
from tests.support.manuscripts.novel_repo import NovelRepo, replace

PARAGRAPHS = 12
START = "".join(
    f"Paragraph {number}: the keeper of light {number} counts {number + 20} boats.\n\n"
    for number in range(PARAGRAPHS)
)


@dataclass
class Typist:
    """A person with an editor that shows a text and knows from which revision it was made."""

    novel: NovelRepo
    chance: random.Random
    shown: str = START
    base: str = ""
    typed: list[str] = field(default_factory=list)
    """Words, each of them nowhere else."""
    set_aside: list[str] = field(default_factory=list)
    """Texts of named conflicts."""

    def type(self) -> None:
        """Put a new word somewhere between two others."""
        word = f"typed{len(self.typed)}end"
        spaces = [at for at, sign in enumerate(self.shown) if sign == " "]
        at = self.chance.choice(spaces)
        self.shown = f"{self.shown[:at]} {word}{self.shown[at:]}"
        self.typed.append(word)

    def save(self) -> TextSaved:
        """Send what is shown; go on with what comes back."""
        answer = self.novel.save(self.shown, base=self.base)
        if answer.outcome == "conflict":
            assert answer.places, "a conflict names its places"
            assert answer.mine is not None
            self.set_aside.append(self.novel.text(answer.mine))
        self.shown, self.base = self.novel.text(answer.text), answer.revision
        return answer


@dataclass
class Model:
    """Something that rewrites sentences of a text that it read a while ago."""

    novel: NovelRepo
    chance: random.Random
    seen: str = START
    wrote: list[str] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)

    def read(self) -> None:
        self.seen = self.novel.text(self.novel.read().text)

    def write(self) -> OperationsApplied:
        numbers = self.chance.sample(range(PARAGRAPHS), 3)
        done = self.novel.apply(self.seen, *(self._edit(number) for number in numbers))
        self.outcomes += [each.outcome for each in done.results]
        return done

    def _edit(self, number: int) -> Operation:
        word = f"model{len(self.wrote)}end"
        self.wrote.append(word)
        return replace(f"Paragraph {number}:", f"Paragraph {number}: {word}")


def lost(typist: Typist, text: str) -> list[str]:
    """Typed words that are neither in the text nor in a conflict that was named."""
    kept = [text, *typist.set_aside]
    return [word for word in typist.typed if not any(f" {word}" in each for each in kept)]


@pytest.mark.parametrize("seed", range(6))
def test_every_keystroke_is_in_the_text_or_in_a_named_conflict(tmp_path: Path, seed: int) -> None:
    novel = NovelRepo(tmp_path / "tides", {"-": START})
    chance = random.Random(seed)
    typist, model = Typist(novel, chance, base=novel.revision), Model(novel, chance)

    for _ in range(30):
        match chance.choice(["type", "type", "save", "read", "write"]):
            case "type":
                typist.type()
            case "save":
                typist.save()
            case "read":
                model.read()
            case _:
                model.write()
    typist.save()

    assert lost(typist, novel.committed) == []
    assert typist.shown.rstrip("\n") == novel.committed
    assert "applied" in model.outcomes


def test_a_save_that_repeats_what_the_model_wrote_loses_neither(tmp_path: Path) -> None:
    novel = NovelRepo(tmp_path / "tides", {"-": START})
    typist = Typist(novel, random.Random(1), base=novel.revision)
    model = Model(novel, random.Random(2))
    typist.type()
    model.write()
    typist.save()
    typist.type()
    model.write()
    typist.save()

    assert lost(typist, novel.committed) == []
    applied = [
        word for word, outcome in zip(model.wrote, model.outcomes, strict=True) if outcome == "applied"
    ]
    assert [word for word in applied if word not in novel.committed] == []


def test_two_threads_at_one_repository_lose_nothing(tmp_path: Path) -> None:
    """Typing and writing at the same time, each as fast as it can: publish orders them."""
    novel = NovelRepo(tmp_path / "tides", {"-": START})
    typist = Typist(novel, random.Random(3), base=novel.revision)
    model = Model(novel, random.Random(4))
    failures: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(8):
                model.read()
                model.write()
        except BaseException as error:  # told to the test
            failures.append(error)

    writing = threading.Thread(target=write)
    writing.start()
    for _ in range(16):
        typist.type()
        typist.save()
    writing.join(60)
    typist.save()

    assert failures == []
    assert lost(typist, novel.committed) == []
    assert "applied" in model.outcomes
