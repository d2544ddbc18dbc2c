"""The end of a browser's session, said some minutes before."""

from datetime import datetime
from pathlib import Path

from nicegui.element import Element

from gateway.desk.access import LONGEST_SESSION

_FILES = Path(__file__).parents[1] / "editor"


class SessionEnd(Element, component=_FILES / "session_end.js"):
    """Nothing until a quarter of an hour before the end, then when that is and how to go on."""

    def __init__(self, ends: datetime, now: datetime) -> None:
        super().__init__()
        self._props["ends"] = ends.isoformat()
        self._props["left"] = int((ends - now).total_seconds() * 1000)
        self._props["longest"] = int(LONGEST_SESSION.total_seconds() * 1000)
