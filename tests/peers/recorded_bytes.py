"""The raw response of a run out of a recording, and its body by Python's own HTTP reader."""
import base64
import http.client
import io
import json


def raw(path, run=0):
    out = b""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if entry["type"] == "bytes" and entry["run"] == run:
                out += base64.b64decode(entry["b64"])
    return out


class Wire:
    def __init__(self, data):
        self.data = data

    def makefile(self, *_):
        return io.BytesIO(self.data)


def body(data):
    response = http.client.HTTPResponse(Wire(data))
    response.begin()
    try:
        return response.read()
    except http.client.IncompleteRead as cut:
        return cut.partial  # the program hangs up at the protocol's own end, before the last chunk's
