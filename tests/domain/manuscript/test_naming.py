"""A scene's name comes out of a shell as it went into the command."""

import shlex

from penwright.domain.manuscript.naming import options_of, words_of
from tests.support.each import for_each


@for_each("scene", ["one", "Part One", "O'Neill & sons (2)", "é", "a+b,c.d_e-f", "'"])
def test_a_shell_reads_the_scene_back(scene: str) -> None:
    assert shlex.split(words_of("ebb", scene)) == ["ebb", scene]
    assert shlex.split(options_of("ebb", scene)) == ["ebb", "--scene", scene]


def test_the_manuscript_of_the_whole_novel_needs_no_scene() -> None:
    assert (words_of("ebb", "-"), options_of("ebb", "-")) == ("ebb", "ebb")
