"""Values that a reply is checked against, beyond its form."""

from typing import Annotated

from pydantic import Field

from penwright.agents.tools.tool import Arguments
from schemas.base import BlobRef


class TaskParams(Arguments):
    """Facts about one task. No role's prompt shows them; they travel with the run."""

    sentences: Annotated[int, Field(ge=0)] = 0
    """How many numbered sentences the citation orchestrator was shown."""
    named_before: tuple[int, ...] = ()
    """Sentences that earlier batches named."""
    targets_wanted: Annotated[int, Field(ge=0)] = 0
    records: Annotated[int, Field(ge=0)] = 0
    """How many records the citation generator picks among; 0: it proposes searches."""
    manuscript: BlobRef | None = None
    """The text that the critic was shown; what it quotes is looked up there."""
    cites: bool = False
    """Whether the writer is shown passages, and cites them."""
