#!/usr/bin/env python3
"""The lint must say no: plants one breach of each kind in a small tree and expects each to be named."""
import pathlib
import subprocess
import sys
import tempfile

LINT = pathlib.Path(__file__).with_name("include_lint.py")
CASES = {
    "core/base/a.h": ('#pragma once\n#include "core/wire/b.h"\n', "core/base may not include core/wire/b.h"),
    "core/wire/b.h": ("#include <vector>\n", "a header begins with #pragma once"),
    "core/wire/c.cpp": ("#include <QString>\n", "no Qt in core/wire"),
    "core/net/d.cpp": ("#include <QWidget>\n", "no widgets in core/net"),
    "core/record/e.h": ("#pragma once\n#include <nlohmann/json.hpp>\n", "JSON stays out of headers"),
    "core/metrics/f.cpp": ("auto t = std::chrono::system_clock::now();\n", "the wall clock has no place"),
    "ui/g.cpp": ('#include "core/net/h.h"\n', "ui may not include core/net/h.h"),
    "core/net/h.h": ("#pragma once\n", None),
    "app/i.cpp": ("QSaveFile f;\n", "QSaveFile loses data"),
    "app/l.cpp": ("QSettings s;\n", "QSettings loses settings"),
    "app/m.cpp": ("std::ofstream f(path);\n", "an unchecked write"),
    "ui/n.cpp": ("file.open(QIODevice::WriteOnly);\n", "an unchecked write"),
    "ui/o.cpp": ("shot.save(path);\npainter.save();\n", "a picture is saved by"),
    "ui/p.cpp": ("QMessageBox box;\n", "reads text as HTML"),
    "ui/q.cpp": ("label->setTextFormat(Qt::RichText);\n", "text from outside is plain text"),
    "ui/r.cpp": ('box->setToolTip(name);\n', "a tool tip may be read as HTML"),
    "ui/s.cpp": ("QToolTip::showText(at, name);\n", "a tool tip may be read as HTML"),
    "ui/t.cpp": ("auto* label = new QLabel(name, this);\n", "a QLabel reads text as HTML"),
    "ui/u.h": ("#pragma once\nclass Shown : public QLabel {};\n", "a QLabel reads text as HTML"),
    "ui/v.cpp": ("return role == Qt::ToolTipRole ? QVariant(name) : QVariant();\n", "may be read as HTML: plainTip()"),
    "app/j.cpp": ('#include "nowhere.h"\n', "absolute from the root"),
    "app/k.cpp": ("int n = std::stoi(s);\n", "std::sto* throws"),
}

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, (text, _) in CASES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = subprocess.run([sys.executable, LINT, folder], capture_output=True, text=True)
    missed = [want for _, want in CASES.values() if want and want not in result.stdout]
    if result.returncode != 1 or missed:
        print(result.stdout)
        sys.exit(f"status {result.returncode}, not named: {missed}")
print("every kind of breach is named")
