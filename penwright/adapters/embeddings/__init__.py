"""Vectors of texts: the built-in model, any embedding model of litellm, or none."""

from penwright.adapters.embeddings.ledgered_embeddings import LedgeredEmbeddings
from penwright.adapters.embeddings.litellm_embeddings import LitellmEmbeddings
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings

__all__ = ["LedgeredEmbeddings", "LitellmEmbeddings", "NoEmbeddings", "WordLlamaEmbeddings"]
