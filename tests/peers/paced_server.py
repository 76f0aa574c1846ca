#!/usr/bin/env python3
"""An OpenAI-compatible server that sends at known instants: the first token FIRST_MS after the request has come, the
others GAP_MS apart, one pause of PAUSE_MS in the middle. What it did is known to itself, so that clients can be checked
by it: prints one JSON line with its address, and at the end of its input one with what its own clock says of each
answer, in ms, taken just before each send."""
import argparse
import http.server
import json
import sys
import threading
import time

WORDS = "the lighthouse keeper counts the waves that come and go in the long night before the storm".split()


def parse():
    parser = argparse.ArgumentParser()
    for name, value in (("first-ms", 150), ("gap-ms", 20), ("pause-ms", 400)):
        parser.add_argument("--" + name, type=float, default=value)
    return parser.parse_args()


OPTIONS = parse()
ANSWERS = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "paced", "object": "model"}]})

    def answer(self, message):
        body = json.dumps(message).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def event(self, message):
        data = ("data: " + (message if isinstance(message, str) else json.dumps(message)) + "\n\n").encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        came = time.monotonic()
        tokens = asked.get("max_tokens") or asked.get("max_completion_tokens") or 64
        if not asked.get("stream"):
            self.answer({"id": "c", "object": "chat.completion", "created": 0, "model": "paced",
                         "choices": [{"index": 0, "finish_reason": "stop",
                                      "message": {"role": "assistant", "content": "Yes."}}],
                         "usage": {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22}})
            return
        stamps = []
        due = came + OPTIONS.first_ms / 1e3
        for i in range(tokens):
            time.sleep(max(0, due - time.monotonic()))
            if i == 0:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
            message = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "paced",
                       "choices": [{"index": 0, "delta": {"role": "assistant", "content": WORDS[i % len(WORDS)] + " "},
                                    "finish_reason": None}]}
            stamps.append(time.monotonic())
            self.event(message)
            due += (OPTIONS.pause_ms if i + 1 == tokens // 2 else OPTIONS.gap_ms) / 1e3
        self.event({"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "paced",
                    "choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        self.event({"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "paced", "choices": [],
                    "usage": {"prompt_tokens": 20, "completion_tokens": tokens, "total_tokens": 20 + tokens}})
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")
        ANSWERS.append([(stamp - came) * 1e3 for stamp in stamps])


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    for line in sys.stdin:
        if line.strip() == "clear":
            ANSWERS.clear()
        elif line.strip() == "tell":
            print(json.dumps(ANSWERS), flush=True)


main()
