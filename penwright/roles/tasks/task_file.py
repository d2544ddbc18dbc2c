"""A role's task in its ``.md`` file, used verbatim; its placeholders are checked when it is loaded."""

import re
from dataclasses import dataclass
from importlib import resources

from penwright.domain.manuscript.placeholders import LORE, Placeholder, Sources, resolved
from penwright.domain.manuscript.prompt_template import PromptTemplate
from penwright.roles.book_text import escaped

_LORE = re.compile(rf"^[^\n]+:\n\n<[^\n]+>\n\{{{LORE.name}\}}\n</[^\n]+>\n\n", re.MULTILINE)
"""The part of a task that tells of lore."""


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The user's message of a role, with placeholders ``{name}``."""

    template: PromptTemplate
    without_lore: PromptTemplate
    """The same for a prompt that has none."""

    @classmethod
    def load(cls, package: str, *placeholders: Placeholder) -> "TaskFile":
        """The file ``task.md`` of ``package``.

        Raises:
            ValueError: at import, for an unknown placeholder, or when the file and its role disagree.
        """
        text = resources.files(package).joinpath("task.md").read_text(encoding="utf-8")
        template = PromptTemplate.parse(text)
        wanted = {each.name for each in placeholders}
        if (found := set(template.names)) != wanted:
            raise ValueError(f"{package}/task.md has placeholders {sorted(found)}, its role {sorted(wanted)}")
        return cls(template, PromptTemplate.parse(_LORE.sub("", text)))

    def fill(self, sources: Sources) -> str:
        """The message. A value cannot end the fence that it stands in, and is never read as a template.

        Raises:
            Refused: as ``placeholders.resolved``.
        """
        has_lore = any(isinstance(each, LORE.of) for each in sources.handed)
        template = self.template if has_lore else self.without_lore
        return template.fill(resolved(template.names, sources), escaped).strip()
