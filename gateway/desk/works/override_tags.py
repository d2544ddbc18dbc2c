"""Tags of override sets that a command gives to all agents of a pipeline."""

from gateway.desk.services import Services
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound

SESSION = ("ink/writer", "ink/planner", "ink/editor-of-sessions")
MANUSCRIPT = tuple(
    f"manuscript/{key}" for key in ("manager", "formatter", "planner", "section-writer", "critic", "reviser")
)
SCAN = ("manuscript/citation-orchestrator", "manuscript/citation-generator")
ROUND = tuple(f"scene/{key}" for key in ("director", "character", "narrator", "summariser", "world-agent"))


def checked_tag(services: Services, tag: str, agents: tuple[str, ...]) -> str:
    """``tag``, if one of ``agents`` has a set of that name; empty stays empty.

    Raises:
        NotFound: ``override-tag-unknown``, with the nearest one.
    """
    if not tag:
        return ""
    files = services.overrides()
    known = sorted({each for agent in agents for each in files.tags(*agent.split("/"))})
    if tag in known:
        return tag
    raise NotFound(
        "override-tag-unknown",
        f"no agent of this has overrides under the tag {tag!r}{meant(tag, known)}",
        hint=f"`penwright agent seed {agents[0]} --tag {tag}` makes a set of that name",
    )
