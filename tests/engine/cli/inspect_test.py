#!/usr/bin/env python3
"""`decodescope-engine inspect` as a user meets it: good models of every kind, the hostile corpus, wrong usage."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MODEL_TOOL = sys.argv[1:3]
ARCHITECTURES = ["llama", "qwen2", "qwen3", "gemma3"]
TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]
SANITIZED = "LSAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ


def run(*arguments):
    """Status, stdout, stderr, and processor seconds and KiB of memory at most, of one run."""
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    return process.returncode, out.decode("utf-8"), err.decode("utf-8"), used.ru_utime + used.ru_stime, used.ru_maxrss


def has_controls(text):
    return any((ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066" for c in text)


class Inspect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def model(self, architecture, kind):
        path = os.path.join(self.folder, f"{architecture}-{kind}.gguf")
        subprocess.run([MODEL_TOOL, "write", architecture, kind, path], check=True)
        return path

    def test_every_supported_kind(self):
        for architecture in ARCHITECTURES:
            for kind in TYPES:
                path = self.model(architecture, kind)
                status, out, err, _, _ = run("inspect", path, "--json")
                self.assertEqual((status, err), (0, ""), path)
                facts = json.loads(out)
                self.assertTrue(facts["supported"], facts["reason"])
                self.assertEqual(facts["architecture"], architecture)
                self.assertIn(kind, facts["types"])
                self.assertEqual(facts["parameters_active"], facts["parameters_total"])
                self.assertLess(facts["bytes_per_token"], os.path.getsize(path))
                self.assertTrue(facts["tokenizer"].startswith("bpe" if "qwen" in architecture else "spm"), out)
                self.assertEqual(facts["chat_template"], {"llama": None, "gemma3": "Gemma"}.get(architecture, "ChatML"))
                self.assertEqual(facts["chat_reason"] is None, architecture != "llama")
                os.remove(path)

    def test_page(self):
        status, out, err, _, _ = run("inspect", self.model("qwen3", "Q8_0"))
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(out.startswith("Tiny qwen3\n"))
        for words in ("Supported         yes", "Architecture      qwen3", "Q8_0 ", "Bytes per token "):
            self.assertIn(words, out)
        self.assertLess(max(map(len, out.splitlines())), 200)

    def test_hostile_files(self):
        listed = subprocess.run([MODEL_TOOL, "hostile", self.folder], check=True, stdout=subprocess.PIPE).stdout
        cases = [line.split("\t") for line in listed.decode("utf-8").splitlines()]
        self.assertGreater(len(cases), 250)
        for number, fate, name in cases:
            path = os.path.join(self.folder, number + ".gguf")
            status, out, err, seconds, kib = run("inspect", path, "--json")
            with self.subTest(name=name, fate=fate, status=status, out=out[:300], err=err[:300]):
                self.assertIn(status, (0, 5))
                self.assertFalse(has_controls(out + err))
                if fate == "not-opened":
                    self.assertEqual((status, out), (5, ""))
                elif fate != "survives":
                    self.assertFalse(json.loads(out)["supported"])
                if status == 5:
                    self.assertRegex(err, r"^decodescope-engine: [^\n]+\.\n$")
                if not SANITIZED:
                    self.assertLess(seconds, 0.2)
                    self.assertLess(kib, (64 << 10) + os.path.getsize(path) // 1024)

    def test_usage_and_absent_files(self):
        self.assertEqual(run("inspect")[0], 2)
        self.assertEqual(run("inspect", "a", "b")[0], 2)
        self.assertEqual(run()[0], 2)
        self.assertEqual(run("--help")[0], 0)
        status, out, err, _, _ = run("inspect", os.path.join(self.folder, "absent.gguf"))
        self.assertEqual((status, out), (8, ""))
        self.assertIn("absent.gguf", err)
        self.assertEqual(run("inspect", self.folder)[0], 8)
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        self.assertEqual(run("inspect", pipe)[0], 8)

    def test_full_disk(self):
        path = self.model("llama", "Q4_0")
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([PROGRAM, "inspect", path], stdout=full, stderr=subprocess.DEVNULL).returncode,
                             8)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(argv=sys.argv[:1], verbosity=1)
