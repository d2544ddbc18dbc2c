"""Files at the tip as text, or the reason why there is none; and what stood in them before."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.blocks import Block, blocks_in
from penwright.domain.trace.source import TraceSource
from penwright.errors import NotFound, Refused

_BYTES = 128 * 1024 * 1024
"""Of earlier contents that are read, the newest first."""


def text_at(source: TraceSource, path: str) -> str:
    """A file's text; ``NotFound`` or ``Refused`` if it has none."""
    files = source.files()
    if path not in files:
        near = [each for each in files if each.rpartition("/")[2] == path.rpartition("/")[2]]
        hint = f"did you mean {near[0]!r}?" if near else "name it from the top of the book, as git does"
        raise NotFound("no-such-file", f"{path!r} is not in the book as committed", hint=hint)
    content = source.blob(files[path])
    if content is None:
        raise NotFound("content-missing", f"git has lost the content of {path!r}; see `git fsck`")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Refused(
            "not-text", f"{path!r} is not UTF-8 text, so the ledger knows no blocks of it"
        ) from None


def texts_of(source: TraceSource) -> dict[str, str]:
    """Every file of text by path; what is not UTF-8 is left out."""
    governed, texts = GovernedPaths(source.profile), dict[str, str]()
    for path, sha in source.files().items():
        with suppress(UnicodeDecodeError):
            if path in governed:
                texts[path] = (source.blob(sha) or b"").decode()
    return texts


def former_blocks(source: TraceSource, blobs: Iterable[str], standing: Iterable[str]) -> Iterator[Block]:
    """Blocks that stood in the text once, and are in none of the ``standing`` texts.

    Args:
        blobs: ids of earlier contents, the newest first: those past 128 MiB are left out.
    """
    seen = {part for text in standing for part in _parts(text.encode())}
    left = _BYTES
    for sha in dict.fromkeys(blobs):
        content = source.blob(sha) or b""
        left -= len(content)
        if left < 0:
            return
        # A version is mostly like the next one: only the paragraphs that differ are parsed.
        new = dict.fromkeys(part for part in _parts(content) if part not in seen)
        seen.update(new)
        yield from (block for part in new for block in blocks_in(part))


def _parts(content: bytes) -> Sequence[bytes]:
    # Looking for one sign costs far less than for two.
    return (content.replace(b"\r\n", b"\n") if b"\r" in content else content).split(b"\n\n")
