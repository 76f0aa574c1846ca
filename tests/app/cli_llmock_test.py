#!/usr/bin/env python3
"""Request forms, probe and lists of models against a server that somebody else wrote (llmock): it refuses what is no
request of its APIs. Skipped (77) with the reason where its package cannot be had."""
import json
import os
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

PROGRAM, SUPPORT = sys.argv[1:3]
APIS = [("openai-chat", ""), ("openai-responses", ""), ("anthropic", "/anthropic"), ("gemini-sse", "/gemini")]


def server_python():
    setup = subprocess.run([os.path.join(SUPPORT, "setup_peers"), "llmock"], stdout=subprocess.PIPE, text=True)
    if setup.returncode == 77:
        sys.exit(77)
    if setup.returncode != 0:
        sys.exit(f"setup_peers ended with {setup.returncode}")
    return setup.stdout.strip()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def program(*arguments):
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    result = subprocess.run([PROGRAM, *arguments, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=120, env=env)
    return result.returncode, json.loads(result.stdout), result.stderr


class LlmockTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = free_port()
        cls.url = f"http://127.0.0.1:{port}"
        server = os.path.join(os.path.dirname(PYTHON), "llmock")
        cls.server = subprocess.Popen([server, "serve", "--host", "127.0.0.1", "--port", str(port), "--response-style",
                                       "varied", "--stream-chunk-delay-ms", "20", "--log-level", "warning"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(cls.url + "/v1/models", timeout=5)
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("llmock did not start")

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait()

    def test_every_api_takes_our_request(self):
        for protocol, path in APIS:
            with self.subTest(protocol=protocol):
                status, found, err = program("run", "--endpoint", self.url + path, "--protocol", protocol, "--model",
                                             "m", "--system", "Be kind.", "--prompt", "Say something long.",
                                             "--max-tokens", "60", "--temperature", "0.5")
                self.assertEqual(status, 0, err)
                [run] = found["lanes"][0]["runs"]
                self.assertEqual(run["outcome"], "complete", run)
                self.assertGreater(run["token_events"], 3)
                self.assertEqual(run["token_source"], "usage")

    def test_probe_finds_them_and_sees_them_stream(self):
        for protocol, path in APIS:
            with self.subTest(protocol=protocol):
                status, found, err = program("probe", self.url + path, "--protocol", protocol, "--model", "m")
                self.assertEqual(status, 0, err)
                self.assertTrue(found["protocols"][0]["answers"], found)
                self.assertEqual(found["streaming"]["verdict"], "yes", found["streaming"])

    def test_models_are_listed(self):
        status, found, err = program("probe", self.url, "--preset", "openai-compatible")
        self.assertEqual(status, 0, err)
        self.assertTrue(found["models"])


if __name__ == "__main__":
    PYTHON = server_python()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
