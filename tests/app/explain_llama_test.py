#!/usr/bin/env python3
"""What llama.cpp's own server sends on each of its routes, as raw bytes through `explain`: the five routes agree on the
text, on the count of tokens and on how it ended. Skipped (77) with the reason where its packages cannot be had."""
import http.client
import json
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

PROGRAM, SUPPORT = sys.argv[1:3]
sys.path.insert(0, SUPPORT)
import llama_peer

PROMPT = "Name three colours."
TOKENS = 24


class ExplainLlamaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = llama_peer.LlamaServer(PYTHON, parallel=1, seconds=600)
        cls.url = cls.server.url
        cls.templated = json.loads(cls.post("/apply-template", {"messages": [{"role": "user", "content": PROMPT}]}))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    @classmethod
    def post(cls, path, body):
        """The body of the answer, its chunks joined: an event stream as the server wrote it."""
        where = urllib.parse.urlsplit(cls.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=300)
        connection.request("POST", path, json.dumps({**body, "temperature": 0}), {"Content-Type": "application/json"})
        try:
            return connection.getresponse().read()
        finally:
            connection.close()

    def explain(self, protocol, stream):
        """The same for the whole and for single bytes, reads and bursts aside."""
        with tempfile.NamedTemporaryFile(suffix=".sse") as file:
            file.write(stream)
            file.flush()
            answers = []
            for cut in ([], ["--split-bytes", "1"]):
                done = subprocess.run([PROGRAM, "explain", "--protocol", protocol, file.name, "--json", *cut],
                                      stdout=subprocess.PIPE, text=True, check=True)
                answer = json.loads(done.stdout)
                del answer["reads"]
                answer["warnings"] = sorted(w for w in answer["warnings"] if w != "burst")
                answers.append(answer)
        self.assertEqual(answers[0], answers[1])
        return answers[0]

    def routes(self, limit):
        """Each protocol with what its route says to the same question, in its own words."""
        chat = {"stream": True, "messages": [{"role": "user", "content": PROMPT}], "max_tokens": limit}
        usage = {"stream_options": {"include_usage": True}}
        prompt = self.templated["prompt"]
        asked = {
            "openai-chat": ("/v1/chat/completions", {**chat, **usage}),
            "openai-completions": ("/v1/completions", {"stream": True, "prompt": prompt, "max_tokens": limit, **usage}),
            "llamacpp-completion": ("/completion", {"stream": True, "prompt": prompt, "n_predict": limit,
                                                    "return_tokens": True, "return_progress": True}),
            "openai-responses": ("/v1/responses", {"stream": True, "input": PROMPT, "max_output_tokens": limit}),
            "anthropic": ("/v1/messages", chat),
        }
        return {protocol: self.explain(protocol, self.post(*request)) for protocol, request in asked.items()}

    def check(self, limit, finishes):
        answers = self.routes(limit)
        chat = answers["openai-chat"]
        self.assertTrue(chat["text"])
        for protocol, answer in answers.items():
            with self.subTest(protocol):
                self.assertEqual(answer["status"], "complete", answer["error_message"])
                self.assertEqual(answer["warnings"], [])
                self.assertEqual(answer["text"], chat["text"])
                self.assertEqual(answer["tokens"], chat["tokens"])
                self.assertEqual(answer["token_events"], chat["token_events"])
                self.assertEqual(answer["usage"]["prompt"], chat["usage"]["prompt"])
                self.assertEqual(answer["usage"]["completion"], chat["usage"]["completion"])
                self.assertEqual(answer["finish"], finishes[protocol])
                if protocol != "anthropic":  # the one route without a clock of the server
                    self.assertGreater(answer["timings"]["decode_ms"], 0)
        native = answers["llamacpp-completion"]
        self.assertEqual(native["token_source"], "timings")
        self.assertEqual(len(native["tokens_per_event"]), native["token_events"])
        return answers

    def test_an_answer_that_is_cut_at_its_limit(self):
        answers = self.check(TOKENS, {"openai-chat": "length", "openai-completions": "length",
                                      "llamacpp-completion": "limit", "anthropic": "max_tokens",
                                      "openai-responses": "completed"})  # this route does not tell the limit
        self.assertEqual(answers["openai-chat"]["tokens"], TOKENS)

    def test_an_answer_that_ends_by_itself(self):
        self.check(300, {"openai-chat": "stop", "openai-completions": "stop", "llamacpp-completion": "eos",
                         "openai-responses": "completed", "anthropic": "end_turn"})

    def test_counts_with_every_event(self):
        """The running counter and the ids tell the same."""
        stream = self.post("/completion", {"stream": True, "prompt": self.templated["prompt"], "n_predict": TOKENS,
                                           "return_tokens": True, "timings_per_token": True, "n_probs": 2})
        native = self.explain("llamacpp-completion", stream)
        self.assertEqual(native["tokens"], TOKENS)
        self.assertEqual(sum(native["tokens_per_event"]), TOKENS)
        stream = self.post("/v1/chat/completions", {"stream": True, "max_tokens": TOKENS, "timings_per_token": True,
                                                    "messages": [{"role": "user", "content": PROMPT}]})
        chat = self.explain("openai-chat", stream)
        self.assertEqual((chat["tokens"], chat["token_source"]), (TOKENS, "timings"))
        self.assertEqual(sum(chat["tokens_per_event"]), TOKENS)

    def test_a_prompt_beyond_the_context(self):
        """Refused in one JSON text, also where a stream was asked for."""
        long = {"stream": True, "max_tokens": 4, "messages": [{"role": "user", "content": "colour " * 4000}]}
        for protocol, path in (("openai-chat", "/v1/chat/completions"), ("anthropic", "/v1/messages")):
            with self.subTest(protocol):
                answer = self.explain(protocol, self.post(path, long))
                self.assertEqual((answer["status"], answer["error_kind"]), ("error", "in_stream"))
                self.assertIn("context", answer["error_message"])


if __name__ == "__main__":
    PYTHON = llama_peer.python_of("setup_llama")
    unittest.main(argv=sys.argv[:1], verbosity=2)
