"""Data of a document's page, read at once."""

from dataclasses import dataclass

from gateway.desk.document_status import DocumentDetails, document_details
from gateway.desk.manuscript import told_variables
from gateway.desk.works.documents import Document
from gateway.desk.works.inspecting import VariableView
from gateway.ui.visit import Visit


@dataclass(frozen=True, slots=True)
class Drafting:
    """A document, and the variable that is inspected."""

    stands: DocumentDetails
    variable: VariableView | None = None

    @property
    def stage(self) -> str:
        """Stage of its run; ``idle`` without one."""
        return self.stands.line.state if self.stands.line else "idle"

    @property
    def at_work(self) -> bool:
        """Whether its run or a scan of it goes on."""
        return self.stage != "idle" or bool(self.stands.line and self.stands.line.scan)


async def read(visit: Visit, found: Document, variable: str) -> Drafting:
    """Read it; ``variable``: empty: none is inspected."""
    stands = await visit.ask_engine(document_details, found)
    view = await visit.ask(told_variables.variable, found, variable) if variable else None
    return Drafting(stands, view)
