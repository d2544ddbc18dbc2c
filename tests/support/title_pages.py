"""First pages of papers in the layouts of journals, conferences and publishers, set with typst."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

TITLE = "Tides and the sleep of divers on a northern coast"
BODY = """
Divers on the northern coast have long said that they sleep badly before a spring tide. The saying is old,
and until 2003 nobody had counted nights, although Orr (1998) and Crewe (2010, pp. 11–19) came near. We kept
the diaries of forty-one divers over two winters, and compared each night with the height of the water.
"""
_BASIC = (
    '#set page(width: 17cm, height: 22cm, margin: 1.6cm)\n#set text(size: 10pt, lang: "en")\n'
    "#set super(typographic: false)\n"
)
_TWO = ("Ann Marsh", "Bo Li")
_THREE = ("Ann Marsh", "Bo Li", "Carla Orr")


@dataclass(frozen=True, slots=True)
class Page:
    """A first page, and what a reader takes from it."""

    typst: str
    authors: tuple[str, ...] = _TWO
    year: int | None = 2014
    doi: str = ""
    arxiv: str = ""
    title: str = TITLE
    described: str = ""
    """Settings of the file's own description."""


def typeset(page: Page) -> bytes:
    """The page as PDF; its file says that it was made in 2019."""
    import typst

    with TemporaryDirectory() as folder:
        made = "date: datetime(year: 2019, month: 5, day: 3)"
        source = Path(folder, "page.typ")
        text = page.typst.replace("TITLE", TITLE).replace("BODY", BODY)
        described = f"#set document({', '.join(filter(None, (made, page.described)))})\n"
        source.write_text(described + _BASIC + text, encoding="utf-8")
        return typst.compile(str(source))


_NAMED = f'title: "{TITLE}", author: ("Ann Marsh", "Bo Li")'
LAYOUTS: Mapping[str, Page] = {
    "arxiv": Page(
        """#place(left + horizon, dx: -1.3cm, rotate(-90deg, reflow: true)[#text(16pt)[arXiv:1405.1234v2
\\[q-bio.PE\\] 3 May 2014]])
#align(center)[#text(17pt)[TITLE]

Ann Marsh#super[1] and Bo Li#super[2]

#super[1]University of Dunmore]

*Abstract*

BODY""",
        arxiv="1405.1234",
    ),
    "latex": Page(
        """#align(center)[#text(17pt)[TITLE]

#text(12pt)[Ann Marsh #h(2em) Bo Li]

March 2014]

*Abstract* BODY""",
    ),
    "described": Page(
        """#align(center)[#text(17pt)[TITLE]

Ann Marsh and Bo Li]

BODY""",
        year=2019,
        described=_NAMED,
    ),
    "ieee": Page(
        """#align(center)[#text(24pt)[TITLE]]
#grid(columns: (1fr, 1fr, 1fr), align: center, [Ann Marsh\\ _Dept. of Tides_\\ _University of Dunmore_\\
ann\\@dunmore.edu],[Bo Li\\ _Harbour Institute_\\ Sheel\\ bo\\@harbour.org],[Carla Orr\\ _Harbour Institute_\\
Sheel\\ carla\\@harbour.org])
#columns(2)[*_Abstract_—*BODY

= I. INTRODUCTION
BODY BODY]
#place(bottom)[978-1-4799-1234-5/14/\\$31.00 ©2014 IEEE]""",
        authors=_THREE,
    ),
    "elsevier": Page(
        """#align(center)[Journal of Tides 512 (2014) 45–67

Contents lists available at ScienceDirect

#text(16pt)[Journal of Tides]

journal homepage: www.elsevier.com/locate/tides]
#text(15pt)[TITLE]

Ann Marsh#super[a,\\*], Bo Li#super[b]

#super[a] Department of Tides, University of Dunmore, Dunmore

#text(8pt)[Article history:\\ Received 3 May 2012\\ Accepted 2 January 2014\\ Available online 12 January
2014]

BODY

© 2014 Elsevier Ltd. All rights reserved.

#place(bottom)[http://dx.doi.org/10.1016/j.tides.2014.01.003\\ 0022-1694/© 2014 Elsevier Ltd.]""",
        doi="10.1016/j.tides.2014.01.003",
    ),
    "plos": Page(
        """RESEARCH ARTICLE

#text(20pt)[TITLE]

*Ann Marsh#super[1]\\*, Bo Li#super[1,2], Carla Orr#super[2]*

#super[1] Department of Tides, Dunmore

#text(8pt)[*Citation:* Marsh A, Li B, Orr C (2014) Tides and the sleep of divers. PLoS ONE 9(3): e12345.
https://doi.org/10.1371/journal.pone.0012345

*Received:* May 3, 2012

*Accepted:* January 2, 2014

*Published:* March 12, 2014

*Copyright:* © 2014 Marsh et al.]

*Abstract*

BODY""",
        authors=_THREE,
        doi="10.1371/journal.pone.0012345",
    ),
    "acm": Page(
        """#align(center)[#text(18pt, weight: "bold")[TITLE]

#grid(columns: (1fr, 1fr), [Ann Marsh\\ University of Dunmore\\ ann\\@dunmore.edu], [Bo Li\\ Harbour
Institute\\ bo\\@harbour.org])]
#columns(2)[*ABSTRACT*

BODY

#text(7pt)[Permission to make digital copies is granted. _TIDES'14_, June 3–5, 2014, Dunmore. Copyright
2014 ACM 978-1-4503-1234-5/14/06 ...\\$15.00. http://dx.doi.org/10.1145/2600000.2600001]

BODY]""",
        doi="10.1145/2600000.2600001",
    ),
    "springer": Page(
        """#text(8pt)[Tides (2014) 12:345–367\\ DOI 10.1007/s00000-014-0001-2]

#text(14pt, weight: "bold")[TITLE]

*Ann Marsh · Bo Li*

#text(8pt)[Received: 3 May 2012 / Accepted: 2 January 2014 / Published online: 12 March 2014\\ ©
Springer-Verlag Berlin Heidelberg 2014]

*Abstract* BODY""",
        doi="10.1007/s00000-014-0001-2",
    ),
    "neurips": Page(
        """#align(center)[#line(length: 100%)#text(17pt, weight: "bold")[TITLE]#line(length: 100%)
*Ann Marsh*\\ University of Dunmore\\ `ann@dunmore.edu`

*Bo Li*\\ Harbour Institute]

#align(center)[*Abstract*]

BODY BODY

#place(bottom)[#text(8pt)[28th Conference on Tides and Harbours (CTH 2014), Dunmore.]]""",
    ),
    "jmlr": Page(
        """#text(8pt)[Journal of Tide Research 15 (2014) 1929-1958 #h(1fr) Submitted 11/13; Published 6/14]

#align(center)[#text(14pt, weight: "bold")[TITLE]]

*Ann Marsh* #h(1fr) ANN\\@DUNMORE.EDU\\ _Department of Tides_

*Bo Li* #h(1fr) BO\\@HARBOUR.ORG\\ _Harbour Institute_

*Editor:* Carla Orr

#align(center)[*Abstract*]

BODY""",
    ),
    "working paper": Page(
        """#align(center)[DUNMORE WORKING PAPER SERIES

#text(16pt)[TITLE]

Ann Marsh\\ Bo Li

Working Paper 1234\\ http://www.dunmore.org/papers/w1234

DUNMORE BUREAU OF TIDES\\ 3 Harbour Street\\ March 2014]
#pagebreak()
BODY BODY""",
    ),
    "book": Page(
        """#v(4cm)#align(center)[#text(26pt)[TITLE]

#text(14pt)[Ann Marsh]]
#pagebreak()
Copyright © 2014 by Ann Marsh

First published 2014

All rights reserved.
#pagebreak()
BODY""",
        authors=("Ann Marsh",),
    ),
    "thesis": Page(
        """#align(center)[#text(20pt)[TITLE]

A dissertation presented

by

Ann Marsh

to the Department of Tides

University of Dunmore

May 2014]
#pagebreak()
BODY BODY""",
        authors=("Ann Marsh",),
    ),
    "word": Page(
        """#text(16pt)[TITLE]

Ann Marsh, Bo Li

BODY

© 2014 The Authors.""",
        described='title: "Microsoft Word - tides_final.docx", author: "Administrator"',
    ),
    "jstor": Page(
        """#text(13pt)[TITLE]

Author(s): Ann Marsh and Bo Li

Source: _Journal of Tides_, Vol. 3, No. 2 (May, 1998), pp. 11-19

Published by: Dunmore Press

Stable URL: https://www.jstor.org/stable/1234567

Accessed: 12-03-2016 09:00 UTC

#text(8pt)[JSTOR is a not-for-profit service.]
#pagebreak()
BODY""",
        year=1998,
    ),
    "nature": Page(
        """#text(28pt)[nature]

LETTER #h(1fr) doi:10.1038/nature12345

#text(20pt)[TITLE]

Ann Marsh#super[1], Bo Li#super[2] & Carla Orr#super[1,2]

*BODY*

BODY

#place(bottom)[12 MARCH 2014 | VOL 507 | NATURE | 45]""",
        authors=_THREE,
        doi="10.1038/nature12345",
    ),
    "undated": Page(
        """#text(17pt)[TITLE]

Ann Marsh and Bo Li

BODY BODY""",
        year=2019,
    ),
    "comment": Page(
        """#text(17pt)[TITLE]

Ann Marsh, Bo Li

Comment on: Orr C. Night watches. doi:10.5555/watches.7

doi: 10.5555/comment.1

Published: 2014

BODY""",
        doi="10.5555/comment.1",
    ),
    "biorxiv": Page(
        """#text(7pt)[bioRxiv preprint doi: https://doi.org/10.1101/123456; this version posted
March 12, 2014. The copyright holder for this preprint is the author.]

#text(16pt)[TITLE]

Ann Marsh#super[1], Bo Li#super[2]

BODY""",
        doi="10.1101/123456",
    ),
    "pnas": Page(
        """#text(18pt)[TITLE]

Ann Marsh#super[a,1] and Bo Li#super[b]

#text(8pt)[#super[a]Department of Tides, University of Dunmore

Edited by Carla Orr, and approved January 2, 2014 (received for review May 3, 2012)]

BODY

#place(bottom)[#text(7pt)[www.pnas.org/cgi/doi/10.1073/pnas.1234567111 #h(1fr) PNAS | March 4, 2014 |
vol. 111 | no. 9 | 3204–3209]]""",
        doi="10.1073/pnas.1234567111",
    ),
    "names": Page(
        """#text(17pt)[TITLE]

JEAN-PAUL O’NEILL, MARÍA JOSÉ NÚÑEZ and Søren van der Berg

University of Dunmore

J. Tides, vol. 12, no. 3, pp. 45–67, 2014

BODY""",
        authors=("Jean-Paul O’Neill", "María José Núñez", "Søren van der Berg"),
    ),
    "subtitle": Page(
        """#text(17pt)[TITLE]

#text(13pt)[Harbour Studies]

#text(11pt)[Ann Marsh]

BODY""",
        authors=("Ann Marsh",),
        year=2019,
    ),
    "report": Page(
        """#align(center)[#text(22pt)[TITLE]

Dunmore Harbour Commission

Report 12, May 2014]

BODY""",
        authors=(),
    ),
    "one size": Page(
        """*TITLE*

Ann Marsh and Bo Li

BODY

Journal of Tides 12(3):45-67, 2014""",
    ),
    "body only": Page(
        """BODY BODY""",
        authors=(),
        year=2019,
        title="",
    ),
}
"""By name; a title and authors that no rule can tell are what a person would read all the same."""

UNSEEN: Mapping[str, Page] = {
    "oup": Page(
        """#text(8pt)[_Harbour Biology_, Volume 31, Issue 4, April 2014, Pages 801–815,\\
#link("https://doi.org/10.1093/harbio/mst240")[https://doi.org/10.1093/harbio/mst240]\\
Advance Access publication December 24, 2013]

#text(16pt, weight: "bold")[TITLE]

#text(11pt)[Ann Marsh,\\*#super[,1] Bo Li,#super[2] and Carla Orr#super[1]]

#text(8pt)[#super[1]Department of Tides, University of Dunmore\\
\\*Corresponding author: E-mail: ann\\@dunmore.edu.\\
Associate editor: Naruya Saitou]

*Abstract*

BODY""",
        authors=_THREE,
        doi="10.1093/harbio/mst240",
    ),
    "frontiers": Page(
        """#text(8pt)[ORIGINAL RESEARCH ARTICLE\\
published: 12 March 2014\\
doi: 10.3389/ftide.2014.00123]

#text(18pt)[TITLE]

*Ann Marsh#super[1]\\* and Bo Li#super[2]*

#text(8pt)[#super[1] Harbour Institute, Dunmore]

BODY""",
        doi="10.3389/ftide.2014.00123",
    ),
    "mdpi": Page(
        """#text(8pt)[_Tides_ *2014*, _5_, 801-815; doi:10.3390/tides5040801 #h(1fr) OPEN ACCESS]

#align(center)[#text(14pt)[*tides*]

ISSN 2073-4433

www.mdpi.com/journal/tides]

_Article_

#text(18pt)[*TITLE*]

*Ann Marsh #super[1] and Bo Li #super[2,\\*]*

#super[1] Department of Tides, University of Dunmore

_Received: 1 August 2013; in revised form: 2 December 2013 / Accepted: 5 January 2014 / Published: 9
March 2014_

*Abstract:* BODY""",
        doi="10.3390/tides5040801",
    ),
    "bmj": Page(
        """#text(7pt)[BMJ 2014;348:g1234 doi: 10.1136/bmj.g1234 (Published 12 March 2014) #h(1fr) Page 1 of 9]

#text(9pt)[RESEARCH]

#text(20pt)[TITLE]

#text(8pt)[Ann Marsh _senior lecturer_#super[1], Bo Li _professor_#super[2]]

*Abstract*

BODY""",
        doi="10.1136/bmj.g1234",
    ),
    "acl": Page(
        """#align(center)[#text(15pt)[*TITLE*]

#grid(columns:(1fr,1fr),[*Ann Marsh*\\ University of Dunmore\\ `ann@dunmore.edu`],[*Bo Li*\\ Harbour
Institute\\ `bo@harbour.org`])]

#columns(2)[#align(center)[*Abstract*]
BODY BODY]
#place(bottom+center)[#text(8pt)[_Proceedings of the 52nd Annual Meeting of the Association for
Tides_, pages 1–11,\\ Dunmore, June 23-25 2014. #sym.copyright 2014 Association for Tides]]""",
    ),
    "cell": Page(
        """#text(22pt)[Harbour Cell]

#text(10pt)[Article]

#text(24pt)[TITLE]

Ann Marsh,#super[1,3,\\*] Bo Li,#super[1] and Carla Orr#super[2]

#text(8pt)[#super[1]Harbour Institute, Dunmore\\
\\*Correspondence: ann\\@dunmore.edu\\
http://dx.doi.org/10.1016/j.cell.2014.02.001]

*SUMMARY*

BODY
#place(bottom)[#text(7pt)[Harbour Cell 156, 801–815, March 13, 2014 ©2014 Elsevier Inc. 801]]""",
        authors=_THREE,
        doi="10.1016/j.cell.2014.02.001",
    ),
    "german": Page(
        """#text(8pt)[Zeitschrift für Gezeiten, 12. Jahrgang, Heft 3, 2014, S. 45–67]

#text(16pt)[Gezeiten und Schlaf an der Nordküste]

Anna Müller und Jörg Weiß

*Zusammenfassung*

Taucher schlafen vor der Springflut schlechter, sagt man seit 1950 an der Küste.""",
        authors=("Anna Müller", "Jörg Weiß"),
        title="Gezeiten und Schlaf an der Nordküste",
    ),
    "report who": Page(
        """#v(3cm)#text(28pt)[TITLE]

#text(14pt)[World Harbour Organization]
#pagebreak()
© World Harbour Organization 2014

All rights reserved. Publications of the Organization are available.
#pagebreak()
BODY""",
        authors=(),
    ),
    "osf": Page(
        """#align(center)[*TITLE*

Ann Marsh#super[1] & Bo Li#super[2]

#super[1] Department of Psychology, University of Dunmore]

#align(center)[Author Note]

Data are available at https://osf.io/abcde, doi:10.17605/OSF.IO/ABCDE. Draft of 12 March 2014.
#pagebreak()
BODY""",
        title="",
    ),
    "download": Page(
        """#place(bottom+right)[#text(6pt)[Downloaded from https://academic.example.org/ by guest on 03 May
2018]]
#text(17pt)[TITLE]

Ann Marsh and Bo Li

#text(8pt)[J. Exp. Tides (2014) 65 (3): 801-815. doi: 10.1093/jxt/ert451]

BODY""",
        doi="10.1093/jxt/ert451",
    ),
    "old scan ocr": Page(
        """#text(8pt)[THE JOURNAL OF TIDES #h(1fr) VOLUME XII #h(1fr) MAY 1952 #h(1fr) NUMBER 3]

#align(center)[#text(13pt)[TITLE]

BY ANN MARSH]

BODY""",
        authors=("Ann Marsh",),
        year=1952,
    ),
    "reprint": Page(
        """#text(17pt)[TITLE]

Ann Marsh, Bo Li

#text(8pt)[Copyright © 1998, 2014 Dunmore Press. First published 1998. Second edition 2014.]

BODY""",
        year=None,
    ),
    "long title": Page(
        """#align(center)[#text(20pt)[TITLE:\\ A field study of two winters]

#text(12pt)[Ann Marsh, Bo Li, and Carla Orr]

12 March 2014]

BODY""",
        authors=_THREE,
        title="Tides and the sleep of divers on a northern coast: A field study of two winters",
    ),
    "masthead": Page(
        """#text(30pt)[Harbour Science Monthly]

#text(18pt)[TITLE]

by Ann Marsh

BODY
#place(bottom)[Harbour Science Monthly, May 2014]""",
        authors=("Ann Marsh",),
    ),
}
"""Set after the rules had been made, and measured once before they were mended."""
