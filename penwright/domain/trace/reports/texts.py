"""Files at the tip as text, or the reason why there is none."""

from contextlib import suppress

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.trace.source import TraceSource
from penwright.errors import NotFound, Refused


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
