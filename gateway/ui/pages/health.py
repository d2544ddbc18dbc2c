"""Whether the installation has what it needs: the checks of ``penwright doctor``, and what runs.

It changes in place with the processes; the checks take seconds, and are made again only with them, or when
a person asks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from gateway.desk.operator import health
from gateway.desk.operator.health import Finding, Health, PutOff
from gateway.ui.elements.html import box, inline, text
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import NONE, Column, table
from gateway.ui.frame import frame
from gateway.ui.live import live
from gateway.ui.parts.acting import action
from gateway.ui.visit import Visit


@dataclass(frozen=True, slots=True)
class _Shown:
    """Data of the page."""

    health: Health
    put_off: tuple[PutOff, ...]


async def page(visit: Visit) -> None:
    """``/health``."""

    async def read() -> _Shown:
        found = await visit.ask(health.health, visit.principal)
        return _Shown(found, await visit.ask_engine(health.put_off, visit.principal))

    known = await live(
        visit,
        read,
        subject=None,
        mark=lambda: visit.ask(lambda services: health.states(services.engine_status())),
    )
    with frame("Health", here="/health") as made:
        known.part(lambda shown: shown.health, _lead, differs_by=_sentence)

        async def again() -> str:
            return "examined again"

        action(made, "Examine again", again, icon="refresh")
        text("h2", "Processes")
        known.part(lambda shown: shown.health, _processes, differs_by=_listed)
        text("h2", "Checks")
        known.part(lambda shown: shown.health.findings, _findings)
        known.part(lambda shown: shown.put_off, _put_off)
        known.follow(made)


def _lead(found: Health) -> None:
    with box("p", classes="lead"):
        state("ok" if found.healthy else "failed")
        text("span", f" {_sentence(found)}")


def _sentence(found: Health) -> str:
    failed = sum(each.verdict == "failed" for each in found.findings)
    warned = sum(each.verdict == "warning" for each in found.findings)
    return f"{failed} of {len(found.findings)} checks failed, {warned} warn."


def _children(found: Health) -> Mapping[str, Mapping[str, Any]]:  # Any: JSON
    return cast(Mapping[str, Mapping[str, Any]], found.engine.get("children", {}))


def _listed(found: Health) -> object:
    """The cells of the table of processes, without their times, which change always."""
    shown = ((name, child.get("pid"), child.get("restarts")) for name, child in _children(found).items())
    return found.states, tuple(shown)


def _processes(found: Health) -> None:
    children = _children(found)
    if not children:
        text("p", "No process of the engine is known here.", classes="empty")
        return

    def stands(name: str) -> None:
        state(found.states[name])

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


def _put_off(waiting: tuple[PutOff, ...]) -> None:
    """Documents whose citations cannot be looked up yet; nothing where there is none."""
    if not waiting:
        return
    text("h2", "Waiting for registries")
    columns: tuple[Column[PutOff], ...] = (
        Column("Document", lambda each: each.document),
        Column("Audit of its citations", lambda each: each.detail),
    )
    table(columns, waiting, caption="Audits that registries have put off")
