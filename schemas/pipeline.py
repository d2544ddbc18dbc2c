"""Profile of one kind of workspace for publishing, the gate, the ledger and the store."""

from schemas.base import Value


class PipelineProfile(Value):
    """One pipeline's names, tools and files; empty where nothing is special.

    Globs are those of ``docs/globs.md``. Everything else about publishing is the same for all pipelines.
    """

    name: str = ""
    """The pipeline under which its runs are listed, such as ``book-session``."""
    prefix: str = ""
    """First word of its workflow ids (``book/<id>``) and of its tools (``book.close``)."""
    subject_trailer: str = ""
    """Commit trailer that names the subject."""
    engine_tools: frozenset[str] = frozenset()
    """Bookkeeping that needs no intent."""
    writer_tools: frozenset[str] = frozenset()
    """Writing down what a model or an outside agent delivered: an intent, and bookkeeping beside it."""
    opening_tools: frozenset[str] = frozenset()
    """Tools that only begin what will change text: they report a damaged ledger before anyone writes."""
    bookkeeping: tuple[str, ...] = ()
    """The engine's own files: no text, and in no intent's scope."""
    protected: tuple[str, ...] = ()
    """Globs that no agent may write, in any case of the letters; beside what is protected everywhere."""
    unrecorded: tuple[str, ...] = ()
    """Text that the ledger does not answer for, beside ``bookkeeping``."""
    kept: tuple[str, ...] = ()
    """Texts that the engine keeps beside the work, such as a summary: what its own tools write there is no
    reason for a mutation class."""
    permanent: tuple[str, ...] = ()
    """Paths whose removal from the folder, or emptying, is never committed as a person's edit."""
    canon: tuple[str, ...] = ()
    """Files in which no change is a mere line edit."""
    remote_wins: tuple[str, ...] = ()
    """Files that say who holds the workspace: when both sides changed one, the remote's version counts."""
