"""Load a skill from a folder: a ``SKILL.md`` with YAML front matter, and the files that it refers to."""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable

from penwright.agents.definition.skills import MANIFEST, Skill, SkillFile
from penwright.errors import BrokenDefinition

_FENCE = "---"


def load_skill(package: str, folder: str) -> Skill:
    """The skill in ``folder`` of ``package``, its name and description from its ``SKILL.md``.

    Raises:
        BrokenDefinition: ``bad-skill``, if the folder is missing or its front matter cannot be read.
    """
    where = f"{package}:{folder}"
    root = resources.files(package).joinpath(folder)
    if not root.is_dir() or not root.joinpath(MANIFEST).is_file():
        raise _bad(where, f"has no {MANIFEST}; a skill is a folder with one")
    files = tuple(SkillFile(path=path, content=file.read_bytes()) for path, file in _files(root, ""))
    head = _head(where, root.joinpath(MANIFEST).read_text(encoding="utf-8"))
    return Skill(
        name=_field(where, head, "name"),
        description=_field(where, head, "description"),
        compatibility=_field(where, head, "compatibility") if "compatibility" in head else "",
        folder=where,
        files=files,
    )


def _files(root: Traversable, above: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(root.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files(entry, f"{above}{entry.name}/")
        else:
            yield f"{above}{entry.name}", entry


def _head(where: str, text: str) -> Mapping[str, object]:
    """The YAML between the first two fences."""
    from ruamel.yaml import YAML  # most agents have no skills, and should not pay for the import
    from ruamel.yaml.error import YAMLError

    lines = text.splitlines()
    if lines[:1] != [_FENCE] or _FENCE not in lines[1:]:
        raise _bad(
            where, f"has a {MANIFEST} without a head; begin it with `---`, name, description and `---`"
        )
    try:
        head = YAML(typ="safe").load("\n".join(lines[1 : lines.index(_FENCE, 1)]))
    except YAMLError as error:
        raise _bad(where, f"has a {MANIFEST} whose head is no YAML: {error}") from None
    if not isinstance(head, dict):
        raise _bad(where, f"has a {MANIFEST} whose head has no fields; give it name and description")
    return head


def _field(where: str, head: Mapping[str, object], name: str) -> str:
    value = head.get(name)
    if not isinstance(value, str):
        raise _bad(where, f"has a {MANIFEST} whose {name} is {value!r}; write it as text")
    return value.strip()


def _bad(where: str, what: str) -> BrokenDefinition:
    return BrokenDefinition("bad-skill", f"the skill {where!r} {what}", token=where)
