#!/usr/bin/env python3
"""What the program does on a terminal: what a model says cannot steer it, progress is shown and taken away again, and
Ctrl-C comes as a key. Off a terminal bytes are handed on as they are."""
import json
import os
import pty
import select
import socket
import threading
import time

import cli_support as cli

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
                connection.recv(65536)
                events = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in (HOSTILE[:6], HOSTILE[6:])]
                events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
                body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
                                   body.encode())

    def close(self):
        self.socket.close()


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
