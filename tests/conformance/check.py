#!/usr/bin/env python3
"""Runs the official conformance suite against a server, and holds it to more than the suite does.

    python3 check.py path/to/suite http://127.0.0.1:8000/mcp

The first argument is the directory `suite` beside this file, or a copy of it, after `npm ci` in it.

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

REVISION = "2026-07-28"
ENTRY = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
SCENARIOS = 50
"""How many the pinned suite has for a server: fewer would mean that its list was not read."""
CHECKS = 196
"""How many of its checks a server passes that has all it asks for, and answers lists in JSON."""
SENDS_NOTHING = "tasks-status-notifications"
"""The scenario that the suite itself skips, whatever the server is."""


@dataclass
class Check:
    """One check of a scenario, as the suite has judged it."""

    scenario: str
    name: str
    status: str
    reason: str

    def is_harmless(self) -> bool:
        """Whether nothing has to be mended: it passed, or there was nothing to judge."""
        return self.status in ("SUCCESS", "INFO") or (self.scenario, self.status) == (SENDS_NOTHING, "SKIPPED")

    def __str__(self) -> str:
        return f"{self.status:8} {self.scenario}: {self.name}" + (f": {self.reason}" if self.reason else "")


def suite(directory: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["node", "--import", "./preload.mjs", ENTRY, *arguments]
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, text=True, check=False)


def scenarios(directory: Path) -> list[str]:
    """All scenarios that the suite has for a server of this revision, scored or not."""
    listed = suite(directory, "list", "--requirements", REVISION)
    listed.check_returncode()
    text = listed.stdout
    scored = text.partition("Server scenarios")[2].partition("Client scenarios")[0]
    return re.findall(r"- ([\w./-]+)$", scored, re.M) + re.findall(r"- ([\w./-]+) \[server\]", text)


def run(directory: Path, url: str) -> Iterator[Check]:
    """Runs everything once; the checks are in files, and the exit status says less than they do."""
    with tempfile.TemporaryDirectory() as out:
        suite(directory, "server", "--url", url, "--requirements", REVISION, "-o", Path(out))
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


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: check.py path/to/suite URL", file=sys.stderr)
        return 2
    directory, url = Path(sys.argv[1]), sys.argv[2]
    listed = scenarios(directory)
    if len(set(listed)) != SCENARIOS:
        print(f"the suite lists {len(set(listed))} scenarios instead of {SCENARIOS}", file=sys.stderr)
        return 1
    checks = list(run(directory, url))
    passed = {check.scenario for check in checks if check.status == "SUCCESS"}
    idle = sorted(set(listed) - passed - {SENDS_NOTHING})

    for check in checks:
        if check.status != "SUCCESS":
            print(check)
    for name in idle:
        print(f"IDLE     {name}: no check of it passed")
    counts = Counter(check.status for check in checks)
    print(
        f"{len(passed)} of {SCENARIOS} scenarios passed checks, and {SENDS_NOTHING} has none; {counts['SUCCESS']} of"
        f" {CHECKS} checks passed, {counts['FAILURE']} failed, {counts['WARNING']} warned, {counts['SKIPPED']} skipped"
    )
    holds = all(check.is_harmless() for check in checks)
    return 0 if holds and not idle and counts["SUCCESS"] == CHECKS else 1


if __name__ == "__main__":
    sys.exit(main())
