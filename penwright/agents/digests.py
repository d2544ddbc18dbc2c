"""Fingerprints of texts and of JSON values, the same in every process."""

import hashlib
import json

from pydantic import JsonValue


def text_digest(text: str) -> str:
    """SHA-256 of the text as UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def json_digest(value: JsonValue) -> str:
    """SHA-256 of the value as canonical JSON, so that the order of keys does not count."""
    return text_digest(canonical_json(value))


def canonical_json(value: JsonValue) -> str:
    """One spelling for one value: keys in order, no blanks, UTF-8 as it is."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
