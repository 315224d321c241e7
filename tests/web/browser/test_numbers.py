"""Screen 2: what its numbers say. Nothing unknown is 0, and no number is without its unit."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from tests.web.browser.visiting import CHROMIUM, begun, computed, saved
from tests.web.workbench import FORM

from privopt.web.serving import Bench

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)


@pytest.fixture(autouse=True)
def same_form(bench: Bench) -> None:
    """Every test begins with the job's own form."""
    bench.session.put(bench.session.revision, FORM)


def changed(page: Page, change: Callable[[dict[str, Any]], None]) -> None:
    """Show the page with every result changed on its way."""

    def answer(route: Route) -> None:
        response = route.fetch()
        body = response.json()
        if body.get("result"):
            change(body["result"])
        route.fulfill(response=response, body=json.dumps(body))

    page.route("**/api/design/*", answer)
    page.reload()
    computed(page)


def test_an_unknown_constant_is_not_drawn_as_the_best_of_all(page: Page) -> None:
    def unknown(result: dict[str, Any]) -> None:
        if "front" in result:
            result["front"]["constant"] = {"distance": None, "loss": None}

    changed(page, unknown)
    expect(page.locator("#front .here")).to_have_count(1)
    expect(page.locator("#front rect.constant")).to_have_count(0)
    expect(page.locator("#front .zone-name")).to_have_count(0)


def test_a_constant_that_was_not_found_is_said(page: Page) -> None:
    def none(result: dict[str, Any]) -> None:
        if "front" in result:
            result["front"]["constant"] = None

    changed(page, none)
    expect(page.locator("#decided-constant")).to_have_text(
        "No constant was found that keeps the limits."
    )


def test_the_two_constants_have_two_names_and_both_axes_a_title(page: Page) -> None:
    computed(page)
    expect(page.locator("#distance")).to_contain_text("the mean answer")
    expect(page.locator("#front .zone-name")).to_have_text("decided constant")
    expect(page.locator("#decided-constant")).to_contain_text("keeps the limits")
    titles = page.locator("#front svg text").all_text_contents()
    assert "extra cost" in titles
    assert any(one.startswith("distance from the true answer") for one in titles)
    rows = page.locator("#front tbody th").all_text_contents()
    assert rows[-2:] == ["decided constant", "mean answer"]


def test_no_text_of_the_chart_is_cut(page: Page) -> None:
    def tiny(result: dict[str, Any]) -> None:
        front = result.get("front")
        for one in [*front["points"], front["here"], front["constant"]] if front else []:
            one["loss"], one["distance"] = 1.3e-5 * one["loss"] / one["loss"], 1.79e-5

    changed(page, tiny)
    cut = page.evaluate(
        """() => {
          const box = document.querySelector('#front svg').getBoundingClientRect();
          const outside = (text) => {
            const own = text.getBoundingClientRect();
            return own.left < box.left - 1 || own.right > box.right + 1;
          };
          return [...document.querySelectorAll('#front svg text')].filter(outside)
            .map((text) => text.textContent);
        }"""
    )
    assert cut == []


def test_a_huge_epsilon_is_no_privacy_and_never_green(page: Page, bench: Bench) -> None:
    def useful(result: dict[str, Any]) -> None:
        if "worth" in result:
            result["worth"]["verdict"] = "useful"

    bench.session.put(bench.session.revision, {**FORM, "epsilon": "1e9"})
    changed(page, useful)
    hint = page.locator("#field-epsilon-hint")
    expect(hint).to_contain_text("No privacy worth the name")
    expect(hint).to_contain_text("100 % sure")
    assert "NaN" not in hint.inner_text()
    assert "∞" not in hint.inner_text()
    expect(page.locator("#verdict")).to_have_attribute("data-verdict", "exposed")
    expect(page.locator("#verdict")).to_contain_text("no privacy worth the name")


def test_values_that_tell_nothing_are_named_beside_a_useful_verdict(page: Page) -> None:
    def useful(result: dict[str, Any]) -> None:
        if "worth" in result:
            result["worth"] |= {"verdict": "useful", "silent": ["p[7]", "p[8]"]}

    changed(page, useful)
    expect(page.locator("#silent")).to_contain_text("p[7], p[8] tell nothing")


def test_the_table_has_units_and_says_what_follows_the_demand(page: Page) -> None:
    computed(page)
    page.get_by_role("radio", name="Table").check()
    cells = {
        name: page.locator("#table tbody tr", has_text=name).locator("td").all_text_contents()
        for name in ("p[1]", "p[2]", "theta[2]")
    }
    assert cells["p[1]"][1].endswith("MW")
    assert cells["theta[2]"][1].endswith("rad")
    assert cells["p[2]"][2] == "follows the demand"
    expect(page.locator("#table thead")).not_to_contain_text("MW")


def test_demand_is_moved_by_a_share_of_itself(page: Page) -> None:
    begun(page)
    page.locator("#whatif-demand").press("Home")
    expect(page.locator("output[for=whatif-demand]")).to_have_text("283.5\u00a0MW (\u221210 %)")


def test_a_limit_that_breaks_far_from_the_measurement_is_explained(page: Page) -> None:
    def short(result: dict[str, Any]) -> None:
        if "map" in result:  # a unit that would have to run backwards at the least demand
            told = result["map"]
            told["z0"][told["variables"].index("p[2]")] = 5.0

    changed(page, short)
    said = page.locator("#whatif-said")
    expect(said).to_have_text("All limits hold here.")
    page.locator("#whatif-demand").press("Home")
    expect(said).to_contain_text("Beyond its limit: p[2]")
    expect(said).to_contain_text("the measurement would differ")
    expect(said).to_contain_text("5\u00a0% at most")


def test_the_text_of_a_bus_follows_what_is_published(page: Page) -> None:
    begun(page)
    bus = page.locator('#picture [data-bus="2"]')
    bus.hover()
    expect(page.locator(".hovering")).to_contain_text("not published")
    bus.click()
    expect(page.locator(".hovering .more").last).to_have_text("published")
    bus.click()
    expect(page.locator(".hovering .more").last).to_have_text("not published")


def test_shares_and_commas_are_said_as_the_field_shows_them(page: Page) -> None:
    begun(page)
    eta = page.locator("#field-eta")
    eta.fill("100")
    page.keyboard.press("Enter")
    saved(page, eta="1")
    fault = page.locator("#choose .problem")
    expect(fault).to_contain_text("100 %")
    expect(fault).to_contain_text("write 5")
    eta.fill("5")
    page.keyboard.press("Enter")
    saved(page, eta="0.05")
    expect(fault).to_have_count(0)
    page.locator("#field-epsilon").fill("1,5")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_have_count(1)
    expect(page.locator(".problem")).to_contain_text("write 1.5")


def test_a_broken_form_is_not_copied(page: Page) -> None:
    begun(page)
    expect(page.locator("#copy-job")).to_be_enabled()
    page.locator("#field-epsilon").fill("-1")
    page.keyboard.press("Enter")
    expect(page.locator("#copy-job")).to_be_disabled()
    expect(page.locator("#copy-python")).to_be_disabled()
    expect(page.locator("#copy-why")).to_contain_text("“Privacy ε” is -1")
    page.locator("#field-epsilon").fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#copy-job")).to_be_enabled()
    expect(page.locator("#copy-why")).to_have_text("")
