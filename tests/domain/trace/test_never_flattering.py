"""A word that a model wrote is never reported as a person's, nor as unknown and untouched.

Nor is a word that one person wrote reported as another's alone.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from hypothesis import example, given, settings
from hypothesis import strategies as st

from penwright.adapters.workspace.contents import merge_contents
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.text.comparing.descent import COPIED
from penwright.domain.text.words import count_words, without_comments
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.reports.blame import blame
from penwright.domain.trace.reports.disclosure import disclose, share_of
from penwright.domain.trace.source import TraceSource
from tests.support.books.desks import Desk
from tests.support.books.repos import KNOWN, git, write
from tests.support.ledgers.rewritten import Declared, Rewritten
from tests.support.ledgers.scribes import BOOK, Scribes
from tests.support.ledgers.turns import FEW, NOTES, PHASES, VERBS, Card, Step, Truth, Word, apply, turns
from tests.support.sweeps import LONG

QUILL, VERSE, ADA, BEN = "demo/quill", "demo/verse", "Ada Author", "Ben Second"
_UNKNOWN = "unknown"
_HANDS = {
    "person": ADA,
    "hand": ADA,
    "second person": BEN,
    "second hand": BEN,
    "quill": QUILL,
    "verse": VERSE,
    "clones": QUILL,
    "rebase": QUILL,
    "stripped rebase": QUILL,
}
_DECLARED = {
    "human": "HUMAN",
    "model": "a model without a name",
    "mixed": "both",
    "unknown": _UNKNOWN,
    "": _UNKNOWN,
}
_MODELS = {QUILL, VERSE, "a model without a name", "both"}
_PEOPLE = {ADA, BEN}
_PEOPLE_HANDS = [hand for hand, author in _HANDS.items() if author in _PEOPLE]


@dataclass
class History:
    """The truth, and the trace of it."""

    truth: Truth
    desk: Desk
    elsewhere: Mapping[str, Sequence[Card]] = field(default_factory=dict)
    """The text of another clone, before both came together."""

    @property
    def scribes(self) -> Scribes:
        return Scribes(self.desk)

    def turn(self, hand: str, step: Step) -> None:
        """One change by one hand; two at once in two clones, which are merged or rebased."""
        if hand == "clones":
            self._elsewhere(step)
            self._change("quill", step)
            desk = self.scribes.desk
            desk.port.sync(desk.workspace, desk.effect(), known=KNOWN, engine=())
            self._read()
        elif hand.endswith("rebase"):
            self._rebase(step, stripped=hand.startswith("stripped"))
        else:
            self._change(hand, step)

    def _change(self, hand: str, step: Step) -> None:
        before = {path: self.truth.text(path) for path in self.truth.files}
        by_git = hand.endswith("hand")
        apply(self.truth, step, _HANDS[hand], by_git=by_git)
        after = {path: self.truth.text(path) for path in self.truth.files}
        changed = {path: text for path, text in after.items() if text != before[path]}
        if not changed:
            return
        if _HANDS[hand] in _PEOPLE:
            self.desk.identify(_HANDS[hand])
        if by_git:
            # What comes is committed before what goes: as a person copies first.
            for path in sorted(changed, key=lambda path: len(after[path]) < len(before[path])):
                self.scribes.by_hand(path, changed[path])
        elif _HANDS[hand] in _PEOPLE:
            self.scribes.person(dict(changed))
        else:
            self.scribes.model(dict(changed), model=_HANDS[hand])

    def _rebase(self, step: Step, *, stripped: bool) -> None:
        """Two commits of a clone are replayed on one or two of another clone, all of them recorded or not."""
        here, tip = deepcopy(self.truth.files), self.desk.book.tip()
        for hand in ("verse", "second hand")[step.length % 2 :]:
            self._change(hand, replace(step, at=step.to, to=step.at))
        self.elsewhere, self.truth.files = self.truth.files, here
        self._push()
        git(self.desk.book.folder, "reset", "-q", "--hard", tip)
        self._change("quill", step)
        self._change("person", Step("edit", step.path, step.at, step.to + 1, 8))
        rebase(self.desk, stripped=stripped)
        self._read()

    def _push(self) -> None:
        """Let a remote, and another clone of it, have what is here."""
        if (self.desk.root / "remote.git").exists():
            git(self.desk.book.folder, "push", "-q", "origin", "main")
        else:
            self.desk.add_remote()

    def _elsewhere(self, step: Step) -> None:
        """The second person's change in another clone, of another paragraph or the same."""
        before = {path: self.truth.text(path) for path in self.truth.files}
        desk, there = self.desk, deepcopy(self.truth)
        apply(there, Step("edit", step.path, step.to, step.at, 8), BEN, by_git=True)
        self.truth.written = there.written
        self.elsewhere = there.files
        self._push()
        desk.identify(BEN)
        for path in there.files:
            if there.text(path) != before[path]:
                desk.push_from_elsewhere(path, there.text(path))

    def _read(self) -> None:
        """Take the text as the merge or the rebase left it."""
        desk = self.desk
        both = [
            card for files in (self.elsewhere, self.truth.files) for cards in files.values() for card in cards
        ]
        known = {word.text: word for card in both for word in card}
        whole = _by_words(both)
        held = desk.port.snapshot(desk.workspace, list(self.truth.files)).files
        for path in self.truth.files:
            cards = [tuple(card.split()) for card in without_comments(held[path].text).split("\n\n")]
            self.truth.files[path] = [
                _of_few_words_forgotten(
                    whole.get(card)
                    # Of a piece of a few words, which neither side had, nobody can know whose it is.
                    or tuple(known[word] if len(card) >= COPIED else Word(word, "") for word in card)
                )
                for card in cards
                if card
            ]


def rebase(desk: Desk, *, stripped: bool) -> None:
    """Make again, on top of the remote, what it lacks, with or without trailers; both sides' changes stay."""
    folder = desk.book.folder
    lacking = git(folder, "rev-list", "--reverse", "--parents", "origin/main..main").splitlines()
    with desk.port.trace(desk.workspace) as source:
        git(folder, "reset", "-q", "--hard", "origin/main")
        for commit, parent in (each.split() for each in lacking):
            for path in git(folder, "diff", "--name-only", parent, commit).splitlines():
                before, after = (source.at(each, path) or b"" for each in (parent, commit))
                lying = (desk.lying(path) or "").encode()
                write(folder, {path: merge_contents(path, before, lying, after).content.decode()})
            git(folder, "add", "-A")
            git(folder, "commit", "-q", "--allow-empty", "-C", commit)
            if stripped:
                git(folder, "commit", "-q", "--amend", "--allow-empty", "-m", "Stripped")


def _by_words(cards: Sequence[Card]) -> Mapping[tuple[str, ...], Card]:
    """Paragraphs by their words. Of two alike with few words nobody can tell which one is the copy."""
    whole: dict[tuple[str, ...], Card] = {}
    for card in cards:
        words = tuple(word.text for word in card)
        is_twin = len(card) < COPIED and whole.get(words, card) != card
        whole[words] = tuple(replace(word, author="") for word in card) if is_twin else card
    return whole


def _of_few_words_forgotten(card: Card) -> Card:
    """The paragraph without the authors of so few words that a rebase may lose them.

    A change tells whose words a paragraph has from eight of them on, or half of it, or four in a row: fewer
    stand in two texts by chance, and a turn of phrase shall put no model's name to a person's paragraph. A
    rebase makes up to four changes in one turn: what each may lose is not counted together when it is joined.
    """
    many = {author for author, count in in_all(card).items() if count >= min(FEW, len(card))}
    return tuple(word if word.author in many else replace(word, author="") for word in card)


@contextmanager
def played(declared: str, imported: int, plays: Sequence[tuple[str, Step]]) -> Iterator[History]:
    """A book that was imported, then went through some turns."""
    with TemporaryDirectory() as folder:
        yield play(Path(folder), declared, imported, plays)


def play(folder: Path, declared: str, imported: int, plays: Sequence[tuple[str, Step]]) -> History:
    history = History(Truth(), Desk(folder, recorder=LedgerRecorder("test", BOOK_PROFILE)))
    for path in history.truth.files:
        history.truth.files[path] = [history.truth.new(_DECLARED[declared], 12) for _ in range(imported)]
        history.scribes.by_hand(path, history.truth.text(path) if imported else "\n")
    for hand, step in plays:
        history.turn(hand, step)
    return history


def in_all(card: Card) -> Mapping[str, int]:
    """Words by author."""
    return Counter(word.author for word in card)


def in_a_row(card: Card) -> Mapping[str, int]:
    """The longest run of each author: a copy that was edited in the same commit is known by no more."""
    runs = [(author, len(list(run))) for author, run in groupby(word.author for word in card)]
    return {author: max(length for each, length in runs if each == author) for author, _ in runs}


def fault(card: Card, kind: str, models: set[str], counted: Callable[[Card], Mapping[str, int]]) -> str:
    """Why what is said of a paragraph is untrue; empty if it is true."""
    # A name may be lost of so few words that they meet by chance.
    least = min(FEW, len(card))
    wrote = {author for author, count in counted(card).items() if author in _MODELS and count >= least}
    if wrote and (kind in ("human", "unknown") or (not models and kind in ("edited", "ambiguous"))):
        return "flatters"
    if wrote & {QUILL, VERSE} - models:
        return "leaves out a model"
    return ""


def faults(
    history: History, source: TraceSource, counted: Callable[[Card], Mapping[str, int]] = in_all
) -> list[tuple[str, str, str]]:
    """Each paragraph of which something untrue is said."""
    found: list[tuple[str, str, str]] = []
    for path, cards in history.truth.files.items():
        if not any(cards):
            continue
        blocks = blame(source, path).blocks
        for block, card in zip(blocks, cards, strict=True):
            written = block.attributed.written
            kind, models = share_of(block.attributed), set(written.author.models if written else ())
            if why := fault(card, kind, models, counted):
                found.append((why, kind, " ".join(f"{word.author[:7]}:{word.text}" for word in card)))
        total = disclose(source, path).total
        assert total.total == count_words(history.truth.text(path))
        assert round(sum(total.per_cent().values()), 6) == (100 if total.total else 0)
    return found


def left_out(
    history: History, source: TraceSource, counted: Callable[[Card], Mapping[str, int]] = in_all
) -> list[tuple[tuple[str, ...], Card]]:
    """Each paragraph of which people are named, and not everyone who wrote at it; with the names."""
    found: list[tuple[tuple[str, ...], Card]] = []
    for path, cards in history.truth.files.items():
        for block, card in zip(blame(source, path).blocks if any(cards) else (), cards, strict=True):
            wrote = {author for author, count in counted(card).items() if count >= min(FEW, len(card))}
            if block.people and (wrote & _PEOPLE) - set(block.people):
                found.append((block.people, card))
    return found


def taken(history: History, source: TraceSource) -> list[Card]:
    """Each paragraph that is said to be a person's, with words in a row of unknown origin."""
    return [
        card
        for path, cards in history.truth.files.items()
        for block, card in zip(blame(source, path).blocks if any(cards) else (), cards, strict=True)
        if share_of(block.attributed) == "human" and in_a_row(card).get(_UNKNOWN, 0) >= min(FEW, len(card))
    ]


_NEW, _CUT = Step("new", BOOK, 0, 0, 8), Step("cut", BOOK, 0, 0, 8)
_REMOVE = Step("remove", BOOK, 1, 0, 20)
_ONCE_WRONG: list[tuple[str, int, list[tuple[str, Step]], list[int]]] = [
    # A copy of an imported text, made in a session, is cut twice.
    ("model", 1, [("person", each) for each in (_NEW, _NEW, Step("copy", NOTES, 0, 0, 12), _CUT, _CUT)], []),
    # One of two equal halves is removed, and the other edited in another clone.
    (
        "model",
        1,
        [
            ("hand", Step("split", BOOK, 0, 2, 8)),
            ("quill", Step("copy", BOOK, 0, 1, 10)),
            ("clones", _REMOVE),
        ],
        [],
    ),
    # Copies of a half are removed, and commits squashed.
    (
        "mixed",
        2,
        [
            ("person", Step("copy", BOOK, 0, 1, 14)),
            ("hand", Step("split", BOOK, 0, 4, 14)),
            ("hand", Step("copy", BOOK, 0, 1, 14)),
            *[("quill", Step("remove", BOOK, 3, 0, 20))] * 3,
        ],
        [3],
    ),
    # What was cut by hand is copied by another model, all in one commit.
    (
        "",
        0,
        [
            ("quill", Step("new", BOOK, 0, 0, 15)),
            ("hand", Step("cut", BOOK, 0, 0, 9)),
            ("verse", Step("copy", BOOK, 0, 0, 15)),
        ],
        [3],
    ),
    # A paragraph comes in beside an edit of another clone, so that their merge makes a new one.
    (
        "human",
        0,
        [*[("clones", Step("join", BOOK, 8, 15, 15))] * 2, ("verse", Step("join", BOOK, 8, 15, 15))],
        [],
    ),
    # What a merge made of both sides is copied by hand into another file.
    (
        "",
        0,
        [
            ("person", Step("insert", BOOK, 9, 1, 20)),
            ("clones", Step("insert", BOOK, 8, 23, 10)),
            ("hand", Step("copy", BOOK, 0, 0, 18)),
        ],
        [],
    ),
    # A paragraph is edited by hand between two recorded edits of it, and all three are one commit.
    (
        "unknown",
        1,
        [
            ("hand", Step("copy", NOTES, 4, 22, 15)),
            ("quill", Step("insert", NOTES, 2, 20, 16)),
            ("hand", Step("edit", NOTES, 4, 22, 15)),
            ("person", Step("insert", NOTES, 4, 22, 15)),
        ],
        [4],
    ),
    # A file that gets the same text as another one, by hand in the same commit.
    ("mixed", 0, [("quill", Step("new", BOOK, 0, 0, 17)), ("hand", Step("copy", BOOK, 0, 0, 15))], [2]),
    # A paragraph is copied twice, once by hand, and both are one commit.
    ("mixed", 1, [("quill", Step("copy", NOTES, 0, 0, 9)), ("hand", Step("copy", NOTES, 0, 2, 9))], [2]),
    # A copy by hand is split and joined again, all in one commit whose text between is lost.
    (
        "",
        0,
        [
            ("person", Step("new", NOTES, 0, 0, 18)),
            ("verse", Step("new", BOOK, 0, 0, 18)),
            ("hand", Step("copy", BOOK, 0, 1, 15)),
            ("person", Step("split", NOTES, 1, 2, 18)),
            ("person", Step("join", NOTES, 1, 0, 18)),
        ],
        [2, 3],
    ),
    # A copy and an edit of it by hand are one commit, and a person edits it on.
    (
        "",
        0,
        [
            ("quill", Step("new", BOOK, 0, 0, 20)),
            *[("hand", Step(verb, BOOK, 0, at, 16)) for verb, at in (("copy", 1), ("edit", 3))],
            ("person", Step("edit", BOOK, 0, 12, 15)),
        ],
        [1, 2],
    ),
    # One of two equal paragraphs is moved by a model, and the other edited in another clone.
    (
        "human",
        1,
        [
            ("verse", Step("insert", BOOK, 0, 10, 19)),
            ("quill", Step("copy", BOOK, 8, 8, 8)),
            ("clones", Step("move", BOOK, 0, 11, 12)),
            ("clones", Step("new", BOOK, 0, 2, 8)),
        ],
        [],
    ),
    # Of a copy by hand six words are left, and both are one commit.
    (
        "",
        0,
        [
            ("quill", Step("new", BOOK, 0, 0, 8)),
            ("hand", Step("copy", BOOK, 0, 0, 9)),
            ("hand", Step("cut", NOTES, 0, 0, 8)),
        ],
        [1, 2],
    ),
    # Of two cuts in two clones a rebase leaves the shorter one as a copy, and then the other is edited.
    (
        "",
        0,
        [("quill", _NEW), ("hand", _NEW), ("stripped rebase", Step("cut", BOOK, 5, 17, 8))],
        [3, 2],
    ),
    # A known paragraph is copied by hand in a commit of several edits whose text between is lost.
    (
        "",
        0,
        [
            ("quill", Step("new", NOTES, 0, 0, 8)),
            ("hand", Step("copy", NOTES, 0, 0, 8)),
            ("person", Step("new", NOTES, 0, 0, 8)),
        ],
        [1, 2],
    ),
    # A model's paragraph that was edited by hand is joined to one that is mixed already.
    (
        "",
        0,
        [
            ("verse", _NEW),
            ("hand", Step("edit", BOOK, 0, 0, 9)),
            ("quill", _NEW),
            ("person", Step("edit", BOOK, 0, 0, 9)),
            ("quill", Step("join", BOOK, 0, 0, 8)),
        ],
        [],
    ),
    # Few words of a model, cut and written into by hand in rebases, are joined to few others of its.
    (
        "human",
        0,
        [
            ("hand", Step("join", BOOK, 0, 0, 8)),
            ("quill", Step("move", BOOK, 0, 0, 9)),
            ("rebase", Step("swap", BOOK, 0, 0, 8)),
            ("stripped rebase", Step("cut", BOOK, 1, 1, 8)),
            ("rebase", Step("insert", BOOK, 8, 29, 9)),
            ("person", Step("join", BOOK, 2, 0, 8)),
        ],
        [],
    ),
    # The first record's paragraph is copied by hand into another file, and both are one commit.
    (
        "",
        0,
        [
            ("quill", Step("new", NOTES, 0, 0, 9)),
            ("hand", Step("copy", NOTES, 0, 0, 9)),
            ("verse", Step("new", BOOK, 0, 0, 9)),
        ],
        [3],
    ),
]


def test_no_word_of_a_model_is_a_persons_in_histories_that_were_wrong_once() -> None:
    found: list[tuple[str, str, str]] = []
    for declared, imported, plays, squashed in _ONCE_WRONG:
        with played(declared, imported, plays) as history, history.scribes.source() as held:
            source = Declared(held, kept=3, authorship=declared)
            found += faults(history, source)
            for cloned in (False, True):
                rewritten = Rewritten(source, squashed, kept=3, cloned=cloned)
                found += faults(history, rewritten, in_a_row)
    assert found == []


_NONE = cast(TraceSource, None)
_HISTORIES = turns((*_HANDS, "quill", "verse"), VERBS)
_REWRITINGS = st.builds(
    Rewritten,
    st.none(),
    squashed=st.lists(st.integers(1, 4), max_size=6),
    message=st.sampled_from(["kept", "last", "stripped"]),
    kept=st.integers(0, 3),
    cloned=st.booleans(),
)


@settings(max_examples=1000 if LONG else 12, derandomize=not LONG, deadline=None, phases=PHASES)
@given(st.sampled_from(list(_DECLARED)), st.integers(0, 3), _HISTORIES, _REWRITINGS)
# An import is squashed together with the record of a copy from it into another file.
@example("model", 1, [("person", Step("copy", NOTES, 0, 0, 9))], Rewritten(_NONE, [2], "kept", 2))
# The first record is squashed together with an import, a hand copy of its text, and the record after that.
@example(
    "model",
    1,
    [
        ("quill", Step("new", NOTES, 0, 0, 12)),
        ("hand", Step("copy", NOTES, 0, 0, 9)),
        ("verse", Step("new", BOOK, 0, 0, 12)),
    ],
    Rewritten(_NONE, [5], "kept", 1),
)
# A model copies a paragraph of one word in one clone; beside it stands the first one.
@example(
    "",
    3,
    [("stripped rebase", Step("split", BOOK, 0, 40, 10)), ("clones", Step("copy", BOOK, 9, 6, 20))],
    Rewritten(_NONE, []),
)
# Two clones edit one of two equal paragraphs, a rebase keeps both edits, and a hand writes into the other.
@example(
    "model",
    1,
    [
        ("hand", Step("copy", BOOK, 0, 0, 8)),
        ("rebase", Step("edit", BOOK, 1, 1, 8)),
        ("hand", Step("insert", BOOK, 0, 5, 11)),
    ],
    Rewritten(_NONE, []),
)
# An import is squashed with a copy of it and a hand's edit, and the text of the import is lost.
@example(
    "model", 1, [("rebase", Step("copy", BOOK, 0, 0, 8))], Rewritten(_NONE, [4], "kept", kept=1, cloned=True)
)
# A commit that two clones went on from would be squashed.
@example(
    "model",
    1,
    [
        ("clones", Step("copy", NOTES, 0, 0, 8)),
        ("second hand", Step("move", NOTES, 0, 1, 19)),
        ("hand", Step("split", NOTES, 0, 3, 18)),
    ],
    Rewritten(_NONE, [3], "kept", kept=1),
)
def test_no_word_of_a_model_is_a_persons_or_unknown(
    declared: str, imported: int, plays: list[tuple[str, Step]], rewriting: Rewritten
) -> None:
    with played(declared, imported, plays) as history, history.scribes.source() as held:
        source = Declared(held, kept=3, authorship=declared)
        assert faults(history, source) == []
        # Whoever loses what a commit declared has lost it.
        lossless = rewriting.message == "kept" or _DECLARED[declared] not in _MODELS
        rewritten = replace(rewriting, source=source, kept=rewriting.kept if lossless else 3)
        assert faults(history, rewritten, in_a_row) == []


_AS_IT_WAS = Rewritten(_NONE, [])
_NEXT = Step("new", BOOK, 0, 1, 10)
_TWO_PEOPLE = turns((*_HANDS, *_PEOPLE_HANDS, *_PEOPLE_HANDS), ("insert", "join", *VERBS))


@settings(max_examples=1000 if LONG else 12, derandomize=not LONG, deadline=None, phases=PHASES)
@given(st.sampled_from(list(_DECLARED)), st.integers(0, 1), _TWO_PEOPLE, _REWRITINGS)
@example("", 0, [("person", _NEW), ("second hand", Step("insert", BOOK, 0, 5, 20))], _AS_IT_WAS)
@example(
    "", 0, [("person", _NEW), ("second person", _NEXT), ("hand", Step("join", BOOK, 0, 0, 8))], _AS_IT_WAS
)
@example("", 0, [("person", _NEW), ("hand", _NEXT), ("second hand", _NEXT)], Rewritten(_NONE, [1, 2], "kept"))
# What a person wrote by hand, and another edited, is moved in a rebase that finds it moved already.
@example(
    "",
    1,
    [
        ("verse", Step("remove", BOOK, 8, 34, 8)),
        ("second hand", Step("join", BOOK, 1, 8, 20)),
        ("person", Step("insert", BOOK, 1, 30, 8)),
        ("rebase", Step("move", BOOK, 0, 20, 9)),
    ],
    _AS_IT_WAS,
)
# A paragraph that is older than the ledger is copied by another person, who then writes into it.
@example(
    "",
    0,
    [
        ("hand", Step("insert", BOOK, 6, 1, 8)),
        ("second person", Step("copy", BOOK, 6, 30, 9)),
        ("second person", Step("insert", BOOK, 7, 34, 11)),
    ],
    _AS_IT_WAS,
)
# A model joins the paragraphs of two people.
@example(
    "", 1, [("rebase", Step("remove", BOOK, 3, 0, 12)), ("quill", Step("join", BOOK, 0, 1, 8))], _AS_IT_WAS
)
# A commit by hand is made beside the first record, in another clone.
@example(
    "",
    0,
    [("clones", Step("remove", BOOK, 5, 17, 18)), ("person", Step("copy", BOOK, 0, 38, 15))],
    _AS_IT_WAS,
)
# What another person wrote is copied and split by hand in one squashed commit.
@example(
    "",
    0,
    [
        ("quill", Step("remove", NOTES, 0, 0, 8)),
        ("second person", Step("join", BOOK, 0, 0, 11)),
        ("second hand", Step("edit", BOOK, 0, 0, 8)),
        *[("hand", Step(verb, BOOK, 0, 0, 8)) for verb in ("copy", "split")],
    ],
    Rewritten(_NONE, [3, 2], "kept"),
)
# It is copied, and written into by hand, in one squashed commit.
@example(
    "",
    0,
    [
        ("second person", _CUT),
        ("second hand", Step("edit", BOOK, 0, 0, 8)),
        *[("hand", Step(verb, BOOK, 0, 0, 8)) for verb in ("copy", "insert")],
    ],
    Rewritten(_NONE, [1, 1, 2], "kept"),
)
def test_no_word_of_one_person_is_the_others_alone(
    declared: str, imported: int, plays: list[tuple[str, Step]], rewriting: Rewritten
) -> None:
    with played(declared, imported, plays) as history, history.scribes.source() as held:
        source = Declared(held, kept=3, authorship=declared)
        assert left_out(history, source) == []
        assert left_out(history, replace(rewriting, source=source, kept=3), in_a_row) == []


@settings(max_examples=1000 if LONG else 12, derandomize=not LONG, deadline=None, phases=PHASES)
@given(st.sampled_from(["", "unknown"]), st.integers(1, 3), _HISTORIES)
@example("", 1, [("stripped rebase", Step("edit", BOOK, 2, 14, 17))])
# A word that one rebase cut off stands in two paragraphs when the next is read.
@example("", 2, [("stripped rebase", Step("split", BOOK, 4, 0, 8)), ("stripped rebase", _NEW)])
def test_no_text_of_unknown_origin_is_a_persons(
    declared: str, imported: int, plays: list[tuple[str, Step]]
) -> None:
    with played(declared, imported, plays) as history, history.scribes.source() as held:
        assert taken(history, Declared(held, kept=3, authorship=declared)) == []
