"""Languages: what authors write, and what documents need."""

from penwright.domain.text.languages import language_tag
from tests.support.each import for_each


@for_each(
    "written, tag",
    [
        ("English", "en"),
        ("english", "en"),
        ("British English", "en-GB"),
        ("English (US)", "en-US"),
        ("Irish English", "en-IE"),
        ("Irish", "ga"),
        ("Deutsch", "de"),
        ("Brazilian Portuguese", "pt-BR"),
        ("Français", "fr"),
        ("日本語", "ja"),
        ("en-GB", "en-GB"),
        ("pt_BR", "pt-BR"),
        ("de", "de"),
        ("Klingon", ""),
        ("", ""),
    ],
)
def test_a_language_has_a_tag(written: str, tag: str) -> None:
    assert language_tag(written) == tag
