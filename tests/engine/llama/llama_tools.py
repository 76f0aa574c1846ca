"""What the tests against llama.cpp share: setting up packages, asking llama.cpp, asking our probe."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.normpath(os.path.join(HERE, "..", "..", "support"))
SKIPPED = 77


def set_up(script, *arguments):
    """The python of a virtual environment of tests/support; ends the test as skipped where it cannot be had."""
    run = subprocess.run([os.path.join(SUPPORT, script), *arguments], stdout=subprocess.PIPE, text=True)
    if run.returncode == SKIPPED:
        sys.exit(SKIPPED)
    run.check_returncode()
    return run.stdout.strip()


def enter(script, *arguments):
    """Goes on in that virtual environment's python, with the same arguments."""
    python = set_up(script, *arguments)
    if os.path.abspath(sys.executable) != os.path.abspath(python):
        os.execv(python, [python, *sys.argv])


class Llama:
    """llama.cpp, in a process of its own that answers one request after another."""

    def __init__(self, log):
        self.log = open(log, "w")
        self.process = subprocess.Popen([set_up("setup_llama"), os.path.join(HERE, "llama_direct.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"llama.cpp ended; its log is {self.log.name}")
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"llama.cpp: {answer['error']}; its log is {self.log.name}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def probe(program, *arguments, isa=None):
    """What our probe printed. `isa`: the kernels that the cpu backend shall use."""
    environment = dict(os.environ)
    if isa:
        environment["DECODESCOPE_ISA"] = isa
    run = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env=environment)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {run.stderr.strip()} (status {run.returncode})")
    return run.stdout


def ask_python(python, code):
    """What that python prints."""
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
