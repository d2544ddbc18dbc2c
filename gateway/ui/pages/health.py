"""Whether the installation has what it needs: the checks of ``penwright doctor``, and what runs."""

from collections.abc import Mapping
from typing import Any

from gateway.desk.operator import health
from gateway.desk.operator.health import Finding, Health
from gateway.ui.frame import frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.html import box, inline, text
from gateway.ui.parts.states import state
from gateway.ui.parts.tables import NONE, Column, table
from gateway.ui.visit import Visit


async def page(visit: Visit) -> None:
    """``/health``."""
    found = await visit.ask(health.health, visit.principal)
    with frame("Health", here="/health") as made:
        with box("p", classes="lead"):
            state("ok" if found.healthy else "failed")
            text("span", f" {_sentence(found)}")

        async def again() -> str:
            return "examined again"

        action(made, "Examine again", again, icon="refresh")
        text("h2", "Processes")
        _processes(found.engine.get("children", {}), found.states)
        text("h2", "Checks")
        _findings(found.findings)


def _sentence(found: Health) -> str:
    failed = sum(each.verdict == "failed" for each in found.findings)
    warned = sum(each.verdict == "warning" for each in found.findings)
    return f"{failed} of {len(found.findings)} checks failed, {warned} warn."


# Any: JSON.
def _processes(children: Mapping[str, Mapping[str, Any]], states: Mapping[str, str]) -> None:
    if not children:
        text("p", "No process of the engine is known here.", classes="empty")
        return

    def stands(name: str) -> None:
        state(states[name])

    columns: tuple[Column[str], ...] = (
        Column("Process", lambda name: name),
        Column("State", stands),
        Column("PID", lambda name: str(children[name].get("pid") or "–"), number=True),
        Column("Restarts", lambda name: str(children[name].get("restarts", 0)), number=True),
    )
    table(columns, tuple(children), caption="Processes of the engine")


def _findings(findings: tuple[Finding, ...]) -> None:
    def stands(each: Finding) -> None:
        state(each.verdict)

    columns: tuple[Column[Finding], ...] = (
        Column("Check", lambda each: each.name),
        Column("State", stands),
        Column("Found", lambda each: inline(each.message)),
        Column("What to do", lambda each: inline(each.advice) if each.advice else NONE),
    )
    table(columns, findings, caption="Checks, what failed first")
