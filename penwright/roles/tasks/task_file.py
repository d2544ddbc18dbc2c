"""A role's task in its ``.md`` file, used verbatim; its placeholders are checked when it is loaded."""

import re
from dataclasses import dataclass
from importlib import resources

from penwright.domain.manuscript.placeholders import EVIDENCE, LORE, Placeholder, Sources, resolved
from penwright.domain.manuscript.prompt_template import PromptTemplate
from penwright.roles.book_text import escaped

_SPARED = (LORE, EVIDENCE)
"""Placeholders whose part of a task is left out where nothing was handed for them."""


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The user's message of a role, with placeholders ``{name}``."""

    text: str
    names: frozenset[str]

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
        return cls(text, frozenset(template.names))

    def fill(self, sources: Sources) -> str:
        """The message. A value cannot end the fence that it stands in, and is never read as a template.

        Raises:
            Refused: as ``placeholders.resolved``.
        """
        text = self.text
        for each in _SPARED:
            if not any(isinstance(one, each.of) for one in sources.handed):
                text = _part(each.name).sub("", text)
        template = PromptTemplate.parse(text)
        return template.fill(resolved(template.names, sources), escaped).strip()


def _part(name: str) -> re.Pattern[str]:
    """The part of a task that shows a placeholder: a line, and the fence below it."""
    return re.compile(rf"^[^\n]+:\n\n<[^\n]+>\n\{{{name}\}}\n</[^\n]+>\n\n", re.MULTILINE)
