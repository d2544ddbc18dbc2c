"""Check the mutation class that an agent declares against what its change does."""

from collections.abc import Iterator

from penwright.domain.intents.cases import Case, Texts, text_in
from penwright.domain.intents.denials import approvable_denial, hard_denial, listed
from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.comparing.changes import changes_of
from penwright.domain.text.mutation_floor import minimum_mutation_class
from schemas.pipeline import PipelineProfile
from schemas.trace import MutationClass
from schemas.workspace import Denial

_EVOLUTION = MutationClass.INTENT_EVOLUTION


def check_declared_class(case: Case, texts: Texts, profile: PipelineProfile) -> list[Denial]:
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
