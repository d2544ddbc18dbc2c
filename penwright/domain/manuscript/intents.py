"""The intent under which a new novel is written."""

from typing import Final

FIRST_OF_NOVEL: Final = """\
# What may be written in this novel, and why. Agents must select an intent before they change text;
# whatever no intent in progress covers stays as it is. Yours to edit; `penwright intent --help` helps.
schema_version: 1
active_intents:
  - id: INT-001
    name: Write the manuscript
    status: IN_PROGRESS
    owned_scope:
      - "scenes/**"
      - "manuscript.md"
      - "references.bib"
    constraints:
      - Follow the instructions, and leave what they do not mention as it is
      - Cite only works that exist and say what they are cited for
    acceptance_criteria:
      - Every planned section is written
      - The critic's score is reached
"""
