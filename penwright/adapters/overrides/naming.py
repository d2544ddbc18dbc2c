"""Check the names of override sets; errors about misplaced and changed sets."""

from penwright.domain.text.plain_names import RULE, is_plain_name
from penwright.errors import Refused, UsageMistake
from schemas.overrides import OverrideSet


def check_names(namespace: str, key: str, tag: str = "latest") -> None:
    """Raise ``UsageMistake`` unless all are valid names; they become folder and file names."""
    for what, name in (("namespace", namespace), ("key", key), ("tag", tag)):
        if not is_plain_name(name):
            raise UsageMistake(
                "bad-override-name",
                f"Invalid {what} {name[:80]!r} of overrides. Use {RULE}.",
            )


def check_place(overrides: OverrideSet, namespace: str, key: str, tag: str) -> OverrideSet:
    """Return ``overrides`` if its header names the place where it was found; else raise ``UsageMistake``."""
    header = f"{overrides.namespace}/{overrides.key}/{overrides.tag}"
    if header != (place := f"{namespace}/{key}/{tag}"):
        raise UsageMistake(
            "override-misplaced",
            f"The header of the overrides at {place!r} says {header!r}. Correct it, or move the file.",
        )
    return overrides


def changed_meanwhile(overrides: OverrideSet) -> Refused:
    return Refused(
        "overrides-changed",
        f"The overrides {overrides.tag!r} of agent '{overrides.namespace}/{overrides.key}' have changed "
        "since they were read. Nothing was written: read them again and repeat the change.",
    )
