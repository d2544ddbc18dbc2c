"""``sources/sources.bib``: which work each file of ``sources/`` is, for people to read and correct."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from penwright.domain.citations import identifiers
from penwright.domain.citations.bibtex_pieces import Piece, joined, pieces_of
from penwright.domain.citations.building import entry_of
from penwright.domain.citations.claims import reference_of
from penwright.domain.citations.entries import Entry, bibliography, read_entries
from penwright.domain.citations.keys import key_for, key_with_suffix
from penwright.domain.citations.works import same_work
from penwright.domain.library.names import is_source
from schemas.library import IndexedText, OwnSource, SaidWork, Unsure
from schemas.scholarly import Reference, ScholarlyRecord

FILE = "file"
"""Field of an entry that names its file, as reference managers write it; several with semicolons between."""
_BETWEEN = ";"
UNSURE = "unsure"
"""Field of an entry that says what in it was guessed from the file, and how."""
_GUESSED = ("doi", "title", "authors", "year")
_FIELDS = {"doi": "doi", "title": "title", "authors": "author", "year": "year"}
_PLAIN = str.maketrans({"{": "(", "}": ")", "\\": "/", "|": "/"})


@dataclass(frozen=True, slots=True)
class Shelf:
    """``sources.bib`` in pieces; those that are no entry, or cannot be read, stay as they stand."""

    pieces: tuple[Piece, ...] = ()

    @classmethod
    def read(cls, bibtex: str) -> "Shelf":
        """Read the file."""
        return cls(pieces_of(bibtex))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries that can be read, in their order."""
        return read_entries(self.text).entries

    @property
    def text(self) -> str:
        """The file's text; empty without pieces."""
        return joined(self.pieces)

    def entry(self, name: str) -> Entry | None:
        """The entry of a file; None if it has none."""
        return next((each for each in self.entries if _names(each, name)), None)

    def with_entry(self, entry: Entry, name: str) -> "Shelf":
        """The shelf with this entry for a file, in place of the file's own or at the end.

        An entry of the same work names the file beside its others; where one of another work has the key,
        another key is made.
        """
        others = self.without([name])
        twin = next((each for each in others.entries if each.key == entry.key), None)
        if twin is not None and same_work(reference_of(twin), reference_of(entry)):
            return others._renewed(twin.key, _with_files(twin, [*files_of(twin), name]))
        taken = {each.key for each in others.entries}
        keys = (entry.key, *(key_with_suffix(entry.key, number) for number in range(1, len(taken) + 1)))
        made = replace(_with_files(entry, [name]), key=next(key for key in keys if key not in taken))
        old = self.entry(name)
        at = next((at for at, each in enumerate(self.pieces) if old and each.key == old.key), None)
        if at is None or len(others.pieces) == len(self.pieces):
            at = len(others.pieces)
        return Shelf((*others.pieces[:at], Piece(bibliography([made]), made.key), *others.pieces[at:]))

    def without(self, names: Collection[str]) -> "Shelf":
        """The shelf without these files; an entry stays while it has another file."""
        shelf = self
        for entry in self.entries:
            kept = [file for file in files_of(entry) if not any(_is_file(file, name) for name in names)]
            if len(kept) < len(files_of(entry)):
                shelf = shelf._renewed(entry.key, _with_files(entry, kept) if kept else None)
        return shelf

    def _renewed(self, key: str, entry: Entry | None) -> "Shelf":
        """The shelf with another entry in the place of one; without it if there is no other."""
        made = () if entry is None else (Piece(bibliography([entry]), key),)
        pieces = (made if each.key == key else (each,) for each in self.pieces)
        return Shelf(tuple(piece for some in pieces for piece in some))

    def keys(self) -> frozenset[str]:
        """The keys of all entries."""
        return frozenset(each.key for each in self.entries)


def entry_for(work: SaidWork, taken: Collection[str]) -> Entry:
    """Return an entry for a work, with a key that is not in ``taken``; it says what was guessed."""
    entry = entry_of(record_for(work), _key_for(work, taken))
    return replace(entry, fields=(*entry.fields, *_unsure_field(work.unsure)))


def corrected(entry: Entry, work: Reference, taken: Collection[str]) -> Entry:
    """Return an entry with what a person says of its work; what is empty in ``work`` stays as it is.

    A key that was made of what it said before, or that another work has, is made anew.
    """
    old = reference_of(entry)
    given = {name: getattr(work, name) for name in Reference.model_fields if getattr(work, name)}
    new = old.model_copy(update=given)
    said = dict(entry_of(record_for(new), "x").fields)
    fields = {name: value for name, value in entry.fields if name != UNSURE}
    fields |= {name: said[name] for name in map(_FIELDS.__getitem__, given) if name in said}
    is_made = entry.key == _key_for(work_in(entry), taken) or entry.key in taken
    left = tuple(each for each in unsure_of(entry) if each.field not in given)
    key = _key_for(SaidWork(**new.model_dump(), unsure=left), taken) if is_made else entry.key
    return replace(entry, key=key, fields=(*fields.items(), *_unsure_field(left)))


def _key_for(work: SaidWork, taken: Collection[str]) -> str:
    """A key, which a guess of the year has no part in: one that stands in a text never changes."""
    is_guess = any(each.field == "year" for each in work.unsure)
    return key_for(work.model_copy(update={"year": None}) if is_guess else work, taken)


def unsure_of(entry: Entry) -> tuple[Unsure, ...]:
    """Return what an entry says was guessed."""
    parts = (each.partition(":") for each in entry.field(UNSURE).split(" | "))
    return tuple(
        Unsure.model_validate({"field": name.strip(), "why": why.strip()})
        for name, _, why in parts
        if name.strip() in _GUESSED
    )


def work_in(entry: Entry) -> SaidWork:
    """Return the work that an entry names, with what in it was guessed."""
    return SaidWork(**reference_of(entry).model_dump(), unsure=unsure_of(entry))


def _unsure_field(unsure: Sequence[Unsure]) -> tuple[tuple[str, str], ...]:
    said = " | ".join(f"{each.field}: {each.why.translate(_PLAIN)}" for each in unsure)
    return ((UNSURE, said),) if said else ()


def record_for(work: Reference) -> ScholarlyRecord:
    """Return a work as the record of one's own sources."""
    said: Mapping[str, object] = {name: getattr(work, name) for name in Reference.model_fields}
    unsure = tuple(each.field for each in work.unsure) if isinstance(work, SaidWork) else ()
    return ScholarlyRecord.model_validate({**said, "source": "library", "unsure": unsure})


def own_sources(
    blobs: Mapping[str, str], shelf: Shelf, records: Mapping[str, ScholarlyRecord]
) -> Iterator[OwnSource]:
    """Yield the sources by name.

    Args:
        blobs: git blob id of each file in ``sources/``, by its name.
        records: what the entries of the shelf say, by key.
    """
    for name in sorted(blobs, key=str.casefold):
        if is_source(f"sources/{name}"):
            entry = shelf.entry(name)
            record = records.get(entry.key) if entry else None
            if entry and record is not None and (unsure := unsure_of(entry)):
                record = record.model_copy(update={"unsure": tuple(each.field for each in unsure)})
            yield OwnSource(name=name, blob=blobs[name], key=entry.key if entry else "", record=record)


def record_in(source: OwnSource, text: IndexedText | None) -> ScholarlyRecord | None:
    """Return the work that a source is: as ``sources.bib`` says, or else its file; None if neither does."""
    if source.record is not None or text is None or not text.work.title:
        return source.record
    return record_for(text.work)


def title_of(name: str) -> str:
    """Return the title that a file's name gives where nothing else says one."""
    return name.rpartition(".")[0].replace("_", " ").replace("-", " ").strip() or name


def tells_itself(work: Reference) -> bool:
    """Whether so much is known of a work that another file can be told to be the same."""
    return bool(identifiers.of_reference(work) or (work.title and work.people))


def files_of(entry: Entry) -> tuple[str, ...]:
    """The files that an entry names, each as it is written there."""
    return tuple(each.strip() for each in entry.field(FILE).split(_BETWEEN) if each.strip())


def _with_files(entry: Entry, files: Sequence[str]) -> Entry:
    fields = tuple(pair for pair in entry.fields if pair[0] != FILE)
    return replace(entry, fields=(*fields, (FILE, _BETWEEN.join(files))))


def _names(entry: Entry, name: str) -> bool:
    return any(_is_file(file, name) for file in files_of(entry))


def _is_file(said: str, name: str) -> bool:
    """Whether a field names the file; reference managers write a path, or name:path:type."""
    return said == name or said.endswith((f"/{name}", f":{name}")) or f"/{name}:" in said
