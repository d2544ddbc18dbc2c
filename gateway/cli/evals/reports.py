"""Output of the verbs about evals."""

from collections.abc import Iterator, Sequence

from gateway.cli.live import money
from gateway.cli.output import columns
from gateway.cli.writers import DEMO, model_lines
from schemas.eval_run import EvalPlan
from schemas.evals import EvalComparison, EvalReport, SampleResult

_SHOWN = 20


def report_lines(report: EvalReport, plan: EvalPlan) -> list[str]:
    """Lines on the results of the samples; failures and crashes each by themselves."""
    pinned = plan.pinned
    return [
        f"{report.name}: {pinned.agent} over {plan.dataset_name}, model {_model(pinned.experiment.model)}",
        _rate(report),
        f"  {report.failed} failed, {report.crashed} crashed, {len(report.unfinished)} without a result",
        f"  {report.tokens:,} tokens, {_price(report)}",
        *_listed("Failed", report.failures),
        *_listed("Crashed", report.crashes),
        *_named("Without a result", report.unfinished),
        *(model_lines(DEMO) if _model(pinned.experiment.model) == DEMO else ()),
    ]


def comparison_lines(found: EvalComparison) -> list[str]:
    """The second eval against the first, over the samples that both have."""
    interval = f"{found.low:+.1%} to {found.high:+.1%}"
    return [
        f"{found.second} against {found.first}: {found.pairs} samples in both",
        f"  difference {found.difference:+.1%} (95 %: {interval}): {found.verdict}",
        f"  passed in both {found.both}, in neither {found.neither}",
        *_named(f"Passed only in {found.first}", found.only_first),
        *_named(f"Passed only in {found.second}", found.only_second),
        *_named(f"Not in {found.first}", found.missing_first),
        *_named(f"Not in {found.second}", found.missing_second),
        *_named("Asked or judged differently", found.changed),
    ]


def _model(pinned: str) -> str:
    """Name, provider and vendor's name of a pinned model; what is the same is said once."""
    return " ".join(dict.fromkeys(pinned.split()))


def _rate(report: EvalReport) -> str:
    if report.pass_rate is None:
        return f"  no sample of {report.total} has a result"
    done = report.passed + report.failed + report.crashed
    rate = f"{report.pass_rate:.1%} passed ({report.passed} of {done})"
    return f"  {rate}, 95 %: {report.low:.1%} to {report.high:.1%}"


def _price(report: EvalReport) -> str:
    unknown = f" and {report.unknown_prices} samples of unknown price" if report.unknown_prices else ""
    return money(report.cost_micros) + unknown


def _listed(title: str, results: Sequence[SampleResult]) -> Iterator[str]:
    if results:
        yield f"{title}:"
        rows = [(f"  {each.sample}", each.code, _one_line(each.reason)) for each in results[:_SHOWN]]
        yield from columns(rows)
    if len(results) > _SHOWN:
        yield f"  and {len(results) - _SHOWN} more; --json has all"


def _named(title: str, samples: Sequence[str]) -> Iterator[str]:
    if samples:
        more = f" and {len(samples) - _SHOWN} more" if len(samples) > _SHOWN else ""
        yield f"{title}: {', '.join(samples[:_SHOWN])}{more}"


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:99]}…"
