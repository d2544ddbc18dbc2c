"""``.intentignore``: what no intent may touch. It only ever takes away."""

from dataclasses import dataclass
from typing import Final

from penwright.domain.text.globs import matches

IGNORE_FILES: Final = (".intentignore", ".orchestration/.intentignore")
"""Both are read; what either forbids is forbidden."""
_INTENT = "intent:"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Intents that may not write, and paths nobody may write to."""

    intents: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()

    def intent(self, intent_id: str) -> bool:
        """Whether this intent is forbidden to write."""
        return intent_id in self.intents

    def path(self, path: str) -> str | None:
        """The pattern that forbids ``path``; None if none does."""
        return next((pattern for pattern in self.paths if _covers(pattern, path)), None)


def read_ignored(*texts: str) -> Ignored:
    """Merge ignore files: ``intent:ID`` lines, path globs, and comments behind ``#``."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    rules = [line for line in lines if line and not line.startswith("#")]
    return Ignored(
        intents=frozenset(rule[len(_INTENT) :].strip() for rule in rules if rule.startswith(_INTENT)),
        # A leading `!` would re-include in other tools; here it cannot give anything back.
        paths=tuple(rule for rule in rules if not rule.startswith((_INTENT, "!"))),
    )


def _covers(pattern: str, path: str) -> bool:
    """A pattern that names a folder covers what is in it."""
    return matches(pattern, path) or matches(pattern.removesuffix("/") + "/**", path)
