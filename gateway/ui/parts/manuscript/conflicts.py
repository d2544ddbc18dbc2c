"""Conflicts between what an agent would write and what people wrote meanwhile: a card for each."""

from gateway.desk.manuscript import refused_edits
from gateway.desk.manuscript.refused_edits import Keep, RefusedEdit
from gateway.desk.works.documents import Document
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.visit import Visit


class Conflicts:
    """The cards; each button settles one."""

    def __init__(self, visit: Visit, frame: Frame, found: Document) -> None:
        self._visit, self._frame, self._found = visit, frame, found

    def draw(self, left: tuple[RefusedEdit, ...]) -> None:
        """Nothing where nothing is in conflict."""
        if not left:
            return
        text("h2", "Edits in conflict with yours")
        for each in left:
            self._card(each)

    def _card(self, edit: RefusedEdit) -> None:
        with box("article", classes="card", label=f"Conflict about edit {edit.number}"):
            text("p", edit.message, classes="soft")
            text("h3", "As the text reads now")
            text("blockquote", edit.nearest or "(deleted)", classes="prose")
            text("h3", f"As {edit.people or 'the agent'} would have it")
            text("blockquote", edit.wanted or edit.replace or "(deleted)", classes="prose")
            with box(classes="row-of"):
                action(self._frame, "Keep the text", self._settling(edit, "mine"), look="main")
                if edit.nearest and (edit.wanted or edit.people):
                    label = "Take the change" if edit.people else "Take the agent's"
                    action(self._frame, label, self._settling(edit, "edit"))

    def _settling(self, edit: RefusedEdit, keep: Keep) -> Act:
        async def act() -> str:
            self._visit.require("write", f"novel/{self._found.novel.novel_id}")
            who = self._visit.principal.name
            decide = refused_edits.decide
            await self._visit.ask_engine(decide, self._found, edit.entry, edit.number, keep, who=who)
            return "the other version is in the text" if keep == "edit" else "the text stays as it is"

        return act
