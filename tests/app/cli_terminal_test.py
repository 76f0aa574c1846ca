#!/usr/bin/env python3
"""What the program does on a terminal: what a model says cannot steer it, progress is shown and taken away again, and
Ctrl-C comes as a key. Off a terminal bytes are handed on as they are."""
import json
import os
import pty
import re
import select
import socket
import sys
import threading
import time

import cli_support as cli

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from hostile_texts import hostile_texts  # noqa: E402

TEXTS = hostile_texts()
NAMES = list(TEXTS)
# What is not seen and turns, hides or separates what is around it, and every control but line feed and tab.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f"
                      "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]")

HOSTILE = "safe\x1b]52;c;ZWNobw==\x07\x1b[2J\u202egnp.exe\u009b31m\r\x08end"


class HostileServer:
    """Answers every request with one stream that says HOSTILE, in two tokens."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                self.respond(connection)

    def respond(self, connection):
        connection.recv(65536)
        events = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in (HOSTILE[:6], HOSTILE[6:])]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
                           body.encode())

    def close(self):
        self.socket.close()


def json_string(raw):
    """A JSON string of any bytes, also of such as are no UTF-8."""
    escaped = b"".join(b"\\u%04x" % byte if byte < 0x20 or byte in b'"\\' else bytes([byte]) for byte in raw)
    return b'"' + escaped + b'"'


class EveryPlaceServer(HostileServer):
    """/N/WAY/...: puts the N-th hostile text wherever a server may put text."""

    def respond(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        path = request.split(b" ", 2)[1].decode().strip("/").split("/")
        try:
            connection.sendall(self.answer(TEXTS[NAMES[int(path[0])]], path[1]))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):  # what it sends may still be on the way
                pass
        except OSError:  # it has seen enough
            pass

    @staticmethod
    def answer(raw, way):
        said = json_string(raw)
        # Controls in a head are refused whole; one way sends them all the same.
        header = re.sub(rb"[\x00\r\n]" if way == "redirect" else rb"[\x00-\x1f\x7f]", b" ", raw)[:4000]
        status, kind = b"200 OK", b"text/event-stream"
        if way == "error":
            status, kind = b"400 " + header, b"application/json"
            body = b'{"error":{"message":%s,"code":%s,"type":%s}}' % (said, said, said)
        elif way == "page":
            status, kind, body = b"502 Bad", b"text/html", b"<title>" + raw + b"</title>" + raw
        elif way == "instream":
            body = b'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\ndata: {"error":{"message":%s,"code":%s}}\n\n' \
                % (said, said)
        elif way == "redirect":
            status, body = b"302 Found\r\nLocation: http://h.test/" + header, b""
        else:
            body = b'data: {"model":%s,"provider":%s,"system_fingerprint":%s,"choices":[{"index":0,"delta":{"content":%s,' \
                   b'"reasoning_content":%s,"tool_calls":[{"index":0,"id":%s,"function":{"name":%s,"arguments":%s}}]},' \
                   b'"finish_reason":%s}]}\n\n' % ((said,) * 9)
            body += b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        return b"HTTP/1.1 %s\r\nContent-Type: %s\r\nx-request-id: %s\r\nServer: %s\r\nConnection: close\r\n\r\n%s" \
            % (status, kind, header, header, body)


def on_terminal(*arguments, keys=b"", after_s=0.0):
    """Runs the program with stdin, stdout and stderr on a terminal of its own; returns status and all it printed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(cli.PROGRAM, [cli.PROGRAM, *arguments], cli.environment(TERM="xterm"))
    printed, began, typed = b"", time.monotonic(), not keys
    while time.monotonic() - began < cli.LIMIT_S:
        if not typed and time.monotonic() - began > after_s:
            os.write(terminal, keys)
            typed = True
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError: # the program closed it
            break
        if not part:
            break
        printed += part
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), printed.decode("utf-8")


class TerminalTest(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.hostile = HostileServer()
        self.addCleanup(self.hostile.close)

    def test_hostile_text_is_shown_not_obeyed(self):
        status, printed = on_terminal("run", "--endpoint", self.hostile.url, "--model", "m\x1b[31m", "--prompt", "hi",
                                      "--text")
        self.assertEqual(status, 0)
        for shown in ("safe\\x1b]52;c;ZWNobw==\\x07\\x1b[2J", "\\u{202e}", "\\x9b31m", "\\x0d\\x08end", "m\\x1b[31m"):
            self.assertIn(shown, printed)
        # Our own progress line erases itself with CSI K and nothing else.
        self.assertEqual(printed.replace("\x1b[K", "").count("\x1b"), 0)

    def test_json_escapes_it_everywhere(self):
        result = cli.program("run", "--endpoint", self.hostile.url, "--prompt", "hi", "--json", "--text")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.runs()[0]["text"], HOSTILE)
        self.assertNotIn("\x1b", result.out)

    def steers_nobody(self, what, printed):
        own = printed.replace("\x1b[K", "").replace("\r", "")  # of the progress line and of the terminal itself
        found = STEERING.search(own)
        self.assertIsNone(found, f"{what}: {own[max(0, found.start() - 40):found.end() + 40]!r}" if found else "")

    def test_every_hostile_text_in_every_place(self):
        server = EveryPlaceServer()
        self.addCleanup(server.close)
        for way in ("stream", "error", "page", "instream", "redirect"):
            lanes = []
            for i in range(len(TEXTS)):
                lanes += ["--lane", f"name=L{i},endpoint={server.url}/{i}/{way}/v1,model=m"]
            recording = self.path(way + ".decodescope")
            common = ["run", "--prompt", "hi", "--text", *lanes]
            with self.subTest(way=way):
                _, printed = on_terminal(*common, "--record", recording)
                self.steers_nobody("the table", printed)
                _, printed = on_terminal("report", recording, "--text")
                self.steers_nobody("the report", printed)
                _, printed = on_terminal("replay", recording, "--jsonl", "--speed", "64")
                self.steers_nobody("the lines", printed)
                _, printed = on_terminal("report", recording, "--json", "--text")
                self.steers_nobody("the object", printed)
                on_pipe = cli.program("report", recording, "--json", "--text")
                self.assertEqual(json.loads(printed), on_pipe.json())
                runs = [lane["runs"][0] for lane in on_pipe.json()["lanes"]]
                self.assertEqual(len(runs), len(TEXTS))
                self.steers_nobody("the object in a file", on_pipe.out)
                for name, run in zip(NAMES, runs):
                    if way == "stream":  # what is well-formed is kept to the letter
                        self.assertEqual(run["text"], TEXTS[name].decode("utf-8", "replace"), name)
                    else:
                        self.assertEqual(run["outcome"], "error", name)
                with open(recording, "rb") as file:
                    self.steers_nobody("the recording", file.read().decode("utf-8"))
        status, printed = on_terminal("probe", f"{server.url}/{NAMES.index('csi')}/error/v1", "--protocol", "openai-chat",
                                      "--model", "m")
        self.steers_nobody("the probe", printed)

    def test_hostile_names_of_lanes_models_and_files(self):
        for number, (name, raw) in enumerate(TEXTS.items()):
            if not raw or b"\0" in raw or len(raw) > 5000:
                continue  # no argument can be so
            with self.subTest(name=name):
                text = os.fsdecode(raw)
                lane = "name={0},endpoint={1},model={0}".format(text.replace("\\", "\\\\").replace(",", "\\,"),
                                                               self.endpoint("pace", "tokens=3&interval_ms=1"))
                file = self.path(text.replace("/", "_")[:60])
                status, printed = on_terminal("run", "--lane", lane, "--prompt", text, "--record", file, "--json")
                self.steers_nobody("a lane", printed)
                ways = (["report", file], ["report", file + "x"], ["explain", "--protocol", "openai-chat", file + "x"],
                        ["run", "--endpoint", text, "--model", "m", "--prompt", "p"], ["probe", text],
                        ["run", "--lane", text], [text], ["run", "--preset", text], ["run", "--" + text])
                for more in (ways[number % 3::3]):  # each text in a third of them
                    _, printed = on_terminal(*more)
                    self.steers_nobody(" ".join(more[:1]), printed)

    def test_off_a_terminal_text_is_handed_on(self):
        result = cli.program("run", "--endpoint", self.hostile.url, "--prompt", "hi", "--text")
        self.assertIn(HOSTILE.split("\r")[0], result.out)
        self.assertEqual(result.err, "")

    def test_progress_is_shown_and_taken_away(self):
        status, printed = on_terminal("run", "--endpoint", self.endpoint("pace", "tokens=60&interval_ms=20"), "--prompt",
                                      "hi")
        self.assertEqual(status, 0)
        self.assertRegex(printed, r"\rA \d+ events")
        self.assertIn("\r\x1b[KLane", printed)

    def test_ctrl_c_stops_and_reports(self):
        status, printed = on_terminal("run", "--endpoint", self.endpoint("pace", "tokens=900&interval_ms=20"),
                                      "--prompt", "hi", keys=b"\x03", after_s=1.5)
        self.assertEqual(status, 130)
        self.assertIn("Stopping", printed)
        self.assertIn("cancelled", printed)


if __name__ == "__main__":
    cli.main()
