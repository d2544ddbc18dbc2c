"""Overrides: replacement texts of an agent; each applies only to the text it was written against."""

from collections import Counter
from collections.abc import Mapping, Sequence

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.digests import json_digest
from penwright.agents.prompt.overridable import Address, Overridable, descriptor, text_misfits
from penwright.agents.tools.offers import TextOverrides
from penwright.errors import NotFound, UsageMistake
from schemas.agent import SkippedOverride
from schemas.overrides import Override, OverrideSet, ResolvedOverrides, ResolvedText

_MOST_TOLD = 10
_LONGEST_WHY = 500
"""Characters; every run of the tag keeps it."""


def seeded(definition: AgentDefinition, tag: str) -> OverrideSet:
    """An override set of the current texts, for an author to edit."""
    overrides = (
        Override(path=each.path, field=each.field, expected=each.digest, text=each.text)
        for each in descriptor(definition).values()
    )
    return OverrideSet(
        namespace=definition.namespace, key=definition.key, tag=tag, overrides=tuple(overrides)
    )


def amended(definition: AgentDefinition, before: OverrideSet, override: Override) -> OverrideSet:
    """``before`` with ``override`` added or changed.

    Raises:
        UsageMistake: ``override-stale`` when it was written against another text than the definition has,
            ``bad-override`` when it is not allowed there, ``override-misplaced`` for another agent's set.
        NotFound: ``override-unknown`` when there is no such text.
    """
    _refuse_strangers(definition, before)
    at = (override.path, override.field)
    target = descriptor(definition).get(at)
    if target is None:
        raise NotFound(
            "override-unknown",
            f"Agent {definition.name!r} has no {override.field} at {override.path!r} to override. "
            f"List its texts with `penwright agent show {definition.name}`.",
        )
    if override.expected != target.digest:
        raise UsageMistake(
            "override-stale",
            f"The {override.field} at {override.path!r} has changed since you read it: you expect "
            f"{override.expected!r}, it is {target.digest!r}. Read it again and write against that.",
        )
    _refuse(definition, before.tag, list(text_misfits(target, override.text)))
    others = tuple(each for each in before.overrides if (each.path, each.field) != at)
    return before.model_copy(update={"overrides": (*others, override)})


def resolve(definition: AgentDefinition, overrides: OverrideSet | None) -> ResolvedOverrides:
    """The overrides of a set that apply to ``definition``; None means no set.

    An override of a text that has changed or is gone is skipped and listed; so is one that does not fit or
    is malformed.

    Raises:
        UsageMistake: ``override-misplaced`` for another agent's set, or one that names a place twice.
    """
    if overrides is None:
        return ResolvedOverrides()
    _refuse_strangers(definition, overrides)
    known = descriptor(definition)
    skips = [_skipped(each, known) for each in overrides.overrides]
    fresh = [each for each, skip in zip(overrides.overrides, skips, strict=True) if skip is None]
    changing = [each for each in fresh if each.text != known[each.path, each.field].text]
    texts = sorted((each.path, each.field, each.text) for each in changing)
    return ResolvedOverrides(
        texts=tuple(ResolvedText(path=path, field=field, text=text) for path, field, text in texts),
        skipped=(*(skip for skip in skips if skip is not None), *overrides.unread),
        digest=json_digest([list(each) for each in texts]) if texts else "",
    )


def unknown_tag(definition: AgentDefinition, tag: str, tags: Sequence[str]) -> NotFound:
    """The error for a tag without overrides; running without them would be a different run."""
    known = ", ".join(map(repr, tags)) or "none"
    return NotFound(
        "override-tag-unknown",
        f"Agent {definition.name!r} has no overrides under the tag {tag!r}; there are: {known}. "
        "Name one of these, or none at all.",
    )


def texts_of(resolved: ResolvedOverrides) -> TextOverrides:
    """The texts in the form that `render` takes."""
    return {(each.path, each.field): each.text for each in resolved.texts}


def _skipped(override: Override, known: Mapping[Address, Overridable]) -> SkippedOverride | None:
    target = known.get((override.path, override.field))
    found = target.digest if target else ""
    fits = target is not None and found == override.expected
    problems = list(text_misfits(target, override.text)) if target is not None and fits else []
    if fits and not problems:
        return None
    return SkippedOverride(
        path=override.path,
        field=override.field,
        expected=override.expected,
        found=found,
        why="; ".join(problems)[:_LONGEST_WHY],
    )


def _refuse(definition: AgentDefinition, tag: str, problems: list[str]) -> None:
    if problems:
        more = f" (and {len(problems) - _MOST_TOLD} more)" if len(problems) > _MOST_TOLD else ""
        raise UsageMistake(
            "bad-override",
            f"The overrides {tag!r} of agent {definition.name!r} do not fit: "
            f"{'; '.join(problems[:_MOST_TOLD])}{more}. Fix the text or remove it.",
        )


def _refuse_strangers(definition: AgentDefinition, overrides: OverrideSet) -> None:
    if (overrides.namespace, overrides.key) != (definition.namespace, definition.key):
        raise UsageMistake(
            "override-misplaced",
            f"These overrides are of agent '{overrides.namespace}/{overrides.key}', not of "
            f"{definition.name!r}. Give each agent its own.",
        )
    places = Counter((each.path, each.field) for each in overrides.overrides)
    if twins := [place for place, count in places.items() if count > 1]:
        raise UsageMistake(
            "override-misplaced",
            f"The overrides {overrides.tag!r} of agent {definition.name!r} say twice what the "
            f"{twins[0][1]} at {twins[0][0]!r} is. Keep one.",
        )
