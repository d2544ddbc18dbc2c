"""A time line of versions, any two of which are compared: rows, the choice of two, and what lies between."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.moments import moment
from gateway.ui.parts.comparison import Compared, comparison


@dataclass(frozen=True, slots=True)
class Version:
    """One row."""

    commit: str
    at: datetime
    title: str
    author: str
    tags: tuple[str, ...] = ()
    """Restore points."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Versions on a page whose address says which two are compared."""

    address: Callable[..., str]
    """Takes ``**query``; the address of the page."""
    before: str
    """The commit that was chosen first; empty: none."""
    after: str
    now: datetime
    rest: str
    """Command that shows what a comparison leaves out."""

    def draw(
        self,
        versions: Sequence[Version],
        compared: Compared | None,
        acts: Callable[[int], object],
        head: Callable[[], object] = lambda: None,
    ) -> None:
        """Draw the comparison or the choice, then the rows, newest first.

        Args:
            acts: draws the buttons of a row, by its place in ``versions``.
            head: draws what stands between the comparison and the rows.
        """
        if compared is not None:
            self._comparison(versions, compared)
        elif self.before:
            with box("p", classes="note"):
                text("span", f"Choose what to compare {self.before[:8]} with. ")
                link("Leave it", self.address())
        head()
        with box("ol", classes="timeline"):
            for number, each in enumerate(versions):
                older = versions[number + 1] if number + 1 < len(versions) else None
                with box("li"):
                    moment(each.at, self.now)
                    with box():
                        _told(each)
                        with box(classes="row-of"):
                            self._comparing(each, older)
                            acts(number)

    def _comparing(self, each: Version, older: Version | None) -> None:
        """Links to what a commit changed, and to the choice of any two."""
        chosen = "" if self.after else self.before
        if chosen and chosen != each.commit:
            self._to("compare with this", each, chosen, each.commit)
        elif not chosen:
            if older:
                self._to("what it changed", each, older.commit, each.commit)
            self._to("compare …", each, each.commit, "")

    def _to(self, shown: str, each: Version, before: str, after: str) -> None:
        place = link(shown, self.address(**{"from": before, "to": after}))
        attribute(place, "aria-label", f"{shown}: {each.title}, {each.commit[:8]}")

    def _comparison(self, versions: Sequence[Version], found: Compared) -> None:
        titles = {each.commit: each for each in versions}
        with box("section", classes="card", label="Comparison") as place:
            attribute(place, "id", "comparison")
            text("h2", "What changed")
            for said, commit in (("from", self.before), ("to", self.after)):
                with box("p", classes="soft"):
                    text("span", f"{said} ")
                    text("code", commit[:8])
                    if commit in titles:
                        text("span", f" {titles[commit].title}, by {titles[commit].author}, ")
                        moment(titles[commit].at, self.now)
            comparison(found, self.rest)
            link("Close", self.address())


def _told(each: Version) -> None:
    text("p", each.title, classes="what")
    with box("p", classes="soft"):
        text("span", f"{each.author}, ")
        text("code", each.commit[:8])
        for tag in each.tags:
            text("span", f", restore point {tag}")
