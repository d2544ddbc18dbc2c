"""Cost of a run in words."""

from collections.abc import Sequence
from dataclasses import asdict

from gateway.cli.live import estimated, money
from gateway.cli.manuscript.reports import note_if_new
from gateway.cli.output import Printer, columns
from gateway.desk.manuscript.estimating import RoleEstimate, estimate_now
from gateway.desk.manuscript.runs import LoopOptions
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.text.counted import counted


def print_estimate(services: Services, out: Printer, found: Document, wanted: LoopOptions) -> None:
    """Print calls and money of a run that needs all its passes; nothing is started."""
    is_new = note_if_new(services, out, found)
    rows = estimate_now(services, found, wanted)
    data = {
        "status": "estimated",
        "novel_id": found.novel.novel_id,
        "scene": found.scene,
        "new_scene": is_new,
        "roles": [asdict(each) for each in rows],
        **sums_of(rows),
    }
    out.result(data, [*table(rows), f"{at_most(rows)}; nothing was started."])


def sums_of(rows: Sequence[RoleEstimate]) -> dict[str, int]:
    """The calls and the money of all roles, as ``--json`` has them."""
    known = _known(rows)
    calls = sum(each.calls for each in rows)
    return {"calls": calls, "cost_micros": sum(known), "unknown_prices": len(rows) - len(known)}


def at_most(rows: Sequence[RoleEstimate]) -> str:
    """The same in words."""
    known = _known(rows)
    calls = counted(sum(each.calls for each in rows), "call")
    return f"At most about {calls}, {estimated(known, len(rows) - len(known))}"


def _known(rows: Sequence[RoleEstimate]) -> list[int]:
    return [each.cost_micros for each in rows if each.cost_micros is not None]


def table(rows: Sequence[RoleEstimate]) -> list[str]:
    """A line for each role."""
    return columns([("role", "model", "calls", "read", "written", "cost"), *map(_cells, rows)])


def _cells(row: RoleEstimate) -> tuple[str, ...]:
    cost = "unknown" if row.cost_micros is None else money(row.cost_micros)
    read, written = f"{row.input_tokens:,} tokens", f"{row.output_tokens:,} tokens"
    return row.role, row.model, str(row.calls), read, written, cost
