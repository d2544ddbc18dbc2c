"""Reading a novel's ``references.bib``, works that the author has collected, and the texts that cite them."""

from dataclasses import dataclass

from temporalio import activity

from activities.publishing import in_one_repository
from penwright.domain.library.names import SHELF
from penwright.domain.manuscript.layout import BIBLIOGRAPHY, scene_path
from penwright.domain.manuscript.texts import as_lf, no_text, scene_in
from penwright.errors import NotFound, PermanentError
from penwright.ports.blobs import Blobs
from penwright.ports.library import SourceLibrary
from penwright.ports.workspaces import Workspaces
from schemas.base import BlobRef
from schemas.citation_audit import CitedText, CitedTextsRead, ReadCitedTexts
from schemas.citation_scan import BibliographyRead, ReadBibliography
from schemas.library import LibraryShelf


@dataclass(frozen=True)
class BibliographyActivities:
    """Activities for one host's repositories."""

    workspaces: Workspaces
    blobs: Blobs
    library: SourceLibrary

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def read_bibliography(self, request: ReadBibliography) -> BibliographyRead:
        """The file at the tip, and the sources; a file that is empty or no text is as none. Repeatable."""
        snapshot = self.workspaces.snapshot(request.workspace, (BIBLIOGRAPHY,))
        file, sources = snapshot.files.get(BIBLIOGRAPHY), self.library.sources(request.workspace)
        library = self._kept(LibraryShelf(sources=sources).model_dump_json()) if sources else None
        if file is None or not file.text.strip():
            return BibliographyRead(library=library)
        return BibliographyRead(text=self._kept(as_lf(file.text)), library=library)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def read_cited_texts(self, request: ReadCitedTexts) -> CitedTextsRead:
        """A document and the bibliography at the tip. Harmless to repeat.

        Raises:
            NotFound: ``no-such-scene``.
            PermanentError: ``scene-not-text``, ``references-not-text``.
        """
        path = scene_path(request.scene)
        snapshot = self.workspaces.snapshot(request.workspace, (path, BIBLIOGRAPHY, SHELF))
        scene, shelf = scene_in(snapshot, request.scene), snapshot.files.get(BIBLIOGRAPHY)
        if scene.unreadable:
            raise PermanentError(*no_text(scene))
        if BIBLIOGRAPHY in snapshot.unreadable:
            raise PermanentError(
                "references-not-text", f"{BIBLIOGRAPHY!r} is not UTF-8 text; convert it first"
            )
        if not scene.revision:
            raise NotFound("no-such-scene", f"there is no {path!r} any more; nothing was audited")
        texts = [CitedText(name=path, form="text", text=self._kept(scene.text))]
        if shelf is not None:
            kept = self._kept(as_lf(shelf.text))
            texts.append(CitedText(name=BIBLIOGRAPHY, form="bibtex", text=kept))
        if SHELF in snapshot.files:
            own = self._kept(as_lf(snapshot.files[SHELF].text))
            texts.append(CitedText(name=SHELF, form="own-sources", text=own))
        return CitedTextsRead(texts=tuple(texts))

    def _kept(self, text: str) -> BlobRef:
        return self.blobs.put(text.encode())
