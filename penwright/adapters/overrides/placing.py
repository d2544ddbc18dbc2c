"""Where a set of overrides may stand, and what is said when it may not or no longer does."""

from penwright.domain.text.plain_names import RULE, is_plain_name
from penwright.errors import Refused, UsageMistake
from schemas.overrides import OverrideSet


def check_names(namespace: str, key: str, tag: str = "latest") -> None:
    """Let names of files pass."""
    for what, name in (("namespace", namespace), ("key", key), ("tag", tag)):
        if not is_plain_name(name):
            raise UsageMistake(
                "bad-override-name",
                f"The {what} {name[:80]!r} is no name of overrides. Use {RULE}.",
            )


def check_place(overrides: OverrideSet, namespace: str, key: str, tag: str) -> OverrideSet:
    """Let a set pass that says of itself what its place says."""
    said = f"{overrides.namespace}/{overrides.key}/{overrides.tag}"
    if said != (place := f"{namespace}/{key}/{tag}"):
        raise UsageMistake(
            "override-misplaced",
            f"The overrides at {place!r} call themselves {said!r}. Correct their header, or move the file.",
        )
    return overrides


def changed_meanwhile(overrides: OverrideSet) -> Refused:
    return Refused(
        "overrides-changed",
        f"The overrides {overrides.tag!r} of agent '{overrides.namespace}/{overrides.key}' have changed "
        "since they were read. Nothing was written: read them again, and make the change once more.",
    )
