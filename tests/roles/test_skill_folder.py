"""Skills are read from folders beside their role."""

from collections.abc import Callable
from pathlib import Path

import pytest

from penwright.errors import BrokenDefinition
from penwright.roles.skill_folder import load_skill

HEAD = "---\nname: pruning\ndescription: >\n  How to\n  prune.\n---\n\nCut above the bud.\n"

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a skill's files into a package of its own, and answers with the package's name."""
    package = f"skills_of_{tmp_path.name}"
    monkeypatch.syspath_prepend(tmp_path)

    def write(**files: str) -> str:
        for name, text in {
            "__init__.py": "",
            **{f"pruning/{path}": text for path, text in files.items()},
        }.items():
            path = tmp_path / package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return package

    return write


def test_a_skill_is_its_folder_with_name_and_description_from_its_head(write: Write) -> None:
    package = write(**{"SKILL.md": HEAD, "tools/saw.md": "Sharp."})

    skill = load_skill(package, "pruning")

    assert (skill.name, skill.description) == ("pruning", "How to prune.")
    assert {file.path: file.content for file in skill.files} == {
        "SKILL.md": HEAD.encode(),
        "tools/saw.md": b"Sharp.",
    }


def test_a_skills_digest_is_that_of_its_files(write: Write) -> None:
    first = load_skill(write(**{"SKILL.md": HEAD}), "pruning")
    second = load_skill(write(**{"SKILL.md": HEAD, "saw.md": "Sharp."}), "pruning")
    reordered = second.model_copy(update={"files": second.files[::-1]})

    assert first.digest != second.digest == reordered.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Cut above the bud.", "without a head"),
        ("---\nname: pruning\n", "without a head"),
        ("---\nname: [\n---\n", "no YAML"),
        ("---\n---\n", "no fields"),
        ("---\nname: 3\ndescription: x\n---\n", "name is 3"),
        ("---\nname: pruning\n---\n", "description is None"),
    ],
)
def test_a_skill_with_an_unreadable_head_is_named(write: Write, text: str, said: str) -> None:
    package = write(**{"SKILL.md": text})

    with pytest.raises(BrokenDefinition, match=f"{package}:pruning.*{said}"):
        load_skill(package, "pruning")


def test_a_folder_without_a_manifest_is_not_a_skill(write: Write) -> None:
    package = write(**{"README.md": "Read me."})

    with pytest.raises(BrokenDefinition, match=r"has no SKILL\.md"):
        load_skill(package, "pruning")
    with pytest.raises(BrokenDefinition, match=r"has no SKILL\.md"):
        load_skill(package, "weeding")
