#!/usr/bin/env python3
"""A key that every server echoes in every way must be found nowhere: no file, no output, no command line of a process,
in no encoding. The program runs with all of Qt's logging switched on."""
import base64
import glob
import gzip
import http.server
import json
import os
import re
import resource
import signal
import threading
import time
import unittest
import urllib.parse
import zlib

import cli_support as cli

KEY = cli.CANARY + "+/=="  # with characters that encodings change


def encodings(key):
    """Every way of writing a key that is masked, by its name; `prefix` moves it within Base64."""
    quoted = urllib.parse.quote(key, safe="")
    lower = re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), quoted)
    return {"plain": key, "percent": quoted, "percent-lower": lower,
            **{f"base64-{len(prefix)}": base64.b64encode((prefix + key + ".").encode()).decode() for prefix in ("", "a", "ab")}}


def forms(key):
    """What must not be found: a key in any writing, whole or past the first eight characters, which may be an accident."""
    raw = key.encode()
    found = {raw, raw[::-1], json.dumps(key)[1:-1].encode(), key.replace("/", "\\/").encode(), raw.hex().encode(),
             "".join(f"\\u{ord(c):04x}" for c in key).encode()}
    for written in encodings(key).values():
        found |= {written[i:i + 12].encode() for i in range(8, len(written) - 16)}
    return found


FORMS = forms(KEY)


def event(text):
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


def chunked(body, size):
    """As Transfer-Encoding writes it, `size` bytes a chunk."""
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces) + b"0\r\n\r\n"


def stream(text):
    return event("I know your key: ") + event(text) + b'data: {"choices":[{"index":0,"delta":{},' \
        b'"finish_reason":"stop"}]}\n\n' + b"data: [DONE]\n\n"


class Echo(http.server.BaseHTTPRequestHandler):
    """Tells the key back, in the way that the first part of the path names."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        key = (self.headers.get("Authorization", "") or self.headers.get("x-api-key", "")).removeprefix("Bearer ")
        self.server.keys.append(key)
        way, _, spelling = self.path.strip("/").split("/")[0].partition("_")
        written = encodings(key).get(spelling, "")
        status, headers, body = 200, {"Content-Type": "text/event-stream"}, stream("nothing")
        if way == "escaped":
            body = b'data: {"choices":[{"index":0,"delta":{"content":"' + \
                "".join(f"\\u{ord(c):04x}" for c in key).encode() + b'"}}]}\n\n' + stream("x")
        elif way == "whole":
            body = stream("/?key=" + written)
        elif way == "pieces":
            body = b"".join(event(c) for c in written) + stream("x")
        elif way == "chunks":
            headers["Transfer-Encoding"], body = "chunked", chunked(stream(written), 3)
        elif way == "comment":
            body = b": " + key.encode() + b"\n\n" + stream("x")
        elif way == "headers":
            headers |= {"Set-Cookie": "session=" + key, "X-Api-Key": key, "X-Request-Id": "id-" + key}
        elif way == "gzip":
            headers["Content-Encoding"], body = "gzip", gzip.compress(stream(key))
        elif way == "deflate":
            headers["Content-Encoding"], body = "deflate", zlib.compress(stream(key))
        elif way == "error":
            status, headers = 401, {"Content-Type": "application/json"}
            body = json.dumps({"error": {"message": "Incorrect API key provided: " + key, "code": key}}).encode()
        elif way == "page":
            status, headers = 502, {"Content-Type": "text/html"}
            body = f"<html><title>{key}</title>{key}</html>".encode()
        elif way == "instream":
            body = event("x") + b"data: " + json.dumps({"error": {"message": "bad key " + key}}).encode() + b"\n\n"
        elif way == "redirect":
            status, headers, body = 307, {"Location": "http://localhost:9/?key=" + key}, b""
        elif way == "models" and self.command == "GET":
            headers = {"Content-Type": "application/json"}
            body = json.dumps({"object": "list", "data": [{"id": "org/" + key}, {"id": key}]}).encode()
        elif way == "slow":
            body = (event(key) * 40).ljust(1 << 17, b"\n") + event("x") * 40
        elif way == "json":
            headers = {"Content-Type": "application/json"}
            body = json.dumps({"choices": [{"index": 0, "message": {"content": key}, "finish_reason": "stop"}]}).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        if way == "slow":
            self.rfile.read(1)  # until the other side goes
        self.close_connection = True


WAYS = ["escaped", "comment", "headers", "gzip", "deflate", "error", "page", "instream", "redirect", "json"] + \
    [f"{way}_{spelling}" for spelling in encodings(KEY) for way in ("whole", "pieces", "chunks")]


class CanaryTest(cli.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.echo = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        cls.echo.keys = []
        threading.Thread(target=cls.echo.serve_forever, daemon=True).start()
        cls.at = f"http://127.0.0.1:{cls.echo.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.echo.shutdown()
        cls.echo.server_close()
        super().tearDownClass()

    def surroundings(self, **more):
        home = self.path("home")
        os.makedirs(home, exist_ok=True)
        return cli.environment(CANARY_KEY=KEY, HOME=home, TMPDIR=self.folder, QT_LOGGING_RULES="*=true",
                               QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=home, XDG_DATA_HOME=home,
                               XDG_STATE_HOME=home, XDG_CACHE_HOME=home, **more)

    def clean(self, what, content):
        self.unpacked_clean(what, content)
        # Also packed: what looks like Base64 or is gzip is looked into.
        for packed in re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", content):
            try:
                plain = base64.b64decode(packed + b"=" * (-len(packed) % 4))
            except ValueError:
                continue
            self.unpacked_clean(what + ", within Base64", plain)
            at = plain.find(b"\x1f\x8b")
            if at >= 0:
                try:
                    unpacked = zlib.decompressobj(31).decompress(plain[at:])
                except zlib.error:
                    continue
                self.unpacked_clean(what + ", within gzip", unpacked)

    def unpacked_clean(self, what, content):
        for form in FORMS:
            if form in content:
                self.fail(f"{what} holds the key as {form[:8]}...")

    def run_clean(self, *arguments, watched=False, **named):
        process = cli.start(*arguments, env=self.surroundings(**named))
        if watched:
            deadline = time.monotonic() + 5
            while process.poll() is None and time.monotonic() < deadline:
                try:
                    with open(f"/proc/{process.pid}/cmdline", "rb") as line:
                        self.clean("the command line", line.read())
                except OSError:
                    break
                time.sleep(0.02)
        result = cli.finish(process)
        self.clean("stdout of " + " ".join(arguments[:2]), result.out.encode())
        self.clean("stderr of " + " ".join(arguments[:2]), result.err.encode())
        return result

    def test_a_key_that_is_echoed_is_kept_nowhere(self):
        for way in WAYS:
            with self.subTest(way=way):
                recording = self.path(way + ".decodescope")
                before = len(self.echo.keys)
                lane = ("--endpoint", f"{self.at}/{way}/v1", "--model", "m", "--key-env", "CANARY_KEY", "--prompt", "hi")
                self.run_clean("run", *lane, "--json", "--text", "--record", recording, watched=way == "headers")
                self.assertEqual(self.echo.keys[before:], [KEY])  # the server did get it
                self.assertTrue(os.path.exists(recording))
                self.run_clean("report", recording, "--json", "--text")
                if "_" in way and not way.endswith("_plain"):
                    continue  # another spelling goes the same ways
                self.run_clean("run", *lane, "--jsonl", "--text")
                self.run_clean("run", *lane)
                self.run_clean("report", recording)
                self.run_clean("replay", recording, "--jsonl", "--speed", "8")
        self.files_are_clean()

    def test_keys_from_files_and_faults_leave_no_trace(self):
        secret = self.path("key")
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(KEY + "\n")
        for endpoint in (f"http://127.0.0.1:{cli.closed_port()}", "http://192.0.2.1", f"https{self.at[4:]}"):
            self.run_clean("run", "--endpoint", endpoint, "--model", "m", "--key-file", secret, "--prompt", "hi", "--json",
                           "--connect-timeout", "1", "--record", self.path(f"r{hash(endpoint)}.decodescope"))
        os.remove(secret)
        self.files_are_clean()

    def test_a_picture_of_a_recording_is_drawn_without_it(self):
        recording = self.path("r.decodescope")
        self.run_clean("run", "--endpoint", f"{self.at}/whole_plain/v1", "--model", "m", "--key-env", "CANARY_KEY", "--prompt",
                       "hi", "--record", recording)
        picture = self.path("r.png")
        if self.run_clean("report", recording, "--png", picture).status == 0:
            with open(picture, "rb") as file:
                self.clean("the picture", file.read())
        self.files_are_clean()

    def test_probing_tells_nothing(self):
        for way in (way for way in WAYS if "_" not in way or way.startswith("chunks")):
            with self.subTest(way=way):
                before = len(self.echo.keys)
                for form in ([], ["--json"]):
                    self.run_clean("probe", f"{self.at}/{way}/v1", "--key-env", "CANARY_KEY", "--protocol", "openai-chat",
                                   "--model", "m", *form)
                self.assertIn(KEY, self.echo.keys[before:])
        # The models of a server that names them after the key.
        self.run_clean("probe", f"{self.at}/models/v1", "--key-env", "CANARY_KEY", "--protocol", "openai-chat", "--json")

    def test_what_the_environment_names_is_told_without_it(self):
        host = self.at.removeprefix("http://")
        for address in (f"http://me:{KEY}@{host}/v1", f"{self.at}/whole_plain/v1?key={KEY}", KEY, f"//{KEY}@h",
                        f"http://{KEY}/", f"{self.at}/v1#{KEY}"):
            named = dict(OPENAI_API_KEY=KEY, OPENAI_BASE_URL=address, ANTHROPIC_API_KEY=KEY, OLLAMA_HOST=address,
                         ANTHROPIC_BASE_URL=address, GEMINI_API_KEY=KEY, http_proxy=f"http://me:{KEY}@127.0.0.1:9",
                         HTTPS_PROXY=f"http://{KEY}@127.0.0.1:9", no_proxy=KEY)
            for words in (["presets"], ["presets", "--json"], ["probe", "--preset", "openai", "--json"],
                          ["probe", address, "--key-env", "CANARY_KEY"], ["--help"], ["run", "--help"],
                          ["run", "--preset", "openai", "--model", "m", "--prompt", "hi", "--json",
                           "--connect-timeout", "1"]):
                with self.subTest(address=address.replace(KEY, "KEY"), words=words[:2]):
                    self.run_clean(*words, **named)
        for form in ([], ["--json"]):
            self.run_clean("doctor", "--seconds", "0.2", *form, **named)
        self.assertEqual(glob.glob(self.folder + "/*.core"), [])

    # ThreadSanitizer misunderstands children that are started beside threads (tests/core/net/CMakeLists.txt).
    @unittest.skipIf("TSAN_OPTIONS" in os.environ, "starts a child")
    def test_an_engine_is_given_none(self):
        engine = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support", "fake_engine")
        given = self.path("given")
        secrets = dict(OPENAI_API_KEY=KEY, CORP_LLM=KEY, DECODESCOPE_SECRET=KEY, DECODESCOPE_ENGINE=engine,
                       DECODESCOPE_FAKE_GIVEN=given, DECODESCOPE_FAKE_SAMPLE=self.path("s.gguf"))
        self.run_clean("run", "--lane", f"name=A,endpoint={self.at}/whole_plain/v1,model=m,key-env=CORP_LLM", "--lane",
                       "name=B,local=/m/fake.gguf", "--lane", "name=C,local=sample", "--prompt", "hi", "--json", "--record",
                       self.path("r.decodescope"), **secrets)
        self.run_clean("engine", "inspect", "x.gguf", **secrets)
        with open(given, "rb") as file:
            told = file.read()
        for word in (b"serve\0/m/fake.gguf", b"fetch-sample", b"inspect\0x.gguf", b"PATH="):
            self.assertIn(word, told)
        self.files_are_clean()

    def test_a_run_that_dies_leaves_nothing(self):
        for death in (signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV, signal.SIGINT):
            with self.subTest(death=death.name):
                folder = self.path(death.name)
                os.mkdir(folder, 0o700)
                recording = os.path.join(folder, "r.decodescope")
                # A sanitizer would catch the signal and end by itself.
                dying = self.surroundings()
                for sanitizer in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
                    dying[sanitizer] = os.environ.get(sanitizer, "") + ":handle_segv=0"
                process = cli.start("run", "--endpoint", f"{self.at}/slow/v1", "--model", "m", "--key-env", "CANARY_KEY",
                                    "--prompt", "hi", "--json", "--record", recording, env=dying, cwd=folder,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30)))
                deadline = time.monotonic() + 30
                while time.monotonic() < deadline and not (os.path.exists(recording) and os.path.getsize(recording) > 2000):
                    time.sleep(0.02)
                with open(f"/proc/{process.pid}/limits", encoding="utf-8") as limits:
                    [core] = [line.split() for line in limits if line.startswith("Max core file size")]
                self.assertEqual(core[4:5], ["0"], "a core file could be written while a key is held")
                process.send_signal(death)
                result = cli.finish(process)
                self.assertEqual(result.status, 130 if death == signal.SIGINT else -death)
                self.clean("stdout", result.out.encode())
                self.clean("stderr", result.err.encode())
                self.run_clean("report", recording, "--json", "--text")
        self.files_are_clean()

    def files_are_clean(self):
        seen = 0
        for name in glob.glob(self.folder + "/**", recursive=True, include_hidden=True):
            self.clean("a file's name", name.encode())
            if os.path.isfile(name):
                seen += 1
                with open(name, "rb") as file:
                    self.clean(name, file.read())
                self.assertEqual(os.stat(name).st_mode & 0o077, 0, name + " can be read by others")
        self.assertGreater(seen, 0)

    def test_the_search_itself_finds_what_it_looks_for(self):
        for bad in (KEY.encode(), base64.b64encode(b"x" * 30 + KEY.encode()), base64.b64encode(gzip.compress(stream(KEY)))):
            with self.assertRaises(AssertionError):
                self.clean("it", b"some " + bad + b" text")


if __name__ == "__main__":
    cli.main()
