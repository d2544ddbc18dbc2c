"""What to do after a refusal, where the desk's own hint names a command and a page has a button."""

from penwright.errors import PenwrightError

ON_PAGES = {
    "round-runs": "wait until it ends, or press Stop",
    "no-round-runs": "say something in the chat to begin one",
    "no-cast": "bring characters in under Cast",
    "no-message": "say something in the chat to have a reply made",
    "no-plan-held": "Hold each plan under Direction has later ones wait",
    "nothing-to-undo": "Log has the rounds of the scene",
    "already-running": "wait until it ends; the page of the work can pause and stop it",
    "nothing-runs": "it may have ended meanwhile; load the page again to see how",
    "no-scan-runs": "it may have ended meanwhile; load the page again to see what was found",
    "no-content": "write what the entry says",
    "nothing-to-export": "have a text written first, or write one",
    "stale": "it was changed meanwhile; load the page again, then repeat",
}
"""Code of what was refused -> what to do on a page."""


def hint_of(error: PenwrightError) -> str:
    """In words of the page where there are some, otherwise the desk's; empty: there is none."""
    return ON_PAGES.get(error.code, "") or error.details.get("hint", "")
