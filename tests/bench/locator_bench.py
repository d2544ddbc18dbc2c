"""Finding a passage of 200 characters with 6 edits, and merging two sides of a text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from diff_match_patch import diff_match_patch
from rapidfuzz.fuzz import partial_ratio_alignment

from penwright.domain.text.locator import locate
from penwright.domain.text.merging.three_way import merge
from schemas.patching import Merged, Unique
from tests.bench.report import Row, row_of, say, timed

BUDGETS_MS = {100_000: 20.0, 1_000_000: 20.0, 5_000_000: 200.0}
"""By the characters of the text; the largest from five operations within a second."""
MERGE_BUDGET_MS = 500.0
ROUNDS = 5
_PLACES = (0.12, 0.51, 0.93)
_SIZE = 200
_SIGNS = "bcdfghlmnprstvw"
_WORDS = 6_000


@dataclass(frozen=True, slots=True)
class Needle:
    """An edited quotation, and the passage that it quotes."""

    text: str
    start: int
    end: int


Finder = Callable[[str, Needle], tuple[int, int] | None]
"""Start and end of the passage that one way of searching finds."""


def run(sizes: Sequence[int] = tuple(BUDGETS_MS), rounds: int = ROUNDS) -> list[Row]:
    """Measure all sizes, and a merge of a megabyte."""
    rows = [row for size in sizes for row in measure(size, rounds)]
    return [*rows, merging(min(1_000_000, max(sizes)), rounds)]


def measure(size: int, rounds: int) -> list[Row]:
    """Locate the same needles in three ways.

    Raises:
        RuntimeError: ours did not find a passage.
    """
    say(f"locator: {size:,} characters")
    chance = Random(size)
    text = prose(chance, size)
    needles = [needle(chance, text, place, skewed) for place in _PLACES for skewed in (False, True)]
    ours, right = searched(_ours, text, needles, rounds)
    if right != len(needles):
        raise RuntimeError(f"{right} of {len(needles)} passages were found")
    rows = []
    for name, finder in (("rapidfuzz", _rapidfuzz), ("diff-match-patch with a hint", _diff_match_patch)):
        costs, found = searched(finder, text, needles, rounds)
        label = f"locate, {size // 1000:,} KB; {name}, {found} of {len(needles)} right"
        rows.append(row_of("locator", label, ours, costs, BUDGETS_MS.get(size, 20.0)))
    return rows


def searched(finder: Finder, text: str, needles: Sequence[Needle], rounds: int) -> tuple[list[float], int]:
    """Milliseconds of each search, and how many of the needles were found where they are."""
    costs, right = [], 0
    for each in needles:
        for _ in range(rounds):
            cost, found = timed(partial(finder, text, each))
            costs.append(cost)
        right += found == (each.start, each.end)
    return costs, right


def _ours(text: str, each: Needle) -> tuple[int, int] | None:
    found = locate(each.text, text)
    return (found.span.start, found.span.end) if isinstance(found, Unique) else None


def _rapidfuzz(text: str, each: Needle) -> tuple[int, int] | None:
    found = partial_ratio_alignment(each.text, text)
    return (found.dest_start, found.dest_end) if found else None


def _diff_match_patch(text: str, each: Needle) -> tuple[int, int] | None:
    """Its best case: it is told where to look to within a hundred characters. It gives no end."""
    matcher = diff_match_patch()
    matcher.Match_MaxBits = 0
    start = matcher.match_main(text, each.text, each.start + 100)
    return (start, start + len(each.text)) if start >= 0 else None


def merging(size: int, rounds: int) -> Row:
    """Merge twenty changes of each side; the baseline is a diff of one side by lines."""
    say(f"locator: merging {size:,} characters")
    base = prose(Random(7), size)
    mine, theirs = (scattered(base, mark, seed) for seed, mark in enumerate(("mine", "theirs")))
    costs, plain = [], []
    for _ in range(rounds):
        cost, merged = timed(lambda: merge(base, mine, theirs))
        costs.append(cost)
        plain.append(timed(lambda: diff_match_patch().diff_main(base, mine))[0])
        if not isinstance(merged, Merged) or merged.text.count(" mine ") != 20:
            raise RuntimeError("a change was lost")
    label = f"merge, {size // 1000:,} KB, 20 changes a side; diff-match-patch, one diff"
    return row_of("locator", label, costs, plain, MERGE_BUDGET_MS)


def scattered(text: str, mark: str, seed: int) -> str:
    """The text with a word put before the second word of twenty paragraphs, which differ by seed."""
    paragraphs = text.split("\n\n")
    for at in range(seed, len(paragraphs) - 1, max(2, len(paragraphs) // 20))[:20]:
        paragraphs[at] = paragraphs[at].replace(" ", f" {mark} ", 1)
    return "\n\n".join(paragraphs)


def prose(chance: Random, size: int) -> str:
    """Words of a vocabulary of thousands in sentences and paragraphs, as long as wanted."""
    lexicon = ["".join(chance.choices(_SIGNS, k=chance.randint(2, 9))) for _ in range(_WORDS)]
    paragraphs: list[str] = []
    length = 0
    while length < size:
        sentences = (" ".join(chance.choices(lexicon, k=chance.randint(6, 20))) + "." for _ in range(5))
        paragraphs.append(" ".join(sentences))
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)[:size]


def needle(chance: Random, text: str, place: float, skewed: bool) -> Needle:
    """A passage between two spaces with six edits: two of each kind, or six insertions."""
    start = text.index(" ", int(len(text) * place)) + 1
    end = text.index(" ", start + _SIZE)
    signs = list(text[start:end])
    kinds = ["insert"] * 6 if skewed else ["insert", "insert", "delete", "delete", "change", "change"]
    places = [at for at in range(5, len(signs) - 5) if signs[at] in _SIGNS]
    for at, kind in zip(sorted(chance.sample(places, 6), reverse=True), kinds, strict=True):
        kept = {"insert": signs[at], "delete": "", "change": ""}[kind]
        signs[at] = kept + ("" if kind == "delete" else "z")
    return Needle("".join(signs), start, end)
