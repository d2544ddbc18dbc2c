"""When a timetable begins its next runs, by the clock of the reader."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from nicegui.element import Element

from gateway.ui.elements.moments import relative_time
from gateway.ui.elements.rhythm import local_time

_FILES = Path(__file__).parents[1] / "editor"


class RunTimes(Element, component=_FILES / "run_times.js"):
    """The times in the zone of the browser, each with that of the timetable where the two differ."""

    def __init__(self, runs: Sequence[datetime], zone: str, now: datetime | None = None) -> None:
        """``now``: say how long it is until then, too."""
        super().__init__()
        self._props["zone"] = zone
        self._props["runs"] = [
            {
                "at": at.isoformat(),
                "there": local_time(at, zone),
                "told": relative_time(at, now) if now else "",
            }
            for at in runs
        ]
