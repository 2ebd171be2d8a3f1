"""A pytest plugin beside nbval: what a page gave while it was tested is kept in its notebook, so that it is run once.

Beside it lies what the page used (`warm.Page`). After a cell that failed the rest is skipped: it would only fail of
that.
"""

import json
import os
import shutil
import time

import nbformat
import pytest

PATIENCE = 600  # seconds of the clock for a kernel to begin, and for a message: on a busy machine both take long


def pytest_itemcollected(item):
    item.output_timeout = PATIENCE


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Before nbval starts the kernel, which takes the environment over."""
    page = item.parent
    if item.cell_num == 0:
        page.begun, page.failed, page.record = time.monotonic(), False, page.path.with_suffix(".json")
        figures = page.path.parents[1] / "figures" / page.path.stem
        shutil.rmtree(figures, ignore_errors=True)
        os.environ.update(PAGE_RECORD=str(page.record), PRIVGRAPH_FIGURES=str(figures))  # those are kept for slides
    if page.failed:
        pytest.skip("an earlier cell failed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.parent.failed |= report.failed
        item.cell.update(execution_count=item.cell_num + 1, outputs=item.test_outputs or [])
        for output in item.cell.outputs:
            if output.output_type == "execute_result":  # nbval runs cells without a history: all are number 1
                output.execution_count = item.cell_num + 1
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    page = item.parent
    if (nextitem is None or nextitem.parent is not page) and not page.failed:
        asked = page.kernel.kc.kernel_info(reply=True, timeout=PATIENCE)
        page.nb.metadata["language_info"] = asked["content"]["language_info"]
        nbformat.write(page.nb, page.path)
        used = json.loads(page.record.read_text()) | {"clock": time.monotonic() - page.begun}
        page.record.write_text(json.dumps(used))
        item.user_properties.append(("page", f"{sum(used['cells']):7.1f} s  {page.path.stem}"))


def pytest_report_teststatus(report):
    if report.passed:  # a line for each page, no dot for each cell
        return "passed" if report.when == "call" else "", "", ""


def pytest_configure(config):
    class Lines:
        """Where the terminal is: with xdist, the workers' reports arrive there with their properties."""

        def pytest_runtest_logreport(self, report):
            if report.when == "teardown" and (line := dict(report.user_properties).get("page")):
                config.pluginmanager.get_plugin("terminalreporter").write_line(line)

    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Lines())
