"""The embedding model of the settings."""

from penwright.domain.models.choice import entry_named
from penwright.ports.models import ModelLedger
from penwright.ports.scenes import Embeddings
from schemas.memory import BUILT_IN_MODEL
from workers.model_catalog import catalog
from workers.settings import BUILT_IN_EMBEDDINGS, WORDS_ONLY, Loaded, Settings


def embeddings_model(settings: Settings) -> str:
    """The name under which vectors of the settings' model are stored; empty if none are made."""
    if settings.embeddings == WORDS_ONLY:
        return ""
    if settings.embeddings == BUILT_IN_EMBEDDINGS:
        return BUILT_IN_MODEL
    return entry_named(catalog(settings), settings.embeddings).model


def embeddings_of(loaded: Loaded, ledger: ModelLedger) -> Embeddings:
    """Choose what makes vectors of memories: the built-in model, one of the settings, or nothing.

    Only the model worker calls it: it holds the keys.
    """
    # Imported here: no other process makes vectors.
    from penwright.adapters.embeddings.ledgered_embeddings import LedgeredEmbeddings
    from penwright.adapters.embeddings.litellm_embeddings import LitellmEmbeddings
    from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
    from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings

    name = loaded.settings.embeddings
    if name == WORDS_ONLY:
        return NoEmbeddings()
    if name == BUILT_IN_EMBEDDINGS:
        return WordLlamaEmbeddings()
    entry = entry_named(catalog(loaded.settings), name)
    vendor = LitellmEmbeddings(entry, loaded.environ.get(entry.key_env, ""))
    return LedgeredEmbeddings(vendor, ledger)
