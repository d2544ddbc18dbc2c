"""Revisions of what is read and written: ``ETag``, ``If-Match``, ``If-None-Match``."""

import re
from typing import Annotated

from fastapi import Depends, Header, Request, Response

from penwright.errors import Refused

_VERSION = re.compile("v([0-9]{1,9})")
_TAG = re.compile(r'"([^"\x00-\x20]{1,200})"')


def _base(
    request: Request,
    if_match: Annotated[str | None, Header(description="The ETag of what the change was made from.")] = None,
    if_none_match: Annotated[str | None, Header(description="`*` where there is nothing yet.")] = None,
) -> str:
    """The revision that a write was made from; empty where there was nothing."""
    if if_match is None and if_none_match is not None and if_none_match.strip() == "*":
        return ""
    if if_match is None:
        raise Refused(
            "revision-missing",
            "a change says what it was made from",
            hint='send If-Match with the ETag that was read, or "If-None-Match: *" for something new',
        )
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise Refused("stale-revision", "If-Match is not an ETag of this address", hint="read it again")
    return found[1]


Base = Annotated[str, Depends(_base)]
"""The revision that a write was made from; 428 without one, 412 for one that is not ours."""


def _version(base: Base) -> int:
    """The version that a write was made from."""
    found = _VERSION.fullmatch(base)
    if found is None:
        raise Refused("stale-revision", "If-Match is not an ETag of this address", hint="read it again")
    return int(found[1])


BaseVersion = Annotated[int, Depends(_version)]
"""The same of what counts its versions, as ``"v17"``."""


def version_tag(version: int) -> str:
    """The strong ETag of a version."""
    return tag(f"v{version}")


def tag(revision: str) -> str:
    """The strong ETag of a revision."""
    return f'"{revision}"'


def unchanged(request: Request, revision: str) -> bool:
    """Whether the caller has this revision already, so that 304 is the answer."""
    given = request.headers.get("if-none-match", "")
    return tag(revision) in (each.strip() for each in given.split(","))


def not_modified(revision: str) -> Response:
    """The answer to a caller that has this revision."""
    return Response(status_code=304, headers={"etag": tag(revision)})
