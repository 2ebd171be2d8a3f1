"""A pytest plugin that counts the texts nbval really compared, so that a green run cannot be an empty one.

nbval passes a cell without stored output, and compares no image. What counts here is a stored text that was
compared with a new one: not a figure's "<Figure size ...>", and nothing that sanitising leaves empty.
`--count-to FILE` writes the counts, one for each notebook.
"""

import json
from collections import Counter
from pathlib import Path

from nbval.plugin import IPyNbCell

compared = Counter()


def pytest_addoption(parser):
    parser.addoption("--count-to", type=Path, help="where to write how many texts nbval compared, by notebook")


def texts(cell, outputs):
    """The stored texts of a cell's outputs as nbval compares them: streams and the textual MIME types."""
    skip = cell.parent.skip_compare
    for output in cell.sanitize_outputs(outputs):
        found = output["data"] if "data" in output else {"text": output.get("text")}
        yield from (text for mime, text in found.items() if mime not in skip and isinstance(text, str))


def pytest_configure():
    compare = IPyNbCell.compare_outputs

    def counting(cell, test, ref, skip_compare=None):
        same = compare(cell, test, ref, skip_compare)
        real = [text for text in texts(cell, ref) if text.strip() and not text.startswith("<Figure")]
        cell.user_properties.append(("compared", len(real)))
        return same

    IPyNbCell.compare_outputs = counting


def pytest_runtest_logreport(report):
    # Runs where the terminal is: with xdist, the workers' reports arrive here with their properties.
    if report.when == "call":
        compared[Path(report.nodeid.split("::")[0]).name] += dict(report.user_properties).get("compared", 0)


def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.write_line(f"nbval compared {compared.total()} texts in {len(compared)} notebooks")
    if path := config.getoption("--count-to"):
        path.write_text(json.dumps(compared, indent=1, sort_keys=True) + "\n")
