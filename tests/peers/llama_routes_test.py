#!/usr/bin/env python3
"""One answer of llama.cpp's own server and a real model over every route that it has: chat, completions, its native
one, Anthropic's and the Responses API, and Ollama's through a proxy. All give the same text and the same count of
tokens, and a plain reader finds the same in the bytes. Skipped (77) where the packages cannot be had.
    llama_routes_test.py PROGRAM SUPPORT"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peer_servers
import plain_reader
import recorded_bytes

PROGRAM, SUPPORT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, SUPPORT)
import llama_peer

QUESTION = "Name three colours and say where each is seen."
TOKENS = 40


class RoutesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = llama_peer.LlamaServer(PYTHON, parallel=2, seconds=600)
        cls.url = cls.server.url
        request = urllib.request.Request(cls.url + "/apply-template", headers={"content-type": "application/json"},
                                         data=json.dumps({"messages": [{"role": "user", "content": QUESTION}]}).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            cls.raw_prompt = json.load(answer)["prompt"]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def ask(self, protocol, url, prompt, limit, *more, model="smollm2"):
        with tempfile.TemporaryDirectory() as folder:
            recording, question = os.path.join(folder, "r.decodescope"), os.path.join(folder, "question")
            with open(question, "w", encoding="utf-8") as file:
                file.write(prompt)
            done = subprocess.run([PROGRAM, "run", "--endpoint", url, "--protocol", protocol, "--model", model,
                                   "--prompt-file", question, "--max-tokens", str(limit), "--temperature", "0", *more,
                                   "--record", recording, "--json", "--text"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            run = json.loads(done.stdout)["lanes"][0]["runs"][0]
            seen = plain_reader.read(recorded_bytes.body(recorded_bytes.raw(recording)), protocol)
        self.assertEqual(run["outcome"], "complete")
        self.assertEqual(run["text"], seen[0])
        self.assertEqual(run["output_tokens"], seen[2])
        return run

    def over_all_routes(self, limit):
        runs = {protocol: self.ask(protocol, self.url, QUESTION, limit)
                for protocol in ("openai-chat", "anthropic", "openai-responses")}
        for protocol in ("openai-completions", "llamacpp-completion"):
            runs[protocol] = self.ask(protocol, self.url, self.raw_prompt, limit)
        return runs

    def agree(self, runs):
        chat = runs["openai-chat"]
        for protocol, run in runs.items():
            self.assertEqual(run["text"], chat["text"], protocol)
            self.assertEqual(run["output_tokens"], chat["output_tokens"], protocol)
            self.assertEqual(run["prompt_tokens"], chat["prompt_tokens"], protocol)
            self.assertEqual(run["token_events"], chat["token_events"], protocol)
            self.assertAlmostEqual(run["visible_tokens"], chat["visible_tokens"], msg=protocol)

    def test_cut_off_at_the_limit(self):
        runs = self.over_all_routes(TOKENS)
        self.agree(runs)
        self.assertEqual(runs["openai-chat"]["output_tokens"], TOKENS)
        self.assertEqual({p: r["finish"] for p, r in runs.items() if p != "openai-responses"},
                         {"openai-chat": "length", "openai-completions": "length", "llamacpp-completion": "limit",
                          "anthropic": "max_tokens"})
        # This server calls a cut-off answer of this route completed, so that the end token would be taken out of it:
        # nothing but the number of events tells otherwise.
        self.assertEqual(runs["openai-responses"]["visible_tokens"], TOKENS)

    def test_stopped_by_itself(self):
        runs = self.over_all_routes(600)
        self.agree(runs)
        self.assertEqual({p: r["finish"] for p, r in runs.items() if p != "openai-responses"},
                         {"openai-chat": "stop", "openai-completions": "stop", "llamacpp-completion": "eos",
                          "anthropic": "end_turn"})
        # The end token is counted and never seen.
        self.assertEqual(runs["openai-chat"]["visible_tokens"], runs["openai-chat"]["output_tokens"] - 1)

    def test_through_a_proxy_that_speaks_ollama(self):
        environment = os.path.dirname(llama_peer.python_of("setup_peers", "ollama-proxy"))
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(folder)
            try:
                with peer_servers.started("ollama-proxy", environment, {
                        "PROVIDERS_LLAMACPP_API_KEY": "none", "PROVIDERS_LLAMACPP_BASE_URL": self.url + "/v1",
                        "EXTRA_MODELS": "llamacpp/smollm2"}) as (port, _):
                    direct = self.ask("openai-chat", self.url, QUESTION, TOKENS)
                    proxied = self.ask("ollama-chat", f"http://127.0.0.1:{port}", QUESTION, TOKENS,
                                       model="llamacpp/smollm2")
            finally:
                os.chdir(here)
        self.assertEqual(proxied["text"], direct["text"])
        # Its eval_count counts words: believed, as a server's word is, and called by its name.
        self.assertEqual(proxied["token_source"], "eval_count")
        self.assertNotEqual(proxied["output_tokens"], direct["output_tokens"])


if __name__ == "__main__":
    PYTHON = llama_peer.python_of("setup_llama")
    unittest.main(argv=sys.argv[:1], verbosity=2)
