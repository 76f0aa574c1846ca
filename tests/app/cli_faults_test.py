#!/usr/bin/env python3
"""Every way in which an endpoint can fail, through the real program: exit status, what is said, what is kept."""
import sys

import cli_support as cli

# scenario, query, flags: exit status, outcome, error kind, token events, text
FAULTS = [
    ("wrong-key", "", [], 4, "error", "auth", 0, ""),
    ("html", "", [], 3, "error", "bad_content_type", 0, ""),
    ("bad-gateway", "", [], 3, "error", "http_status", 0, ""),
    ("429", "", [], 3, "error", "rate_limited", 0, ""),
    ("loading", "", [], 3, "error", "loading", 0, ""),
    ("empty-404", "", [], 3, "error", "http_status", 0, ""),
    ("redirect", "", [], 3, "error", "redirect", 0, ""),
    ("stall", "after=4", ["--idle-timeout", "0.7"], 5, "timeout", "timeout_idle", 4, "w0 w1 w2 w3 "),
    ("stall", "after=4", ["--total-timeout", "0.9"], 5, "timeout", "timeout_total", 4, "w0 w1 w2 w3 "),
    ("silent", "", ["--first-token-timeout", "0.5"], 3, "timeout", "timeout_first_token", 0, ""),
    ("truncated", "after=3", [], 5, "truncated", "truncated", 3, "w0 w1 w2 "),
    ("cut", "after=3", [], 5, "error", "connection_closed", 3, "w0 w1 w2 "),
    ("reset", "after=3", [], 5, "error", "connection_closed", 3, "w0 w1 w2 "),
    ("error-in-stream", "after=3", [], 5, "error", "in_stream", 3, "w0 w1 w2 "),
]
HTTP_STATUS = {"wrong-key": 401, "html": 200, "bad-gateway": 502, "429": 429, "loading": 503, "empty-404": 404,
               "redirect": 307, "stall": 200, "silent": None, "truncated": 200, "cut": 200, "reset": 200,
               "error-in-stream": 200}


class FaultTest(cli.CliTest):
    def test_every_fault_is_told_and_keeps_what_had_arrived(self):
        for scenario, query, flags, status, outcome, kind, events, text in FAULTS:
            with self.subTest(scenario=scenario, flags=flags):
                result = self.measure(scenario, *flags, query=query)
                self.assertEqual(result.status, status, result.err)
                [run] = result.runs()
                self.assertEqual(run["outcome"], outcome)
                self.assertEqual(run["error"]["kind"], kind)
                self.assertEqual(run["error"]["http_status"], HTTP_STATUS[scenario])
                self.assertTrue(run["error"]["message"])
                self.assertFalse(run["in_stats"])
                self.assertEqual(run["token_events"], events)
                self.assertEqual(run["text"], text)
                self.assertEqual(run["ttft_s"] is not None, events > 0)
                summary = result.json()["lanes"][0]["summary"]
                self.assertEqual(summary["excluded"], {outcome: 1})
                self.assertIsNone(summary["ttft_s"])
                self.assertIsNone(summary["itl_s"])

    def test_retry_after_is_told(self):
        [run] = self.measure("429").runs()
        self.assertEqual(run["error"]["retry_after_ms"], 7000)

    def test_the_transport_is_the_user_s_choice(self):
        for name in ("kernel", "qt"):
            result = self.measure("pace", "--transport", name, query="tokens=3")
            if name == "kernel" and not sys.platform.startswith("linux"):
                self.assertEqual(result.status, 2)
                continue
            self.assertEqual(result.status, 0, result.err)
            self.assertEqual(result.runs()[0]["clock_source"], "kernel" if name == "kernel" else "user")
        self.assertEqual(self.measure("pace", "--transport", "pigeon").status, 2)

    def test_a_dead_port(self):
        result = cli.program("run", "--endpoint", f"http://127.0.0.1:{cli.closed_port()}", "--prompt", "hi", "--json")
        self.assertEqual(result.status, 3)
        [run] = result.runs()
        self.assertEqual(run["error"]["kind"], "unreachable")
        self.assertIsNone(run["connection"])

    def test_an_unknown_host(self):
        result = cli.program("run", "--endpoint", "http://no-such-host.invalid", "--prompt", "hi", "--json",
                             "--connect-timeout", "10")
        self.assertEqual(result.status, 3)
        self.assertIn(result.runs()[0]["error"]["kind"], ("unreachable", "timeout_connect"))

    def test_a_good_run(self):
        result = self.measure("pace", "--repeat", "2", "--warmup", "1", query="tokens=12&interval_ms=5")
        self.assertEqual(result.status, 0, result.err)
        runs = result.runs()
        self.assertEqual([(r["warmup"], r["repeat"], r["in_stats"]) for r in runs],
                         [(True, 1, False), (False, 1, True), (False, 2, True)])
        for run in runs:
            self.assertIsNone(run["error"])
            self.assertEqual(run["output_tokens"], 12)
            self.assertEqual(run["token_source"], "usage")
            self.assertEqual(run["text"], "".join(f"w{i} " for i in range(12)))
            self.assertGreater(run["decode_tps"], 0)
        summary = result.json()["lanes"][0]["summary"]
        self.assertEqual(summary["runs"], 3)
        self.assertEqual(summary["excluded"], {"warmup": 1})
        self.assertEqual(summary["ttft_s"]["n"], 2)
        self.assertEqual(summary["itl_s"]["n"], sum(r["itl_s"]["n"] for r in runs[1:]))

    def test_a_whole_answer_is_not_a_stream(self):
        result = self.measure("not-streamed", "--no-stream")
        self.assertEqual(result.status, 0)
        [run] = result.runs()
        self.assertEqual(run["outcome"], "not_streamed")
        self.assertFalse(run["in_stats"])
        self.assertIsNone(run["decode_tps"])
        self.assertIsNone(run["ttft_s"])
        self.assertEqual(run["token_events"], 0)
        self.assertIsNotNone(run["e2e_s"])
        self.assertIsNotNone(run["e2e_tps"])
        self.assertEqual(run["text"], "Hello there.")

    def test_lanes_that_end_differently(self):
        result = cli.program("run", "--lane", self.lane("good", "pace", "tokens=20&interval_ms=20"), "--lane",
                             self.lane("refused", "wrong-key"), "--lane",
                             f"name=dead,endpoint=http://127.0.0.1:{cli.closed_port()}", "--lane",
                             self.lane("cut", "reset"), "--prompt", "hi", "--json")
        self.assertEqual(result.status, 6)
        lanes = {lane["name"]: lane["runs"][0] for lane in result.json()["lanes"]}
        self.assertEqual([lanes[n]["outcome"] for n in ("good", "refused", "dead", "cut")],
                         ["complete", "error", "error", "error"])
        self.assertEqual(lanes["good"]["output_tokens"], 20)

    def test_lanes_released_together_start_together(self):
        lanes = [part for i in range(4) for part in ("--lane", self.lane(f"L{i}", "pace", "tokens=3"))]
        result = cli.program("run", *lanes, "--prompt", "hi", "--json")
        self.assertEqual(result.status, 0, result.err)
        self.assertLess(result.json()["release_spread_s"], 1)

    def test_lanes_in_sequence_do_not_overlap(self):
        lanes = [part for i in range(2) for part in ("--lane", self.lane(f"L{i}", "pace", "tokens=3"))]
        result = cli.program("run", *lanes, "--prompt", "hi", "--json", "--sequential")
        self.assertEqual(result.status, 0, result.err)
        self.assertIsNone(result.json()["release_spread_s"])
        self.assertEqual([lane["run_card"]["concurrency"] for lane in result.json()["lanes"]], [1, 1])

    def test_thresholds(self):
        for expression, status in [("ttft_p50>0.001ms", 7), ("ttft_p50>100s", 0), ("decode_p50<1000000tps", 7),
                                   ("itl_p99>100s", 0)]:
            with self.subTest(expression=expression):
                result = self.measure("pace", "--fail-if", expression, query="tokens=5&interval_ms=5")
                self.assertEqual(result.status, status, result.err)
                self.assertEqual(expression in result.err, status == 7)

    def test_json_lines_come_live_and_end_with_the_result(self):
        result = cli.program("run", "--lane", self.lane("A", "slow", "stall_ms=700"), "--lane",
                             self.lane("B", "reset"), "--prompt", "hi", "--jsonl")
        lines = [cli.json.loads(line) for line in result.out.splitlines()]
        self.assertEqual(result.status, 6)
        self.assertEqual(lines[-1]["schema"], 1)
        events = lines[:-1]
        for line in events:
            self.assertTrue({"t_s", "lane", "repeat", "event"} <= line.keys(), line)
        for lane, run in zip("AB", (lane["runs"][0] for lane in lines[-1]["lanes"])):
            mine = [line for line in events if line["lane"] == lane]
            self.assertEqual([line["event"] for line in mine].count("first_token"), 1)
            self.assertEqual([line["event"] for line in mine].count("token"), run["token_events"])
            self.assertEqual(mine[-1]["event"], "end")
            self.assertEqual(mine[-1]["outcome"], run["outcome"])
            first = next(line for line in mine if line["event"] == "first_token")
            self.assertAlmostEqual(first["t_s"], run["ttft_s"], places=9)
            stalls = [line for line in mine if line["event"] == "stall"]
            self.assertEqual([(s["start_s"], s["length_s"], s["kind"]) for s in stalls],
                             [(s["start_s"], s["length_s"], s["kind"]) for s in run["stalls"]])
        self.assertTrue(any(line["event"] == "stall" for line in events if line["lane"] == "A"))

    def test_people_get_a_table(self):
        result = cli.program("run", "--lane", self.lane("first", "pace", "tokens=5"), "--lane",
                             self.lane("second", "reset"), "--prompt", "hi")
        self.assertEqual(result.status, 6)
        lines = result.out.splitlines()
        self.assertTrue(lines[0].startswith("Lane"))
        self.assertTrue(lines[1].startswith("first") and "tok/s" in lines[1])
        self.assertTrue(lines[2].startswith("second"))
        self.assertIn("connection_closed", result.out)
        self.assertNotIn("\x1b", result.out + result.err)


class UsageTest(cli.CliTest):
    def test_wrong_usage_is_2_and_prints_nothing_on_stdout(self):
        good = ["--endpoint", self.endpoint("pace"), "--prompt", "hi"]
        for arguments in (["run"], ["run", "--prompt", "hi"], ["run", *good, "--json", "--jsonl"],
                          ["run", *good, "--repeat", "0"], ["run", *good, "--repeat", "many"],
                          ["run", *good, "--nonsense"], ["run", *good, "stray"], ["run", *good, "--fail-if", "ttft"],
                          ["run", *good, "--protocol", "klingon"], ["run", *good, "--key-env", "NOT_SET_ANYWHERE"],
                          ["run", "--endpoint", "ftp://x", "--prompt", "hi"],
                          ["run", "--lane", "nonsense", "--prompt", "hi"], ["dance"], ["replay"],
                          ["report", self.path("x"), "--speed", "2"], ["explain", self.path("x")]):
            with self.subTest(arguments=arguments):
                result = cli.program(*arguments)
                self.assertEqual(result.status, 2, result.err)
                self.assertEqual(result.out, "")
                self.assertTrue(result.err.strip())

    def test_a_key_typed_as_an_argument_is_not_repeated(self):
        for arguments in (["run", "--api-key", cli.CANARY], ["run", f"--key={cli.CANARY}"],
                          ["run", "--prompt", "hi", "--lane", f"endpoint=http://127.0.0.1:1,key={cli.CANARY}"],
                          ["run", "--prompt", "hi", "--endpoint", f"http://me:{cli.CANARY}@127.0.0.1:1"],
                          ["run", "--repeat", cli.CANARY, "--prompt", "hi"]):
            with self.subTest(arguments=arguments[1]):
                result = cli.program(*arguments)
                self.assertEqual(result.status, 2, result.err)
                self.assertNotIn(cli.CANARY, result.out + result.err)

    def refused(self, status, words, *arguments):
        with self.subTest(arguments=arguments):
            result = cli.program(*arguments)
            self.assertEqual(result.status, status, result.err)
            self.assertEqual(result.out, "")
            for word in words:
                self.assertIn(word, result.err)

    def test_an_empty_value_is_a_variable_that_is_not_set(self):
        asked = ["run", "--endpoint", self.endpoint("pace"), "--model", "m", "--prompt", "hi"]
        for option in ("--record", "--ca-file", "--key-env", "--key-file", "--pin", "--preset", "--protocol"):
            self.refused(2, [option, "not set"], *asked, option, "")
        self.refused(2, ["--prompt-file", "not set"], *asked[:5], "--prompt-file", "")
        self.refused(2, ["--endpoint", "not set"], "run", "--endpoint", "", "--prompt", "hi")
        for option in ("--ca-file", "--key-env", "--key-file", "--pin", "--preset", "--protocol"):
            self.refused(2, [option, "not set"], "probe", self.endpoint("pace"), option, "")
        self.refused(2, ["not set"], "probe", "", "--preset", "openai")

    def test_numbers_are_sent_as_given_or_refused(self):
        asked = ["run", "--endpoint", self.endpoint("pace", "tokens=2"), "--model", "m", "--prompt", "hi", "--json"]
        for option in ("--seed", "--max-bytes", "--max-events", "--max-tokens"):
            self.refused(2, [option], *asked, option, str(2**64))
        self.refused(2, ["--seed"], *asked, "--seed", str(2**63))
        self.refused(2, ["--seed"], *asked, "--seed", str(-2**63 - 1))
        for seed in (2**63 - 1, -2**63):
            result = cli.program(*asked, "--seed", str(seed))
            self.assertEqual(result.status, 0, result.err)
            self.assertEqual(result.json()["lanes"][0]["run_card"]["sampling"]["seed"], seed)

    def test_an_option_given_twice_is_named(self):
        asked = ["run", "--endpoint", self.endpoint("pace"), "--prompt", "hi"]
        self.refused(2, ["--max-tokens is given more than once"], *asked, "--max-tokens", "1", "--max-tokens", "2")
        self.refused(2, ["--max-tokens takes a value"], *asked, "--max-tokens")

    def test_lanes_have_a_limit(self):
        lanes = [part for i in range(257) for part in ("--lane", f"name=L{i},endpoint=http://127.0.0.1:1")]
        self.refused(2, ["257 lanes", "at most 256"], "run", *lanes, "--prompt", "hi")

    def test_a_key_in_the_clear_is_refused_before_anything_is_asked(self):
        clear = ["--key-env", "TEST_KEY", "--json"]
        words = ["unencrypted to 192.0.2.1", "--allow-key-over-http"]
        self.refused(2, words, "probe", "http://192.0.2.1", *clear)
        self.refused(2, words, "run", "--endpoint", "http://192.0.2.1", "--prompt", "hi", *clear)
        self.refused(2, ["Lane B: ", *words], "run", "--lane", f"name=A,endpoint={self.endpoint('pace')}", "--lane",
                     "name=B,endpoint=http://192.0.2.1,key-env=TEST_KEY", "--prompt", "hi", "--json")

    def test_authorities_that_cannot_be_read_are_8(self):
        missing = self.path("missing.pem")
        empty = self.path("empty.pem")
        with open(empty, "w") as file:
            file.write("no certificate\n")
        for path in (missing, empty):
            self.refused(8, [path], "probe", self.endpoint("pace"), "--ca-file", path)
            self.refused(8, [path], "run", "--endpoint", self.endpoint("pace"), "--prompt", "hi", "--ca-file", path)
            self.refused(8, [path], "run", "--lane", f"name=A,endpoint={self.endpoint('pace')},ca-file={path}",
                         "--prompt", "hi")

    def test_unreadable_files_are_8(self):
        with open(self.path("junk"), "w") as junk:
            junk.write("not a recording\n")
        for arguments in (["report", self.path("missing"), "--json"], ["replay", self.path("missing"), "--json"],
                          ["report", self.path("junk"), "--json"], ["report", self.folder, "--json"],
                          ["explain", "--protocol", "openai-chat", self.path("missing"), "--json"],
                          ["run", "--endpoint", self.endpoint("pace"), "--prompt-file", self.path("missing")]):
            with self.subTest(arguments=arguments):
                result = cli.program(*arguments)
                self.assertEqual(result.status, 8, result.err)
                self.assertEqual(result.out, "")

    def test_a_full_standard_output_is_8(self):
        with open("/dev/full", "w") as full:
            process = cli.subprocess.run([cli.PROGRAM, "run", "--endpoint", self.endpoint("pace", "tokens=2"),
                                          "--prompt", "hi", "--json"], stdin=cli.subprocess.DEVNULL, stdout=full,
                                         stderr=cli.subprocess.PIPE, timeout=cli.LIMIT_S)
        self.assertEqual(process.returncode, 8)

    def test_help_and_version(self):
        for arguments in (["--help"], ["run", "--help"], ["replay", "--help"], ["report", "--help"],
                          ["explain", "--help"]):
            result = cli.program(*arguments)
            self.assertEqual(result.status, 0)
            self.assertIn("--help", result.out)
        result = cli.program("--version")
        self.assertEqual(result.status, 0)
        self.assertRegex(result.out, r"^decodescope \d+\.\d+\.\d+")
        self.assertIn("Qt 6.", result.out)


if __name__ == "__main__":
    cli.main()
