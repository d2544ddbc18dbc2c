"""The list of what must never stand in a book, as its author writes it."""

from penwright.domain.book.craft import never_list
from penwright.domain.book.files.layout import CRAFT
from penwright.domain.intents.registry import FIRST, read_registry
from penwright.domain.intents.scope import Scope


def test_the_list_is_the_items_of_its_section_in_their_order_and_each_once() -> None:
    text = (
        "# Craft\n\n- Show.\n\n## Never\n\n<!-- - no item -->\n- a testament to\n* “Little did”\n"
        "1. *suddenly*\n- a testament to\nProse is no item.\n- [a phrase]\n-\n\n### Of people\n\n- orbs\n\n"
        "## Later\n\n- not this\n"
    )

    assert never_list(text) == ("a testament to", "Little did", "suddenly", "orbs")


def test_the_section_is_found_by_how_its_heading_begins() -> None:
    assert never_list("# Handwerk\r\n\r\n# NIEMALS:\r\n\r\n- eine Mischung aus\r\n") == ("eine Mischung aus",)
    assert never_list("## Never, ever write\n\n- suddenly\n- .*\n") == ("suddenly",)
    assert never_list("## Nevertheless\n\n- suddenly\n") == ()
    assert never_list("## 绝不\n\n- 倒吸一口凉气\n") == ("倒吸一口凉气",)


def test_no_agent_may_write_the_rules_under_the_intents_of_a_new_book() -> None:
    intents = read_registry(FIRST.encode()).intents

    assert not any(Scope.of(intent.owned_scope).may_own(CRAFT) for intent in intents)


def test_without_the_section_the_list_is_empty() -> None:
    assert never_list("") == never_list("# Craft\n\n- Never say never.\n") == ()
