"""All screens: two tabs, a dead server, a phone, both themes, nothing serious for axe-core."""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, Page, expect
from tests.web.browser.visiting import (
    CHROMIUM,
    PHONE,
    WIDE,
    Visit,
    computed,
    frame_of,
    no_sideways_scroll,
    saved,
    visiting,
)

from privopt.web.serving import Bench

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)
SCREENS = ("model", "design", "release", "ledger")


def test_two_tabs_see_each_other(visit: tuple[Visit, Page]) -> None:
    found, first = visit
    second = found.tab("/design")
    expect(second.locator("#field-epsilon")).to_have_value("1")
    second.locator("#field-epsilon").fill("3")
    second.keyboard.press("Enter")
    saved(second, epsilon="3")
    first.bring_to_front()
    first.locator("#field-eta").fill("8")
    first.keyboard.press("Enter")
    expect(first.locator('[data-banner="adopted"]')).to_contain_text("Another tab changed the job")
    expect(first.locator("#field-epsilon")).to_have_value("3")
    saved(first, epsilon="3")
    first.locator('[data-banner="adopted"] button').click()
    expect(first.locator(".banner")).to_have_count(0)
    expect(first.locator("#field-eta")).to_have_value("5")  # not what was typed and did not count
    first.locator("#field-epsilon").fill("1")
    first.locator("#field-eta").fill("5")
    first.keyboard.press("Enter")
    saved(first, epsilon="1", eta="0.05")


@contextmanager
def apart() -> Generator[tuple[subprocess.Popen[str], str]]:
    """A workbench as a user starts it: its process, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "privopt", "open", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    try:
        said = ""
        for line in process.stdout or ():
            said += line
            if found := re.search(r"http://\S+token=\S+", line):
                yield process, found[0]
                return
        raise AssertionError(said)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_a_killed_server_is_said_and_the_page_stays(browser: Browser) -> None:
    with apart() as (process, address), visiting(browser, address) as (found, page):
        page.locator("#field-network").select_option("3_lmbd")
        saved(page, network="3_lmbd")
        expect(page.locator("#picture .node")).to_have_count(3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        page.locator("#field-alpha").fill("2")
        page.keyboard.press("Enter")
        expect(page.locator('[data-banner="gone"]')).to_contain_text("does not answer")
        expect(page.locator("#picture .node")).to_have_count(3)
        assert found.faults == []


def test_a_used_address_is_answered_with_a_page(browser: Browser, bench: Bench) -> None:
    address = bench.address
    with visiting(browser, address) as (_, page):
        expect(page.locator("h1")).to_have_text("Design")
    with visiting(browser, address) as (found, page):  # its cookie is gone, as after a crash
        expect(page.locator("h1")).to_contain_text("does not open the workbench")
        expect(page.locator("main")).to_contain_text("start it again")
        assert found.faults == []


def test_a_table_that_is_cut_shows_that_it_scrolls(browser: Browser, bench: Bench) -> None:
    settings = {"color_scheme": "dark", "viewport": PHONE}
    with visiting(browser, bench.address, **settings) as (_, page):
        page.goto(bench.origin + "/design")
        computed(page)
        page.get_by_role("radio", name="Table").check()
        table = page.locator("#table")
        assert table.evaluate("(box) => box.scrollWidth > box.clientWidth + 8")
        cut = brightness_at_the_right(page)
        table.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
        assert cut > brightness_at_the_right(page) + 20


def brightness_at_the_right(page: Page) -> float:
    """Of the last pixels of a row of the table, between 0 and 255: where its edge would glow."""
    page.locator("#table tbody tr").nth(2).scroll_into_view_if_needed()
    table = page.locator("#table").bounding_box()
    row = page.locator("#table tbody tr").nth(2).bounding_box()
    assert table is not None
    assert row is not None
    clip = {"x": table["x"] + table["width"] - 4, "y": row["y"] + 3, "width": 3, "height": 6}
    picture = page.screenshot(clip=clip, animations="disabled")
    return page.evaluate(
        """async (text) => {
          const image = new Image();
          image.src = `data:image/png;base64,${text}`;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
          canvas.drawImage(image, 0, 0);
          const { data } = canvas.getImageData(0, 0, image.width, image.height);
          const colours = data.filter((_, k) => k % 4 < 3);
          return colours.reduce((sum, value) => sum + value, 0) / colours.length;
        }""",
        base64.b64encode(picture).decode(),
    )


def shown(page: Page, screen: str) -> Page | Frame:
    """Go to a screen, and return what is to be looked at once it is there."""
    page.goto("/".join([*page.url.split("/")[:3], screen]))
    if screen == "design":
        computed(page)
    elif screen == "model":
        page.locator("#picture .node").first.wait_for()
    elif screen == "release":
        return frame_of(page)
    else:
        expect(page.locator("#spent [role=img], #spent .empty").first).to_be_visible()
    return page


def serious(looked: Page | Frame) -> list[str]:
    found = Axe().run(looked).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])} of them)"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_screens_are_accessible_and_fit(
    browser: Browser, bench: Bench, scheme: str, size: dict[str, int]
) -> None:
    settings = {"color_scheme": scheme, "viewport": size, "reduced_motion": "reduce"}
    grounds = set[str]()
    with visiting(browser, bench.address, **settings) as (found, page):
        for screen in SCREENS:
            looked = shown(page, screen)
            assert no_sideways_scroll(page), screen
            assert serious(page) == [], screen
            if looked is not page:
                assert serious(looked) == [], "the curator's frame"
                assert looked.evaluate("document.documentElement.scrollWidth <= innerWidth")
            grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert found.faults == []
    assert grounds == {"rgb(253, 253, 251)" if scheme == "light" else "rgb(20, 23, 27)"}


def test_the_file_that_a_browser_is_started_with_leads_in(browser: Browser, bench: Bench) -> None:
    """The address with its token stands in no process list: the browser is handed a file."""
    door = bench.door()
    assert "token" not in door
    with visiting(browser, door) as (found, page):
        expect(page.locator("#published, #picture .node").first).to_be_visible()
        assert "token" not in page.url
        page.reload()
        expect(page.locator("#published, #picture .node").first).to_be_visible()
        assert found.faults == []
