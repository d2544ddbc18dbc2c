"""Estimate of the cost of a run of the manuscript loop, before it is started."""

from dataclasses import dataclass

from gateway.desk.manuscript import scenes
from gateway.desk.manuscript.runs import LoopOptions, settings_of
from gateway.desk.services import Services
from gateway.desk.works import inspecting
from gateway.desk.works.documents import Document
from penwright.adapters.models.prices import cost_micros
from penwright.domain.manuscript.planned_sections import written_titles
from penwright.domain.models.choice import entry_for
from penwright.domain.text.words import count_words
from penwright.errors import NotFound
from penwright.roles.manuscript.cast import ROLES
from schemas.agent_state import AgentState
from schemas.manuscript_roles import ManuscriptRole
from schemas.model_catalog import ModelCatalog
from workers.model_catalog import catalog

_PROMPT_TOKENS = 1_500
"""Of a role's own instructions."""
_TOKENS_PER_WORD = 1.5
_SIGNS_PER_TOKEN = 4
_SECTIONS = 6
_SECTION_WORDS = 400
"""Assumed while nothing is planned."""


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """One role's calls in a run that needs all its passes."""

    role: ManuscriptRole
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    """As many as it may answer."""
    cost_micros: int | None
    """None if the price is unknown."""


def estimate(
    services: Services, catalog: ModelCatalog, found: Document, wanted: LoopOptions
) -> tuple[RoleEstimate, ...]:
    """The calls of a run that needs all its passes; raises as ``runs.order_of``, and starts nothing."""
    with services.open_store() as store:
        settings = settings_of(inspecting.state(store, found.key), wanted)
    calls = calls_of(settings)
    read = _manuscript_tokens(settings, _text(services, found))
    return tuple(_estimate(catalog, role, calls[role], read, settings) for role in calls if calls[role])


def estimate_now(services: Services, found: Document, wanted: LoopOptions) -> tuple[RoleEstimate, ...]:
    """The same with the models of this home."""
    return estimate(services, catalog(services.loaded().settings), found, wanted)


def calls_of(settings: AgentState) -> dict[ManuscriptRole, int]:
    """Count the calls of each role at most, if each reply can be used."""
    planned = [each.section_title for each in settings.section_plan]
    left = [title for title in planned if title not in settings.sections_drafted]
    return {
        "formatter": 0 if settings.format_guidance else 1,
        "planner": 0 if planned else 1,
        "writer": len(left) if planned else _SECTIONS,
        "critic": 2 * (settings.max_passes + 1),
        "manager": settings.max_passes,
        "reviser": settings.max_passes,
    }


def _text(services: Services, found: Document) -> str:
    """The scene as it stands; empty before there is one."""
    try:
        return scenes.show(services, found.novel, found.scene).text
    except NotFound:
        return ""


def _manuscript_tokens(settings: AgentState, text: str) -> int:
    """Tokens of the manuscript at the end of the run: what stands, entries included, and what is to come."""
    plan = settings.section_plan
    stands = written_titles([each.section_title for each in plan], text)
    left = sum(each.section_word_count or _SECTION_WORDS for each in plan if each.section_title not in stands)
    if not plan and not text.strip():
        left = _SECTIONS * _SECTION_WORDS
    return round(
        max(count_words(text) * _TOKENS_PER_WORD, len(text) / _SIGNS_PER_TOKEN) + left * _TOKENS_PER_WORD
    )


def _estimate(
    catalog: ModelCatalog, role: ManuscriptRole, calls: int, manuscript: int, settings: AgentState
) -> RoleEstimate:
    read = count_words(settings.instructions) + count_words(settings.format_guidance)
    prompt = round(_PROMPT_TOKENS + manuscript + read * _TOKENS_PER_WORD)
    return role_estimate(catalog, role, calls, prompt)


def role_estimate(catalog: ModelCatalog, role: ManuscriptRole, calls: int, prompt: int) -> RoleEstimate:
    """So many calls of a role with prompts of so many tokens each."""
    entry = entry_for(catalog, ROLES[role].model_role)
    read, written = calls * prompt, calls * ROLES[role].answer_tokens
    cost = cost_micros(entry, input_tokens=read, output_tokens=written)
    return RoleEstimate(role, entry.name, calls, read, written, cost)
