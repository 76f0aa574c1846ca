#!/usr/bin/env python3
"""Streams of a server that somebody else wrote, measured by the program: text, finish reason and token count are what
a plain reader finds in the very bytes that came, `explain` tells the same of them byte by byte, and the gaps are of the
pace at which the server says it sends. Skipped (77) with the reason where its package cannot be had.
    peer_test.py PROGRAM SUPPORT SERVER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peer_servers
import plain_reader
import recorded_bytes

PROGRAM, SUPPORT, SERVER = sys.argv[1:4]
sys.path.insert(0, SUPPORT)
import llama_peer

PROGRAM = os.path.abspath(PROGRAM)
PROMPT = "Say hello to the seven seas"
ATTEMPTS = 4  # a busy machine misses a pace now and then


class Road:
    """One protocol of the server: where it is and what can be expected of it."""

    def __init__(self, protocol, base="", model="m", pace_ms=None, usage=True, other_port=False, key="header", pieces=2):
        self.protocol, self.base, self.model, self.pace_ms = protocol, base, model, pace_ms
        self.usage, self.other_port, self.key, self.pieces = usage, other_port, key, pieces


ROADS = {
    "llmock": [Road("openai-chat", pace_ms=20), Road("openai-responses", pace_ms=20),
               Road("anthropic", "/anthropic", pace_ms=20), Road("gemini-sse", "/gemini/v1beta", pace_ms=20),
               Road("gemini-array", "/gemini/v1beta")],
    "llm-mock-api": [Road("openai-chat", pace_ms=20), Road("openai-responses", pace_ms=20),
                     Road("anthropic", pace_ms=20)],
    "mock-ai-api": [Road("openai-chat", pieces=1), Road("openai-responses", pieces=1),
                    Road("anthropic", other_port=True, pieces=1)],
    "fakellm": [Road("openai-chat", usage=False), Road("anthropic")],
    "stubllm": [Road("openai-chat", usage=False, pace_ms=20), Road("gemini-sse", "/v1beta", usage=False)],
    "llm-katan": [Road("openai-chat"), Road("anthropic")],
}


class PeerTest(unittest.TestCase):
    def call(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120,
                              env={**os.environ, "PEER_KEY": "sk-peer-0123456789"})

    def measure(self, road, recording):
        port = self.ports[1 if road.other_port else 0]
        done = self.call("run", "--endpoint", f"http://127.0.0.1:{port}{road.base}", "--protocol", road.protocol,
                         "--model", road.model, "--key-env", "PEER_KEY", "--prompt", PROMPT, "--max-tokens", "64",
                         "--record", recording, "--json", "--text")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return json.loads(done.stdout)["lanes"][0]["runs"][0]

    def agree(self, road, folder, number):
        recording = os.path.join(folder, f"{road.protocol}-{number}.decodescope")
        run = self.measure(road, recording)
        data = recorded_bytes.raw(recording)
        text, finish, tokens, pieces = plain_reader.read(recorded_bytes.body(data), road.protocol)
        self.assertGreaterEqual(pieces, road.pieces)
        self.assertEqual(run["outcome"], "complete", run["error"])
        self.assertEqual(run["text"], text)
        self.assertEqual(run["token_events"], pieces)
        if road.protocol != "openai-responses":
            self.assertEqual(run["finish"], finish)
        self.assertEqual(tokens is not None, road.usage)
        self.assertEqual(run["output_tokens"], tokens)
        self.assertEqual(run["token_source"], "usage" if road.usage else "none")
        capture = os.path.join(folder, "capture")
        with open(capture, "wb") as file:
            file.write(data)
        for how in ([], ["--split-bytes", "1"]):
            told = json.loads(self.call("explain", "--protocol", road.protocol, capture, *how, "--json").stdout)
            self.assertEqual((told["status"], told["text"], told["tokens"]), ("complete", text, tokens))
        return run

    def check(self, road):
        medians = []
        with tempfile.TemporaryDirectory() as folder:
            for number in range(ATTEMPTS):
                run = self.agree(road, folder, number)
                if road.pace_ms is None:
                    return
                medians.append(run["itl_s"]["p50"] * 1e3)
                if 0.9 * road.pace_ms <= medians[-1] <= 1.5 * road.pace_ms:
                    return
        self.fail(f"{road.protocol}: median gaps of {medians} ms at a pace of {road.pace_ms} ms")

    def test_every_protocol_of_the_server(self):
        environment = os.path.dirname(llama_peer.python_of("setup_peers", SERVER))
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # some write files where they are started
            try:
                with peer_servers.started(SERVER, environment) as type(self).ports:
                    for road in ROADS[SERVER]:
                        with self.subTest(protocol=road.protocol):
                            self.check(road)
            finally:
                os.chdir(here)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
