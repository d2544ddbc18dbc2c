"""Prompt text in ``.md`` files beside its role, used verbatim."""

from dataclasses import dataclass
from importlib import resources
from string import Template


@dataclass(frozen=True, slots=True)
class PromptFile:
    """One prompt with its placeholders, ``$name``; ``$$`` is a dollar."""

    name: str
    text: str

    @classmethod
    def load(cls, package: str, name: str, *placeholders: str) -> "PromptFile":
        """The file ``name`` of ``package``.

        Raises:
            ValueError: at import, when the file and its role disagree about the placeholders.
        """
        text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
        found = set(Template(text).get_identifiers())
        if found != set(placeholders):
            raise ValueError(
                f"prompt {package}/{name} has placeholders {sorted(found)}, its role {placeholders}"
            )
        return cls(f"{package}/{name}", text)

    def fill_in(self, **values: str) -> str:
        """The text with every placeholder replaced, and all else as it is."""
        return Template(self.text).substitute(values) if values else self.text

    def fill(self, **values: str) -> str:
        """The text with every placeholder replaced; a dollar inside a value stays a dollar."""
        return Template(self.text).substitute(values).strip()
