#!/usr/bin/env python3
"""Recordings made by the real program: what they give back, what they never hold, and what survives a kill, a full
disk and an interrupt."""
import base64
import json
import os
import re
import resource
import signal
import stat
import time

import cli_support as cli


class RecordingTest(cli.CliTest):
    def record(self, *arguments, name="run.decodescope"):
        path = self.path(name)
        result = cli.program("run", *arguments, "--prompt", "hi", "--json", "--text", "--record", path)
        return path, result

    def mixed_lanes(self):
        return ["--lane", self.lane("good", "pace", "tokens=15&interval_ms=10"), "--lane",
                self.lane("slow", "slow", "stall_ms=400"), "--lane", self.lane("cut", "reset"), "--lane",
                self.lane("short", "truncated"), "--lane", self.lane("broken", "error-in-stream"), "--lane",
                self.lane("refused", "wrong-key"), "--lane", self.lane("hangs", "stall"), "--lane",
                self.lane("whole", "not-streamed"), "--lane",
                f"name=dead,endpoint=http://127.0.0.1:{cli.closed_port()}", "--idle-timeout", "1.5", "--unique-prefix",
                "--max-tokens", "40", "--temperature", "0.5", "--seed", "7", "--system", "Be brief."]

    def test_report_and_replay_give_the_lanes_of_the_live_run(self):
        path, live = self.record(*self.mixed_lanes(), "--repeat", "2", "--warmup", "1")
        self.assertEqual(live.status, 6, live.err)
        live = live.json()
        self.assertEqual(live["recording"], path)
        self.assertEqual([len(lane["runs"]) for lane in live["lanes"]], [3] * 9)
        for command in ("report", "replay"):
            again = cli.program(command, path, "--json", "--text")
            self.assertEqual(again.status, 0, again.err)
            again = again.json()
            for before, after in zip(live["lanes"], again["lanes"]):
                self.assertEqual(before, after, f"{command}, lane {before['name']}")
            self.assertEqual(live, again)

    def test_replay_keeps_the_pace_or_its_multiple(self):
        path, live = self.record("--endpoint", self.endpoint("pace", "tokens=40&interval_ms=25"), "--model", "m")
        self.assertEqual(live.status, 0, live.err)
        began = time.monotonic()
        slow = cli.program("replay", path)
        true_pace = time.monotonic() - began
        began = time.monotonic()
        fast = cli.program("replay", path, "--speed", "8")
        eightfold = time.monotonic() - began
        self.assertEqual((slow.status, fast.status), (0, 0))
        self.assertGreater(true_pace, live.runs()[0]["e2e_s"] * 0.95)
        self.assertLess(eightfold, true_pace)
        self.assertEqual(slow.out, fast.out)
        self.assertIn("tok/s", slow.out)

    def test_replayed_json_lines_are_those_of_the_run(self):
        path = self.path("r.decodescope")
        live = cli.program("run", *self.mixed_lanes(), "--prompt", "hi", "--jsonl", "--record", path)
        again = cli.program("replay", path, "--jsonl", "--speed", "8")
        self.assertEqual(again.status, 0, again.err)

        def by_lane(result):
            lanes = {}
            for line in map(json.loads, result.out.splitlines()[:-1]):
                lanes.setdefault(line["lane"], []).append(line)
            return lanes
        self.assertEqual(by_lane(live).keys(), by_lane(again).keys())
        for name, lines in by_lane(live).items():
            self.assertEqual(of_the_stream(lines), of_the_stream(by_lane(again)[name]), name)
            self.assertEqual(hiccups(lines), hiccups(by_lane(again)[name]), name)

    def test_recordings_are_private_and_never_replaced(self):
        path, first = self.record("--endpoint", self.endpoint("pace", "tokens=3"))
        self.assertEqual(first.status, 0, first.err)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, "rb") as file:
            before = file.read()
        path, second = self.record("--endpoint", self.endpoint("pace", "tokens=3"))
        self.assertEqual(second.status, 8)
        self.assertEqual(second.out, "")
        self.assertIn(path, second.err)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_the_key_is_nowhere(self):
        key_file = self.path("key")
        with open(os.open(key_file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(cli.CANARY + "\n")
        os.mkdir(self.path("out"))
        lanes = []
        for i, scenario in enumerate(("pace", "wrong-key", "echo-key", "echo-key-stream", "reset", "redirect", "html",
                                      "error-in-stream", "truncated")):
            key = "key-env=TEST_KEY" if i % 2 == 0 else f"key-file={key_file}"
            lanes += ["--lane", f"{self.lane(scenario, scenario)},{key}"]
        for form in (["--json"], ["--jsonl"], []):
            path = self.path(f"out/{len(form)}{''.join(form)}.decodescope")
            process = cli.start("run", *lanes, "--prompt", "hi", "--text", "--record", path, *form)
            time.sleep(0.1)
            with open(f"/proc/{process.pid}/cmdline", "rb") as file:
                self.assertNotIn(cli.CANARY.encode(), file.read())
            result = cli.finish(process)
            self.assertEqual(result.status, 6, result.err)
            self.assertNotIn(cli.CANARY, result.out + result.err)
            for command in (["report", path, "--json", "--text"], ["replay", path, "--speed", "8", "--jsonl"]):
                again = cli.program(*command)
                self.assertEqual(again.status, 0, again.err)
                self.assertNotIn(cli.CANARY, again.out + again.err)
        for root, _, files in os.walk(self.path("out")):
            for name in files:
                with open(os.path.join(root, name), "rb") as file:
                    content = file.read()
                self.assertNotIn(cli.CANARY.encode(), content, name)
                for line in content.splitlines(): # reads lie in the file as base64
                    self.assertNotIn(cli.CANARY.encode(), decoded(line), name)

    def test_the_key_was_really_sent(self):
        requests = self.path("requests")
        with cli.fault_server("--scenario", "pace", "--requests", requests) as url:
            process = cli.subprocess.run([cli.PROGRAM, "run", "--endpoint", url, "--prompt", "hi", "--key-stdin",
                                          "--json"], input=cli.CANARY.encode() + b"\n", stdout=cli.subprocess.PIPE,
                                         timeout=60)
        self.assertEqual(process.returncode, 0)
        with open(requests) as file:
            self.assertIn("authorization: **", file.read().lower())

    def test_a_killed_run_leaves_a_recording(self):
        path = self.path("killed.decodescope")
        process = cli.start("run", "--lane", self.lane("A", "pace", "tokens=500&interval_ms=20"), "--lane",
                            self.lane("B", "truncated"), "--prompt", "hi", "--json", "--record", path)
        time.sleep(3)
        process.send_signal(signal.SIGKILL)
        cli.finish(process)
        report = cli.program("report", path, "--json")
        self.assertEqual(report.status, 0, report.err)
        first, second = (lane["runs"][0] for lane in report.json()["lanes"])
        self.assertEqual(first["outcome"], "interrupted")
        self.assertEqual(first["error"]["kind"], "interrupted")
        self.assertFalse(first["in_stats"])
        self.assertGreater(first["token_events"], 50) # about 145 in 3 s; the last second may be lost
        self.assertEqual(second["outcome"], "truncated")

    def test_an_interrupt_stops_reports_and_keeps_the_recording(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            path = self.path(f"{number}.decodescope")
            process = cli.start("run", "--endpoint", self.endpoint("pace", "tokens=500&interval_ms=20"), "--prompt",
                                "hi", "--repeat", "3", "--json", "--record", path)
            time.sleep(1.5)
            process.send_signal(number)
            result = cli.finish(process)
            self.assertEqual(result.status, 130, result.err)
            [run] = result.runs() # no further repeat was begun
            self.assertEqual(run["outcome"], "cancelled")
            self.assertEqual(run["error"]["kind"], "cancelled")
            self.assertGreater(run["token_events"], 5)
            report = cli.program("report", path, "--json")
            self.assertEqual(report.status, 0, report.err)
            self.assertEqual(report.json()["lanes"], result.json()["lanes"])

    def test_a_disk_that_fills_up_does_not_stop_the_run(self):
        def small_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        path = self.path("full.decodescope")
        result = self.measure("pace", "--record", path, query="tokens=150&interval_ms=5", preexec_fn=small_disk)
        self.assertEqual(result.status, 8, result.err)
        self.assertEqual(result.err.count("The run goes on"), 1)  # what happened, said once
        [run] = result.runs()
        self.assertEqual(run["outcome"], "complete")
        self.assertEqual(run["output_tokens"], 150)
        report = cli.program("report", path, "--json")
        self.assertEqual(report.status, 0, report.err)
        [run] = report.json()["lanes"][0]["runs"]
        self.assertEqual(run["outcome"], "interrupted")
        self.assertGreater(run["token_events"], 0)

    def test_a_place_that_cannot_be_written_is_told_before_anything_is_sent(self):
        for path in (self.path("no/such/folder/x.decodescope"), "/proc/x.decodescope"):
            result = self.measure("pace", "--record", path)
            self.assertEqual(result.status, 8)
            self.assertEqual(result.out, "")


def of_the_stream(lines):
    """Without the lines whose place among the others depends on when somebody looks: a stall's comes when its kind is
    known, a hiccup's when it was noticed."""
    return [line for line in lines if line["event"] not in ("stall", "hiccup")]


def hiccups(lines):
    return [line for line in lines if line["event"] == "hiccup"]


def decoded(line):
    """Whatever of a recorded line can be base64, as bytes."""
    parts = [part for part in re.findall(rb"[A-Za-z0-9+/]{16,}", line) if len(part) % 4 != 1]
    return b"".join(base64.b64decode(part + b"=" * (-len(part) % 4)) for part in parts)


if __name__ == "__main__":
    cli.main()
