"""One test of many cases, which names every case that fails."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

Test = Callable[..., Any]
"""Any: pytest calls it by the names of its fixtures."""


def for_each(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """As ``pytest.mark.parametrize``, but one test that tries all cases; they share its fixtures."""
    called = names.replace(" ", "").split(",")
    given = [_case(called, each) for each in cases]
    assert given, "there is no case to try"

    def one_of(test: Test) -> Test:
        @wraps(test)
        def try_all(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for name, values in given:
                with _noting(failed, name):
                    test(**fixtures, **values)
            _report(failed, len(given))

        @wraps(test)
        async def await_all(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for name, values in given:
                with _noting(failed, name):
                    await test(**fixtures, **values)
            _report(failed, len(given))

        told = inspect.signature(test)
        left = [each for name, each in told.parameters.items() if name not in called]
        whole: Test = await_all if inspect.iscoroutinefunction(test) else try_all
        # pytest asks for a fixture of each name in the signature.
        whole.__signature__ = told.replace(parameters=left)  # type: ignore[attr-defined]
        return whole

    return one_of


def _case(called: list[str], case: Any) -> tuple[str, dict[str, Any]]:
    """What a case is called, and its values by their names."""
    if isinstance(case, ParameterSet):
        assert not case.marks, "the cases of one test share its marks"
        return str(case.id or case.values), dict(zip(called, case.values, strict=True))
    values = (case,) if len(called) == 1 else case
    return repr(case)[:80], dict(zip(called, values, strict=True))


@contextmanager
def _noting(failed: list[Exception], name: str) -> Iterator[None]:
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        if "Timeout" in str(error):
            raise
        noted = error if isinstance(error, Exception) else AssertionError(str(error))
        noted.add_note(f"in the case {name}")
        failed.append(noted)


def _report(failed: list[Exception], many: int) -> None:
    if failed:
        names = ", ".join(error.__notes__[-1].removeprefix("in the case ") for error in failed)
        raise ExceptionGroup(f"{len(failed)} of {many} cases failed: {names}", failed)
