"""The plan of an eval: every sample with the digests that its result is found by."""

from dataclasses import dataclass

from pydantic import JsonValue

from penwright.agents.digests import json_digest
from penwright.agents.evals.dataset import content_digest
from schemas.evals import Dataset, Sample
from schemas.experiment import PinnedExperiment


@dataclass(frozen=True, slots=True)
class Planned:
    """A sample of a run, and by which its result is known."""

    sample: Sample
    content: str
    """Of the sample and how it is judged; two runs are compared where it is the same."""
    inputs: str
    """Of ``content`` and the experiment; while it is the same, a finished sample is not run again."""


def planned(dataset: Dataset, judged_by: JsonValue, experiment: PinnedExperiment) -> tuple[Planned, ...]:
    """Every sample of a run, in the order of the dataset.

    Args:
        judged_by: the description of the evaluator.
    """
    contents = [content_digest(sample, judged_by) for sample in dataset.samples]
    return tuple(
        Planned(sample, content, json_digest([content, experiment.digest]))
        for sample, content in zip(dataset.samples, contents, strict=True)
    )
