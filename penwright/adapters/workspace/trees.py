"""Whole trees: matching globs, comparing, changing, merging."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from penwright.adapters.workspace.contents import merge_contents
from penwright.adapters.workspace.git.entries import FOLDER, TEXT, Entry
from penwright.adapters.workspace.git.objects import Objects
from penwright.domain.text.globs import Globs
from schemas.workspace import Conflict

Change = tuple[Entry | None, Entry | None]
"""A path's entry before and after."""


def entry_at(objects: Objects, tree: str, path: str) -> Entry | None:
    """Entry of a file or folder; None if there is none."""
    entry: Entry | None = Entry(FOLDER, tree)
    for part in path.split("/"):
        if entry is None or entry.mode != FOLDER:
            return None
        entry = objects.tree(entry.sha).get(part)
    return entry


def matching(objects: Objects, tree: str, globs: Globs, prefix: str = "") -> Iterator[tuple[str, Entry]]:
    """Files that match a glob; folders that cannot contain one are not read."""
    for name, entry in objects.tree(tree).items():
        path = prefix + name
        if entry.mode != FOLDER:
            if path in globs:
                yield path, entry
        elif globs.may_hold(path):
            yield from matching(objects, entry.sha, globs, path + "/")


def text_files(objects: Objects, tree: str, prefix: str = "") -> dict[str, str]:
    """Blob id of every plain file, by path."""
    found: dict[str, str] = {}
    for name, (mode, sha) in objects.tree(tree).items():
        if mode in TEXT:
            found[prefix + name] = sha
        elif mode == FOLDER:
            found |= text_files(objects, sha, f"{prefix}{name}/")
    return found


def difference(
    objects: Objects, before: str | None, after: str | None, prefix: str = ""
) -> dict[str, Change]:
    """Files that differ, by path; equal folders are not read."""
    if before == after:
        return {}
    old = objects.tree(before) if before else {}
    new = objects.tree(after) if after else {}
    changes: dict[str, Change] = {}
    for name in old.keys() | new.keys():
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        old_folder = was.sha if was and was.mode == FOLDER else None
        new_folder = now.sha if now and now.mode == FOLDER else None
        if old_folder or new_folder:
            changes |= difference(objects, old_folder, new_folder, f"{prefix}{name}/")
        files = (None if old_folder else was, None if new_folder else now)
        if files != (None, None):
            changes[prefix + name] = files
    return changes


def changed(objects: Objects, tree: str | None, entries: Mapping[str, Entry | None]) -> str:
    """Write the tree (None: an empty one) with ``entries`` put in or, where None, taken out."""
    if tree is not None and not entries:
        return tree
    return _changed(objects, tree, entries) or objects.write_tree({})


def _changed(objects: Objects, tree: str | None, entries: Mapping[str, Entry | None]) -> str | None:
    """The same for a folder that may be new; None when nothing is left of it."""
    names = dict(objects.tree(tree)) if tree else {}
    inner: dict[str, dict[str, Entry | None]] = {}
    for path, entry in entries.items():
        name, _, rest = path.partition("/")
        if rest:
            inner.setdefault(name, {})[rest] = entry
        elif entry is not None:
            names[name] = entry
        elif name in names and names[name].mode != FOLDER:
            del names[name]
    for name, rows in inner.items():
        held = names.get(name)
        if held is not None and held.mode != FOLDER and not any(rows.values()):
            continue
        folder = _changed(objects, held.sha if held and held.mode == FOLDER else None, rows)
        if folder is not None:
            names[name] = Entry(FOLDER, folder)
        else:
            names.pop(name, None)
    return objects.write_tree(names) if names else None


@dataclass(frozen=True, slots=True)
class MergedTrees:
    """Changes to our tree that merge theirs into it."""

    entries: Mapping[str, Entry | None]
    conflicts: tuple[Conflict, ...]


def merge_trees(
    objects: Objects, base: str | None, ours: str, theirs: str, *, theirs_win: Collection[str] = ()
) -> MergedTrees:
    """Three-way merge of whole trees; of conflicting blocks both are kept.

    ``theirs_win``: paths of which their version is taken, if there is one, when both sides changed them.
    """
    our_changes = difference(objects, base, ours)
    entries: dict[str, Entry | None] = {}
    conflicts: list[Conflict] = []
    for path, (old, new) in sorted(difference(objects, base, theirs).items()):
        if path not in our_changes or (path in theirs_win and new is not None):
            entries[path] = new
        elif our_changes[path][1] != new:
            entries[path], conflict = _merge_entry(objects, path, old, our_changes[path][1], new)
            conflicts += conflict
    return MergedTrees(_without_clashing_names(objects, ours, entries), tuple(conflicts))


def _merge_entry(
    objects: Objects, path: str, base: Entry | None, ours: Entry | None, theirs: Entry | None
) -> tuple[Entry | None, list[Conflict]]:
    """Merge a path that both sides changed; a changed file wins over its deletion."""
    if ours is None or theirs is None or not (ours.is_text_file and theirs.is_text_file):
        kept = theirs or ours
        return kept, [Conflict(path=path, base="", ours="(removed)" if ours is None else "", theirs="")]
    was = base if base and base.is_text_file else None
    mode = theirs.mode if was is None or theirs.mode != was.mode else ours.mode
    if ours.sha == theirs.sha:
        return Entry(mode, ours.sha), []
    old = objects.blob(was.sha) if was else b""
    merged = merge_contents(path, old, objects.blob(ours.sha), objects.blob(theirs.sha))
    return Entry(mode, objects.write_blob(merged.content)), list(merged.conflicts)


def _without_clashing_names(
    objects: Objects, ours: str, entries: Mapping[str, Entry | None]
) -> dict[str, Entry | None]:
    """Rename files that clash with a folder of the other side."""
    result = dict(entries)
    for path, entry in entries.items():
        if entry is None:
            continue
        parts = path.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            held = entry_at(objects, ours, parent)
            if held is not None and held.mode != FOLDER and result.get(parent, held) is not None:
                result[parent] = None
                result[f"{parent}.ours"] = held
        blocked = entry_at(objects, ours, path)
        if blocked is not None and blocked.mode == FOLDER:
            emptied = difference(objects, blocked.sha, None)
            if not all(f"{path}/{inner}" in result for inner in emptied):
                result[f"{path}.theirs"] = entry
                del result[path]
    return result
