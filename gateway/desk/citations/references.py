"""References from other programs, into the novel's ``references.bib``."""

from dataclasses import dataclass, replace
from pathlib import Path

from gateway.desk.manuscript import scenes
from gateway.desk.services import Services
from gateway.desk.works import changes
from gateway.desk.works.novels import Novel
from penwright.domain.citations.entries import read_entries
from penwright.domain.citations.exchange.exporting import exported
from penwright.domain.citations.exchange.importing import ReferencesImported, imported
from penwright.domain.manuscript.layout import BIBLIOGRAPHY
from penwright.domain.manuscript.texts import SceneText, as_lf, rewritten
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.counted import counted
from penwright.domain.text.encodings import Decoded, decoded
from penwright.domain.text.inline_citations import find_citations, keys_named_in
from penwright.domain.text.merging.reconcile import uses_crlf
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.citations import CitationFinding, ReferenceFormat
from schemas.workspace import Contributor, MutationPlan

_FORMATS: dict[str, ReferenceFormat] = {
    **{".bib": "bibtex", ".bibtex": "bibtex", ".ris": "ris", ".json": "csl-json", ".csljson": "csl-json"}
}


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """Result of importing a file of references."""

    added: tuple[str, ...]
    """Keys of the entries that were added."""
    findings: tuple[CitationFinding, ...]
    commit: str = ""
    """Empty if nothing was added."""


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text's citations."""

    citations: int
    findings: tuple[CitationFinding, ...]


def check(services: Services, novel: Novel, scene: str) -> CheckedText:
    """Check what an export of the scene's citations would say; asks no registry and changes nothing."""
    text = scenes.show(services, novel, scene).text
    shelf = read_entries(_present(services, novel).text).entries
    findings = sorted(exported(text, shelf).findings, key=lambda each: each.line)
    placed = tuple(each.model_copy(update={"scene": scene}) for each in findings)
    named = keys_named_in(text, tokens_of(text))
    return CheckedText(len(find_citations(text).citations) + len(named), placed)


def format_of(file: Path) -> ReferenceFormat:
    """The format that a file's name says; raises ``UsageMistake`` (``unknown-reference-format``)."""
    form = _FORMATS.get(file.suffix.lower())
    if form is None:
        said = f"{file.name!r} says no format that can be read"
        hint = "name it with --format: bibtex, ris or csl-json"
        raise UsageMistake("unknown-reference-format", said, hint=hint)
    return form


def add(
    services: Services, novel: Novel, file: Path, form: ReferenceFormat, encoding: str = ""
) -> ImportedFile:
    """Add a file's references to the novel, in one commit; what cannot be taken is said.

    Args:
        encoding: of the file; empty to find it.

    Raises:
        NotFound: ``no-such-file``.
        UsageMistake: ``references-not-text``, or as ``decoded``.
        Refused: ``references-contended``, or the gate's denial.
    """
    present, read = _present(services, novel), read_file(file, encoding)
    made = imported(read.text.removeprefix("\ufeff"), form, present.text, services.now().date())
    guessed = (CitationFinding(code="ENCODING_GUESSED", message=each) for each in read.notes)
    return publish(services, novel, present, replace(made, findings=(*guessed, *made.findings)))


def prepared(services: Services, novel: Novel, bibtex: str) -> tuple[SceneText, ReferencesImported]:
    """The novel's bibliography, and what it becomes with that of an imported text; nothing is changed."""
    present = _present(services, novel)
    return present, imported(bibtex, "bibtex", present.text, services.now().date())


def publish(services: Services, novel: Novel, present: SceneText, made: ReferencesImported) -> ImportedFile:
    """Put what ``prepared`` returned into the novel, in one commit; raises as ``add``."""
    keys = tuple(each.key for each in made.added)
    if not keys:
        return ImportedFile((), made.findings)
    plan = MutationPlan(
        workspace=novel.workspace,
        message=f"Import {counted(len(keys), 'reference')}",
        contributor=Contributor.HUMAN,
        operations=rewritten(present, made.bibliography),
        tool="manuscript.import",
    )
    effect = changes.new_effect(services, f"references/{novel.novel_id}")
    published = changes.publish(services, "novel", plan, effect)
    if published.outcome == "conflict":
        said = f"{BIBLIOGRAPHY!r} was changed meanwhile; nothing was added, try again"
        raise Refused("references-contended", said)
    return ImportedFile(keys, made.findings, published.commit or "")


def _present(services: Services, novel: Novel) -> SceneText:
    """The bibliography at the tip."""
    snapshot = services.workspaces("novel").snapshot(novel.workspace, (BIBLIOGRAPHY,))
    if BIBLIOGRAPHY in snapshot.unreadable:
        raise Refused("references-not-text", f"{BIBLIOGRAPHY!r} is not UTF-8 text; convert it first")
    file = snapshot.files.get(BIBLIOGRAPHY)
    if file is None:
        return SceneText(BIBLIOGRAPHY)
    return SceneText(BIBLIOGRAPHY, as_lf(file.text), file.blob, uses_crlf(file.text))


def read_file(file: Path, encoding: str = "") -> Decoded:
    """Return the text of a file, with the guess of its encoding.

    Raises:
        NotFound: ``no-such-file``.
        UsageMistake: ``references-not-text``, or as ``decoded``.
    """
    try:
        content = file.expanduser().read_bytes()
    except FileNotFoundError:
        hint = "name a file that is there: Markdown for an audit, or BibTeX, RIS or CSL-JSON"
        raise NotFound("no-such-file", f"there is no file {str(file)!r}", hint=hint) from None
    if (found := decoded(content, encoding)) is None:
        said = f"{str(file)!r} is not text in an encoding that can be guessed"
        hint = "name its encoding with `--encoding`, such as `--encoding cp437`"
        raise UsageMistake("references-not-text", said, hint=hint)
    return found
