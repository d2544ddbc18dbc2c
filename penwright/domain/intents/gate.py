"""The gate: every rule that may deny a plan, in order. What cannot be determined is denied."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.intents import paths
from penwright.domain.intents.approval import APPROVABLE, UNREAD, weighed
from penwright.domain.intents.baseline import refuse_unseen
from penwright.domain.intents.cases import Case, Texts, Tip, text_in, texts_of, touched
from penwright.domain.intents.denials import (
    ASK_A_PERSON,
    Denied,
    approvable_denial,
    escape,
    hard_denial,
    listed,
    one_of,
)
from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.intents.ignoring import IGNORE_FILES, Ignored, faults_in_words, read_ignored
from penwright.domain.intents.ownership import out_of_scope, owners
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.tools import PERSON, ToolKind, kind_of
from penwright.domain.text.comparing.changes import changes_of
from penwright.domain.text.globs import Globs
from penwright.domain.text.mutation_floor import minimum_mutation_class
from schemas.intents import Intent, IntentPin, IntentStatus
from schemas.pipeline import PipelineProfile
from schemas.trace import MutationClass
from schemas.workspace import Denial, MutationPlan

_SELECT = "call `select_active_intent` with the id of an intent in progress"

_NOTHING = Globs.of(())

_EVOLUTION = MutationClass.INTENT_EVOLUTION


@dataclass(frozen=True, slots=True)
class _Files:
    """Rules of the gate for the files of one kind of workspace."""

    profile: PipelineProfile
    bookkeeping: Globs
    kept: Globs
    """Bookkeeping, and texts that the engine keeps beside the work."""
    protected: Globs


class IntentGate:
    """Lets a plan pass only under an intent that is in progress, unchanged, and owns what is touched."""

    def __init__(self, profile: PipelineProfile) -> None:
        self._files = _Files(
            profile,
            bookkeeping=Globs.of(profile.bookkeeping),
            kept=Globs.of((*profile.bookkeeping, *profile.kept)),
            protected=Globs.of(pattern.casefold() for pattern in profile.protected),
        )

    def judge(self, case: Case) -> Denial | None:
        """None allows. Nothing but the plan and the tip is looked at."""
        found: list[Denial] = []
        try:
            intent, governed = _judged(case, self._files, found)
            if all(each.error_code in APPROVABLE for each in found):
                return weighed(case, intent, found, governed)
            return one_of(found)
        except Denied as denied:
            return one_of([*found, denied.denial])
        except Exception as error:  # a fault of ours must not let a plan pass
            return approvable_denial(
                "HOOK_BLOCKED",
                "GATE_FAILED",
                f"the gate could not decide ({error!r})",
                "look at the worker's log",
            )

    def matched(self, case: Case) -> Mapping[str, str]:
        """The pattern of the intent's scope that owns each path the plan touches; others are left out."""
        try:
            kind, pin = kind_of(case.plan.tool, self._files.profile), case.plan.pin
            intent = _registry(case.tip).find(pin.intent_id) if pin else None
            governed = _governed(case, kind, self._files) if kind else []
            return owners(case, intent, governed) if intent else {}
        except Denied:
            return {}


def _judged(case: Case, files: _Files, found: list[Denial]) -> tuple[Intent | None, list[str]]:
    """The plan's intent, if it needs one, and what that must own.

    Adds to ``found`` what is wrong with the plan, and raises what ends the search.
    """
    kind = kind_of(case.plan.tool, files.profile)
    if kind is None:
        raise hard_denial(
            "HOOK_BLOCKED", "UNKNOWN_TOOL", f"no tool {case.plan.tool!r} may change text", "use a known tool"
        )
    if kind == "engine" and case.plan.pin is None:
        return None, []
    if kind == "person":
        _refuse_but(PERSON[case.plan.tool], touched(case))
        return None, []
    registry = _registry(case.tip)
    intent = _writable(registry, case.plan.pin)
    found += _changed(intent, case.plan.pin)
    ignored = _ignored(case.tip)
    if ignored.intent(intent.id):
        raise hard_denial(
            "INTENT_IGNORED",
            "INTENT_IGNORED",
            f"{intent.id!r} is in .intentignore",
            "select another intent",
        )
    governed = _governed(case, kind, files)
    forbidden = {path: tuple(_path_denials(case.tip, path, files.protected, ignored)) for path in governed}
    found += (denial for denials in forbidden.values() for denial in denials)
    found += out_of_scope(case, intent, [path for path in governed if not forbidden[path]])
    found += _unread(case.plan)
    if kind == "agent":
        found += _misjudged(case, files.profile)
    return intent, governed


def _governed(case: Case, kind: ToolKind, files: _Files) -> list[str]:
    """List what the intent must own: every touched file, but for what the engine keeps beside it."""
    own = {"writer": files.bookkeeping, "engine": files.kept}.get(kind, _NOTHING)
    return [path for path in touched(case) if path not in own]


def _misjudged(case: Case, profile: PipelineProfile) -> list[Denial]:
    """Denials for how an agent took the text: as something it is not any more, or for less."""
    texts = texts_of(case)
    refuse_unseen(case, texts)
    return _check_declared_class(case, texts, profile)


def _refuse_but(patterns: Sequence[str], named: Sequence[str]) -> None:
    own = Globs.of(patterns)
    others = [path for path in named if path not in own]
    if others:
        raise hard_denial(
            "SCOPE_VIOLATION",
            "SCOPE_VIOLATION",
            f"this command changes {' and '.join(patterns)} only, not {others[0]!r}",
            "edit the file yourself and commit it",
            paths=", ".join(others),
        )


def _registry(tip: Tip) -> Registry:
    if tip.kind(REGISTRY) not in (None, "file"):
        raise hard_denial(
            "MISSING_OR_INVALID_INTENT", "REGISTRY_UNREADABLE", f"{REGISTRY} is no plain file", ASK_A_PERSON
        )
    try:
        return read_registry(tip.content(REGISTRY))
    except BrokenRegistry as error:
        code = error.code.upper().replace("-", "_")
        raise hard_denial("MISSING_OR_INVALID_INTENT", code, error.message, ASK_A_PERSON) from error


def _writable(registry: Registry, pin: IntentPin | None) -> Intent:
    available = ", ".join(registry.ids) or "none"
    if pin is None or not pin.intent_id.strip():
        message = "no intent is selected"
        raise hard_denial(
            "MISSING_OR_INVALID_INTENT", "INTENT_NOT_SELECTED", message, _SELECT, available=available
        )
    intent = registry.find(pin.intent_id)
    if intent is None:
        message = f"there is no intent {pin.intent_id!r}; the registry has: {available}"
        raise hard_denial(
            "MISSING_OR_INVALID_INTENT", "INTENT_UNKNOWN", message, _SELECT, available=available
        )
    if intent.status is not IntentStatus.IN_PROGRESS:
        message = f"{intent.id!r} is {intent.status}, not {IntentStatus.IN_PROGRESS}"
        hint = f"a person starts it with `penwright intent start {intent.id} BOOK`"
        raise hard_denial("MISSING_OR_INVALID_INTENT", "INTENT_NOT_WRITABLE", message, hint)
    return intent


def _changed(intent: Intent, pin: IntentPin | None) -> list[Denial]:
    if pin is not None and intent.digest == pin.digest:
        return []
    changed = approvable_denial(
        "MISSING_OR_INVALID_INTENT",
        "INTENT_CHANGED",
        f"{intent.id!r} was changed since it was selected",
        "select it again, and read what it asks now",
        expected=pin.digest if pin else "",
        actual=intent.digest,
    )
    return [changed]


def _unread(plan: MutationPlan) -> list[Denial]:
    """Denial of a plan that a person must have read before it is published."""
    if not plan.to_be_read:
        return []
    return [approvable_denial(UNREAD, UNREAD, plan.to_be_read, "order the rewrite again for another one")]


def _ignored(tip: Tip) -> Ignored:
    texts = []
    for path in IGNORE_FILES:
        if tip.kind(path) not in (None, "file"):
            raise hard_denial(
                "HOOK_BLOCKED", "IGNORE_UNREADABLE", f"{path} is no plain file", "make it a text file"
            )
        try:
            texts.append((tip.content(path) or b"").decode())
        except UnicodeDecodeError as error:
            raise hard_denial(
                "HOOK_BLOCKED", "IGNORE_UNREADABLE", f"{path} is not UTF-8", "make it a text file"
            ) from error
    ignored = read_ignored(*texts)
    if ignored.faults:
        raise hard_denial(
            "HOOK_BLOCKED",
            "IGNORE_UNREADABLE",
            faults_in_words(ignored.faults),
            "a person mends the line; `penwright intent check BOOK` shows all",
        )
    return ignored


def _path_denials(tip: Tip, path: str, protected: Globs, ignored: Ignored) -> Iterator[Denial]:
    """Reasons why no intent may write ``path``, whatever it owns."""
    if (wrong := paths.why_unsafe(path)) is not None:
        yield escape(path, wrong)
        return
    if (pattern := ignored.path(path)) is not None:
        yield approvable_denial(
            "INTENTIGNORE_PATH_BLOCKED",
            "PATH_IGNORED",
            f"{path!r} is protected by {pattern!r} in .intentignore",
            "leave it as it is",
            paths=path,
            pattern=pattern,
        )
    if paths.is_protected(path, protected):
        yield _never(path, "PATH_PROTECTED", f"{path!r} is protected", "leave it to the engine and to people")
    parts = path.split("/")
    above = ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    if (link := next((part for part in above if tip.kind(part) in ("link", "submodule")), None)) is not None:
        message = f"{path!r} cannot be written: {link!r} is a link or a submodule"
        yield _never(path, "PATH_LINK", message, "name a plain file")
    if (twin := paths.twin(tip, path)) is not None:
        message = f"{path!r} differs from {twin!r} only in case or Unicode form"
        yield _never(path, "PATH_TWIN", message, f"write {twin!r}, or choose another name")


def _never(path: str, code: str, message: str, hint: str) -> Denial:
    return approvable_denial("SCOPE_VIOLATION", code, message, hint, paths=path)


def _check_declared_class(case: Case, texts: Texts, profile: PipelineProfile) -> list[Denial]:
    """Return the approvable denials; empty if the class is high enough. Raises ``Denied`` without one."""
    declared = case.plan.mutation
    if declared is None:
        raise hard_denial(
            "MUTATION_CLASS_UNDERSTATED",
            "MUTATION_CLASS_MISSING",
            "the change does not say what it is",
            f"declare {' or '.join(each.value for each in MutationClass)}",
        )
    if declared is _EVOLUTION:
        return []
    reasons = tuple(_reasons(texts, profile))
    if not reasons:
        return []
    understatement = approvable_denial(
        "MUTATION_CLASS_UNDERSTATED",
        "MUTATION_CLASS_UNDERSTATED",
        f"this is more than {declared}: {listed(reasons)}",
        f"declare {_EVOLUTION}, or leave out what makes it one",
        declared=declared.value,
        floor=_EVOLUTION.value,
        reasons=listed(reasons),
    )
    return [understatement]


def _reasons(texts: Texts, profile: PipelineProfile) -> Iterator[str]:
    inside = GovernedPaths(profile)
    governed = {path: pair for path, pair in texts.items() if path in inside}
    created = [path for path, (before, _) in governed.items() if before is None]
    floor = minimum_mutation_class(changes_of(governed), created=created, canon=profile.canon)
    yield from floor.reasons
    for path, (before, after) in governed.items():
        if before != after and (text_in(before) is None or text_in(after) is None):
            yield f"{path!r} is no text"
