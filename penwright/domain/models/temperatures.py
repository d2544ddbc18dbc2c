"""The temperature at which each role asks, unless the settings have another."""

PROSE = 0.8
EXACT = 0.0
EXACT_ROLES = frozenset(
    {
        *("director", "world-agent", "clerk"),
        *("manuscript-planner", "manuscript-formatter", "manuscript-critic", "manuscript-manager"),
        *("manuscript-citation-orchestrator", "manuscript-citation-generator"),
    }
)
"""Roles that judge, plan, scan or direct; all others write."""


def temperature_of(role: str) -> float:
    """The temperature for a role, as settings name it."""
    return EXACT if role in EXACT_ROLES else PROSE
