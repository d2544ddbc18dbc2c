"""Rules of ignore files, against git itself."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penwright.domain.text.gitignore import IgnoreRule, RuleLine, UnreadableRule, decisive, lines_of, rule_of
from tests.support.each import for_each
from tests.support.sweeps import examples

PATHS = [
    "Soul.md",
    "soul.md",
    "Notes.txt",
    "#1.md",
    "!one.md",
    "a b.md",
    "a ",
    "a1.md",
    "[a].md",
    "*.md",
    "Lore/map.md",
    "Lore/Soul.md",
    "Lore/deep/map.md",
    "Lore/deep/er/map.md",
    "Global Material/Soul.md",
    "Global Material/Lore/map.md",
    "Global Material/Characters.md",
]


def rules_of(text: str) -> list[IgnoreRule]:
    return [rule_of(line) for line in lines_of(text)]


def ignored_by_us(text: str) -> list[str]:
    rules = rules_of(text)
    found = [(path, decisive(rules, path)) for path in PATHS]
    return [path for path, rule in found if rule is not None and not rule.gives_back]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with every path as a file."""
    top = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", top], check=True)
    for path in PATHS:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text("")
    return top


def ignored_by_git(tree: Path, text: str) -> list[str]:
    (tree / ".git/info/exclude").write_bytes(text.encode())
    plain = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", "-C", tree, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(PATHS).encode(),
        capture_output=True,
        env=plain,
    )
    return [path for path in done.stdout.decode().split("\0") if path]


FILES = [
    "Soul.md\n",
    "/Soul.md\n",
    "Lore\n",
    "Lore/\n",
    "/Lore/\n",
    "Soul.md/\n",
    "Global Material\n",
    "Global Material/\n",
    "Global Material/*\n",
    "Global Material/**\n",
    "Global Material/**\n!Global Material/Soul.md\n",
    "Global Material/\n!Global Material/Soul.md\n",
    "*\n!*/\n!Soul.md\n",
    "*.md\n!Soul.md\n",
    "!Soul.md\n*.md\n",
    "\ufeffSoul.md\n",
    "\ufeff# no rule\r\nSoul.md\r\nLore/\r\n",
    "# Soul.md\n\n  \n",
    r"\#1.md",
    r"\!one.md",
    "a b.md   \n",
    "a\\ \n",
    "a\\ b.md\n",
    "deep/\n",
    "Lore/deep\n",
    "**/deep/\n",
    "Lore/**/map.md\n",
    "**/map.md\n",
    "**\n",
    "**/\n",
    "**.md\n",
    "a**\n",
    "*/map.md\n",
    "/*\n!/Lore\n",
    "/*\n!/Lore/\n/Lore/*\n!/Lore/deep/\n",
    "[a]*.md\n",
    "[!a]*.md\n",
    "a[0-9].md\n",
    "a[[:digit:]].md\n",
    "[[:upper:]]oul.md\n",
    "[^[:upper:]]oul.md\n",
    r"\[a\].md",
    r"\*.md",
    "?oul.md\n",
    "Lore?map.md\n",
    "Lore[!x]map.md\n",
    "Lore\nSoul.md\n!Soul.md\n",
    "Soul.md",
]


@for_each("text", FILES)
def test_a_file_of_rules_ignores_what_git_ignores(tree: Path, text: str) -> None:
    assert ignored_by_us(text) == ignored_by_git(tree, text)


PARTS = ["**", "*", "Lore", "deep", "Soul.md", "*.md", "?oul.md", "[LS]*", "[!L]*", "map*", "Global Material"]
PATTERNS = st.builds(
    lambda back, top, parts, end: f"{back}{top}{'/'.join(parts)}{end}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=3),
    st.sampled_from(["", "", "/", " "]),
)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(patterns=st.lists(PATTERNS, min_size=1, max_size=5))
def test_any_rules_ignore_what_git_ignores(tree: Path, patterns: list[str]) -> None:
    text = "\n".join(patterns) + "\n"

    assert ignored_by_us(text) == ignored_by_git(tree, text)


SLIPS = [
    ("Soul.md # canon", "write `Soul.md`"),
    ('"Soul.md"', "write `Soul.md`"),
    ("'Global Material/'", "write `Global Material/`"),
    ("“Soul.md”", "write `Soul.md`"),
    ("{Soul,Lore}.md", "one line for each"),
    ("./Soul.md", "write `/Soul.md`"),
    ("../Soul.md", "write `/Soul.md`"),
    ("Lore//map.md", "write `/Lore/map.md`"),
    ("Lore/./map.md", "write `/Lore/map.md`"),
    ("Lore**/map.md", "write `*`"),
    ("  Soul.md", "write `Soul.md`"),
    ("Soul.md\t", "write the line again"),
    ("Soul.md\u00a0", "write `Soul.md`"),
    ("\u202eSoul.md", "write the line again"),
    ("a\ufeff.md", "write the line again"),
    ("[ab.md", r"write `\["),
    ("[z-a].md", "write the lower character first"),
    ("[[:word:]].md", "write the characters"),
    ("[a/b].md", "one line for each"),
    ("Soul.md\\", "write two of them"),
    (r"Global Material\Soul.md", "write `/`"),
    ("a%23b.md", "write `a#b.md`"),
    ("!", "name a file"),
    ("/", "name a file"),
    ("!/", "name a file"),
]


@for_each("written, instead", SLIPS)
def test_a_rule_that_would_silently_protect_nothing_is_unreadable(written: str, instead: str) -> None:
    with pytest.raises(UnreadableRule) as slip:
        rules_of(written)

    assert instead in slip.value.instead


@for_each(
    "written, path",
    [
        (r"Notes \#2.md", "Notes #2.md"),
        ("a#b.md", "a#b.md"),
        (r"\{a,b\}.md", "{a,b}.md"),
        (r"\"a\"", '"a"'),
        (r"50\%25.md", "50%25.md"),
        ("it's.md", "it's.md"),
        ("نیم\u200cفاصله.md", "نیم\u200cفاصله.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("Kapitel {1}.md", "Kapitel {1}.md"),
    ],
)
def test_unusual_names_can_be_written(written: str, path: str) -> None:
    assert decisive(rules_of(written), path) is not None


@given(st.text(max_size=30), st.text(min_size=1, max_size=20))
def test_any_text_is_a_rule_or_says_what_to_write(text: str, path: str) -> None:
    assert all(line_means_something(line, path) for line in lines_of(text))


def line_means_something(line: RuleLine, path: str) -> bool:
    try:
        decisive([rule_of(line)], path)
    except UnreadableRule as slip:
        return bool(slip.why and slip.instead)
    return True
