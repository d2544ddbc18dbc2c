"""Build a minimal value that is valid against a JSON schema, with meaningful strings."""

import math
import re
from typing import Any

from penwright.adapters.models.demo.prose import DemoProse

_DEEPEST = 8
_FORMATS = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "time": "03:04:05Z",
    "duration": "PT1H",
    "email": "demo@example.org",
    "uri": "https://example.org/demo",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "127.0.0.1",
}
_FOR_PATTERNS = (
    *(
        "demo",
        "Demo",
        "demo-1",
        "demo_1",
        "a",
        "A",
        "1",
        "01",
        "2026",
        "2026-01-02",
        "10:30",
        "0.5",
        "#demo",
        "/demo",
    ),
    *("DEMO", "DEMO-1", "a1", "a.b", "demo.md", "0" * 40, "0" * 64, "sha256:" + "0" * 64, ""),
)


class DemoValues:
    """Builds values. ``Any``, because a JSON schema and its instances have any shape."""

    def __init__(self, schema: dict[str, Any], prose: DemoProse) -> None:
        self._root = schema
        self._prose = prose

    def value(self) -> Any:
        """Return an instance of the schema."""
        return self._of(self._root, "answer", 0)

    def _of(self, schema: Any, name: str, depth: int) -> Any:
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        for choice in ("anyOf", "oneOf"):
            if schema.get(choice):
                return self._of(self._chosen(schema[choice], depth), name, depth)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), "null")
        match kind:
            case "object":
                return self._object(schema, name, depth)
            case "array":
                return self._array(schema, name, depth)
            case "integer" | "number":
                return _number(schema, whole=kind == "integer")
            case "boolean":
                return False
            case "null":
                return None
            case _:
                return self._string(schema, name)

    def _resolved(self, schema: Any) -> dict[str, Any]:
        """Resolve references and merge ``allOf``; a boolean schema becomes an empty one."""
        if not isinstance(schema, dict):
            return {}
        for _ in range(_DEEPEST):
            if "$ref" not in schema:
                break
            target: Any = self._root
            for step in str(schema["$ref"]).removeprefix("#").strip("/").split("/"):
                target = target.get(step.replace("~1", "/").replace("~0", "~"), {}) if step else target
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        merged = dict(schema)
        for part in merged.pop("allOf", ()):
            resolved = self._resolved(part)
            properties = {**merged.get("properties", {}), **resolved.get("properties", {})}
            required = [*merged.get("required", ()), *resolved.get("required", ())]
            merged = {**resolved, **merged}
            if properties:
                merged |= {"properties": properties, "required": required}
        return merged

    def _chosen(self, choices: list[Any], depth: int) -> Any:
        """Return the first choice that is not null; at depth, null if allowed, so that recursion ends."""
        nulls = [choice for choice in choices if self._resolved(choice).get("type") == "null"]
        others = [choice for choice in choices if choice not in nulls]
        return nulls[0] if nulls and (depth > _DEEPEST // 2 or not others) else others[0]

    def _object(self, schema: dict[str, Any], name: str, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        properties = schema.get("properties", {})
        made = {key: self._of(properties.get(key, {}), key, depth + 1) for key in required}
        missing = schema.get("minProperties", 0) - len(made)
        inner = schema.get("additionalProperties")
        for at in range(max(0, missing)):
            made[f"{name}_{at + 1}"] = self._of(inner, name, depth + 1)
        return made

    def _array(self, schema: dict[str, Any], name: str, depth: int) -> list[Any]:
        prefix = schema.get("prefixItems", ())
        made = [self._of(item, name, depth + 1) for item in prefix]
        if "items" not in schema or schema["items"] is False:
            return made
        # One item shows more than none, but recursive schemas must end.
        wanted = max(schema.get("minItems", 0), 1 if depth <= _DEEPEST // 2 else 0)
        wanted = min(wanted, schema.get("maxItems", wanted))
        while len(made) < wanted:
            item = self._of(schema["items"], name, depth + 1)
            if schema.get("uniqueItems") and item in made:
                item = self._another(schema["items"], made)
            made.append(item)
        return made

    def _another(self, schema: Any, made: list[Any]) -> Any:
        """Return an item that is not in ``made``: the next enum value, the next number or a longer string."""
        resolved = self._resolved(schema)
        for choice in resolved.get("enum", ()):
            if choice not in made:
                return choice
        last = made[-1]
        if isinstance(last, int | float):
            return last + resolved.get("multipleOf", 1)
        return f"{last} {len(made)}" if isinstance(last, str) else last

    def _string(self, schema: dict[str, Any], name: str) -> str:
        shortest, longest = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        if pattern := schema.get("pattern"):
            fitting = (each for each in _FOR_PATTERNS if shortest <= len(each) <= longest)
            return next((each for each in fitting if re.search(pattern, each)), "demo")
        if name.lower() in {"id", "key", "name", "slug", "code", "kind", "type", "title"}:
            text = f"demo {name}"
        else:
            text = self._prose.sentence("detail")
        while len(text) < shortest:
            text += " " + self._prose.sentence("small")
        return text[: int(longest)].rstrip() if len(text) > longest else text


def _number(schema: dict[str, Any], *, whole: bool) -> int | float:
    """Return the smallest valid number that is not negative, if there is one."""
    step = schema.get("multipleOf") or (1 if whole else 0.5)
    low = schema.get("minimum", -math.inf)
    above = schema.get("exclusiveMinimum", -math.inf)
    high = min(schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf))
    number: float = max(0, low, above)
    if number > high or number >= schema.get("exclusiveMaximum", math.inf):
        number = high if "exclusiveMaximum" not in schema else schema["exclusiveMaximum"] - step
    number = math.ceil(round(number / step, 9)) * step
    if number <= above:
        number += step
    if not whole and not low <= number <= high:
        number = (max(low, above) + high) / 2
    return int(number) if whole else float(number)
