"""The board of books in words."""

from collections.abc import Sequence

from gateway.cli.live import money
from gateway.cli.output import columns
from gateway.cli.tables import display_width
from gateway.cli.times import minute
from schemas.board import Attention, BoardLine

_HEAD = ("book", "state", "words", "next run", "cost", "push", "last session", "folder")


def list_lines(lines: Sequence[BoardLine], width: int = 0) -> list[str]:
    """A table with one row per book, and how many of them need a person.

    ``width``: of the terminal; where the table is wider, each book has lines of its own. 0: any.
    """
    if not lines:
        return ["No book is registered; `penwright book init PATH` lays one out."]
    table = columns([_HEAD, *(_cells(line) for line in lines)])
    if width and max(map(display_width, table)) > width:
        table = [text for line in lines for text in _block(line)]
    waiting = sum(bool(line.attention) for line in lines)
    if not waiting:
        return table
    need = "1 book needs" if waiting == 1 else f"{waiting} books need"
    return [*table, f"{need} you: `penwright book list --attention` says why."]


def _block(line: BoardLine) -> list[str]:
    """One book, a fact in each line; what there is nothing to say of is left out."""
    book, *cells = _cells(line)
    facts = [(name, cell) for name, cell in zip(_HEAD[1:], cells, strict=True) if cell != "-"]
    return [book, *(f"  {text}" for text in columns(facts))]


def attention_lines(lines: Sequence[BoardLine]) -> list[str]:
    """Each book that needs a person: why, and the command to run next."""
    if not lines:
        return ["No book is held up; `penwright status` names those with words to review."]
    return [text for line in lines for text in (f"{line.book_id}: {line.state}", *_reasons(line))]


def _reasons(line: BoardLine) -> list[str]:
    return [text for one in line.attention for text in (f"  {one.reason}", f"    next: {_commands(one)}")]


def _commands(one: Attention) -> str:
    return f"`{one.command}`, or `{one.also}`" if one.also else f"`{one.command}`"


def _cells(line: BoardLine) -> tuple[str, ...]:
    waiting = f" (+{line.waiting:,})" if line.waiting else ""
    return (
        line.book_id,
        line.state,
        f"{line.words:,}{waiting} of {line.target:,}",
        _next_run(line),
        money(line.cost_micros, line.unknown_prices) if line.cost_micros or line.unknown_prices else "-",
        _push(line),
        _last(line),
        line.path,
    )


def _next_run(line: BoardLine) -> str:
    if line.schedule == "paused":
        return "paused"
    return minute(line.next_run) if line.next_run else "-"


def _push(line: BoardLine) -> str:
    if line.push == "pending" and line.push_since:
        return f"pending since {minute(line.push_since)}"
    return line.push or "-"


def _last(line: BoardLine) -> str:
    last = line.last
    if last is None:
        return "-"
    why = f" ({last.code})" if last.code else ""
    return f"{last.outcome}{why} {minute(last.at)}"
