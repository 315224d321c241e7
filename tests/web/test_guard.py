"""Who is let in: Host, Origin, token, cookie; and what every answer tells the browser."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx
import pytest

from privopt.web.guard import Guard, Keys, policy

HOST = "127.0.0.1:8000"


async def _app(scope: Any, receive: Any, send: Any) -> None:
    message = await receive()
    own = [(b"cache-control", b"public"), (b"content-security-policy", b"default-src *")]
    if scope["path"] == "/sandboxed":
        own = [(b"content-security-policy", b"sandbox; default-src 'none'")]
    await send({"type": "http.response.start", "status": 200, "headers": own})
    await send({"type": "http.response.body", "body": b"in:" + message["body"]})


class Browser:
    def __init__(self) -> None:
        self.keys = Keys("privopt_test")
        guard = Guard(_app, self.keys, [HOST, "localhost:8000"], policy(frames="http://f"))
        self.transport = httpx.ASGITransport(guard)

    def ask(self, method: str, path: str, *, let_in: bool = False, **more: Any) -> httpx.Response:
        headers = {"host": HOST, **more.pop("headers", {})}
        if let_in:
            headers["cookie"] = f"privopt_test={self.keys.value}"

        async def run() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=self.transport, base_url=f"http://{HOST}"
            ) as client:
                return await client.request(method, path, headers=headers, **more)

        with ThreadPoolExecutor(1) as pool:  # a browser of other tests may have a loop in this one
            return pool.submit(anyio.run, run).result()


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_without_a_token_nothing_is_answered(browser: Browser) -> None:
    answer = browser.ask("GET", "/model")
    assert answer.status_code == 403
    assert set(answer.json()["error"]) == {"got", "needed", "remedy", "field"}
    assert b"in:" not in answer.content


def test_a_token_opens_once_and_leaves_the_address(browser: Browser) -> None:
    token = browser.keys.token()
    first = browser.ask("GET", f"/model?token={token}&x=1")
    assert first.status_code == 303
    assert first.headers["location"] == f"/model?x=1#key={browser.keys.key}"
    cookie = first.headers["set-cookie"]
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert token not in cookie
    assert browser.ask("GET", f"/model?token={token}").status_code == 403


def test_a_redirect_stays_on_this_host(browser: Browser) -> None:
    address = f"http://{HOST}//evil.example/?token={browser.keys.token()}"
    answer = browser.ask("GET", address)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/evil.example/#key={browser.keys.key}"


def test_the_cookie_alone_answers_no_data(browser: Browser) -> None:
    """A browser shows cookies to every port of this machine: who has one may listen at another."""
    for shown in ({}, {"x-privopt-key": ""}, {"x-privopt-key": browser.keys.value}):
        answer = browser.ask("GET", "/api/state", let_in=True, headers=shown)
        assert answer.status_code == 403
        assert "was not opened by its address" in answer.json()["error"]["got"]
    own = {"x-privopt-key": browser.keys.key}
    assert browser.ask("GET", "/api/state", let_in=True, headers=own).status_code == 200
    assert browser.ask("GET", "/api/state", headers=own).status_code == 403  # nor the key alone
    assert browser.ask("GET", "/model", let_in=True).status_code == 200


@pytest.mark.parametrize("others", ['theme={"dark":true}', "a,b=1", "privopt_test=x", "=;;", "é=1"])
def test_cookies_of_others_lock_nobody_out(browser: Browser, others: str) -> None:
    kept = f"{others}; privopt_test={browser.keys.value}; {others}".encode()
    assert browser.ask("GET", "/model", headers={b"cookie": kept}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:8001", ""])
def test_another_host_is_refused(browser: Browser, host: str) -> None:
    assert browser.ask("GET", "/", let_in=True, headers={"host": host}).status_code == 400


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:8001"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_change_from_another_origin_is_refused(
    browser: Browser, origin: str | None, method: str
) -> None:
    headers = {} if origin is None else {"origin": origin}
    assert browser.ask(method, "/", let_in=True, headers=headers).status_code == 403


def test_a_change_from_the_own_page_is_taken(browser: Browser) -> None:
    answer = browser.ask(
        "POST", "/", let_in=True, headers={"origin": f"http://{HOST}"}, content=b"x"
    )
    assert (answer.status_code, answer.content) == (200, b"in:x")


def test_another_site_of_the_browser_is_refused(browser: Browser) -> None:
    headers = {"origin": f"http://{HOST}", "sec-fetch-site": "same-site"}
    assert browser.ask("POST", "/", let_in=True, headers=headers).status_code == 403


def test_other_methods_and_large_bodies_are_refused(browser: Browser) -> None:
    own = {"origin": f"http://{HOST}"}
    assert browser.ask("PATCH", "/", let_in=True, headers=own).status_code == 405
    large = b"x" * ((1 << 20) + 1)
    assert browser.ask("POST", "/", let_in=True, headers=own, content=large).status_code == 413


def test_every_answer_is_strict_whatever_the_application_says(browser: Browser) -> None:
    for answer in (browser.ask("GET", "/", let_in=True), browser.ask("GET", "/")):
        told = answer.headers["content-security-policy"]
        assert "default-src 'none'" in told
        assert "unsafe" not in told
        assert answer.headers.get_list("cache-control") == ["no-store"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
    sandboxed = browser.ask("GET", "/sandboxed", let_in=True)
    assert sandboxed.headers.get_list("content-security-policy") == ["sandbox; default-src 'none'"]


def test_a_cookie_that_comes_with_others_or_is_wrong(browser: Browser) -> None:
    good = f"a=b; privopt_test={browser.keys.value}"
    assert browser.ask("GET", "/", headers={"cookie": good}).status_code == 200
    assert browser.ask("GET", "/", headers={"cookie": "privopt_test=x"}).status_code == 403
    assert browser.ask("GET", "/", headers={"cookie": "=;privopt_test"}).status_code == 403


def test_a_browser_with_a_used_address_is_shown_a_page(browser: Browser) -> None:
    token = browser.keys.token()
    accept = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    assert browser.ask("GET", f"/?token={token}", headers=accept).status_code == 303
    again = browser.ask("GET", f"/?token={token}&x=<b>", headers=accept)
    assert again.status_code == 403
    assert again.headers["content-type"].startswith("text/html")
    assert "set-cookie" not in again.headers
    assert "default-src 'none'" in again.headers["content-security-policy"]
    assert "opens it once" in again.text
    assert "start it again" in again.text
    assert token not in again.text
    assert "<b>" not in again.text
    assert "<script" not in again.text
    own = {**accept, "origin": f"http://{HOST}"}
    assert browser.ask("POST", "/", headers=own).headers["content-type"] == "application/json"
