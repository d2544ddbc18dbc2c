"""The sessions of a book."""

from collections.abc import Sequence
from datetime import datetime

from gateway.desk.book.session_log import LogEntry
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, link, text
from gateway.ui.elements.moments import moment
from gateway.ui.elements.money import money
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from penwright.domain.book.files.changelog import shown_minute


def sessions_table(book_id: str, log: Sequence[LogEntry], now: datetime) -> None:
    """One row for each session, newest first."""
    if not log:
        text("p", "No session has ended yet.", classes="empty")
        return

    def when(each: LogEntry) -> None:
        moment(datetime.fromisoformat(each["at"]) if each["at"] else None, now)

    def ended(each: LogEntry) -> None:
        state(each["outcome"])

    def run(each: LogEntry) -> None:
        began = shown_minute(datetime.fromisoformat(each["at"])) if each["at"] else each["session"]
        shown = link(began, addresses.page("runs", f"book/{book_id}#{each['session']}"))
        attribute(shown, "title", each["session"])

    columns: tuple[Column[LogEntry], ...] = (
        Column("Session", run),
        Column("When", when),
        Column("Outcome", ended),
        Column("Words", lambda each: f"{each['words']:,}" if each["words"] else "–", number=True),
        Column("Model", lambda each: each["model"] or "–"),
        Column(
            "Cost",
            lambda each: "–" if each["cost_micros"] is None else money(each["cost_micros"]),
            number=True,
        ),
        Column("Why", lambda each: each["message"] or each["code"] or "–"),
    )
    table(columns, log, caption="Sessions, newest first")
