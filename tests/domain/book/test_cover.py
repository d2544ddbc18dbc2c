"""The cover: from Config.yml; an older book has it in its README."""

import pytest

from penwright.domain.book.files.cover import Cover, read_cover
from penwright.errors import BrokenBook

README = "# Low Tide\n\n*by M. Orr*\n\n- **Status:** Not begun\n"


@pytest.mark.parametrize(
    ("config", "cover"),
    [
        ("language: German\n", Cover("Low Tide", "M. Orr", "German")),
        ('title: "High Tide"\nauthor: A. Low\n', Cover("High Tide", "A. Low")),
        ("title: 1984\ncontents: false\n", Cover("1984", "M. Orr", contents=False)),
        ("title:\nauthor:\n", Cover("Low Tide", "M. Orr")),
    ],
)
def test_config_comes_first_and_the_readme_second(config: str, cover: Cover) -> None:
    assert read_cover(config, README, untitled="tide") == cover


def test_without_both_the_title_is_the_given_one() -> None:
    assert read_cover("", "", untitled="tide") == Cover("tide")


def test_a_broken_config_is_named() -> None:
    with pytest.raises(BrokenBook) as broken:
        read_cover("title: 'x\n", "", untitled="tide")

    assert broken.value.code == "config-broken-yaml"
