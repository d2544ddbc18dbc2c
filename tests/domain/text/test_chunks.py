"""A long text parsed in chunks has the blocks of the text parsed as a whole."""

import time
from contextlib import suppress

from hypothesis import example, given
from hypothesis import strategies as st

from penwright.domain.text.blocks import blocks_of, short_hash
from penwright.domain.text.chunks import ChunkCache, Neighbours, locate_blocks

PIECES = st.sampled_from(
    (
        "One.",
        "Two.",
        "Three\nlines.",
        "# Heading\nand text",
        "<!-- a note -->",
        "<!-- it\n\ngoes on -->",
        "```\ncode\n\nmore\n```",
        "```\nnever closed",
        "<!-- never closed",
        "`tick",
        "---\ntitle: x\n\n---",
        "  indented",
        "~~~",
        "-->",
    )
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(("\n\n", "\n \n", "\n\n\n", "\n"))), max_size=14).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)


def around_each(text: str) -> dict[str, list[Neighbours]]:
    hashes = [block.hash for block in blocks_of(text)]
    around = ["", *map(short_hash, hashes), ""]
    found: dict[str, list[Neighbours]] = {}
    for at, block in enumerate(hashes):
        found.setdefault(block, []).append((around[at], around[at + 2]))
    return found


@given(TEXTS, st.integers(1, 40))
@example("---\ntitle: x\n\n---\n\n", 1)
def test_chunks_hold_every_block_where_the_whole_text_has_it(text: str, length: int) -> None:
    whole = around_each(text)

    places = locate_blocks(text.encode(), length=length)

    assert places.around(whole.keys()) == whole
    assert places.among(whole.keys() | {"prose1:of another"}) == whole.keys()
    assert sum(len(chunk.hashes) for chunk in places.chunks) == sum(map(len, whole.values()))


@given(TEXTS, TEXTS, TEXTS, st.integers(1, 40), st.booleans())
@example("One.\n\nTwo.\n\nThree.\n\n ", "", "\nFour.", 1, False)
@example("---\ntitle: x\n\n", "One.\n\n", "---\n\nOne.\n\n", 1, False)
def test_a_cached_beginning_changes_no_result(
    shared: str, before: str, after: str, length: int, marked: bool
) -> None:
    first, second = (("\ufeff" if marked else "") + shared + rest for rest in (before, after))
    cache = ChunkCache(blocks=8)
    locate_blocks(first.encode(), cache=cache, length=length)

    places = locate_blocks(second.encode(), cache=cache, length=length)

    whole = around_each(second)
    assert places.around(whole.keys()) == whole
    assert len(places) == sum(map(len, whole.values()))


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_invalid_utf8_is_refused_with_any_cached_prefix(shared: bytes, rest: bytes) -> None:
    cache = ChunkCache()

    def read(content: bytes) -> bool:
        with suppress(UnicodeDecodeError):
            return bool(locate_blocks(content, cache=cache, length=1)) or True
        return False

    read(shared)

    assert read(shared + b"\n\n" + rest) == is_utf8(shared + b"\n\n" + rest)


def is_utf8(content: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        return bool(content.decode()) or True
    return False


def test_an_open_comment_continues_into_appended_text() -> None:
    begun = "<!-- never closed\n\n"
    cache = ChunkCache()
    locate_blocks(begun.encode(), cache=cache, length=1)

    ended = locate_blocks(f"{begun}-->\n\nOne.\n".encode(), cache=cache, length=1)
    assert ended.chunks[0].hashes == tuple(around_each("One.\n"))


def test_a_text_that_grew_shares_all_chunks_but_its_last() -> None:
    cache = ChunkCache()
    text = "".join(f"Paragraph {number} of a growing book.\n\n" for number in range(20_000))

    before, after = (locate_blocks(each.encode(), cache=cache) for each in (text, text + "One more.\n"))

    assert len(before.chunks) > 5
    assert all(
        old is new
        for old, new in zip(before.chunks[:-1], after.chunks[: len(before.chunks) - 1], strict=True)
    )


def test_an_unclosed_comment_costs_a_bounded_multiple_of_the_text() -> None:
    text = "<!-- open\n\n" + "A line.\n\n" * 20_000
    begun = time.process_time()
    blocks_of(text + "\n")
    whole = time.process_time() - begun

    begun = time.process_time()
    locate_blocks(text.encode(), length=100)

    assert time.process_time() - begun < 20 * whole + 1
