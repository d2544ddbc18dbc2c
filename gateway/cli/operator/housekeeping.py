"""``penwright operator housekeeping``: delete what is old, and pack repositories, now."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gateway.cli import output

if TYPE_CHECKING:
    from schemas.housekeeping import Cleared, HousekeepingResult
    from workers.settings import Settings

_NOT_COUNTED: Final = (
    "More goes when it is done: the spending of such runs, and texts that only such rows name."
)
"""Note on what only a housekeeping that deletes can count."""


def housekeeping(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Delete nothing; show what would go, and why.")
    ] = False,
    json: output.JsonFlag = False,
) -> None:
    """Delete what is old from the store, and pack repositories.

    It runs by itself each night (`housekeeping.at` in penwright.toml). `[retention]` says after how many
    days which rows go. Nothing goes that a run under way needs, nor a text that anything names.

    \b
    Examples:
      penwright operator housekeeping --dry-run   what would go
      penwright operator housekeeping             do it now
    """
    import asyncio

    from workers.settings import load

    settings = load().settings
    if dry_run:
        tables = asyncio.run(_look(settings))
        document: dict[str, Any] = {"status": "looked", "tables": [each.model_dump() for each in tables]}
        output.Printer(json).result(
            {**document, "not_counted": _NOT_COUNTED},
            [*_lines(tables, "would go"), _NOT_COUNTED, "Nothing was changed."],
        )
        return
    done = asyncio.run(_run(settings))
    document = {"status": done.outcome, **done.model_dump(mode="json")}
    output.Printer(json).result(document, [*_lines(done.tables, "deleted"), *_packing(done)])


async def _look(settings: "Settings") -> "tuple[Cleared, ...]":
    from gateway.desk import housekeeping as desk
    from gateway.desk.engine.connecting import client, running
    from workers.store_opening import open_store_of

    connected = await client(running(settings))
    store = open_store_of(settings)
    try:
        return await desk.look(connected, store.retention, settings.retention)
    finally:
        store.close()


async def _run(settings: "Settings") -> "HousekeepingResult":
    from datetime import UTC, datetime

    from gateway.desk import housekeeping as desk
    from gateway.desk.engine.connecting import client, running

    return await desk.run(await client(running(settings)), settings.worker.queue, datetime.now(UTC))


def _lines(tables: "Sequence[Cleared]", verb: str) -> list[str]:
    lines = []
    for each in tables:
        after = f"{each.days} d" if each.days else "-"
        lines.append(f"{each.table:<19}{after:>6}{each.rows:>9}{_size(each.size):>10}  {each.what}")
        if each.failed:
            lines.append(f"  not done: {each.failed}")
    total = sum(each.rows for each in tables), sum(each.size for each in tables)
    heading = f"{'TABLE':<19}{'AFTER':>6}{'ROWS':>9}{'SIZE':>10}  WHAT"
    return [heading, *lines, f"{total[0]} rows, {_size(total[1])} {verb}."]


def _packing(done: "HousekeepingResult") -> list[str]:
    looked, packed = sum(each.looked_at for each in done.packed), sum(each.packed for each in done.packed)
    busy, needless = sum(each.busy for each in done.packed), sum(each.needless for each in done.packed)
    # Not the length of `failed`, which names ten at most.
    failed = looked - packed - busy - needless
    freed = _size(sum(each.freed for each in done.packed))
    others = f"{needless} with nothing to pack, {busy} in use, {failed} failed"
    lines = [f"{packed} of {looked} repositories packed, {freed} freed; {others}."]
    return [*lines, *(f"  not packed: {why}" for each in done.packed for why in each.failed)]


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1_000:.1f} kB"
