"""Screens 3 and 4: the keyboard alone leads to a release; it is charged once, within the budget."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, expect
from tests.web.browser.visiting import CHROMIUM, Visit, begun, frame_of, saved, state, visiting
from tests.web.workbench import CANARY

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)


def tab_to(page: Page, selector: str, frame: Frame | None = None) -> None:
    """Press Tab until the focus is at an element."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if (frame or page).evaluate("s => document.activeElement?.matches(s)", selector):
            return
    raise AssertionError(f"the tab key does not lead to {selector}")


def test_the_keyboard_alone_leads_from_the_model_to_a_release(
    visit: tuple[Visit, Page], place: Path
) -> None:
    found, page = visit
    page.goto(found.origin + "/model")
    expect(page.locator("#on a")).to_be_visible()
    tab_to(page, "#field-alpha")
    tab_to(page, "#on a")
    page.keyboard.press("Enter")
    begun(page)
    tab_to(page, "#field-epsilon")
    tab_to(page, 'a[href="/release"].primary')
    tab_to(page, "#picture .node.unit")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    saved(page, identity="p[1],p[2]")
    page.keyboard.press(" ")
    saved(page, identity="p[1]")
    page.goto(found.origin + "/release")
    frame = frame_of(page)
    tab_to(page, "#dry-run", frame)
    page.keyboard.press("Enter")
    expect(frame.locator("#why")).to_contain_text("Look at the data first")
    tab_to(page, "#look", frame)
    page.keyboard.press("Enter")
    expect(frame.locator(".private")).to_contain_text(f"{CANARY:.6g}")
    tab_to(page, "#confirm", frame)
    page.keyboard.type("first")
    tab_to(page, "#release", frame)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(frame.locator("#charged")).to_be_visible()
    expect(page.locator("#budget")).to_contain_text("ε 1 of 1.5 spent")
    seen(found)
    assert list(place.glob("*.ledger*"))


def test_without_a_data_file_nothing_is_released_and_a_page_that_is_opened_again_keeps_it(
    browser: Browser, tmp_path: Path
) -> None:
    from tests.web.workbench import with_data

    from privopt.web.serving import opened

    with (
        opened(with_data(tmp_path)) as bench,
        bench.serving(),
        visiting(browser, bench.address) as (found, page),
    ):
        page.goto(found.origin + "/release")
        frame = frame_of(page)
        frame.locator("#field-data").fill("")
        for button in ("#dry-run", "#look"):
            frame.locator(button).click()
            expect(frame.locator("#problems")).to_contain_text("no data file is named")
            expect(frame.locator("#field-data")).to_have_attribute("aria-invalid", "true")
        other = tmp_path / "other.csv"
        other.write_bytes((tmp_path / "loads.csv").read_bytes())
        frame.locator("#field-data").fill(str(other))
        frame.locator("#field-key").fill("second")
        frame.locator("#dry-run").click()
        expect(frame.locator("#why")).to_contain_text("Look at the data first")
        page.reload()
        frame = frame_of(page)
        expect(frame.locator("#field-data")).to_have_value(str(other))
        expect(frame.locator("#field-key")).to_have_value("second")
        page.get_by_text("What the data file must hold").click()
        expect(page.locator("#shape-told pre")).to_have_text("bus,load (MW) 1,110 2,110 3,95")
        assert state(page)["ledger"]["spent"]["epsilon"] in ("0", 0)
        seen(found)


def seen(found: Visit) -> None:
    """The canary is in the private look, and in no other answer; no request left the machine."""
    digits = re.compile(r"150\.73|1\.5073")  # the first digits of CANARY, in MW and per unit
    showing = [one.url for one in found.answers if one.status == 200 and digits.search(text(one))]
    assert {url.rpartition("/")[2] for url in showing} <= {"look"}
    asked = {re.sub(r":\d+/.*", "", url) for url in found.requests}
    assert asked <= {"http://127.0.0.1", "data:,"}
    assert not any(digits.search(url) for url in found.requests)


def text(answer: object) -> str:
    """What was answered; an answer that the browser no longer has was a page's own file."""
    try:
        return answer.text()  # type: ignore[attr-defined]
    except Exception:
        return ""


def test_a_double_click_charges_once_and_an_exhausted_budget_disables_the_release(
    browser: Browser, tmp_path: Path
) -> None:
    from tests.web.workbench import with_data

    from privopt.web.serving import opened

    with (
        opened(with_data(tmp_path)) as bench,
        bench.serving(),
        visiting(browser, bench.address) as (found, page),
    ):
        page.goto(found.origin + "/release")
        frame = frame_of(page)
        frame.locator("#dry-run").click()
        frame.locator("#clamp").check()
        frame.locator("#confirm").fill("fir")
        expect(frame.locator("#release")).to_be_disabled()
        frame.locator("#confirm").fill("first")
        frame.locator("#release").dblclick()
        expect(frame.locator("#charged")).to_be_visible()
        assert state(page)["ledger"]["spent"]["epsilon"] in ("1", 1)
        expect(frame.locator("#release")).to_be_disabled()
        key = frame.locator('#where input[name="key"]')
        key.fill("second")
        frame.locator("#dry-run").click()
        expect(frame.locator("#why")).to_contain_text("The budget does not allow it")
        frame.locator("#confirm").fill("second")
        expect(frame.locator("#release")).to_be_disabled()
        assert state(page)["ledger"]["spent"]["epsilon"] in ("1", 1)
        page.goto(found.origin + "/ledger")
        rows = page.locator("#row-table tbody tr")
        expect(rows).to_have_count(2)  # its limit, and one charge
        expect(rows.filter(has_text="first")).to_have_count(1)
        page.locator("#verify").click()
        expect(page.locator("#verified")).to_contain_text("Whole")
        files = page.locator("#files").input_value().splitlines()
        assert [Path(one).name for one in files] == [
            "first.measurement.json", "first.decision.json", "first.json",
        ]  # fmt: skip
        page.locator("#collect").click()
        expect(page.locator("#written")).to_contain_text("computed again agrees")
        assert (tmp_path / "evidence" / "index.html").is_file()
        released = (tmp_path / "release" / "first.html").read_text(encoding="utf-8")
        assert "PARTLY CHECKED" not in released
        assert "CHECKED" in released
        seen(found)
