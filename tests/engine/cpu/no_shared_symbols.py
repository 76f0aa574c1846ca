#!/usr/bin/env python3
"""Object files compiled for a wider instruction set must define nothing that the linker may merge with another file's
copy (weak and unique symbols): plain code would then run instructions that its processor lacks."""
import subprocess
import sys


def main() -> int:
    faults = 0
    for path in sys.argv[1:]:
        for line in subprocess.run(["nm", "--defined-only", "-C", path], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout.splitlines():
            # A reference to the handler of exceptions is data, and the same in all.
            if line[17:18] in "VWvwu" and not line[19:].startswith("DW.ref."):
                print(f"{path}: {line[19:]}")
                faults += 1
    print(f"{len(sys.argv) - 1} files, {faults} shared symbols")
    return 1 if faults or len(sys.argv) < 2 else 0


sys.exit(main())
