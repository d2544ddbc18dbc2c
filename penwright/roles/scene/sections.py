"""Sections that the roles of a scene share: how each works, what material is, how a reply is given."""

from penwright.agents.definition.agent import Section
from penwright.roles.prompt_file import PromptFile
from penwright.roles.scene.role_params import RoleParams

_HERE = "penwright.roles.scene"


def craft(package: str, *placeholders: str) -> Section:
    """``system.md`` of a role."""
    return Section(
        key="craft",
        title="How you work",
        body=PromptFile.load(package, "system.md", *placeholders).text,
        params=RoleParams,
        defaults=RoleParams(),
    )


def answer(package: str) -> Section:
    """``answer.md`` of a role: the form of its reply."""
    return Section(key="answer", title="How to answer", body=PromptFile.load(package, "answer.md").text)


def material() -> Section:
    """Section that says what the texts of a prompt are, and are not."""
    return Section(
        key="material", title="What you are given", body=PromptFile.load(_HERE, "material.md").text
    )


def state_report() -> Section:
    """The block in which an actor may report its own state."""
    return Section(key="state", title="Your state", body=PromptFile.load(_HERE, "state_report.md").text)
