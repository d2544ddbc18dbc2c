"""Sections that the manuscript agents share: how each works, what material is, how edits are written."""

from penwright.agents.definition.agent import Section
from penwright.roles.prompt_file import PromptFile
from penwright.roles.tasks.task_params import TaskParams

_HERE = "penwright.roles.manuscript"


def craft(package: str, **parts: str) -> Section:
    """``system.md`` of a role, with ``parts`` in their places."""
    return Section(
        key="craft",
        title="How you work",
        body=PromptFile.load(package, "system.md", *parts).fill_in(**parts),
        params=TaskParams,
        defaults=TaskParams(),
    )


def material() -> Section:
    """Section that says what the texts of a prompt are, and are not."""
    return Section(
        key="material", title="What you are given", body=PromptFile.load(_HERE, "material.md").text
    )


def edits() -> Section:
    """The form of edits outside JSON."""
    return Section(key="edits", title="How to answer", body=PromptFile.load(_HERE, "edits.md").text)
