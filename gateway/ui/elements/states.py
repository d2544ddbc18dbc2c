"""The state of work in words with an icon, never in colour alone."""

from nicegui import ui

from gateway.ui.elements.html import attribute, box, text

_LOOKS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            "closed",
            "completed",
            "finished",
            "sealed",
            "applied",
            "saved",
            "merged",
            "unchanged",
            "rolled_back",
            "restored",
            "written",
            "verified",
            "accepted",
            "done",
            "ok",
            "ready",
        ),
        ("good", "check_circle"),
    ),
    **dict.fromkeys(
        (
            "failed",
            "refused",
            "stuck",
            "gone",
            "given up",
            "does not answer",
            "unreadable",
            "retracted",
            "mismatch",
            "not found",
        ),
        ("bad", "error"),
    ),
    **dict.fromkeys(("stopped", "killed", "released", "rejected"), ("bad", "block")),
    **dict.fromkeys(
        ("paused", "waits for approval", "approval", "waiting", "proposed", "warning", "unverifiable"),
        ("warn", "pause_circle"),
    ),
    **dict.fromkeys(
        ("idle", "ended", "current", "planned", "outlined", "scheduled", ""), ("", "radio_button_unchecked")
    ),
}
_BUSY = ("busy", "autorenew")


def state(name: str) -> ui.element:
    """A state as a label with an icon; a name that is not known means that something is being done."""
    look, icon = _LOOKS.get(name.partition(" since ")[0], _BUSY)
    with box("span", classes=f"state {look}".strip()) as label:
        attribute(ui.icon(icon), "aria-hidden", "true")
        text("span", name.replace("-", " ").replace("_", " ") or "idle")
    return label
