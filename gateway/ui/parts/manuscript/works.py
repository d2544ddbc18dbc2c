"""A scholarly work as people read it: title, authors, where and when, and where it can be found."""

from gateway.ui.elements.html import box, outward, text
from gateway.ui.elements.states import state
from penwright.domain.citations.building import doi_address
from penwright.domain.citations.support.telling import support_told
from schemas.citations import FoundWork


def work(found: FoundWork, *, passage: bool = True) -> None:
    """A work in two lines, with a link to it that resolves; ``passage``: offer how its abstract begins."""
    with box(classes="work"):
        text("p", found.title or "(without a title)", classes="what")
        with box("p", classes="soft"):
            told = (_authors(found), found.container, str(found.year or ""))
            text("span", ", ".join(each for each in told if each))
            if found.doi:
                text("span", ", ")
                outward(f"doi:{found.doi}", doi_address(found.doi))
            elif found.url:
                text("span", ", ")
                outward("its page", found.url)
        if found.retracted:
            state("retracted")
        if found.compared is not None:
            text("p", support_told(found.compared.support, found.compared.share), classes="soft")
        if passage and found.passage:
            with box("details"):
                text("summary", "How its abstract begins")
                text("blockquote", found.passage, classes="prose")


def _authors(found: FoundWork) -> str:
    names = [each.family for each in found.authors]
    return f"{names[0]} and others" if len(names) > 2 else " and ".join(names)
