"""The site: it builds without a warning, its links lead somewhere, and a browser finds a rule."""

import re
import shutil
import sys
import threading
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from conftest import REPOSITORY, call, once
from flake8_jax.rules import RULES

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync""".split()
PATIENCE = 60
"""Seconds in which the browser has to show something."""
HERE = "http://here/"

pytestmark = pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        command = (
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--site-dir",
            folder / "site",
        )
        done = call(*command, cwd=REPOSITORY, NO_MKDOCS_2_WARNING="1")
        assert done.returncode == 0, done.stdout
        assert "WARNING" not in done.stdout

    return once(tmp_path_factory, "site", make) / "site"


def pages(site: Path) -> dict[str, str]:
    """The text of each page by its address."""
    found = {}
    for path in site.rglob("*.html"):
        name = path.relative_to(site).as_posix().removesuffix("index.html")
        found[HERE + name] = path.read_text(encoding="utf-8")
    return found


def test_each_rule_has_a_page(site: Path) -> None:
    known = pages(site)
    for rule in RULES:
        text = known[f"{HERE}rules/{rule.code}/"]
        [title] = re.findall(r"<h1[^>]*>(.*?)<", text)
        assert title == f"{rule.name} ({rule.code})"


def test_links_and_anchors_lead_somewhere(site: Path) -> None:
    known = pages(site)
    anchors = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in known.items()}
    wrong = []
    for name, text in known.items():
        if name.endswith("404.html"):
            continue  # it is shown for any address
        for link in re.findall(r'<a\b[^>]*\bhref="([^"]*)"', text):
            place = urlsplit(urljoin(name, unescape(link)))
            page = f"{place.scheme}://{place.netloc}{unquote(place.path)}"
            if not page.startswith(HERE):
                continue
            if page in known:
                is_there = not place.fragment or unquote(place.fragment) in anchors[page]
            else:
                is_there = (site / unquote(place.path).lstrip("/")).is_file()
            if not is_there:
                wrong.append((name, link))
    assert len(known) > 35
    assert wrong == []


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    fetched = re.compile(r'<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="((?:https?:)?//[^"]+)')
    assert {
        name: found for name, text in pages(site).items() if (found := fetched.findall(text))
    } == {}
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", styles) == []


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium or chromedriver is not installed")
@pytest.mark.parametrize("width", [1400, 420])
def test_a_browser_finds_a_rule(address: str, tmp_path: Path, width: int) -> None:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path}", f"--window-size={width},1000"):
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=DRIVER)
    with webdriver.Chrome(options=options, service=service) as browser:
        wait = WebDriverWait(browser, PATIENCE)
        browser.get(address)
        if width < 960:
            browser.find_element(By.CSS_SELECTOR, "label[for=__search].md-header__button").click()
        field = browser.find_element(By.CSS_SELECTOR, "input.md-search__input")
        wait.until(lambda _: field.is_displayed())
        field.send_keys("JAX203")
        found = "a.md-search-result__link[href*='rules/JAX203/']"
        link = wait.until(lambda _: browser.find_elements(By.CSS_SELECTOR, found))[0]
        wait.until(lambda _: link.is_displayed())
        link.click()
        wait.until(lambda _: "/rules/JAX203/" in browser.current_url)
        title = wait.until(lambda _: browser.find_element(By.CSS_SELECTOR, "h1"))
        assert title.text.rstrip("¶") == "call-writes-argument (JAX203)"
        page = browser.find_element(By.CSS_SELECTOR, "html")
        assert int(page.get_property("scrollWidth")) <= int(page.get_property("clientWidth"))
