"""Datasets: one sample per line of JSON, rejected as a whole, with the numbers of the invalid lines."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from penwright.agents.digests import json_digest
from penwright.domain.text.strict_json import read_json
from penwright.errors import UsageMistake
from schemas.evals import Dataset, Sample, SampleId

LONGEST_LINE = 1_000_000
"""Bytes."""
_MOST_TOLD = 20


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: SampleId
    input: JsonValue
    expected: JsonValue = None


def read_dataset(content: bytes, name: str) -> Dataset:
    """The samples of a file of JSON lines, UTF-8; empty lines are skipped.

    Raises:
        UsageMistake: ``bad-dataset`` with every line that is wrong, ``duplicate-sample`` with the lines that
            share an id, ``empty-dataset``.
    """
    samples: dict[int, Sample] = {}
    wrong: list[str] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            samples[number] = _sample(line)
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
    if wrong:
        raise UsageMistake("bad-dataset", f"The dataset {name!r} cannot be used: {_listed(wrong)}. Fix it.")
    _refuse_twins(samples, name)
    if not samples:
        raise UsageMistake("empty-dataset", f"The dataset {name!r} has no samples. Write one per line.")
    found = tuple(samples.values())
    return Dataset(samples=found, digest=json_digest([content_digest(each) for each in found]))


def content_digest(sample: Sample, judged_by: JsonValue = None) -> str:
    """Digest that a sample shares between two runs: id, input, what is expected, and how it is judged."""
    return json_digest([sample.id, sample.input, sample.expected, judged_by])


def _sample(line: bytes) -> Sample:
    """Raises ``ValueError`` with what is wrong."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"it is {len(line)} bytes long, and {LONGEST_LINE} are allowed")
    try:
        given = _Line.model_validate(read_json(line))
    except ValidationError as error:
        raise ValueError("; ".join(_problems(error))) from None
    return Sample(id=given.id, input=given.input, expected=given.expected)


def _problems(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_url=False, include_input=False)[:3]:
        yield f"{'.'.join(map(str, each['loc']))[:80] or 'the whole'}: {each['msg']}"


def _refuse_twins(samples: dict[int, Sample], name: str) -> None:
    lines: dict[str, list[int]] = {}
    for number, sample in samples.items():
        lines.setdefault(sample.id, []).append(number)
    twins = [
        f"{sample[:80]!r} on lines {', '.join(map(str, numbers))}"
        for sample, numbers in lines.items()
        if len(numbers) > 1
    ]
    if twins:
        raise UsageMistake(
            "duplicate-sample",
            f"The dataset {name!r} uses ids more than once: {_listed(twins)}. Give every sample its own.",
        )


def _listed(complaints: list[str]) -> str:
    more = f" (and {len(complaints) - _MOST_TOLD} more)" if len(complaints) > _MOST_TOLD else ""
    return "; ".join(complaints[:_MOST_TOLD]) + more
