"""Formgrader and feedback in a real browser, on what students may hand in: nothing of it runs, fetches or is obeyed.

Formgrader is nbgrader's own, with the teacher's rights: a script in it can change all grades and start a kernel.
"""

import base64
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
pytest.importorskip("nbgrader", reason="nbgrader is not installed: `make test` installs it")
from nbformat.v4 import new_markdown_cell, new_output
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from test_browser import requests

from hostile_essays import ESSAYS, RUN, essays
from privbook.classroom import Mark, assignments, gradebook
from privbook.classroom.submissions import Submission

pytestmark = pytest.mark.browser

FIRST = assignments()["01-randomised-response"]
TOKEN = "known-to-the-teacher"
MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/"  # which nbgrader's page asks for, whatever it shows
MARKS = {part: Mark(1.0, "Right.") for part in FIRST.parts}
NAIVE = [text for text in ESSAYS if text.startswith(("<script>", "<svg onload", "<iframe src=CANARY", "<!--><script>"))]
SETTLE = 0.5  # seconds for what would run after a page was loaded


class Canary(ThreadingHTTPServer):
    """A server that should hear nothing."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Heard)
        self.heard, self.address = [], f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Heard(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.heard.append(self.path)
        self.send_response(200), self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass


def submission(student: str, texts: list[str], outputs=()) -> Submission:
    """A notebook with an essay and further texts, as ``Submission.read`` makes it of a file."""
    notebook = FIRST.with_answers({"repeat": texts[0], "keep": f"# </script><script>{RUN}</script>\nx = 1"})
    notebook.cells += [new_markdown_cell(text) for text in texts[1:]]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = list(outputs)
    return Submission(student, FIRST, notebook)


def outputs() -> list:
    """What a kernel would show, as the box tells it or made by hand."""
    broken = f"\"><script>{RUN}</script><img src=\""
    return [new_output("stream", text=f"<script>{RUN}</script>\x1b[31m red"),
            new_output("display_data", data={"image/png": broken}),
            new_output("display_data", data={"image/png": base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"x" * 9).decode()}),
            new_output("display_data", data={"text/html": f"<script>{RUN}</script>"}),
            new_output("display_data", data={"image/svg+xml": f"<svg onload={RUN}></svg>"}),
            new_output("display_data", data={"application/javascript": RUN}),
            new_output("display_data", data={"text/vnd.mermaid": f"graph TD; A[<img src=x onerror={RUN}>]"}),
            new_output("display_data", data={"text/vnd.mermaid": f"x</pre><script>{RUN}</script>", "text/plain": "x"}),
            new_output("display_data", data={"text/markdown": f"<script>{RUN}</script>"}),
            new_output("display_data", data={"text/latex": f"$\\href{{javascript:{RUN}}}{{x}}$"}),
            new_output("error", ename=f"<script>{RUN}</script>", evalue="x", traceback=[f"<script>{RUN}</script>"])]


def enter(course, one: Submission) -> None:
    course.enter(FIRST, one.student, MARKS, one.notebook)
    course.feedback(FIRST, one.student)


@pytest.fixture(scope="module")
def canary():
    with Canary() as server:
        yield server
        server.shutdown()



@pytest.fixture(scope="module")
def course(tmp_path_factory, canary):
    """Three students: a harmless one, a hostile one, and the hostile one if nothing were done about it."""
    found = gradebook.Course(tmp_path_factory.mktemp("course"))
    found.add(FIRST)
    enter(found, submission("harmless", ["The sum of $x < y$."]))
    enter(found, submission("hostile", essays(canary.address), outputs()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gradebook, "neutral", lambda notebook, ours: notebook.copy())
        for number, text in enumerate(NAIVE):
            one = submission(f"naive-{number}", [text.replace("CANARY", canary.address)])
            found.enter(FIRST, one.student, MARKS, one.notebook)
    return found


@pytest.fixture(scope="module")
def server(course, tmp_path_factory):
    """nbgrader's Formgrader, started as a teacher starts it; its address."""
    home, port = tmp_path_factory.mktemp("home"), free_port()
    said = {**os.environ, "HOME": str(home), "JUPYTER_RUNTIME_DIR": str(home), "JUPYTER_DATA_DIR": str(home),
            "JUPYTER_CONFIG_DIR": str(home), "IPYTHONDIR": str(home), "JUPYTER_NO_CONFIG": "1"}
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
               f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}",
               "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"]
    with open(home / "log", "w") as log, subprocess.Popen(command, cwd=course.folder, env=said, stdout=log,
                                                          stderr=log) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}", process, home / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def wait_for(address: str, process, log) -> None:
    for _ in range(240):
        with contextlib.suppress(OSError):
            return asked(address, "kernels")
        assert process.poll() is None, log.read_text()[-2000:]
        time.sleep(0.5)
    raise AssertionError(log.read_text()[-2000:])


def asked(address: str, what: str):
    request = urllib.request.Request(f"{address}/api/{what}", headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def headers(address: str, page: str):
    request = urllib.request.Request(f"{address}/{page}", headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers


def open_submission(browser, server, course, student: str) -> list[str]:
    """A submission in Formgrader; what the browser asked for."""
    with course.gradebook() as book:
        number = book.find_submission_notebook(FIRST.name, FIRST.name, student).id
    browser.get(f"{server}/formgrader?token={TOKEN}")
    return opened(browser, f"{server}/formgrader/submissions/{number}/")


def opened(browser, address: str) -> list[str]:
    browser.get("about:blank"), browser.get_log("performance"), browser.get_log("browser")
    browser.get(address)
    time.sleep(SETTLE)
    return [found for found in requests(browser) if not found.startswith(("chrome:", "about:"))]


def shown(browser) -> list[str]:
    """The texts on a page, character by character."""
    return [pre.get_property("textContent") for pre in browser.find_elements(By.CSS_SELECTOR, ".text_cell_render pre")]


def squeezed(text: str) -> str:
    """Without blanks, control characters and signs that change the direction: where lines break does not matter."""
    return "".join(c for c in text if c.isprintable() and not c.isspace())


def no_harm(browser, address: str) -> None:
    assert browser.title == FIRST.name and browser.current_url == address
    assert len(browser.window_handles) == 1
    for element in ("iframe", "object", "embed", "svg", "form", "math", "video", "base", "[onerror]", "[onload]",
                    "[xlink\\:href]", "[srcset]", ".text_cell_render [style]", ".text_cell_render input",
                    ".text_cell_render pre *:not(code)"):
        assert browser.find_elements(By.CSS_SELECTOR, element) == [], element
    links = browser.execute_script("return [...document.querySelectorAll('a[href], area')].map(a => String(a.href))")
    assert [link for link in links if not link.startswith(("http://127.0.0.1", "file:"))] == []


def test_nothing_of_a_submission_runs_in_formgrader(browser, server, course, canary):
    before = course.rows(FIRST)
    usual = open_submission(browser, server, course, "harmless")
    found = open_submission(browser, server, course, "hostile")
    no_harm(browser, browser.current_url)
    assert "/formgrader/submissions/" in browser.current_url
    assert names(found) <= names(usual) and all(one.startswith((server, MATHJAX)) for one in found)
    assert canary.heard == [] and asked(server, "kernels") == [] == asked(server, "sessions")
    assert course.rows(FIRST) == before
    assert [squeezed(text) for text in shown(browser)] == [
        squeezed(text) for text in essays(canary.address)]


def names(addresses: list[str]) -> set[str]:
    """Addresses without a submission's number."""
    return {re.sub("[0-9a-f]{32}", "", address) for address in addresses}


def test_the_pages_around_it_do_no_harm_either(browser, server, course, canary):
    for page in (f"gradebook/{FIRST.name}/{FIRST.name}", f"manage_submissions/{FIRST.name}", "manage_students"):
        found = opened(browser, f"{server}/formgrader/{page}")
        assert "pwned" not in browser.title and all(one.startswith(server) for one in found)
    assert canary.heard == []


def test_nothing_of_a_submission_runs_where_jupyter_shows_it_as_a_page(browser, server, course, canary):
    """Its own conversion and its files have the server's rights, whatever policy a version sends with them."""
    browser.get(f"{server}/formgrader?token={TOKEN}")
    below = f"hostile/{FIRST.name}/{FIRST.name}"
    pages = {f"nbconvert/html/autograded/{below}.ipynb": "How often", f"files/feedback/{below}.html": "How often",
             f"files/texts/hostile/{FIRST.name}/essay-repeat.txt": RUN}
    for page, words in pages.items():
        policy = headers(server, page)["Content-Security-Policy"]
        assert "sandbox" in policy and "allow-same-origin" not in policy, "of our pin of jupyter-server"
        found = opened(browser, f"{server}/{page}?token={TOKEN}")
        assert words in browser.page_source, page
        assert "pwned" not in browser.title and canary.heard == [], page
        assert all(one.startswith((server, MATHJAX, "data:", "https://cdnjs.cloudflare.com/")) for one in found), found
        assert browser.find_elements(By.CSS_SELECTOR, "[onerror], [onload], iframe, .mermaid, pre.mermaid") == [], page


def test_nothing_of_a_submission_runs_in_its_feedback(browser, course, canary):
    page = course.folder / "feedback" / "hostile" / FIRST.name / f"{FIRST.name}.html"
    found = opened(browser, page.as_uri())
    no_harm(browser, page.as_uri())
    assert all(one.startswith(("file:", "data:")) for one in found) and canary.heard == []
    assert len(shown(browser)) == len(essays(canary.address))
    first = browser.find_element(By.CSS_SELECTOR, "head > :first-child")
    assert first.get_attribute("http-equiv") == "Content-Security-Policy"
    assert first.get_attribute("content") == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def test_the_policy_of_a_feedback_page_is_a_second_wall(browser, course, canary, tmp_path):
    """The same page, into which markup has come all the same."""
    page = course.folder / "feedback" / "harmless" / FIRST.name / f"{FIRST.name}.html"
    text, through = page.read_text(encoding="utf-8"), tmp_path / "through.html"
    harm = f"<script>{RUN}</script><img src='{canary.address}/through'><svg onload=\"{RUN}\"></svg>"
    through.write_text(text.replace("</body>", f"{harm}</body>"), encoding="utf-8")
    opened(browser, through.as_uri())
    assert browser.title == FIRST.name and canary.heard == []
    assert browser.find_elements(By.CSS_SELECTOR, "body > svg, body > img")


def test_the_check_would_see_it(browser, server, course, canary):
    """Written as they are, such texts do run and fetch: this is what the pages above were like."""
    for number, text in enumerate(NAIVE):
        open_submission(browser, server, course, f"naive-{number}")
        assert WebDriverWait(browser, 30).until(lambda window, text=text: (
            canary.heard if "CANARY" in text else window.title == "pwned"), text)
    canary.heard.clear()
