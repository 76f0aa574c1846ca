#!/usr/bin/env python3
"""The whole road against llama.cpp's own server and a real model, through the command line: our token count is the
server's, our decode rate is its predicted_per_second. Skipped (77) with the reason where its packages cannot be had."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SUPPORT = sys.argv[1:3]
sys.path.insert(0, SUPPORT)
import llama_peer

ATTEMPTS = 4  # a machine that is busy with other things misses now and then; one attempt in four has to be clean
RUNS = 3


class LlamaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = llama_peer.LlamaServer(PYTHON, parallel=4, seconds=900)
        cls.url = cls.server.url

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def measure(self, *arguments):
        result = subprocess.run([PROGRAM, "run", *arguments, "--temperature", "0", "--json", "--text"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def single(self, *arguments):
        return self.measure("--endpoint", self.url, "--model", "smollm2", *arguments)

    def deviation(self, run):
        return abs(run["decode_tps"] / run["server"]["predicted_per_second"] - 1)

    def check_rate(self, limit, finish, *arguments):
        """The median deviation of a few runs, with more than one attempt: only the rate depends on how busy the
        machine is, everything else must hold in every run."""
        medians = []
        for _ in range(ATTEMPTS):
            runs = self.single("--repeat", str(RUNS), *arguments)["lanes"][0]["runs"]
            for run in runs:
                self.assertEqual(run["outcome"], "complete")
                self.assertEqual(run["finish"], finish)
                self.assertEqual(run["output_tokens"], run["server"]["predicted_n"])
                self.assertIn(run["token_source"], ("usage", "timings"))
            medians.append(statistics.median(self.deviation(run) for run in runs))
            if medians[-1] <= limit:
                break
        self.assertLessEqual(min(medians), limit, f"medians of the deviation: {medians}")

    def test_a_run_that_ends_by_length(self):
        self.check_rate(0.01, "length", "--prompt", "Tell a long story about a lighthouse.", "--max-tokens", "120",
                        "--ignore-eos")

    def test_a_run_that_stops_by_itself(self):
        self.check_rate(0.02, "stop", "--prompt", "Name three colours.", "--max-tokens", "600")

    def test_two_lanes_and_their_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "race.decodescope")
            live = self.measure("--lane", f"name=A,endpoint={self.url},model=smollm2", "--lane",
                                f"name=B,endpoint={self.url}/v1,model=smollm2", "--prompt", "Name three colours.",
                                "--max-tokens", "40", "--ignore-eos", "--record", path)
            report = subprocess.run([PROGRAM, "report", path, "--json", "--text"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(json.loads(report.stdout)["lanes"], live["lanes"])
        for lane in live["lanes"]:
            [run] = lane["runs"]
            self.assertEqual(run["output_tokens"], 40)
            self.assertTrue(run["text"])
            self.assertEqual(lane["run_card"]["concurrency"], 2)
            self.assertGreater(run["prompt_tokens"], 0)

    def test_the_completions_route(self):
        run = self.single("--protocol", "openai-completions", "--prompt", "The sky is", "--max-tokens",
                          "24")["lanes"][0]["runs"][0]
        self.assertEqual(run["output_tokens"], run["server"]["predicted_n"])
        self.assertTrue(run["text"])


PYTHON = llama_peer.python_of("setup_llama")
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
