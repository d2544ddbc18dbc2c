"""The slices of a run, and the policies' updates of theirs after a call."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from penwright.agents.definition.declaration import Declaration
from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.guardrails.feedback import FeedbackFailed, FeedbackGiven
from penwright.agents.guardrails.guardrail import Call, Policy
from penwright.agents.guardrails.known_files import KnownFile
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.state import Registry, SliceItem, State, apply, registry
from penwright.errors import BrokenDefinition
from schemas.agent import CallOutcome

BUILT_IN: Final[tuple[type[SliceItem], ...]] = (
    FeedbackFailed,
    FeedbackGiven,
    KnownFile,
    SectionOpened,
    SelectedIntent,
)
"""Slices of every run."""


def registry_of(definition: Declaration) -> Registry:
    """The slices of a definition's runs: the built-in ones, its own, and its policies'.

    Raises:
        BrokenDefinition: one of them cannot be a slice.
    """
    memories = {policy.name: policy.memory for policy in definition.every_policy}
    declared = (*definition.slices, *((definition.flags,) if definition.flags else ()))
    own = tuple(dict.fromkeys(kind for kind in declared if kind not in BUILT_IN))
    return registry((*BUILT_IN, *own), memories)


def learned(policies: Iterable[Policy], call: Call, outcome: CallOutcome, state: State) -> State:
    """The state after every policy has recorded a call in its own slices.

    Args:
        policies: all of the definition, whether or not they gate the call; duplicates count once.
        state: after the call's own events.

    Raises:
        BrokenDefinition: ``policy-failed``, or as ``apply``; the policy is named.
    """
    for policy in {policy.name: policy for policy in policies}.values():
        try:
            events = tuple(policy.learned(call, outcome, state.seen_by(policy.name)))
        except Exception as error:
            raise BrokenDefinition(
                "policy-failed",
                f"policy {policy.name!r} failed to learn of a call of {call.tool.name!r}: {error!r}; fix it",
                policy=policy.name,
            ) from error
        state = apply(state, events, owner=policy.name)
    return state


def faults(definition: Declaration, built_in: Collection[str] = ()) -> Iterator[tuple[str, str, str]]:
    """Problems of a definition's slices, events and policies: code, token and text.

    A policy that names a tool neither declared nor ``built_in`` never applies, or never allows. An event that
    no slice takes would stop a run for good.
    """
    try:
        yield from _unknown_events(definition, registry_of(definition))
    except BrokenDefinition as broken:
        yield broken.code, broken.details.get("slice", "slices"), broken.message
    for policy in definition.every_policy:
        for tool in sorted(policy.tools.difference(definition.tools, built_in)):
            yield "unknown-tool", policy.name, f"names the tool {tool!r}, which no section declares"


def _unknown_events(definition: Declaration, known: Registry) -> Iterator[tuple[str, str, str]]:
    for tool in definition.tools.values():
        for event in tool.events:
            if event not in known.events.values():
                rule = f"brings the event {event.__name__!r}, but no slice of the definition takes it"
                yield "unknown-event", tool.name, f"{rule}; declare one that does in `slices`"
