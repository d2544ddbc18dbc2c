"""Profile of a novel for publishing, the gate and the ledger."""

from typing import Final

from penwright.domain.library.names import SOURCES
from penwright.domain.manuscript.layout import BIBLIOGRAPHY, NOVEL
from schemas.pipeline import PipelineProfile

MANUSCRIPT_PROFILE: Final = PipelineProfile(
    name="manuscript",
    prefix="manuscript",
    subject_trailer="Penwright-Novel",
    # What a person types and takes back needs no intent; only what models write does.
    engine_tools=frozenset(
        {"manuscript.open", "manuscript.save", "manuscript.undo", "manuscript.rollback", "manuscript.import"}
    ),
    writer_tools=frozenset({"manuscript.format", "manuscript.write", "manuscript.revise", "manuscript.cite"}),
    opening_tools=frozenset({"manuscript.open"}),
    # What others wrote: no agent rewrites it, and the ledger does not answer for it.
    protected=(NOVEL, f"{SOURCES}/**"),
    unrecorded=(NOVEL, BIBLIOGRAPHY, f"{SOURCES}/**", ".gitignore", "**/.gitkeep"),
    permanent=(NOVEL,),
)
