"""Reading a novel's ``references.bib``: works that the author has collected."""

from dataclasses import dataclass

from temporalio import activity

from activities.publishing import in_one_repository
from penwright.domain.manuscript.layout import BIBLIOGRAPHY
from penwright.domain.manuscript.texts import as_lf
from penwright.ports.blobs import Blobs
from penwright.ports.workspaces import Workspaces
from schemas.citation_scan import BibliographyRead, ReadBibliography


@dataclass(frozen=True)
class BibliographyActivities:
    """Asks of one host's repositories."""

    workspaces: Workspaces
    blobs: Blobs

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def read_bibliography(self, request: ReadBibliography) -> BibliographyRead:
        """The file at the tip; one that is missing, empty or no text is as none. Harmless to repeat."""
        snapshot = self.workspaces.snapshot(request.workspace, (BIBLIOGRAPHY,))
        file = snapshot.files.get(BIBLIOGRAPHY)
        if file is None or not file.text.strip():
            return BibliographyRead()
        return BibliographyRead(text=self.blobs.put(as_lf(file.text).encode()))
