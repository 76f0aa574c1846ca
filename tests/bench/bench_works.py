#!/usr/bin/env python3
"""Runs a benchmark with --quick: it must end well, and each line it prints must be a figure (performance.md)."""
import json
import math
import subprocess
import sys


def main() -> int:
    done = subprocess.run([sys.argv[1], "--quick"], stdout=subprocess.PIPE, text=True, timeout=110)
    if done.returncode != 0:
        print(f"{sys.argv[1]} ended with {done.returncode}")
        return 1
    lines = done.stdout.splitlines()
    for line in lines:
        figure = json.loads(line)
        if set(figure) != {"name", "value", "unit", "ratio_to", "conditions"}:
            print(f"Not the fields of a figure: {line}")
            return 1
        if not isinstance(figure["value"], (int, float)) or not math.isfinite(figure["value"]):
            print(f"No number: {line}")
            return 1
        if not figure["name"] or not figure["unit"] or not figure["conditions"]:
            print(f"Something is empty: {line}")
            return 1
    if not lines:
        print(f"{sys.argv[1]} printed no figure.")
        return 1
    print(f"{len(lines)} figures")
    return 0


sys.exit(main())
