"""The lab's page in a real browser: what it loads, how it opens, prints and reads. Skipped where no Chromium is.

Screenshots are left in build/report-screenshots. The browser is driven over its DevTools protocol.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from msgspec.structs import replace
from websockets.sync.client import connect

from squall.reports import exploration_html
from squall.reports.lab_html import html
from squall.reports.summary import summarize

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build/report-screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
WIDE, NARROW = 1280, 360
OUT_OF_THE_CARD = """Math.max(...[...document.querySelectorAll('.failure .lanes')].map((each) =>
  each.getBoundingClientRect().right - each.closest('.failure').getBoundingClientRect().right))"""
"""Pixels by which a picture is wider than what it stands in."""
PATIENCE = 20
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e\u0000' + "a" * 100_000

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")

CONTRASTS = """(() => {
  const channels = (words) => words.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = channels(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const wrong = [];
  let seen = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    seen += 1;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    const ink = channels(isDrawn ? style.fill : style.color);
    const [one, other] = [light(ink), light(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) wrong.push(`${contrast.toFixed(2)}: ${texts.currentNode.data.trim()}`);
  }
  return { seen, wrong };
})()"""

ORDER = """[...document.querySelectorAll('a[href], summary, [tabindex="0"]')]
  .filter((element) => element.checkVisibility({ contentVisibilityAuto: true }))
  .map((element) => element.dataset.place = [...document.querySelectorAll('*')].indexOf(element))"""
FOCUSED = "Number(document.activeElement.dataset.place ?? -1)"


class Tab:
    """One page of the browser; `told` are the events that came."""

    def __init__(self, address: str) -> None:
        self.socket = connect(address, proxy=None, max_size=None)
        self.told: list[dict[str, Any]] = []
        self.sent = 0
        self.session: str | None = None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **parameters: Any) -> Any:
        self.sent += 1
        session = {"sessionId": self.session} if self.session else {}
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": parameters, **session}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == self.sent:
                assert "error" not in message, message
                return message["result"]
            self.told.append(message)

    def wait_for(self, event: str) -> None:
        while not any(message["method"] == event for message in self.told):
            self.told.append(json.loads(self.socket.recv(timeout=PATIENCE)))

    def open(self, path: Path, width: int = WIDE, scheme: str = "light") -> None:
        self.look(width, scheme)
        self.told.clear()
        self("Page.navigate", url=path.as_uri())
        self.wait_for("Page.loadEventFired")

    def look(self, width: int, scheme: str) -> None:
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < WIDE)
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def js(self, expression: str) -> Any:
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, text: str = "", code: int = 0) -> None:
        for kind in ("keyDown", "keyUp"):
            words = {"text": text} if text and kind == "keyDown" else {}
            self("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **words)

    def click(self, selector: str) -> None:
        self.js(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = self.js(
            f"(({{x, y, height}}) => [x + 20, y + height / 2])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def photograph(self, name: str, **clip: float) -> None:
        size = self("Page.getLayoutMetrics")["cssContentSize"]
        area = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1} | clip
        shot = self("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=area)
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))

    def requests(self) -> list[str]:
        return [m["params"]["request"]["url"] for m in self.told if m["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[dict[str, Any]]:
        kinds = {
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        }
        return [message for message in self.told if message["method"] in kinds]


@pytest.fixture(scope="module")
def tab(tmp_path_factory) -> Iterator[Tab]:
    profile = tmp_path_factory.mktemp("profile")
    arguments = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "about:blank",
    ]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    address = next((line.split()[-1] for line in process.stderr if line.startswith("DevTools listening on ")), None)
    assert address, "Chromium ended before it listened"
    drain = Thread(target=deque, args=(process.stderr, 0), daemon=True)  # a full pipe would hold it up
    drain.start()
    tab = Tab(address)
    yield tab
    tab.session = None
    tab("Browser.close")
    tab.socket.close()
    process.wait(PATIENCE)
    drain.join(PATIENCE)
    process.stderr.close()


@pytest.fixture(scope="module")
def page(lab, tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    text = html(lab.summary, lab.runs, lab.trace_of, title="Six faults, three strategies", replay=lab.replay)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_request_leaves_and_nothing_is_complained_about(tab, page, scheme):
    tab.open(page, scheme=scheme)
    tab.photograph(scheme)
    assert tab.requests() == [page.as_uri()]
    assert tab.complaints() == []


def test_a_request_and_an_error_would_be_seen(tab, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<!doctype html><img src='missing.png'><script>console.error('seen')</script>")
    tab.open(path)
    assert any(url.endswith("missing.png") for url in tab.requests())
    assert tab.complaints()


def test_a_script_that_got_into_the_page_would_not_run(tab, page, tmp_path):
    path = tmp_path / "page.html"
    planted = "<script>document.title = 'run'</script><p style='color: red' onclick='alert(1)'>x</p>"
    path.write_text(page.read_text(encoding="utf-8").replace("<main>", f"<main>{planted}", 1), encoding="utf-8")
    tab.open(path)
    assert tab.js("document.title") == "Six faults, three strategies"
    assert "Content Security Policy" in json.dumps(tab.complaints())


def test_hostile_runs_are_shown_run_nothing_and_fit_a_telephone(tab, lab, tmp_path):
    bad = [
        replace(
            run,
            scenario=f"{HOSTILE}{run.scenario}",
            strategy=HOSTILE,
            answer=HOSTILE,
            reasons=(HOSTILE,),
            description=HOSTILE,
            faults=tuple(replace(fault, kind=HOSTILE) for fault in run.faults),
        )
        for run in lab.runs[:6]
    ]
    path = tmp_path / "page.html"
    text = html(summarize(bad), bad, lab.trace_of, title=HOSTILE, replay=lambda run: HOSTILE)
    path.write_text(text, encoding="utf-8")
    tab.open(path, width=NARROW)
    tab.js("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert tab.requests() == [path.as_uri()]
    assert tab.complaints() == []
    assert tab.js("document.querySelectorAll('script, img').length") == 0
    assert "<script>alert(1)</script>" in tab.js("document.querySelector('h1').innerText")
    assert tab.js("document.scrollingElement.scrollWidth") <= NARROW


def test_evidence_opens_by_a_click_and_by_a_key(tab, page):
    tab.open(page)
    first = "document.querySelector('#evidence details').open"
    assert tab.js(first) is False
    tab.click("#evidence summary")
    assert tab.js(first) is True
    assert tab.js("document.querySelector('#evidence table').checkVisibility()") is True
    tab.js("document.querySelector('#evidence summary').focus()")
    tab.press("Enter", "\r", 13)
    assert tab.js(first) is False


def test_the_key_tab_reaches_all_that_opens_or_scrolls_in_the_order_of_the_page(tab, page):
    tab.open(page)
    wanted = tab.js(ORDER)
    assert tab.js("document.querySelectorAll('summary').length") > 4
    reached = []
    for _ in wanted:
        tab.press("Tab", code=9)
        reached.append(tab.js(FOCUSED))
    assert reached == wanted == sorted(wanted)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_the_contrast_that_wcag_aa_asks_for(tab, page, scheme):
    tab.open(page, scheme=scheme)
    tab.js("document.querySelectorAll('details').forEach((each) => each.open = true)")
    found = tab.js(CONTRASTS)
    assert found["seen"] > 500
    assert found["wrong"] == []


def test_a_contrast_that_is_too_low_is_found(tab, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<!doctype html><body><p style='color: #888'>grey</p><p>black</p>")
    tab.open(path)
    assert tab.js(CONTRASTS) == {"seen": 2, "wrong": ["3.54: grey"]}


def test_the_page_fits_a_telephone(tab, page):
    tab.open(page, width=NARROW)
    tab.photograph("narrow")
    assert tab.js("document.scrollingElement.scrollWidth") <= NARROW
    assert tab.js(OUT_OF_THE_CARD) <= 0
    tab.js("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert tab.js("document.scrollingElement.scrollWidth") <= NARROW


def test_it_prints_with_all_its_evidence(tab, page):
    tab.open(page)
    printed = base64.b64decode(
        tab("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69)["data"]
    )
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / "printed.pdf").write_bytes(printed)
    assert 4 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 40


@pytest.fixture(scope="module")
def explored_page(exploration, tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("explored") / "exploration.html"
    path.write_text(exploration_html.html([exploration]), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_an_exploration_asks_for_nothing_and_can_be_read(tab, explored_page, scheme):
    tab.open(explored_page, scheme=scheme)
    tab.photograph(f"exploration-{scheme}")
    assert tab.requests() == [explored_page.as_uri()]
    assert tab.complaints() == []
    found = tab.js(CONTRASTS)
    assert found["seen"] > 100
    assert found["wrong"] == []


def test_the_page_of_an_exploration_fits_a_telephone_and_paper(tab, explored_page):
    tab.open(explored_page, width=NARROW)
    tab.photograph("exploration-narrow")
    assert tab.js("document.scrollingElement.scrollWidth") <= NARROW
    printed = base64.b64decode(tab("Page.printToPDF", printBackground=False)["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6
