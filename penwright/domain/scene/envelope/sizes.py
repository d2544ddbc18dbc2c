"""The sizes of an envelope, as rows for people."""

from collections import Counter, defaultdict

from schemas.base import Value
from schemas.envelope import Envelope, Item, Section, TokenBudget, TokenUse


class SizeRow(Value):
    """One section of a prompt in tokens, and how many of its items it has."""

    section: str
    allotted: int
    """Its share; of what is never cut, what it uses."""
    given: int = 0
    """What others left it; negative: what it left to others."""
    used: int
    kept: int = 0
    dropped: int = 0


def size_rows(envelope: Envelope) -> tuple[SizeRow, ...]:
    """Return the answer, what is never cut, each section, and what is left; ``used`` sums to the context."""
    budget, items = envelope.budget, _by_section(envelope.items)
    fixed = [_fixed(name, tokens, items) for name, tokens in budget.parts.items() if tokens]
    shared = [_shared(use, items[use.section]) for use in budget.sections]
    return (_fixed("answer", budget.answer, items), *fixed, *shared, _fixed("left", budget.left, items))


def size_line(budget: TokenBudget) -> str:
    """Return one line on the whole."""
    used = f"{budget.context - budget.left:,} of {budget.context:,} tokens"
    return f"{used}, {budget.answer:,} of them for the answer; counter: {budget.counter}"


def dropped_reasons(envelope: Envelope) -> tuple[Item, ...]:
    """Return what was dropped or shortened, in the order of the sections."""
    return tuple(
        item for item in envelope.items if not item.kept or item.reason.startswith(("shortened", "name only"))
    )


def _fixed(name: str, tokens: int, items: dict[Section, Counter[bool]]) -> SizeRow:
    of_people = items["people"] if name == "cast" else Counter[bool]()
    return SizeRow(section=name, allotted=tokens, used=tokens, kept=of_people[True], dropped=of_people[False])


def _shared(use: TokenUse, counts: Counter[bool]) -> SizeRow:
    return SizeRow(
        section=use.section,
        allotted=use.allotted,
        given=use.given,
        used=use.used,
        kept=counts[True],
        dropped=counts[False],
    )


def _by_section(items: tuple[Item, ...]) -> dict[Section, Counter[bool]]:
    counts = defaultdict[Section, Counter[bool]](Counter)
    for item in items:
        counts[item.section][item.kept] += 1
    return counts
