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
import threading
import time
import urllib.parse
import zlib

import cli_support as cli

KEY = cli.CANARY + "+/=="  # with characters that encodings change


def forms(key):
    """The key as it could stand in bytes, whole or past its first characters."""
    raw = key.encode()
    found = {raw, raw[::-1], urllib.parse.quote(key, safe="").encode(), json.dumps(key)[1:-1].encode(),
             key.replace("/", "\\/").encode(), "".join(f"\\u{ord(c):04x}" for c in key).encode(), raw.hex().encode()}
    for skipped in range(3):  # within longer Base64; the last group depends on what follows
        whole = base64.b64encode(raw[skipped:])
        found.add(whole[:len(whole) // 4 * 4 - 4])
    return found | {cli.CANARY.encode()[8:]}  # past DSCANARY-


FORMS = forms(KEY)


def event(text):
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


def stream(text):
    return event("I know your key: ") + event(text) + b'data: {"choices":[{"index":0,"delta":{},' \
        b'"finish_reason":"stop"}]}\n\n' + b"data: [DONE]\n\n"


class Echo(http.server.BaseHTTPRequestHandler):
    """Tells the key back, in the way that the first part of the path names."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        key = (self.headers.get("Authorization", "") or self.headers.get("x-api-key", "")).removeprefix("Bearer ")
        self.server.keys.append(key)
        way = self.path.strip("/").split("/")[0]
        status, headers, body = 200, {"Content-Type": "text/event-stream"}, stream("nothing")
        if way == "text":
            body = stream(key)
        elif way == "base64":
            body = stream(base64.b64encode(("me:" + key).encode()).decode())
        elif way == "percent":
            body = stream("/?key=" + urllib.parse.quote(key, safe=""))
        elif way == "escaped":
            body = b'data: {"choices":[{"index":0,"delta":{"content":"' + \
                "".join(f"\\u{ord(c):04x}" for c in key).encode() + b'"}}]}\n\n' + stream("x")
        elif way == "pieces":
            body = b"".join(event(c) for c in key) + stream("x")
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
        elif way == "whole":
            headers = {"Content-Type": "application/json"}
            body = json.dumps({"choices": [{"index": 0, "message": {"content": key}, "finish_reason": "stop"}]}).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


WAYS = ["text", "base64", "percent", "escaped", "pieces", "comment", "headers", "gzip", "deflate", "error", "page",
        "instream", "redirect", "whole"]


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

    def surroundings(self):
        home = self.path("home")
        os.makedirs(home, exist_ok=True)
        return cli.environment(CANARY_KEY=KEY, HOME=home, TMPDIR=self.folder, QT_LOGGING_RULES="*=true",
                               QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=home, XDG_DATA_HOME=home,
                               XDG_STATE_HOME=home, XDG_CACHE_HOME=home)

    def clean(self, what, content):
        for form in FORMS:
            self.assertNotIn(form, content, f"{what} holds the key as {form[:6]}...")
        # Also packed: what looks like Base64 or is gzip is looked into.
        for packed in re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", content):
            try:
                plain = base64.b64decode(packed + b"=" * (-len(packed) % 4))
            except ValueError:
                continue
            self.assertNotIn(FORMS_RAW, plain, f"{what} holds the key within Base64")
            at = plain.find(b"\x1f\x8b")
            if at >= 0:
                try:
                    unpacked = zlib.decompressobj(31).decompress(plain[at:])
                except zlib.error:
                    continue
                self.assertNotIn(FORMS_RAW, unpacked, f"{what} holds the key within gzip")

    def run_clean(self, *arguments, watched=False):
        process = cli.start(*arguments, env=self.surroundings())
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
                self.run_clean("run", *lane, "--json", "--text", "--record", recording, watched=way == "text")
                self.assertEqual(self.echo.keys[before:], [KEY])  # the server did get it
                self.run_clean("run", *lane, "--jsonl", "--text")
                self.run_clean("run", *lane)
                self.assertTrue(os.path.exists(recording))
                self.run_clean("report", recording, "--json", "--text")
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
        self.run_clean("run", "--endpoint", f"{self.at}/text/v1", "--model", "m", "--key-env", "CANARY_KEY", "--prompt",
                       "hi", "--record", recording)
        picture = self.path("r.png")
        if self.run_clean("report", recording, "--png", picture).status == 0:
            with open(picture, "rb") as file:
                self.clean("the picture", file.read())
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


FORMS_RAW = cli.CANARY.encode()

if __name__ == "__main__":
    cli.main()
