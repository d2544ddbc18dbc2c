"""The sources of one's own of novels, for the processes that look into them."""

from functools import cache
from typing import Protocol

from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings
from penwright.adapters.library import OwnSources
from penwright.ports.library import PassageIndex
from penwright.ports.workspaces import Workspaces
from workers.settings import WORDS_ONLY, Settings


class _Indexed(Protocol):
    @property
    def passages(self) -> PassageIndex: ...


def source_library(settings: Settings, novels: Workspaces, store: _Indexed) -> OwnSources:
    """Return the sources of ``novels``.

    Their vectors come from the built-in model whatever ``embeddings`` names, for no word of a source leaves
    the machine; with ``words`` there are none.
    """
    from penwright.adapters.documents import PandocDocuments
    from penwright.adapters.library import SourceReader

    made = local_vectors(settings)
    reader = SourceReader(PandocDocuments())
    return OwnSources(novels, store.passages, reader, made.embed, made.model)


def local_vectors(settings: Settings) -> NoEmbeddings | WordLlamaEmbeddings:
    """Return what makes vectors of sources on this machine; it is loaded with the first text."""
    return NoEmbeddings() if settings.embeddings == WORDS_ONLY else _built_in()


@cache
def _built_in() -> WordLlamaEmbeddings:
    """One for the process: its weights take memory."""
    return WordLlamaEmbeddings()
