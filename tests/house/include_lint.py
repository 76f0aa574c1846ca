#!/usr/bin/env python3
"""Holds the include law of ARCHITECTURE.md: who may include whom, where Qt and JSON may appear, and the manners
that a compiler does not check. Prints each breach as file:line: what, and ends with 1 if there is any."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
ALLOWED = {  # room -> rooms it may include, itself always
    "core/base": set(),
    "core/wire": {"core/base"},
    "core/source": {"core/base", "core/wire"},
    "core/net": {"core/base", "core/wire", "core/source"},
    "core/record": {"core/base", "core/wire", "core/source"},
    "core/metrics": {"core/base", "core/record", "core/wire", "core/source"},
    "core/session": {"core/base", "core/wire", "core/source", "core/record", "core/metrics"},
    "ui": {"core/base", "core/source", "core/record", "core/metrics", "core/session"},
    "app": {"core/base", "core/wire", "core/source", "core/net", "core/record", "core/metrics", "core/session", "ui"},
    "engine": set(),
}
# Headers of a room that more rooms may see than the table says.
ONLY = {("ui", "core/source"): {"run_spec.h", "token_source.h", "request.h", "synthetic_source.h",
                                    "local_model.h", "model_finder.h", "endpoint_preset.h",
                                    "environment_endpoints.h", "request_form.h", "address_guess.h",
                                    "endpoint_answer.h"}}
QT_ROOMS = ("core/net", "ui", "app")
WIDGET_ROOMS = ("ui", "app")
WIDGET = re.compile(r"<Q(Widget|Chart|Application|Painter|MainWindow|Dialog|Label|.*View|.*Button)>")
BANNED = [
    (re.compile(r"\bQSaveFile\b"), "QSaveFile loses data on a full disk: use core/record/safe_file.h"),
    (re.compile(r"\bQSettings\b"), "QSettings loses settings on a full disk: use core/record/safe_file.h"),
    (re.compile(r"\bQTemporaryFile\b|\bstd::ofstream\b|\bfopen\s*\("),
     "an unchecked write: use core/record/safe_file.h or append_file.h"),
    (re.compile(r"\bQ(File|IODevice)(Device)?::(WriteOnly|ReadWrite|Append|Truncate)\b"),
     "an unchecked write: use core/record/safe_file.h or append_file.h"),
    (re.compile(r"\.save\(\s*(?!&|\))"), "a picture is saved by ui/window/picture_file.h"),
    (re.compile(r"\bQMessageBox\b|\bQTextBrowser\b|\bQErrorMessage\b"),
     "reads text as HTML: show it by a RoleLabel or a banner (ui/panels/controls.h)"),
    (re.compile(r"\bsetHtml\s*\(|\binsertHtml\s*\(|Qt::(RichText|AutoText)\b|setOpenExternalLinks"),
     "text from outside is plain text"),
    (re.compile(r"\b(setToolTip|QToolTip::showText)\s*\((?!plainTip\()"),
     "a tool tip may be read as HTML: set it by ui/theme/plain_tip.h"),
    (re.compile(r"\bQt::ToolTipRole\s*\?(?!\s*plainTip\()|\bsetWhatsThis\b|\bQWhatsThis\b|\bQGraphicsTextItem\b"),
     "may be read as HTML: plainTip() of ui/theme/plain_tip.h"),
    (re.compile(r"\bnew\s+QLabel\b|\bpublic\s+QLabel\b|\bQLabel\s+\w+\s*[;({]"),
     "a QLabel reads text as HTML: use a RoleLabel (ui/panels/controls.h)"),
    (re.compile(r"\bignoreSslErrors\s*\(\s*\)"), "ignoreSslErrors() without a list"),
    (re.compile(r"\bstd::sto(i|l|ul|ll|ull|d|f)\b"), "std::sto* throws: use std::from_chars"),
    (re.compile(r"\bTODO\b|\bFIXME\b|\bXXX\b"), "an open end in the code"),
]
AT_HOME = {  # the one file that may, of each such pair
    "ui/theme/plain_tip.cpp": "tool tip", "ui/panels/controls.h": "QLabel"}
SYSTEM_CLOCK_ROOMS = ("core/metrics", "core/wire", "core/session")


def room_of(path):
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] == "core" else parts[0]


def check(path, faults):
    room = room_of(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".h" and "#pragma once" not in lines[:3]:
        faults.append(f"{path}:1: a header begins with #pragma once")
    for number, line in enumerate(lines, 1):
        where = f"{path.relative_to(ROOT)}:{number}"
        for pattern, why in BANNED:
            if pattern.search(line) and AT_HOME.get(str(path.relative_to(ROOT)), "\0") not in why:
                faults.append(f"{where}: {why}")
        if room in SYSTEM_CLOCK_ROOMS and "system_clock" in line:
            faults.append(f"{where}: the wall clock has no place in a metric")
        quoted = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        angled = re.match(r"\s*#\s*include\s+(<[^>]+>)", line)
        if quoted:
            target = quoted.group(1)
            if target.endswith(".moc"):
                continue
            if not (ROOT / target).exists():
                faults.append(f"{where}: includes are absolute from the root: {target}")
                continue
            other = room_of(ROOT / target)
            if other == room:
                continue
            allowed = other in ALLOWED.get(room, set())
            only = ONLY.get((room, other))
            if only is not None:
                allowed = pathlib.Path(target).name in only
            if not allowed:
                faults.append(f"{where}: {room} may not include {target}")
        elif angled:
            header = angled.group(1)
            if re.match(r"<Q|<Qt", header) and not room.startswith(QT_ROOMS):
                faults.append(f"{where}: no Qt in {room}: {header}")
            if WIDGET.match(header) and not room.startswith(WIDGET_ROOMS):
                faults.append(f"{where}: no widgets in {room}: {header}")
            if header == "<nlohmann/json.hpp>" and path.suffix == ".h":
                faults.append(f"{where}: JSON stays out of headers (json_fwd.hpp is allowed)")


def main():
    faults = []
    files = [p for top in ("core", "ui", "app", "engine") if (ROOT / top).is_dir()
             for p in sorted((ROOT / top).rglob("*")) if p.suffix in (".h", ".cpp", ".cu", ".cuh")]
    for path in files:
        check(path, faults)
    for fault in faults:
        print(fault)
    print(f"{len(files)} files, {len(faults)} breaches")
    if not files:
        sys.exit("no source file found: wrong root?")
    sys.exit(1 if faults else 0)


main()
