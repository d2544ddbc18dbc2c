"""Papers of one's own for tests, set as PDF."""

import tempfile
from pathlib import Path

from penwright.adapters.documents import PandocDocuments
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.library import OwnSources, SourceReader
from penwright.ports.library import PassageIndex
from penwright.ports.workspaces import Workspaces
from schemas.base import Effect, OpId
from schemas.workspace import Contributor, MutationPlan, Operation
from tests.support.manuscripts.novel_repo import NovelRepo

_HEAD = """\
#set page(width: 12cm, height: 14cm, header: [Journal of Tides #h(1fr) Marsh and Li],
  footer: context [Page #counter(page).display()])
#set text(lang: "en", hyphenate: true, size: 10pt)
#set par(justify: true)
#set document(title: "{title}", author: ({authors}))
"""


def own_sources(novels: Workspaces, index: PassageIndex) -> OwnSources:
    """The sources of novels, found by their words."""
    return OwnSources(novels, index, SourceReader(PandocDocuments()), NoEmbeddings().embed, "")


def publish_sources(repo: NovelRepo, *operations: Operation) -> None:
    """Change a novel's sources in one commit, twice: the second attempt finds the first."""
    plan = MutationPlan(
        workspace=repo.workspace,
        message="Change the sources",
        contributor=Contributor.HUMAN,
        operations=operations,
        tool="sources.edit",
    )
    repo.number += 1
    effect = Effect(op_id=OpId(f"sources/{repo.number}"), issued_at=repo.clock.now())
    published = repo.git.publish(plan, effect)
    assert published.outcome == "published", published
    assert repo.git.publish(plan, effect).repeated


def paper_pdf(
    body: str,
    *,
    title: str = "Tides and the sleep of divers",
    authors: tuple[str, ...] = ("Ann Marsh", "Bo Li"),
    doi: str = "",
) -> bytes:
    """A paper with running header and footer; ``body``: in the language of typst, headings with ``=``."""
    import typst

    people = "".join(f'"{each}",' for each in authors)
    front = f"#align(center)[*{title}*]\n\n" + (f"doi:{doi}\n\n" if doi else "")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "paper.typ")
        source.write_text(_HEAD.format(title=title, authors=people) + front + body, encoding="utf-8")
        return typst.compile(str(source))


TIDES = """\
= Introduction
Divers on the northern coast have long said that they sleep badly before a spring tide. The saying is
old, and until now nobody had counted nights. We kept the diaries of forty-one divers over two winters,
and compared each night with the height of the water in the harbour on the following morning.

The question matters beyond the harbour, because tired divers make mistakes at depth. Of the accidents
that the coast guard wrote down in twenty years, a third fell into the three days around a spring tide,
although such days are only a fifth of the year. Well-being ashore was not asked about in those reports,
and neither was sleep.

= Methods
Every diver wrote down when the lamp went out and when the day began. A wristband measured movement, so
that a diary that was filled in at breakfast could be checked against the night itself. Nights after
alcohol were left out, and so were nights on board, where the watch decides who sleeps. Interobserver
agreement was counted by two readers who did not know the tide table. Missing evenings were not replaced
by an average.

= Results
Before spring tides the divers slept 47 minutes less than before neap tides, and woke twice as often.
The difference was the same in both winters. It did not depend on age, and it was greatest in those who
had dived for more than ten years. Wristbands and diaries agreed in nine nights of ten.

#pagebreak()
= Discussion
The moon itself is an unlikely cause, for the loss of sleep followed the water and not the light: under
clouds it was as large as under a clear sky. Expectation is likelier. Whoever knows that the current
will be strong in the morning lies awake, and the most experienced know it best. A study in which the
tide table is kept from the divers would tell, but no harbour master would allow it.

= References
Abel, J. K. (2001). The tide at night. _Journal of Moons_, 3(2), 11–19.

Brown, K. L. (2003). Sleep under stars and the lamprey's migration. _Journal of Moons_, 5(1), 21–39.

Crewe, M. (2010). Night watches. _Harbour Studies_, 9(4), 101–120.
"""
