"""An audit of a paper that cites its own sources."""

from penwright.domain.citations.auditing.judging import audited
from penwright.domain.citations.auditing.listing import entries_of
from schemas.base import BlobRef
from schemas.citation_audit import CitedText
from schemas.scholarly import Verdict

BLOB = BlobRef(sha256="0" * 64, size=0)
OWN = "@misc{lee2020, author = {Lee, Ann}, title = {Tides of the coast}, year = {2020}, file = {lee.pdf}}"
OTHER = "@misc{orr1999, author = {Orr, M.}, title = {Lamps on piers}, year = {1999}}"


def test_a_work_of_ones_own_that_no_registry_has_is_unclear_and_not_invented() -> None:
    texts = [
        (
            CitedText(name="paper.md", form="text", text=BLOB),
            f"Water rises [[{OWN}]]. Lamps burn [[{OTHER}]].",
        ),
        (CitedText(name="sources/sources.bib", form="own-sources", text=BLOB), OWN),
    ]

    listed = entries_of(texts)
    found = [audited(each, Verdict(status="not_found")) for each in listed.entries]

    assert [(each.key, each.state) for each in found] == [("lee2020", "unclear"), ("orr1999", "not_found")]
    assert "own sources" in found[0].reason
