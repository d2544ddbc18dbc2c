"""The one glob language, as docs/globs.md specifies it."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.globs import Glob, Globs, matches
from tests.support.each import for_each

TABLE = [
    ("a.md", "a.md", True),
    ("a.md", "b/a.md", False),
    ("/a.md", "a.md", True),
    ("./a.md", "a.md", True),
    ("*.md", "a.md", True),
    ("*.md", "b/a.md", False),
    ("*", "a", True),
    ("*", "a/b", False),
    ("?.md", "é.md", True),
    ("a?b", "a/b", False),
    ("[ab].md", "a.md", True),
    ("[ab].md", "[ab].md", False),
    ("[!ab].md", "c.md", True),
    ("[!ab].md", "a.md", False),
    ("[a-c].md", "b.md", True),
    (r"\[ab].md", "[ab].md", True),
    (r"a\*b", "a*b", True),
    (r"a\*b", "axb", False),
    ("[ab", "[ab", True),
    ("[z-a]", "[z-a]", True),
    ("{a,b}.md", "{a,b}.md", True),
    ("{a,b}.md", "a.md", False),
    ("!a.md", "!a.md", True),
    ("**", "a/b.md", True),
    ("**.md", "a.md", True),
    ("**.md", "b/a.md", False),
    ("a**", "abc", True),
    ("a**", "a/b", False),
    ("a/**", "a/b/c", True),
    ("a/**", "a", False),
    ("a/", "a/b/c", True),
    ("a/", "a", False),
    ("a/", "ab/c", False),
    ("**/a.md", "a.md", True),
    ("**/a.md", "b/c/a.md", True),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/x/y/bb", False),
    ("**/a/**/b", "a/b/a/c/b", True),
    ("a/**/**/b", "a/b", True),
    ("a/a/b", "a/a/b", True),
    ("A.md", "a.md", False),
    ("Global Material/*.md", "Global Material/Soul.md", True),
    ("a//b", "a/b", False),
    ("", "a", False),
    ("a\\", "a\\", True),
    ("Lore[!2]*.md", "Lore/secret.md", False),
    ("a[+-9]b", "a/b", False),
    ("?[!a]b", "x/b", False),
    ("[!a]", "b", True),
    ("Notes ", "Notes", False),
    ("Notes ", "Notes ", True),
    (r"\**.md", "*x.md", True),
    (r"\**.md", "x.md", False),
    (r"[\]a].md", "].md", True),
    ("[]a].md", "].md", True),
    ("[!]a].md", "].md", False),
    ("[a[b].md", "[.md", True),
    ("[a&&b]", "&", True),
    ("[a-].md", "-.md", True),
    ("Act [[:digit:]].md", "Act 1.md", True),
    ("Act [[:digit:]].md", "Act x.md", False),
    ("[^[:upper:]]ct.md", "act.md", True),
    ("[^[:upper:]]ct.md", "Act.md", False),
    ("[[:space:]x]", " ", True),
    ("[[:space:]x]", "x", True),
    ("a[[:punct:]]b", "a/b", False),
    ("[[:word:]]", "w", False),
    ("[[:word:]]", "[[:word:]]", True),
]
NAMES = st.text(alphabet="ab.", min_size=1, max_size=4)
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)
PARTS = st.sampled_from(["**", "*", "a", "b", "?", "*a", "a*", "*a*b*", "[ab]", "[!a]", "a?", "b.*"])
PATTERNS = st.lists(PARTS, min_size=1, max_size=6).map("/".join)


@for_each("pattern, path, fits", TABLE)
def test_patterns_match_as_specified(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path) is fits


def fits_slowly(pattern: list[str], path: list[str]) -> bool:
    """Every way to read a pattern is tried."""
    if not pattern or not path:
        return not pattern and not path
    first, *rest = pattern
    if first != "**":
        return fnmatchcase(path[0], first) and fits_slowly(rest, path[1:])
    return not rest or any(fits_slowly(rest, path[at:]) for at in range(len(path)))


@given(PATTERNS, PATHS)
def test_a_pattern_fits_when_any_way_to_read_it_does(pattern: str, path: str) -> None:
    assert matches(pattern, path) is fits_slowly(pattern.split("/"), path.split("/"))


@given(st.lists(PATTERNS, max_size=4), PATHS)
def test_several_patterns_fit_when_one_of_them_does(patterns: list[str], path: str) -> None:
    globs = Globs.of(patterns)

    assert (path in globs) is any(matches(pattern, path) for pattern in patterns)
    assert globs.first(path) == next((each for each in patterns if matches(each, path)), None)


@given(PATTERNS, PATHS)
def test_no_folder_is_left_out_that_holds_a_match(pattern: str, path: str) -> None:
    folders = [path[:at] for at, sign in enumerate(path) if sign == "/"]

    if matches(pattern, path):
        assert all(Glob.of(pattern).may_hold(folder) for folder in folders)


@pytest.mark.parametrize(
    ("pattern", "folder", "holds"),
    [
        ("a/*.md", "a", True),
        ("a/*.md", "b", False),
        ("a/*.md", "a/b", False),
        ("a/", "a/b/c", True),
        ("a", "a", False),
    ],
)
def test_a_folder_that_cannot_hold_a_match_is_known(pattern: str, folder: str, holds: bool) -> None:
    assert Glob.of(pattern).may_hold(folder) is holds


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_a_pattern(pattern: str, path: str) -> None:
    assert isinstance(matches(pattern, path), bool)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 100, "a" * 250 + "b"),
        ("**/a/" * 80 + "b", "a/" * 120 + "c"),
        ("**/" * 60 + "*" * 200 + "x", "a/" * 60 + "y"),
    ],
)
def test_no_pattern_runs_away(pattern: str, path: str) -> None:
    assert not matches(pattern, path)
