"""Cost of a run in words."""

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
    known = [each.cost_micros for each in rows if each.cost_micros is not None]
    unknown = len(rows) - len(known)
    calls = sum(each.calls for each in rows)
    data = {
        "status": "estimated",
        "novel_id": found.novel.novel_id,
        "scene": found.scene,
        "new_scene": is_new,
        "roles": [asdict(each) for each in rows],
        "calls": calls,
        "cost_micros": sum(known),
        "unknown_prices": unknown,
    }
    table = columns([("role", "model", "calls", "read", "written", "cost"), *map(_cells, rows)])
    total = f"At most about {counted(calls, 'call')}, {estimated(known, unknown)}; nothing was started."
    out.result(data, [*table, total])


def _cells(row: RoleEstimate) -> tuple[str, ...]:
    cost = "unknown" if row.cost_micros is None else money(row.cost_micros)
    read, written = f"{row.input_tokens:,} tokens", f"{row.output_tokens:,} tokens"
    return row.role, row.model, str(row.calls), read, written, cost
