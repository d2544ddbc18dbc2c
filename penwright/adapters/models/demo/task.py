"""The task of a manuscript agent as the demo model reads it from a prompt."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LABEL = "(Written by the demo model.)"
_SUBJECT = re.compile(
    r"\b(?:about|concerning|regarding|impact of|review of|on|of)\s+(.+)|\b((?:how|why)\s.+)",
    re.IGNORECASE | re.DOTALL,
)
CITED = ("[[@", "[@", "\\cite")
"""Beginnings of citations."""


@dataclass(frozen=True, slots=True)
class Task:
    """Task of one prompt."""

    texts: Mapping[str, str]
    """Material by its name."""
    order: str
    """Text below the material."""
    seed: int

    @property
    def instructions(self) -> str:
        return self.texts.get("instructions", "")

    @property
    def manuscript(self) -> str:
        return self.texts.get("current_manuscript", "")

    @property
    def subject(self) -> str:
        """Name the subject of the instructions, as it stands in a sentence."""
        found = _SUBJECT.search(self.instructions)
        words = re.split(r"[.,;:!?\n]", (found[1] or found[2]) if found else "")[0].split()[:12]
        return " ".join(words) or "the subject"

    def field(self, name: str) -> str:
        """The value of ``- name: value`` below the material."""
        found = re.search(rf"^- {re.escape(name)}: (.*)$", self.order, re.MULTILINE)
        return found[1].strip() if found else ""


def as_json(**fields: Any) -> str:  # Any: values of any field
    """A reply in JSON."""
    return json.dumps(fields, ensure_ascii=False)
