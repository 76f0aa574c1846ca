#!/usr/bin/env python3
"""Every fault of tests/faults.md has a test function that is named after it. Argument: the source folder."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
wanted = {int(n) for n in re.findall(r"^\| F(\d+) \|", (root / "tests/faults.md").read_text(), re.M)}
tested = {}
for path in sorted((root / "tests").rglob("*")):
    if path.suffix == ".cpp":
        functions = re.findall(r"\bvoid ((?:f\d{1,2}_?)+)(?<=[\d_])[A-Za-z]\w*\(\)", path.read_text())
    elif path.suffix == ".py":
        functions = re.findall(r"\bdef test_((?:f\d{1,2}_)+)\w+\(", path.read_text())
    else:
        continue
    for numbers in functions:
        for number in re.findall(r"f(\d{1,2})", numbers):
            tested.setdefault(int(number), set()).add(path.relative_to(root).as_posix())
missing = sorted(wanted - set(tested))
unknown = sorted(set(tested) - wanted)
if wanted != set(range(1, 51)):
    sys.exit("tests/faults.md does not list F1 to F50")
if missing or unknown:
    sys.exit(f"without a test: {['F%d' % n for n in missing]}; not in tests/faults.md: {['F%d' % n for n in unknown]}")
print(f"{len(wanted)} faults, each with a test")
