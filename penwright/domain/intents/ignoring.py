"""``.intentignore``: what no intent may touch. A rule that cannot be read stops all writing."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from penwright.domain.text.gitignore import IgnoreRule, RuleLine, UnreadableRule, decisive, lines_of, rule_of
from penwright.errors import Refused

IGNORE_FILES: Final = (".intentignore", ".orchestration/.intentignore")
"""Both are read, from the top of the workspace; what either forbids is forbidden."""
LARGEST: Final = 256 * 1024
"""Characters; the rules are read by people."""
_INTENT = "intent:"
_LIKE_INTENT = re.compile(r"[!\"'`]*\s*intents?\s*([:=]|\s[A-Za-z]+-\d+\s*$)", re.IGNORECASE)
_KEYED = re.compile(r"!?[A-Za-z][A-Za-z_-]*\s*:")
_NO_ID = re.compile(r"\s#|[,;*?\"'`]")


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that cannot be read; it denies everything until a person mends it."""

    file: str
    line: int
    """Zero for the file as a whole."""
    written: str
    why: str
    instead: str
    """The text to write instead."""

    def __str__(self) -> str:
        where = f"line {self.line} of {self.file} ({self.written!r})" if self.line else self.file
        return f"{where}: {self.why}; {self.instead}"


@dataclass(frozen=True, slots=True)
class IgnoredIntent:
    """A line ``intent:ID``."""

    id: str
    line: RuleLine


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one file."""

    name: str
    intents: tuple[IgnoredIntent, ...] = ()
    rules: tuple[IgnoreRule, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Idle:
    """A rule that protects nothing at present."""

    file: str
    line: int
    written: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line} of {self.file} ({self.written!r}): {self.why}"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Intents that may not write, and paths that may not be written to."""

    files: tuple[IgnoreFile, ...] = ()

    def intent(self, intent_id: str) -> bool:
        """Whether this intent is forbidden to write."""
        return any(each.id == intent_id for file in self.files for each in file.intents)

    def path(self, path: str) -> str | None:
        """The rule that forbids ``path``, as it is written; None if none does."""
        found = (decisive(file.rules, path) for file in self.files)
        return next((rule.line.written for rule in found if rule and not rule.gives_back), None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Lines that cannot be read."""
        return tuple(fault for file in self.files for fault in file.faults)

    def checked(self) -> "Ignored":
        """Itself.

        Raises:
            Refused: ``ignore-unreadable``, if a line cannot be read.
        """
        if self.faults:
            raise Refused("ignore-unreadable", faults_in_words(self.faults), line=str(self.faults[0].line))
        return self


def read_ignored(*texts: str) -> Ignored:
    """The rules of the ignore files, in the order of ``IGNORE_FILES``; empty texts for no file."""
    return Ignored(tuple(map(read_ignore_file, IGNORE_FILES, texts)))


def faults_in_words(faults: Collection[Fault]) -> str:
    """All faults, in one sentence."""
    return "; ".join(map(str, faults))


def idle_rules(ignored: Ignored, paths: Collection[str], intents: Collection[str]) -> tuple[Idle, ...]:
    """Rules that protect nothing.

    Args:
        paths: every file of the workspace.
        intents: every id of the registry.
    """
    return tuple(idle for file in ignored.files for idle in (*_idle_ids(file, intents), *_idle(file, paths)))


def unreadable(name: str, why: str, instead: str = "make it a text file in UTF-8") -> IgnoreFile:
    """A file none of whose rules can be read."""
    return IgnoreFile(name, faults=(Fault(name, 0, "", why, instead),))


def read_ignore_file(name: str, text: str) -> IgnoreFile:
    """The rules of one file."""
    if len(text) > LARGEST:
        return unreadable(name, f"it is larger than {LARGEST // 1024} KiB", "write fewer rules")
    intents: list[IgnoredIntent] = []
    rules: list[IgnoreRule] = []
    faults: list[Fault] = []
    for line in lines_of(text):
        try:
            if (intent_id := _intent_in(line.written)) is not None:
                intents.append(IgnoredIntent(intent_id, line))
            else:
                rules.append(rule_of(line))
        except UnreadableRule as error:
            faults.append(Fault(name, line.number, line.written, error.why, error.instead))
    return IgnoreFile(name, tuple(intents), tuple(rules), tuple(faults))


def _intent_in(written: str) -> str | None:
    """The id of a line ``intent:ID``; None for a pattern."""
    intent_id = written.removeprefix(_INTENT).strip()
    if written.startswith(_INTENT) and intent_id and not _NO_ID.search(intent_id):
        return intent_id
    if _LIKE_INTENT.match(written):
        raise UnreadableRule("it looks like a rule about an intent", "write one line `intent:ID` for each")
    if _KEYED.match(written):
        key = written.lstrip("!").partition(":")[0]
        raise UnreadableRule(f"there is no rule `{key}:`", rf"write `intent:ID`, or `{key}\:` in a name")
    return None


def _idle_ids(file: IgnoreFile, intents: Collection[str]) -> Iterator[Idle]:
    for rule in file.intents:
        if rule.id not in intents:
            other = next((each for each in intents if each.casefold() == rule.id.casefold()), None)
            why = "no intent has this id" + (f"; {other!r} differs in case" if other else "")
            yield Idle(file.name, rule.line.number, rule.line.written, why)


def _idle(file: IgnoreFile, paths: Collection[str]) -> Iterator[Idle]:
    deciding = {decisive(file.rules, path) for path in paths}
    for rule in file.rules:
        if rule.gives_back:
            if rule not in deciding:
                why = "it gives nothing back; what is below an ignored folder stays ignored"
                yield Idle(file.name, rule.line.number, rule.line.written, why)
        elif not any(_reaches(rule, path) for path in paths):
            yield Idle(file.name, rule.line.number, rule.line.written, _near(rule, paths))


def _reaches(rule: IgnoreRule, path: str) -> bool:
    return decisive((rule,), path) is not None


def _near(rule: IgnoreRule, paths: Collection[str]) -> str:
    """Explain why the rule fits nothing, as far as possible."""
    try:
        folded = rule_of(RuleLine(rule.line.number, rule.line.written.casefold()))
    except UnreadableRule:  # A range such as ``[Z-a]``.
        return "nothing in the book fits"
    other = next((path for path in sorted(paths) if _reaches(folded, path.casefold())), None)
    return "nothing in the book fits" + (f"; {other!r} differs in case" if other else "")
