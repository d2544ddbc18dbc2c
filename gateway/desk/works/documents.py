"""A document of a novel: what its runs, scans and edits are about."""

from dataclasses import dataclass

from gateway.desk.works.novels import Novel
from penwright.domain.manuscript.naming import options_of, words_of
from schemas.agent_state import StateKey


@dataclass(frozen=True, slots=True)
class Document:
    """One scene of one novel."""

    novel: Novel
    scene: str

    @property
    def name(self) -> str:
        """``<novel>/<scene>``: what lists and schedules call it."""
        return f"{self.novel.novel_id}/{self.scene}"

    @property
    def words(self) -> str:
        """Its name in commands: the novel's id, and the scene unless it is the whole novel."""
        return words_of(self.novel.novel_id, self.scene)

    @property
    def options(self) -> str:
        """The same where the scene is an option, as for ``cite``."""
        return options_of(self.novel.novel_id, self.scene)

    @property
    def key(self) -> StateKey:
        """The row of its agents' state."""
        return StateKey(novel=self.novel.novel_id, scene=self.scene)
