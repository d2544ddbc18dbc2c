"""A person types and saves while a model edits: every keystroke is in the text or in a shown conflict."""

import re
from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.manuscript.patching import patched_scene
from penwright.domain.text.merging.saving import saved_text
from penwright.domain.text.merging.three_way import merge
from schemas.patching import Conflicting, Disputed, Operation, OperationResult
from tests.support.sweeps import EXAMPLES

START = (
    "The keeper climbed the stairs at dusk. She lit the lamp and sat down. The sea was calm.\n\n"
    "A ship passed without a light. Nobody answered her signal. She wrote the hour down.\n\n"
    "By midnight the wind had risen. The shutters were gone before one. The lamp held.\n"
)
KEYSTROKE = re.compile(r"key\d{4}")
ADDED = re.compile(r"new\d{4}")


class Editor:
    """A person's editor: its text, the revision it was made from, and the conflicts it has shown."""

    def __init__(self, text: str) -> None:
        self.text = self.base = text
        self.shown: list[str] = []
        self.typed = 0

    def type(self, place: int) -> None:
        """Type a word that nobody else types, anywhere, in the middle of a word as well."""
        self.typed += 1
        at = place % (len(self.text) + 1)
        self.text = f"{self.text[:at]} key{self.typed:04} {self.text[at:]}"

    def rub_out(self, place: int) -> None:
        """Delete some characters, of one's own keystrokes as well."""
        at = place % (len(self.text) + 1)
        self.text = self.text[:at] + self.text[at + place % 40 :]

    def keystrokes(self) -> set[str]:
        """The words typed that are still there."""
        return set(KEYSTROKE.findall(self.text))

    def save(self, head: str) -> str:
        """The new head; of words that both changed the person sees both versions, and keeps the head's."""
        saved = saved_text(self.base, self.text, head)
        if not saved.places:
            self.text = self.base = saved.text
            return saved.text
        merged = merge(self.base, self.text, head)
        assert isinstance(merged, Conflicting)
        self.shown += [part.mine for part in merged.parts if isinstance(part, Disputed)]
        kept = (part.theirs if isinstance(part, Disputed) else part.text for part in merged.parts)
        self.text, self.base = "".join(kept), head
        return self.save(head)


class Loop:
    """A model that edits the text it has seen, and leaves out no keystroke that it has seen."""

    def __init__(self, text: str) -> None:
        self.seen = text
        self.made = 0

    def operations(self, place: int) -> list[Operation]:
        """One to three edits of different sentences of the text it has seen."""
        sentences = [each for each in re.findall(r"[^.\n]+\.", self.seen) if self.seen.count(each) == 1]
        wanted = sentences[place % 5 :: 5][: 1 + place % 3]
        return [self._operation(place + number, each) for number, each in enumerate(wanted)]

    def _operation(self, place: int, sentence: str) -> Operation:
        self.made += 1
        words = sentence.split(" ")
        at = place % len(words)
        replaced = " ".join([*words[:at], f"new{self.made:04}", *words[at:]])
        kinds = [
            Operation(find=sentence, replace=replaced),
            Operation(kind="insert_after", find=sentence, replace=f"It was new{self.made:04}."),
            Operation(kind="append", replace=f"## Part new{self.made:04}"),
        ]
        if KEYSTROKE.search(sentence) is None:
            kinds.append(Operation(kind="delete", find=sentence))
        return kinds[place % len(kinds)]


def applied(operations: Sequence[Operation], results: Sequence[OperationResult]) -> set[str]:
    """The words that the edits have added to the text, as they say themselves."""
    made = [
        set(ADDED.findall(each.replace)) - set(ADDED.findall(each.find))
        for each, result in zip(operations, results, strict=True)
        if result.outcome == "applied"
    ]
    return set().union(*made)


NAMES = ("type", "type", "type", "rub out", "save", "look", "edit", "edit")
ACTIONS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 10**6)), max_size=60)


def played(actions: Sequence[tuple[str, int]]) -> Counter[str]:
    """Both work at once; what became of the operations, and how many passages were shown in conflict."""
    head, editor, loop = START, Editor(START), Loop(START)
    wanted: set[str] = set()
    seen: Counter[str] = Counter()
    for action, place in [*actions, ("save", 0)]:
        match action:
            case "type" | "rub out":
                before = editor.keystrokes()
                (editor.type if action == "type" else editor.rub_out)(place)
                wanted = wanted - before | editor.keystrokes()
            case "save":
                head = editor.save(head)
            case "look":
                loop.seen = head
            case _:
                operations = loop.operations(place)
                meanwhile = "meanwhile " if loop.seen != head else ""
                patched = patched_scene(operations, loop.seen, head)
                head = patched.text
                seen.update(meanwhile + result.outcome for result in patched.results)
                assert applied(operations, patched.results) <= set(ADDED.findall(head))
    assert wanted <= {*KEYSTROKE.findall(head), *KEYSTROKE.findall(" ".join(editor.shown))}
    return seen + Counter({"shown": len(editor.shown)})


@given(ACTIONS)
def test_every_keystroke_is_in_the_text_or_in_a_shown_conflict(actions: list[tuple[str, int]]) -> None:
    played(actions)


def test_long_days_of_work_have_merges_and_conflicts_and_lose_nothing() -> None:
    chance, seen = Random(21), Counter[str]()
    for _ in range(EXAMPLES // 2):
        seen += played([(chance.choice(NAMES), chance.randrange(10**6)) for _ in range(120)])

    assert min(seen[what] for what in ("applied", "meanwhile applied", "meanwhile conflict", "shown")) > 20
