"""Counters of calls to models."""

from contextlib import nullcontext

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from schemas.model import Usage
from workers.run_counters import CallCounters


def test_costs_refusals_and_waits_are_counted() -> None:
    reader = InMemoryMetricReader()
    counters = CallCounters(MeterProvider([reader]).get_meter("test"))
    counters.paid("tiny", Usage(cost_micros=340), refused=False)
    counters.paid("tiny", Usage(cost_micros=None), refused=True)
    with counters.counted(nullcontext)():
        pass

    told = reader.get_metrics_data()
    assert told is not None
    metrics = told.resource_metrics[0].scope_metrics[0].metrics
    counts = {
        each.name: sum(getattr(point, "value", 0) for point in each.data.data_points) for each in metrics
    }
    assert counts == {"penwright.cost": 340, "penwright.refusals": 1, "penwright.waits": 1}
