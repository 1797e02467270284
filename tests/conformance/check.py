#!/usr/bin/env python3
"""Runs the official conformance suite against a server, and holds it to more than the suite does.

    python3 check.py path/to/suite http://127.0.0.1:8000/mcp [REVISION …]

The first argument is the directory `suite` beside this file, or a copy of it, after `npm ci` in it. Without a
revision the suite runs in each one that is known.

A scenario that the suite leaves out of the score is held to the same as the others. Each of them has to
run and to pass at least one check, no check may fail, warn or be skipped, and all of them together have to
be as many as are known: a suite that calls nothing, or less than it did, must not look like one that
passes. What did not pass is printed with its reason, and the exit status is 0 only if everything did.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENTRY = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
NEWEST = "2026-07-28"


@dataclass(frozen=True)
class Expected:
    """What the pinned suite has for a server of one revision."""

    scenarios: int
    """How many it runs: fewer would mean that its list was not read."""
    checks: int
    """How many of its checks a server passes that has all it asks for, answers lists in JSON, and resumes streams."""
    skipped: frozenset[tuple[str, str]]
    """The checks that it skips, by scenario and name."""

    def is_harmless(self, check: Check) -> bool:
        """Whether nothing has to be mended: it passed, or there was nothing to judge."""
        return check.status in ("SUCCESS", "INFO") or (
            check.status == "SKIPPED" and (check.scenario, check.name) in self.skipped
        )


SENDS_NOTHING = frozenset({("tasks-status-notifications", "tasks-status-notifications")})
"""The scenario that the suite itself skips, whatever the server is."""
NO_DELETE = frozenset(
    ("server-session-lifecycle", name)
    for name in ("server-session-delete-accepted", "server-session-terminated-returns-404")
)
"""What it skips if the server answers DELETE with 405, which the revisions allow."""
REVISIONS = {
    NEWEST: Expected(scenarios=50, checks=196, skipped=SENDS_NOTHING),
    "2025-11-25": Expected(scenarios=33, checks=81, skipped=NO_DELETE),
    "2025-06-18": Expected(scenarios=27, checks=54, skipped=NO_DELETE),
    "2025-03-26": Expected(scenarios=1, checks=1, skipped=NO_DELETE),
}


@dataclass
class Check:
    """One check of a scenario, as the suite has judged it."""

    scenario: str
    name: str
    status: str
    reason: str

    def __str__(self) -> str:
        return f"{self.status:8} {self.scenario}: {self.name}" + (f": {self.reason}" if self.reason else "")


def suite(directory: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["node", "--import", "./preload.mjs", ENTRY, *arguments]
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, text=True, check=False)


def scenarios(directory: Path, revision: str) -> set[str]:
    """All scenarios that the suite has for a server of a revision, scored or not."""
    which = ("--requirements", revision) if revision == NEWEST else ("--server", "--spec-version", revision)
    listed = suite(directory, "list", *which)
    listed.check_returncode()
    text = listed.stdout
    if revision != NEWEST:
        return set(re.findall(r"- ([\w./-]+) \[", text))
    scored = text.partition("Server scenarios")[2].partition("Client scenarios")[0]
    return set(re.findall(r"- ([\w./-]+)$", scored, re.M) + re.findall(r"- ([\w./-]+) \[server\]", text))


def run(directory: Path, url: str, revision: str) -> Iterator[Check]:
    """Runs everything once; the checks are in files, and the exit status says less than they do."""
    which = ("--requirements", revision) if revision == NEWEST else ("--suite", "all", "--spec-version", revision)
    with tempfile.TemporaryDirectory() as out:
        suite(directory, "server", "--url", url, *which, "-o", Path(out))
        for file in sorted(Path(out).glob("server-*/checks.json")):
            # server-<scenario>-<date>T<time>Z
            named = re.fullmatch(r"server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name)
            if named is None:
                raise ValueError(f"results of no scenario: {file.parent.name}")
            for check in json.loads(file.read_text()):
                yield Check(named[1], check["id"], check["status"], reason(check))


def reason(check: dict[str, Any]) -> str:
    details = check.get("details")
    told = [check.get("errorMessage"), details and json.dumps(details, ensure_ascii=False)]
    return "; ".join(part for part in told if part)[:2000]


def holds(directory: Path, url: str, revision: str) -> bool:
    """Runs the suite in one revision, and prints what did not pass."""
    expected = REVISIONS[revision]
    listed = scenarios(directory, revision)
    if len(listed) != expected.scenarios:
        print(f"the suite lists {len(listed)} scenarios of {revision} instead of {expected.scenarios}", file=sys.stderr)
        return False
    checks = list(run(directory, url, revision))
    passed = {check.scenario for check in checks if check.status == "SUCCESS"}
    idle = sorted(listed - passed - {scenario for scenario, _ in SENDS_NOTHING})

    for check in checks:
        if check.status not in ("SUCCESS", "INFO"):
            print(check)
    for name in idle:
        print(f"IDLE     {name}: no check of it passed")
    counts = Counter(check.status for check in checks)
    print(
        f"{revision}: {len(passed)} of {expected.scenarios} scenarios passed checks; {counts['SUCCESS']} of"
        f" {expected.checks} checks passed, {counts['FAILURE']} failed, {counts['WARNING']} warned,"
        f" {counts['SKIPPED']} skipped"
    )
    harmless = all(expected.is_harmless(check) for check in checks)
    return harmless and not idle and counts["SUCCESS"] == expected.checks


def main() -> int:
    match sys.argv[1:]:
        case [directory, url, *revisions] if set(revisions) <= set(REVISIONS):
            results = [holds(Path(directory), url, revision) for revision in revisions or REVISIONS]
            return 0 if all(results) else 1
        case _:
            print("usage: check.py path/to/suite URL [REVISION …]", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
