"""Pages of long lists: a limit, and an opaque cursor after which the next page begins."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Depends, Query, Request, Response

from penwright.errors import UsageMistake

MOST = 200
USUAL = 50

_T = TypeVar("_T")


class Paging:
    """Which part of a list is asked for."""

    def __init__(
        self,
        request: Request,
        response: Response,
        limit: Annotated[int, Query(ge=1, le=MOST)] = USUAL,
        cursor: Annotated[str, Query(max_length=1000)] = "",
    ) -> None:
        self._request = request
        self._response = response
        self.limit = limit
        self.after = _decoded(cursor) if cursor else ""
        """The key of the last item of the page before; empty for the first page."""

    def cut(self, found: Sequence[_T], key: Callable[[_T], str]) -> tuple[list[_T], str | None]:
        """The page out of one item more than its limit, and the cursor of the next one."""
        page = list(found[: self.limit])
        if len(found) <= self.limit:
            return page, None
        following = _encoded(key(page[-1]))
        address = self._request.url.include_query_params(cursor=following)
        self._response.headers["link"] = f'<{address.path}?{address.query}>; rel="next"'
        return page, following

    def cut_sorted(self, found: Sequence[_T], key: Callable[[_T], str]) -> tuple[list[_T], str | None]:
        """The same of a whole list that is sorted by ``key``."""
        rest = [each for each in found if key(each) > self.after]
        return self.cut(rest[: self.limit + 1], key)


OnePage = Annotated[Paging, Depends(Paging)]


def _encoded(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def _decoded(cursor: str) -> str:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise UsageMistake("bad-cursor", "the cursor is none of ours", hint="begin without one") from None
