"""Whether this installation has what it needs: the checks of ``penwright doctor``, and what runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.desk.principals import Principal, require_all
from gateway.desk.services import Services
from workers.engine.doctor import Finding
from workers.engine.status import states

__all__ = ["Finding", "Health", "health", "states"]


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
