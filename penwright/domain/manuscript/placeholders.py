"""The placeholders of the manuscript agents' prompts. How long a value lives is its placeholder's type.

``Static`` values come from the settings that a run started with, ``Accumulating`` ones from what is true
when the prompt is made, ``Ephemeral`` ones from another agent, for one step. Ephemeral values are refused
where anything is kept: ``only_kept`` is the gate of `agent_state`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penwright.errors import Refused
from schemas.manuscript_roles import (
    CitationOrder,
    CritiqueHanded,
    EvidenceHanded,
    FailedOperations,
    FoundRecords,
    Handed,
    LegalActions,
    LoreHanded,
    PlannedSection,
    RunSettings,
    SectionOrder,
    TargetsFound,
)

Shown = str | int | float | bool | None | Sequence[str]
"""A value before it is text; a sequence becomes a bullet list."""
NOTHING: Final = "none"
"""Stands for an empty list and an absent value."""


@dataclass(frozen=True, slots=True)
class Accumulated:
    """Current values for one prompt: the manuscript at its head, and `agent_state`.

    Made for one prompt and then dropped, so that the next prompt reads again.
    """

    current_manuscript: str
    """For the citation orchestrator with its sentences numbered."""
    manuscript_word_count: int = 0
    existing_citations: tuple[str, ...] = ()
    """Entries as they stand in the text."""
    section_plan: tuple[PlannedSection, ...] = ()
    sections_drafted: tuple[str, ...] = ()
    format_guidance: str = ""
    pass_index: int = 0
    last_history_entry: str = ""


@dataclass(frozen=True, slots=True)
class Static:
    """Set by a person; the same in every prompt of a run."""

    name: str
    read: Callable[[RunSettings], Shown]


@dataclass(frozen=True, slots=True)
class Accumulating:
    """Grows and changes; read anew for every prompt."""

    name: str
    read: Callable[[Accumulated], Shown]


@dataclass(frozen=True, slots=True)
class Ephemeral:
    """Handed from one agent to another; valid for one step, and never kept."""

    name: str
    of: type[Handed]
    read: Callable[[Any], Shown]
    """Takes a value of type ``of``; Any, because the table below holds readers of many types."""
    optional: bool = False
    """Whether a prompt may be made without it; it then says ``NOTHING``."""


Placeholder = Static | Accumulating | Ephemeral

INSTRUCTIONS: Final = Static("instructions", lambda given: given.instructions)
MAX_PASSES: Final = Static("max_passes", lambda given: given.max_passes)
MIN_SCORE: Final = Static("min_score", lambda given: given.min_score)
MAX_HUNKS: Final = Static("max_hunks", lambda given: given.max_hunks)
MAX_TARGETS: Final = Static("max_targets", lambda given: given.max_targets)

CURRENT_MANUSCRIPT: Final = Accumulating("current_manuscript", lambda now: now.current_manuscript)
MANUSCRIPT_WORD_COUNT: Final = Accumulating("manuscript_word_count", lambda now: now.manuscript_word_count)
EXISTING_CITATIONS: Final = Accumulating("existing_citations", lambda now: "\n".join(now.existing_citations))
SECTION_PLAN: Final = Accumulating("section_plan", lambda now: tuple(map(_section, now.section_plan)))
SECTIONS_DRAFTED: Final = Accumulating("sections_drafted", lambda now: now.sections_drafted)
FORMAT_GUIDANCE: Final = Accumulating("format_guidance", lambda now: now.format_guidance)
HAS_FORMAT_GUIDANCE: Final = Accumulating(
    "has_format_guidance", lambda now: bool(now.format_guidance.strip())
)
PASS_INDEX: Final = Accumulating("pass_index", lambda now: now.pass_index)
LAST_HISTORY_ENTRY: Final = Accumulating("last_history_entry", lambda now: now.last_history_entry)

SECTION_TITLE: Final = Ephemeral("section_title", SectionOrder, lambda order: order.section_title)
SECTION_SUMMARY: Final = Ephemeral("section_summary", SectionOrder, lambda order: order.section_summary)
SECTION_WORD_COUNT: Final = Ephemeral(
    "section_word_count", SectionOrder, lambda order: order.section_word_count or None
)
CRITIQUE_SUMMARY: Final = Ephemeral(
    "critique_summary", CritiqueHanded, lambda order: order.critique_summary, optional=True
)
CRITIQUE_SCORE: Final = Ephemeral(
    "critique_score", CritiqueHanded, lambda order: order.critique_score, optional=True
)
ACTION_ITEMS: Final = Ephemeral(
    "action_items", CritiqueHanded, lambda order: order.action_items, optional=True
)
SENTENCE_CITATION_TARGET: Final = Ephemeral(
    "sentence_citation_target", CitationOrder, lambda order: order.sentence_citation_target
)
SENTENCE_BEFORE_CITATION_TARGET: Final = Ephemeral(
    "sentence_before_citation_target", CitationOrder, lambda order: order.sentence_before_citation_target
)
SENTENCE_AFTER_CITATION_TARGET: Final = Ephemeral(
    "sentence_after_citation_target", CitationOrder, lambda order: order.sentence_after_citation_target
)
TITLE_OF_MANUSCRIPT: Final = Ephemeral(
    "title_of_manuscript", CitationOrder, lambda order: order.title_of_manuscript
)
REASON_CITATION_TARGET: Final = Ephemeral(
    "reason_citation_target", CitationOrder, lambda order: order.reason_citation_target
)
SECTION_TITLE_CITATION_TARGET: Final = Ephemeral(
    "section_title_citation_target", CitationOrder, lambda order: order.section_title_citation_target
)
EVIDENCE_TYPE_CITATION_TARGET: Final = Ephemeral(
    "evidence_type_citation_target", CitationOrder, lambda order: order.evidence_type_citation_target
)

# Ours, for rules that the others have no name for.
LEGAL_ACTIONS: Final = Ephemeral("legal_actions", LegalActions, lambda order: order.legal_actions)
FAILED_OPERATIONS: Final = Ephemeral(
    "failed_operations", FailedOperations, lambda order: order.failed_operations, optional=True
)
ALREADY_IDENTIFIED_TARGETS: Final = Ephemeral(
    "already_identified_targets",
    TargetsFound,
    lambda order: ", ".join(map(str, order.already_identified_targets)),
)
TARGETS_WANTED: Final = Ephemeral("targets_wanted", TargetsFound, lambda order: order.targets_wanted)
FOUND_RECORDS: Final = Ephemeral(
    "found_records",
    FoundRecords,
    lambda order: "\n".join(f"{at}. {_line(each)}" for at, each in enumerate(order.found_records, 1)),
    optional=True,
)
EVIDENCE: Final = Ephemeral("evidence", EvidenceHanded, lambda order: _evidence(order), optional=True)
LORE: Final = Ephemeral("lore", LoreHanded, lambda order: order.lore, optional=True)

STATIC: Final = (INSTRUCTIONS, MAX_PASSES, MIN_SCORE, MAX_HUNKS, MAX_TARGETS)
ACCUMULATING: Final = (
    *(CURRENT_MANUSCRIPT, MANUSCRIPT_WORD_COUNT, EXISTING_CITATIONS, SECTION_PLAN, SECTIONS_DRAFTED),
    *(FORMAT_GUIDANCE, HAS_FORMAT_GUIDANCE, PASS_INDEX, LAST_HISTORY_ENTRY),
)
EPHEMERAL: Final = (
    *(SECTION_TITLE, SECTION_SUMMARY, SECTION_WORD_COUNT, CRITIQUE_SUMMARY, CRITIQUE_SCORE, ACTION_ITEMS),
    *(SENTENCE_CITATION_TARGET, REASON_CITATION_TARGET, SECTION_TITLE_CITATION_TARGET),
    *(SENTENCE_BEFORE_CITATION_TARGET, SENTENCE_AFTER_CITATION_TARGET, TITLE_OF_MANUSCRIPT),
    *(EVIDENCE_TYPE_CITATION_TARGET, LEGAL_ACTIONS, FAILED_OPERATIONS, ALREADY_IDENTIFIED_TARGETS),
    *(TARGETS_WANTED, FOUND_RECORDS, LORE, EVIDENCE),
)
PLACEHOLDERS: Final[Mapping[str, Placeholder]] = {
    each.name: each for each in (*STATIC, *ACCUMULATING, *EPHEMERAL)
}


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of the values of one prompt."""

    step: str
    """The step that the prompt belongs to."""
    settings: RunSettings
    read_now: Callable[[], Accumulated]
    """Called once for each prompt."""
    handed: tuple[Handed, ...] = ()


def resolved(names: Iterable[str], sources: Sources) -> Mapping[str, str]:
    """The text of each placeholder, by name; ``read_now`` is called exactly once.

    Raises:
        KeyError: for a name that is no placeholder; templates are checked when they are parsed.
        Refused: ``ephemeral-missing``, or ``ephemeral-outlived`` for a value made for another step.
    """
    now = sources.read_now()
    # An empty manuscript is shown as it is: a word in its place would be taken for its text.
    return {
        name: now.current_manuscript
        if name == CURRENT_MANUSCRIPT.name
        else text_of(_value(PLACEHOLDERS[name], now, sources))
        for name in names
    }


def text_of(value: Shown) -> str:
    """A value as prompt text: sequences as bullet lists, nothing as ``NOTHING``, flags as in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value or NOTHING
    if isinstance(value, Sequence):
        return bulleted(value)
    return NOTHING if value is None else str(value)


def bulleted(items: Sequence[str]) -> str:
    """A Markdown list, one bullet for each item; its further lines are indented."""
    return "\n".join("- " + "\n  ".join(item.strip().splitlines() or [""]) for item in items) or NOTHING


def only_kept(changes: Mapping[str, object]) -> None:
    """Refuse changes of `agent_state` that name an ephemeral value, or hold one at any depth.

    The parts of a kept plan have names of their own; only its fields count as names here.

    Raises:
        Refused: ``ephemeral-kept``, naming it.
    """
    for name, value in changes.items():
        if name in _EPHEMERAL_NAMES or _holds_handed(value):
            raise Refused(
                "ephemeral-kept",
                f"{name!r} is valid for one step only and cannot be kept; "
                "record it as evidence, or hand it to the step that needs it",
                name=name,
            )


_EPHEMERAL_NAMES = frozenset(each.name for each in EPHEMERAL)


def _holds_handed(value: object) -> bool:
    if isinstance(value, Handed):
        return True
    if isinstance(value, Mapping):
        return any(map(_holds_handed, value.values()))
    return isinstance(value, list | tuple | set | frozenset) and any(map(_holds_handed, value))


def _value(placeholder: Placeholder, now: Accumulated, sources: Sources) -> Shown:
    match placeholder:
        case Static():
            return placeholder.read(sources.settings)
        case Accumulating():
            return placeholder.read(now)
        case Ephemeral():
            return _handed_value(placeholder, sources)


def _handed_value(placeholder: Ephemeral, sources: Sources) -> Shown:
    order = next((each for each in sources.handed if isinstance(each, placeholder.of)), None)
    if order is None and not placeholder.optional:
        raise Refused(
            "ephemeral-missing",
            f"the prompt of step {sources.step!r} needs {placeholder.name!r}, and nothing was handed to it",
        )
    if order is not None and order.for_step != sources.step:
        raise Refused(
            "ephemeral-outlived",
            f"{placeholder.name!r} was made for the step {order.for_step!r} and cannot be used in "
            f"{sources.step!r}; make it again",
        )
    return None if order is None else placeholder.read(order)


def _evidence(order: EvidenceHanded) -> str:
    missing = [f"Could not be asked: {', '.join(order.unasked)}."] if order.unasked else []
    return "\n\n".join([*order.evidence, *missing])


def _section(planned: PlannedSection) -> str:
    words = f", {planned.section_word_count} words" if planned.section_word_count else ""
    return f"{_line(planned.section_title)} ({planned.status}{words})\n{_line(planned.section_summary)}"


def _line(text: str) -> str:
    return " ".join(text.split())
