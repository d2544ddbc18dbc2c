"""The branches of a scene as a tree, each with its first words."""

from gateway.desk.principals import sees
from gateway.desk.scene.branches import Branch
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.visit import Visit
from penwright.domain.text.counted import counted


def branch_map(visit: Visit, tree: Branch) -> None:
    """The tree from its first scene on; scenes that the principal may not see have no words here."""
    with box("ul", classes="branches"):
        _branch(visit, tree)


def _branch(visit: Visit, each: Branch) -> None:
    with box("li"):
        if sees(visit.principal, f"scene/{each.scene}"):
            place = link(each.title, addresses.page("scenes", each.scene, tab="branches"))
            if each.here:
                attribute(place, "aria-current", "true")
            leaves = f"leaves after round {each.after}, " if each.after else ""
            text("p", f"{leaves}{counted(each.rounds, 'round')}", classes="soft")
            text("p", each.first_words or "Nothing of its own was said yet.")
        else:
            text("p", "A scene of others", classes="soft")
        if each.below:
            with box("ul"):
                for below in each.below:
                    _branch(visit, below)
