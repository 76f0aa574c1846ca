#!/usr/bin/env python3
"""`doctor` through the real program: it measures in the clear and under TLS, and its words and its JSON say what it
measured."""
import sys

import cli_support as cli


class DoctorTest(cli.CliTest):
    def test_what_is_measured(self):
        result = cli.program("doctor", "--seconds", "2", "--json")
        self.assertEqual(result.status, 0, result.err)
        found = result.json()
        self.assertEqual(found["schema"], 1)
        measured = [(floor["clock_source"], floor["tls"], floor["streams"]) for floor in found["floors"]]
        clocks = ["kernel", "user"] if sys.platform == "linux" else ["user"]
        self.assertEqual(measured, [(clock, tls, streams) for clock in clocks for tls in (False, True)
                                    for streams in (1, 64)])
        for floor in found["floors"]:
            if floor["failure"]: # a machine too busy for it
                self.assertIn("in time", floor["failure"])
                self.assertIsNone(floor["stamp_error_s"])
                continue
            self.assertEqual(floor["tokens"], floor["streams"] * max(10, int(2 / len(measured) / 0.02)))
            self.assertGreater(floor["stamp_error_s"]["p50"], 0)
            self.assertGreaterEqual(floor["stamp_error_s"]["max"], floor["stamp_error_s"]["p99"])
            if floor["merged"] == 0:
                self.assertGreaterEqual(floor["gap_error_s"]["p99"], 0)
        floor = found["verdict"]["gap_floor_s"]
        self.assertIn("cannot be trusted" if floor else "could not be measured", found["verdict"]["text"])
        self.assertIn("certificates", [check["name"] for check in found["checks"]])

    def test_the_words_for_people(self):
        result = cli.program("doctor", "--seconds", "1")
        self.assertEqual(result.status, 0, result.err)
        self.assertRegex(result.out, r"^(Gaps shorter than|This machine's floor could not)")
        self.assertRegex(result.out, r"\n  user    TLS   64 streams")
        self.assertIn("Measuring this machine", result.err)

    def test_usage(self):
        self.assertEqual(cli.program("doctor", "--seconds", "0").status, 2)


if __name__ == "__main__":
    cli.main()
