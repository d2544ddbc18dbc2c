"""Make a role's prompt: the task with what is true now, and what the reply is checked against."""

from dataclasses import dataclass

from pydantic import JsonValue

from penwright.domain.manuscript.placeholders import Sources
from penwright.roles.manuscript.cast import ROLES
from penwright.roles.tasks.task_params import TaskParams
from schemas.base import BlobRef
from schemas.manuscript_roles import EvidenceHanded, FoundRecords, ManuscriptRole, SectionOrder, TargetsFound

_TOKENS_PER_WORD = 3
"""Generous, so that a language with long words is not cut off."""


@dataclass(frozen=True, slots=True)
class RolePrompt:
    """The user's message of one call, and what its run is given besides."""

    text: str
    params: dict[str, JsonValue]
    max_output_tokens: int


def prompt(
    role: ManuscriptRole, sources: Sources, *, sentences: int = 0, manuscript: BlobRef | None = None
) -> RolePrompt:
    """The prompt of one step; what accumulates is read once, now.

    Args:
        sentences: how many numbered sentences the manuscript of ``sources`` has; citation orchestrator only.
        manuscript: its text as it is stored; critic only.

    Raises:
        Refused: ``ephemeral-missing`` or ``ephemeral-outlived``.
    """
    cast = ROLES[role]
    text = cast.task.fill(sources)
    words = next((each.section_word_count for each in sources.handed if isinstance(each, SectionOrder)), 0)
    return RolePrompt(
        text=text,
        params={
            TaskParams.__name__: _params(sources, sentences, manuscript).model_dump(
                mode="json", exclude_none=True
            )
        },
        max_output_tokens=cast.answer_tokens + words * _TOKENS_PER_WORD,
    )


def _params(sources: Sources, sentences: int, manuscript: BlobRef | None) -> TaskParams:
    found = next((each for each in sources.handed if isinstance(each, TargetsFound)), None)
    records = next((each.found_records for each in sources.handed if isinstance(each, FoundRecords)), ())
    return TaskParams(
        sentences=sentences,
        named_before=found.already_identified_targets if found else (),
        targets_wanted=found.targets_wanted if found else 0,
        records=len(records),
        manuscript=manuscript,
        cites=any(isinstance(each, EvidenceHanded) for each in sources.handed),
    )
