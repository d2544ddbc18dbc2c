"""``.intentignore``: what no intent may touch. It only ever takes away."""

from dataclasses import dataclass
from typing import Final

from penwright.domain.intents.scope import literal
from penwright.domain.text.globs import Globs

IGNORE_FILES: Final = (".intentignore", ".orchestration/.intentignore")
"""Both are read; what either forbids is forbidden."""
_INTENT = "intent:"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Intents that may not write, and paths that may not be written to."""

    intents: frozenset[str] = frozenset()
    paths: tuple[tuple[str, Globs], ...] = ()
    """Each pattern as it is written, and what it covers."""

    def intent(self, intent_id: str) -> bool:
        """Whether this intent is forbidden to write."""
        return intent_id in self.intents

    def path(self, path: str) -> str | None:
        """The pattern that forbids ``path``; None if none does."""
        return next((pattern for pattern, covered in self.paths if path in covered), None)


def read_ignored(*texts: str) -> Ignored:
    """Merge ignore files: ``intent:ID`` lines, path globs, and comments after ``#``."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    rules = [line for line in lines if line and not line.startswith("#")]
    return Ignored(
        intents=frozenset(rule[len(_INTENT) :].strip() for rule in rules if rule.startswith(_INTENT)),
        # A leading `!` would re-include in other tools; here it cannot give anything back.
        paths=tuple((rule, _covered(rule)) for rule in rules if not rule.startswith((_INTENT, "!"))),
    )


def _covered(pattern: str) -> Globs:
    """A pattern that names a folder covers what is in it."""
    plain = literal(pattern)
    return Globs.of((plain, plain.removesuffix("/") + "/**"))
