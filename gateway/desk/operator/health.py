"""Whether this installation has what it needs: the checks of ``penwright doctor``, and what runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.desk.principals import Principal, require_all
from gateway.desk.services import Services
from penwright.errors import EngineUnavailable
from workers.engine.doctor import Finding
from workers.engine.status import states

__all__ = ["Finding", "Health", "PutOff", "health", "put_off", "states"]


@dataclass(frozen=True, slots=True)
class Health:
    """The state of an installation."""

    healthy: bool
    """No finding has failed; there may be warnings."""
    findings: tuple[Finding, ...]
    """Failures first, then warnings."""
    engine: Mapping[str, Any]
    """Output of ``penwright status --json``: processes with their states. Any: JSON."""
    states: Mapping[str, str]
    """Of its processes, in words."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """An audit that waits until registries may be asked again."""

    document: str
    """``<novel>/<scene>``, or the file's name."""
    detail: str
    """Until when, and for how many entries."""


async def put_off(services: Services, principal: Principal) -> tuple[PutOff, ...]:
    """Every audit that registries have put off, by document; none while the engine does not answer.

    Raises:
        Refused: ``not-permitted``.
    """
    require_all(principal, "read", "the state of the installation")
    try:
        async with services.engine() as engine:
            running = await engine.audits.running()
    except EngineUnavailable:
        return ()
    waiting = (each for each in running.values() if each.stage == "registries")
    return tuple(
        sorted((PutOff(each.subject, each.detail) for each in waiting), key=lambda each: each.document)
    )


_ORDER = ("failed", "warning", "ok")


def health(services: Services, principal: Principal) -> Health:
    """Examine the installation, which takes a second or two; for callers who may see every subject.

    Raises:
        Refused: ``not-permitted``.
    """
    require_all(principal, "read", "the state of the installation")
    found = sorted(services.examination(), key=lambda each: _ORDER.index(each.verdict))
    healthy = all(each.verdict != "failed" for each in found)
    engine = services.engine_status()
    return Health(healthy, tuple(found), engine, states(engine))
