"""The pictures of the product: which numbers each shows, and what they are called."""

from collections.abc import Mapping, Sequence
from typing import Final

from penwright.domain.charts.values import Chart, Series
from penwright.domain.trace.reports.disclosure import SHARES
from penwright.domain.trace.reports.disclosure import Chapter as Credited
from schemas.base import LengthUnit

MOST: Final = 40
"""Of sessions, days or passes; the newest are shown."""
AUTHORS: Final[Mapping[str, str]] = {
    "human": "People",
    "ai": "Models",
    "mixed": "Both",
    "edited": "Unknown, edited by models",
    "ambiguous": "One of several",
    "unknown": "Unknown",
}
"""Label of each kind of author."""


def words_per_session(sessions: Sequence[tuple[str, int]], target: int, unit: LengthUnit = "words") -> Chart:
    """Words of each session beside the words that it should write.

    Args:
        sessions: when each ended, and its words; the oldest first.
        target: words per session that the book's settings ask for; 0: none.
    """
    shown = sessions[-MOST:]
    words = Series(unit.capitalize(), tuple(float(count) for _, count in shown))
    aim = Series("Aimed at", (float(target),) * len(shown), "line")
    return Chart(
        "words",
        f"{unit.capitalize()} per session",
        tuple(at for at, _ in shown),
        (words, aim) if target else (words,),
    )


def words_so_far(sessions: Sequence[tuple[str, int]], target: int, unit: LengthUnit = "words") -> Chart:
    """Draw the growth of the whole text towards its target.

    Args:
        sessions: when each ended, and the words that the text had then; the oldest first.
    """
    shown = sessions[-MOST:]
    has = Series(unit.capitalize(), tuple(float(count) for _, count in shown), "line")
    aim = Series("Target", (float(target),) * len(shown), "line")
    return Chart(
        "growth",
        f"{unit.capitalize()} and target",
        tuple(at for at, _ in shown),
        (has, aim) if target else (has,),
    )


def cost(by: str, spent: Sequence[tuple[str, int | None]]) -> Chart:
    """Dollars by ``day`` or ``model``.

    Args:
        spent: name and millionths of a dollar, None where no price is known.
    """
    shown = spent[-MOST:]
    dollars = tuple(None if micros is None else micros / 1_000_000 for _, micros in shown)
    return Chart(
        f"cost-by-{by}",
        f"Cost per {by}",
        tuple(name for name, _ in shown),
        (Series("US dollars", dollars),),
        decimals=3,
    )


def words_by_author(chapters: Sequence[Credited]) -> Chart:
    """Words of people, of models, of both and of unknown authors, by chapter."""
    series = (
        Series(AUTHORS[share], tuple(float(each.words.of(share)) for each in chapters)) for share in SHARES
    )
    return Chart(
        "authors",
        "Words by author and chapter",
        tuple(" / ".join(each.heading) or "before the first heading" for each in chapters),
        tuple(series),
        stacked=True,
    )


def score_per_critique(scores: Sequence[float]) -> Chart:
    """The score of each critique, the oldest first; from 0 to 1."""
    labels = [str(number) for number in range(1, len(scores) + 1)]
    shown = Series("Score", tuple(scores)[-MOST:], "line")
    return Chart("scores", "Score per critique", tuple(labels[-MOST:]), (shown,), decimals=2)


def tokens_per_section(title: str, sections: Sequence[tuple[str, int, int]]) -> Chart:
    """Draw the tokens that each section of an envelope used, beside its share; it may use what others left.

    Args:
        sections: name, tokens used, tokens of its share.
    """
    return Chart(
        "tokens",
        title,
        tuple(name for name, _, _ in sections),
        (
            Series("Used", tuple(float(used) for _, used, _ in sections)),
            Series("Share", tuple(float(share) for _, _, share in sections)),
        ),
    )
