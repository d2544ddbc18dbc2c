"""Documents that come back to a work with tracked changes and comments: what the commands say of them."""

from typing import Any

from gateway.cli.arguments import TrackedChanges
from gateway.cli.output import Printer
from penwright.domain.text.counted import counted
from penwright.domain.text.returned import TakenIn
from penwright.errors import UsageMistake


def refuse_review(changes: TrackedChanges | None, kind: str) -> None:
    """Raise ``UsageMistake`` if the changes of a new work are to be reviewed: there is no text yet."""
    if changes == TrackedChanges.REVIEW:
        raise UsageMistake(
            "nothing-to-review",
            f"a new {kind} has no text yet against which changes could be reviewed; nothing was made",
            hint=f"leave `--changes` out, or make the {kind} with `--changes reject` and import the same "
            "file once more into it: then each change waits for you",
        )


def say(out: Printer, done: TakenIn, where: str, **data: Any) -> None:  # Any: JSON
    """Print what became of a document; ``where``: how its changes are decided."""
    parts = (
        (done.waiting, counted(done.waiting, "tracked change waits", "tracked changes wait")),
        (done.made, counted(done.made, "tracked change is", "tracked changes are") + " in the text"),
        (done.comments, counted(done.comments, "comment is an INK note", "comments are INK notes")),
        (done.noted, counted(done.noted, "tracked change is an INK note", "tracked changes are INK notes")),
        (done.again, f"{done.again:,} already taken in"),
    )
    lines = [", ".join(said for number, said in parts if number) or "Nothing was taken in", *done.lost]
    told: dict[str, Any] = {
        **{"waiting": done.waiting, "made": done.made, "comments": done.comments},
        **{"noted": done.noted, "already": done.again, "left_out": [*done.lost]},
    }
    by_hand = ["Where a change is a note, make it by hand, and delete the note."] if done.noted else []
    next_step = [where] if done.waiting else []
    out.result({"status": "taken-in", **data, **told}, [f"{lines[0]}.", *lines[1:], *next_step, *by_hand])
