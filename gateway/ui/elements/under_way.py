"""Activities that a run waits for, with their attempts and what went wrong in the last one."""

from collections.abc import Sequence
from datetime import datetime

from gateway.desk.engine.pipelines import StepUnderWay
from gateway.ui.elements.html import box, text
from gateway.ui.elements.moments import relative_time


def under_way(steps: Sequence[StepUnderWay], now: datetime) -> None:
    """One line for each; nothing while it waits for no activity."""
    if not steps:
        return
    text("h2", "What it waits for")
    with box("ul", classes="waits"):
        for each in steps:
            with box("li", classes="" if each.attempt > 1 else "calm"):
                text("span", each.name.replace("_", " "), classes="kind")
                text("span", _attempt(each, now), classes="soft")
                if each.trouble:
                    text("span", f"The attempt before failed: {each.trouble}", classes="what")


def _attempt(step: StepUnderWay, now: datetime) -> str:
    told_parts = [f"attempt {step.attempt}"]
    if step.again_at is not None and step.again_at > now:
        told_parts.append(f"begins {relative_time(step.again_at, now)}")
    elif step.since is not None:
        told_parts.append(f"since {relative_time(step.since, now).removesuffix(' ago')}")
    return ", ".join(told_parts)
