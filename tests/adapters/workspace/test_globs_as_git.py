"""The one glob language against git itself."""

import subprocess
from itertools import product
from pathlib import Path

import pytest

from penwright.domain.text.globs import Globs
from tests.support.books.repos import git
from tests.support.each import for_each

NAMES = ("a", "b", "ab", "a b", "a ", "-", "]", "[", "!", "^", "*a", "a*", "?", "&", "1", "z", "ba")
SIGNS = ("a", "*", "?", "[ab]", "[!a]", "[+-9]", "[]a]", "[!]a]", r"[\]a]", r"\*", "**", " ", "[a&&b]", r"\[")
CLASSES = ("[[:alpha:]]", "[[:digit:]z]", "[![:space:]]", "[[:punct:]]", "[^[:alnum:]]")
# No folder is called so: for git, a pattern that fits a folder stands for all that is in it.
END = ".md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with many odd names, at the top and in folders."""
    top = tmp_path_factory.mktemp("globs")
    git(top, "init", "-q")
    for first, second in product(NAMES, NAMES):
        for path in (f"{first}{second}{END}", f"{first}/{second}{END}"):
            (top / path).parent.mkdir(exist_ok=True)
            (top / path).write_text("Text.")
    git(top, "add", ".")
    return top


def found_by_git(folder: Path, pattern: str) -> set[str]:
    command = ("git", "ls-files", "-z", "--", f":(glob){pattern}")
    listed = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    return set(listed.decode().split("\0")) - {""}


@for_each("first", [*SIGNS, *CLASSES])
def test_patterns_fit_the_paths_that_git_lists(folder: Path, first: str) -> None:
    paths = found_by_git(folder, f"**/*{END}")

    for second in SIGNS:
        pattern = f"{first}{second}{END}"
        globs = Globs.of([pattern])
        assert {path for path in paths if path in globs} == found_by_git(folder, pattern), pattern
