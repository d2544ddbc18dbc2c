"""The built-in embedding model, and none."""

import socket

import pytest

from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.embeddings.wordllama_embeddings import WordLlamaEmbeddings

EMBEDDINGS = WordLlamaEmbeddings()


def likeness(one: str, other: str) -> float:
    first, second = EMBEDDINGS.embed([one, other]).vectors
    return sum(a * b for a, b in zip(first, second, strict=True))


def test_it_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refused)

    assert WordLlamaEmbeddings().embed(["A rose."]).model == "wordllama-256"


def test_every_text_has_a_unit_vector_of_256_numbers() -> None:
    found = EMBEDDINGS.embed(["A rose.", "龍が眠る", "\ud800 broken", "long " * 50_000])

    assert found.dimensions == 256
    assert [len(vector) for vector in found.vectors] == [256] * 4
    assert [sum(number**2 for number in vector) for vector in found.vectors] == pytest.approx([1.0] * 4)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_text_without_a_word_has_zeros() -> None:
    assert EMBEDDINGS.embed([""]).vectors == ((0.0,) * 256,)
    assert EMBEDDINGS.embed([]).vectors == ()


def test_what_means_the_same_is_nearer() -> None:
    assert likeness("A ship in the harbour", "The boat lies in port") > likeness(
        "A ship in the harbour", "She baked a loaf of bread"
    )


def test_a_text_has_the_same_vector_alone_and_among_longer_ones() -> None:
    alone = EMBEDDINGS.embed(["A rose."]).vectors[0]
    among = EMBEDDINGS.embed(["A rose.", "word " * 300]).vectors[0]

    assert among == pytest.approx(alone, abs=1e-6)


def test_without_embeddings_there_are_no_vectors() -> None:
    found = NoEmbeddings().embed(["A rose.", ""])

    assert (NoEmbeddings().model, found.dimensions, found.vectors) == ("", 0, ((), ()))
