"""What the tests of the command line share: the program, the scripted server, and how to run the one against the
other. The paths come from the command line that ctest gives: PROGRAM FAULT_SERVER."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest

PROGRAM, FAULT_SERVER = map(os.path.abspath, sys.argv[1:3])
CANARY = "DSCANARY-5f1d0c7a9b3e4826"
LIMIT_S = 60


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def json(self):
        return json.loads(self.out)

    def runs(self, lane=0):
        return self.json()["lanes"][lane]["runs"]


def environment(**more):
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    env.update(more)
    return env


def start(*arguments, **options):
    options.setdefault("env", environment(TEST_KEY=CANARY))
    return subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


def finish(process):
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"the program did not end; stdout {out[-500:]!r}, stderr {err[-500:]!r}")
    return Result(process.returncode, out.decode("utf-8"), err.decode("utf-8"))


def program(*arguments, **options):
    return finish(start(*arguments, **options))


@contextlib.contextmanager
def fault_server(*arguments):
    """The URL of a scripted server of one's own."""
    server = subprocess.Popen([FAULT_SERVER, "--seconds", "300", *arguments], stdout=subprocess.PIPE)
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class CliTest(unittest.TestCase):
    """Starts one scripted server for the class and gives every test a folder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([FAULT_SERVER, "--seconds", "300"], stdout=subprocess.PIPE)
        cls.url = json.loads(cls.server.stdout.readline())["url"]

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait()
        cls.server.stdout.close()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def endpoint(self, scenario, query=""):
        return f"{self.url}/{scenario}/v1" + (f"?{query}" if query else "")

    def lane(self, name, scenario, query=""):
        return f"name={name},endpoint={self.endpoint(scenario, query)},model=m"

    def measure(self, scenario, *more, query="", **options):
        return program("run", "--endpoint", self.endpoint(scenario, query), "--model", "m", "--prompt", "hi", "--json",
                       "--text", *more, **options)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
