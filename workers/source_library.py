"""The sources of one's own of novels, for the processes that look into them."""

from typing import Protocol

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
    # Imported here: converters and the built-in model are loaded where they are used.
    from penwright.adapters.documents import PandocDocuments
    from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
    from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings
    from penwright.adapters.library import SourceReader

    made = NoEmbeddings() if settings.embeddings == WORDS_ONLY else WordLlamaEmbeddings()
    reader = SourceReader(PandocDocuments())
    return OwnSources(novels, store.passages, reader, made.embed, made.model)
