"""Page of a browser where no page can be built, such as while the store does not answer."""

from html import escape

from starlette.responses import HTMLResponse, Response

from gateway.http import problems
from penwright.errors import PenwrightError

_AGAIN_S = 5
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{again}">
<title>Penwright: away</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/login/sign-in.css">
</head>
<body>
<main>
<h1>Penwright is away for a moment</h1>
<p role="status">{said}.</p>
<p>This page is asked for again every {again} seconds; words that you typed are kept in this browser.</p>
<p>{hint}</p>
<p><code>penwright status</code> and <code>penwright doctor</code> say more on a terminal.
Request {request_id}.</p>
</main>
</body>
</html>
"""


def unavailable_page(error: PenwrightError, request_id: str) -> Response:
    """The error as a page that asks again by itself, under the status that a program would get."""
    told = problems.of_error(error, request_id)
    made = _PAGE.format(
        again=_AGAIN_S,
        said=escape(error.message.rstrip(".")),
        hint=escape(str(error.details.get("hint", ""))),
        request_id=escape(request_id),
    )
    return HTMLResponse(made, told.status_code)
