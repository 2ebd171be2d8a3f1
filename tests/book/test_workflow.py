"""The workflow of the public host: official actions by version, no more rights than it needs, commands that exist."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

import addresses

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = yaml.load((ROOT / ".github/workflows" / addresses.WORKFLOW).read_text(encoding="utf-8"), yaml.BaseLoader)
JOBS = WORKFLOW["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
RUN = [step["run"] for step in JOBS["build"]["steps"] if "run" in step]


def test_only_official_actions_by_version():
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used and [action for action in used if not re.fullmatch(r"actions/[\w-]+@v\d+(\.\d+)*", action)] == []


def test_only_what_publishes_may_write_and_only_pages():
    assert WORKFLOW["permissions"] == {"contents": "read"} and "permissions" not in JOBS["build"]
    assert JOBS["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert not [step for step in JOBS["publish"]["steps"] if "run" in step], "commands of ours run without these rights"
    assert not re.search(r"\bsecrets\b|pull_request_target", str(WORKFLOW))


def test_what_is_published_is_the_branch_of_the_setting_after_all_tests():
    branch = addresses.setting().branch
    assert WORKFLOW["on"]["push"]["branches"] == [branch] and JOBS["publish"]["needs"] == "build"
    upload, = (step for step in STEPS if "upload-pages-artifact" in step.get("uses", ""))
    assert upload["if"] == JOBS["publish"]["if"] == f"github.ref == 'refs/heads/{branch}'"
    written = re.search(r"make publish TO=(\S+)", RUN[-1])
    assert written and upload["with"]["path"] == written[1] and JOBS["build"]["steps"][-1] == upload
    assert ".ci/run" in RUN and "make test" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "continue-on-error" not in str(WORKFLOW) and "always()" not in str(WORKFLOW)


@pytest.mark.parametrize("command", RUN)
def test_its_commands_exist(command):
    program, *words = command.split()
    if program == "make":
        subprocess.run(["make", "--dry-run", *words], cwd=ROOT, check=True, capture_output=True)
    elif program != "git":
        assert (ROOT / program).stat().st_mode & 0o100


def test_the_container_has_what_ci_installs_and_the_python_of_the_book():
    folder = ROOT / ".devcontainer"
    lines = (folder / "Dockerfile").read_text(encoding="utf-8").splitlines()
    ours = re.search(r"apt-get install -y -qq ([\w -]+) >", (ROOT / ".ci/run").read_text(encoding="utf-8"))[1].split()
    assert {*ours, "git", "make", "openssl"} <= set(" ".join(lines).split())
    python = (ROOT / ".binder/runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")
    assert f"FROM python:{python}-slim-bookworm" in lines and "RUN make .venv/.ready" in lines
    conda = yaml.safe_load((folder / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    assert f"python={python}" in conda
    assert all((folder / line.split()[1]).is_file() for line in conda[-1]["pip"])
    build = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))["build"]
    assert (folder / build["dockerfile"]).is_file() and (folder / build["context"]).resolve() == ROOT


def test_publishing_asks_where_to():
    asked = subprocess.run(["make", "--dry-run", "publish"], cwd=ROOT, capture_output=True, text=True)
    assert asked.returncode and "say where to" in asked.stderr
