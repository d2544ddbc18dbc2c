"""Arguments of the workspace tools; those that only read take the arguments of outside agents' tools."""

from typing import Annotated

from pydantic import Field

from penwright.agents.tools.tool import Arguments
from penwright.roles.outside_agent.tools import IntentId
from schemas.trace import MutationClass

Path = Annotated[str, Field(min_length=1, max_length=1024)]
Content = Annotated[str, Field(max_length=40_000)]


class SelectIntent(Arguments):
    intent_id: IntentId
    """An intent in progress, such as INT-001."""


class WriteToFile(Arguments):
    path: Path
    """Relative to the top of the book, such as `Global Material/Lore.md`."""
    content: Content
    """All that shall stand in the file."""
    mutation_class: MutationClass
    """AST_REFACTOR if the text says the same in another form, INTENT_EVOLUTION for anything else."""


class Edit(Arguments):
    path: Path
    """Relative to the top of the book."""
    old: Annotated[str, Field(min_length=1, max_length=20_000)]
    """Text as it stands in the file, once."""
    new: Annotated[str, Field(max_length=20_000)]
    """What shall stand in its place; empty takes it away."""
    mutation_class: MutationClass
    """AST_REFACTOR if the text says the same in another form, INTENT_EVOLUTION for anything else."""
