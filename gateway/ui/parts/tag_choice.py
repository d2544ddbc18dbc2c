"""The choice of an override set for one run; nothing where its agents have none."""

from collections.abc import Callable

from nicegui import ui

from gateway.desk.works.override_tags import Tagged, known_tags
from gateway.ui.visit import Visit

_NONE = "as their profiles say"


def tag_choice(visit: Visit, pipeline: Tagged) -> Callable[[], str]:
    """Offer the tags of the pipeline's agents; returns what is chosen, empty for none."""
    tags = known_tags(visit.services, pipeline)
    if not tags:
        return str
    field = ui.select({"": _NONE, **{each: each for each in tags}}, label="Agents work with", value="")
    field.props("outlined dense")
    return lambda: str(field.value or "")
