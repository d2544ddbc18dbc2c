"""Citation scans in words."""

from gateway.cli.live import money
from gateway.desk.citations.scans import Review, ReviewedTarget
from gateway.desk.works.documents import Document
from penwright.domain.citations.proposals import counts_told
from penwright.domain.citations.support.telling import place_told, support_told
from penwright.domain.text.escaping import printable
from schemas.citation_scan import CitationScanResult
from schemas.citations import CitationCounts, CitationFinding

_ABSTRACT = 300


def named(found: Document) -> str:
    """The document as commands name it."""
    return found.options


def step_of(found: Document, code: str) -> dict[str, str]:
    """Advise on a scan that ended with ``code``, as an error's ``hint``; none if the code is unknown."""
    steps = {
        "document-busy": f"`penwright manuscript watch {found.words}` follows the run, "
        f"`penwright manuscript stop {found.words}` ends it; then scan again",
        "registries-unreachable": f"`penwright cite scan {found.options}` scans again; "
        "`penwright doctor` shows who is asked",
    }
    return {"hint": steps[code]} if code in steps else {}


def counts_line(counts: CitationCounts) -> str:
    """The states of all targets, which add up to the sentences found."""
    return f"{counts_told(counts)}."


def ending_lines(found: Document, ended: CitationScanResult) -> list[str]:
    """Lines on the end of a scan, and what can be done next."""
    lines = [ended.message[:1].upper() + ended.message[1:] + "."] if ended.message else []
    if ended.counts.found:
        lines.append(counts_line(ended.counts))
    if ended.counts.applied:
        back = (
            f"; `penwright cite undo {named(found)}` takes back what was just added" if ended.commits else ""
        )
        lines.append(f"In the text: {ended.counts.applied}{back}.")
    if ended.counts.proposed + ended.counts.verified:
        lines.append(f"Next: `penwright cite review {named(found)}` shows them.")
    elif failed := ended.counts.mismatch + ended.counts.failed:
        lines.append(f"Next: `penwright cite review {named(found)}` says why {failed} failed.")
    if ended.cost_micros or ended.unknown_prices:
        lines.append(f"Cost: {money(ended.cost_micros, ended.unknown_prices)}.")
    return [*lines, *finding_lines(ended.findings), *(f"Warning: {said}" for said in ended.warnings)]


def finding_lines(findings: tuple[CitationFinding, ...]) -> list[str]:
    """Findings, each with its scene, line and code, as far as they are known."""
    return [printable(f"{_place(each)}{each.message} ({each.code})") for each in findings]


def _place(finding: CitationFinding) -> str:
    scene = f"scene {finding.scene!r}" if finding.scene else ""
    place = ", ".join(filter(None, (scene, f"line {finding.line}" if finding.line else "")))
    return f"{place}: " if place else ""


def review_lines(found: Document, review: Review) -> list[str]:
    """Every target with its sentence, its change as a diff, and what speaks for it."""
    lines = [counts_line(review.counts)]
    for each in review.targets:
        lines += ["", *_target_lines(each)]
    if review.counts.proposed + review.counts.verified:
        verbs = f"`penwright cite accept {named(found)} --number N` (or --verified, --all), `reject` likewise"
        verbs += "; `search` and `choose` propose another work"
        lines += ["", f"Next: {verbs}."]
    elif review.counts.mismatch + review.counts.failed:
        verbs = f"`penwright cite search WORDS --number N --in {named(found)}` looks works up by hand"
        lines += ["", f"Next: {verbs}; `penwright cite scan {named(found)}` scans again."]
    elif not review.targets:
        lines += ["", f"Next: `penwright cite scan {named(found)}` looks for sentences."]
    return lines


def _target_lines(reviewed: ReviewedTarget) -> list[str]:
    target, standing, change = reviewed.proposal.target, reviewed.standing, reviewed.proposal.change
    state = f"{standing.state}, in the text" if standing.applied else standing.state
    lines = [f"{target.number}. [{state}] {target.kind} in {target.section or 'the text'}: {target.reason}"]
    lines.append(f"   - {_one_line(target.text)}")
    if change is not None:
        lines.append(f"   + {_one_line(change.after)}")
        sources = f" by {', '.join(change.sources)}" if change.sources else ""
        lines.append(f"   {change.verdict}{sources}: {_one_line(change.reason)}")
    if change is not None and change.support is not None:
        lines.append(f"   support: {support_told(change.support, change.overlap or 0)}")
    if change is not None and change.quote is not None:
        lines.append(f"   “{_one_line(change.quote.quote)}” ({_one_line(place_told(change.quote))})")
    elif change is not None and change.abstract:
        lines.append(f"   abstract: {_one_line(change.abstract)[:_ABSTRACT]}")
    for at, other in enumerate(reviewed.proposal.others, 1):
        year = f" ({other.year})" if other.year else ""
        carried = f", {other.compared.support} ({other.compared.share:.0%})" if other.compared else ""
        gone = "retracted: " if other.retracted else ""
        lines.append(f"   other work {at}: {gone}{_one_line(other.title)}{year}{carried}")
    if standing.reason:
        lines.append(f"   rejected by {standing.by}: {_one_line(standing.reason)}")
    message = standing.message or reviewed.proposal.message
    if standing.code:
        lines.append(f"   {standing.code}: {_one_line(message)}")
    return lines


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))
