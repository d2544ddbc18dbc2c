"""Find the functions of a valid definition that use clock, randomness, environment or disk."""

import builtins
import datetime
import dis
import functools
import inspect
import io
import pathlib
import sys
import uuid
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from penwright.agents.definition.declaration import Declaration
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.section_checks import Problem
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.state import SliceItem

Function = Callable[..., Any]  # Any: conditions, reducers and checks are of many types

_IMPURE_PACKAGES = frozenset(
    {
        *("_random", "_socket", "_thread", "asyncio", "ctypes", "getpass", "git", "glob", "http", "httpx"),
        *("litellm", "locale", "multiprocessing", "numpy", "os", "platform", "posix", "posixpath", "random"),
        *("secrets", "select", "shutil", "signal", "socket", "sqlalchemy", "sqlite3", "ssl", "subprocess"),
        *("sys", "tempfile", "temporalio", "threading", "time", "urllib"),
    }
)
_BUILT_INS = (open, input, print, exec, eval, compile, __import__, breakpoint, hash)
"""``hash`` of a text differs between processes."""
_IDS = tuple(getattr(uuid, name) for name in ("uuid1", "uuid4", "getnode"))
_IMPURE_OBJECTS = (*_BUILT_INS, *_IDS, pathlib.Path, io.FileIO)
_IMPURE_ATTRIBUTES = frozenset(
    {"environ", "getenv", "monotonic", "perf_counter", "urandom", "uuid1", "uuid4"}
)
"""Impure whatever they are taken from."""
_CLOCKS = frozenset({"now", "utcnow", "today", "fromtimestamp"})
"""Impure attributes of dates."""
_HARMLESS = frozenset({"sys.intern", "sys.maxsize", "sys.maxunicode", "intern"})
_SEARCHED = frozenset({"penwright", "schemas"})
"""Packages whose functions are searched, besides the package of the function itself."""
_UNKNOWN, _FORBIDDEN = object(), object()


def findings(definition: Declaration) -> tuple[Problem, ...]:
    """Every function of the definition that uses more than its arguments, sections first."""
    return tuple(
        Problem("impure", path, token, f"asks {asked!r}; it may use its arguments only")
        for path, token, function in _functions(definition)
        for asked in impurities(function)
    )


def _functions(definition: Declaration) -> Iterator[tuple[str, str, Function]]:
    for place in definition.places:
        yield from _of_section(place)
    for policy in definition.policies:
        yield from _of_policy("", policy)
    for kind in definition.slices:
        yield from _of_slice(kind)
    for provider in definition.feedback:
        yield "", provider.name, provider.feedback
    if definition.completion is not None:
        yield "", definition.completion.name, definition.completion.check
    if definition.finalize is not None:
        yield "", "finalize", definition.finalize


def _of_section(place: PlacedSection) -> Iterator[tuple[str, str, Function]]:
    section, path = place.section, place.path
    if section.enabled is not None:
        yield path, "enabled", section.enabled
    if callable(section.visibility):
        yield path, "visibility", section.visibility
    yield from ((path, tool.name, tool.handler) for tool in section.tools if tool.effect == "pure")
    for policy in section.policies:
        yield from _of_policy(path, policy)


def _of_policy(path: str, policy: Policy) -> Iterator[tuple[str, str, Function]]:
    yield path, policy.name, policy.check
    yield path, policy.name, policy.learned
    for kind in policy.memory:
        yield from ((path, policy.name, reducer) for reducer in kind.reducers().values())


def _of_slice(kind: type[Any]) -> Iterator[tuple[str, str, Function]]:  # Any: checked right below
    if issubclass(kind, SliceItem):
        yield from (("", kind.event_name, reducer) for reducer in kind.reducers().values())
        yield from (("", kind.event_name, upcaster) for upcaster in kind.upcasters().values())


def impurities(*functions: Callable[..., Any]) -> tuple[str, ...]:
    """Names of what the functions use besides arguments, each once: ``time.time``, ``choice in my_helper``.

    Nothing is called: the bytecode says which globals, imports and closures a function names, and which
    attributes it takes from them. Our own functions among them are searched in turn. What comes in as an
    argument is not followed; the workflow sandbox polices that.
    """
    searched = _SEARCHED | {_package(_inner(function)) for function in functions}
    seen: set[FunctionType] = set()
    found = (each for function in functions for each in _impurities(function, (), searched, seen))
    return tuple(dict.fromkeys(found))


# Any, here and below: whatever a name may stand for.
def _impurities(
    value: Any, path: tuple[str, ...], searched: frozenset[str], seen: set[FunctionType]
) -> Iterator[str]:
    """Args: path: names that lead to ``value``, innermost first; empty for the function to be checked."""
    if path and _is_impure(value) and path[0] not in _HARMLESS:
        yield " in ".join(path)
    function, owner = _called(value)
    if isinstance(function, FunctionType) and function not in seen and _package(function) in searched:
        seen.add(function)
        for name, used in _names(function, function.__code__, owner):
            yield from _impurities(used, (name, *path), searched, seen)


def _inner(value: Any) -> Any:
    """The function inside a partial."""
    return _inner(value.func) if isinstance(value, functools.partial) else value


def _called(value: Any) -> tuple[Any, Any]:
    """Function that a call of ``value`` runs, and its ``self`` if known."""
    value = _inner(value)
    if isinstance(value, MethodType):
        return value.__func__, value.__self__
    if isinstance(value, type | FunctionType) or hasattr(value, "__wrapped__"):
        return inspect.unwrap(value), _UNKNOWN
    return inspect.getattr_static(type(value), "__call__", None), value


def _names(function: FunctionType, code: CodeType, owner: Any) -> Iterator[tuple[str, Any]]:
    """Every name in the code with the attributes taken from it, and its value as far as known."""
    name, value = "", _UNKNOWN
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            name, value = f"{name}.{step.argval}".lstrip("."), _attribute(value, step.argval)
        elif step.opname not in ("CACHE", "PUSH_NULL", "PRECALL"):
            yield name, value
            name, value = _loaded(step, function, code, owner)
    yield name, value
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(function, inner, _UNKNOWN)


def _loaded(step: dis.Instruction, function: FunctionType, code: CodeType, owner: Any) -> tuple[str, Any]:
    name, enclosing = str(step.argval), function.__code__.co_freevars
    match step.opname:
        case "LOAD_GLOBAL" | "LOAD_NAME":
            return name, function.__globals__.get(name, getattr(builtins, name, _UNKNOWN))
        case "IMPORT_NAME":
            return name, sys.modules.get(name, ModuleType(name))
        case "STORE_GLOBAL" | "DELETE_GLOBAL":
            return f"global {name}", _FORBIDDEN
        case "LOAD_DEREF" | "LOAD_CLASSDEREF" | "LOAD_CLOSURE" if name in enclosing and function.__closure__:
            return name, _content(function.__closure__[enclosing.index(name)])
    is_self = step.opname.startswith("LOAD_FAST") and code.co_argcount and name == code.co_varnames[0]
    return (name, owner) if is_self else ("", _UNKNOWN)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return _UNKNOWN


def _attribute(value: Any, name: str) -> Any:
    """An attribute as far as it can be read without running code."""
    if (
        name in _IMPURE_ATTRIBUTES
        or _is_impure(value)
        or (name in _CLOCKS and value in (datetime.datetime, datetime.date))
    ):
        return _FORBIDDEN
    if value is _UNKNOWN:
        return _UNKNOWN
    if isinstance(value, ModuleType):
        return vars(value).get(name, _UNKNOWN)
    found = inspect.getattr_static(value, name, _UNKNOWN)
    found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
    return MethodType(found, value) if isinstance(found, FunctionType) else found


def _is_impure(value: Any) -> bool:
    if (
        value is _FORBIDDEN
        or isinstance(value, pathlib.Path)
        or any(value is each for each in _IMPURE_OBJECTS)
    ):
        return True
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in _IMPURE_PACKAGES
    owner = getattr(value, "__self__", None) if inspect.isroutine(value) else None
    return not _IMPURE_PACKAGES.isdisjoint({_package(value), _package(owner)})


def _package(value: Any) -> str:
    """The outermost package of something."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return str(module).partition(".")[0]
