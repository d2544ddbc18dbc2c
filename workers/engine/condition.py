"""Whether the engine as a whole lives and can work: what its record says of every process."""

from collections.abc import Mapping
from typing import Any

from workers.health.answers import Answer, healthy, unavailable
from workers.home.folder import ChildRecord, Record

WORKSPACE = "web"
"""Name of the process that serves the workspace."""


def alive(record: Record) -> Answer:
    """The supervisor answers, so it is running; its children are reported beside it."""
    return healthy(state=record.state, pid=record.pid, children=_described_children(record))


def ready(record: Record) -> Answer:
    """Whether work that comes now would be done."""
    if record.state != "ready":
        reason = {"stopping": "draining"}.get(record.state, record.state)
        return unavailable(reason, f"the engine is {record.state}", children=_described_children(record))
    if record.lacks:
        message = "no session begins until the disk has space again; see `penwright doctor`"
        return unavailable(record.lacks, message, children=_described_children(record))
    for name, child in record.children.items():
        # Work is done without the workspace; it is told apart, and takes seconds to start.
        if name != WORKSPACE and (why := lack(child)):
            message = f"{name} is not ready: {why}; see `penwright status` and `penwright logs {name}`"
            return unavailable(f"{name}-{why}", message, children=_described_children(record))
    return healthy(children=_described_children(record))


def lack(child: ChildRecord) -> str:
    """Name in one word why one process is not ready for work; empty when it is."""
    return child.lacks if child.state == "ready" else child.state.replace(" ", "-")


# Any: JSON.
def _described_children(record: Record) -> Mapping[str, Any]:
    return {
        name: {
            "state": child.state,
            "pid": child.pid,
            "lacks": lack(child),
            "silent_since": child.silent_since,
            "under_way": child.under_way,
        }
        for name, child in record.children.items()
    }
