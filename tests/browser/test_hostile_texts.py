"""Texts of models, books and cards in a real browser: none runs, loads, sends or restyles anything."""

from html import escape

import pytest
from playwright.async_api import Browser, Route

from gateway.ui.parts.editing.prose import html_of
from tests.browser.vectors import vectors

PLACE = "http://workspace.test/"
FORBIDDEN = (
    "script,style,link,meta,base,iframe,object,embed,form,input,button,textarea,select,img,svg,math,video,"
    "audio,template,[style],[onclick],[onerror],[onload],[onfocus],[srcset],[ping]"
)
LOOK = """() => ({
    ran: window.broken === 1,
    found: [...document.querySelectorAll('main :is(FORBIDDEN)')].map(e => e.outerHTML),
    links: [...document.querySelectorAll('main a[href]')].map(a => a.protocol),
    color: getComputedStyle(document.body).backgroundColor,
})""".replace("FORBIDDEN", FORBIDDEN)


def test_there_are_two_hundred_vectors() -> None:
    assert len(vectors()) >= 200


@pytest.mark.parametrize("as_prose", [True, False], ids=["prose", "plain text"])
async def test_no_vector_runs_loads_or_shows_anything(browser: Browser, as_prose: bool) -> None:
    context = await browser.new_context()
    page, asked, dialogs = await context.new_page(), list[str](), list[str]()

    shown = "".join(f"<section>{html_of(each) if as_prose else escape(each)}</section>" for each in vectors())
    # No content policy here: the sanitiser alone must do.
    document = f"<!doctype html><body style='background:#fff'><main>{shown}</main></body>"

    async def answer(route: Route) -> None:
        if route.request.url == PLACE:
            await route.fulfill(body=document, content_type="text/html; charset=utf-8")
        else:
            asked.append(route.request.url)
            await route.abort()

    await context.route("**/*", answer)
    page.on("dialog", lambda shown: dialogs.append(shown.message))
    await page.goto(PLACE)
    await page.evaluate("document.querySelectorAll('main a').forEach(a => { a.focus(); a.onclick?.() })")
    seen = await page.evaluate(LOOK)
    await context.close()

    assert not seen["ran"]
    assert seen["found"] == []
    assert set(seen["links"]) <= {"https:", "http:", "mailto:"}
    assert seen["color"] == "rgb(255, 255, 255)"
    assert ([each for each in asked if not each.endswith("/favicon.ico")], dialogs) == ([], [])


@pytest.mark.parametrize("number", [0, 3, 7])
async def test_such_a_text_does_harm_where_nothing_cleans_it(browser: Browser, number: int) -> None:
    page = await browser.new_page()
    await page.set_content(f"<main>{vectors()[number]}</main>")
    await page.wait_for_function("window.broken === 1")
    await page.close()
