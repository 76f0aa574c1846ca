#!/usr/bin/env python3
"""llama.cpp's logits without a server: its C interface, which the library inside the xllamacpp wheel exports.

Reads one JSON request a line from stdin, answers each with one JSON line; tests start it with the Python of
tests/support/setup_llama. Requests:
  {"do": "logits", "model": PATH, "prompts": [[id, ...], ...], "rows": "all" | "last", "out": PATH}
      writes f32 logits, prompt after prompt, row after row
  {"do": "greedy", "model": PATH, "prompt": [id, ...], "count": N, "top": K}
      answers {"tokens": [...], "top": [[[id, logit], ...], ...]}
  {"do": "tokenize", "model": PATH, "text": TEXT, "special": BOOL}  answers {"tokens": [...]}
"""
import array
import ctypes
import glob
import heapq
import importlib.util
import json
import os
import struct
import sys

GGML_TYPE_F32 = 0
FLASH_OFF = 0


class ModelParams(ctypes.Structure):
    """Passed by value as it was received; larger than the real one, which does no harm to an argument on the stack."""

    _fields_ = [("bytes", ctypes.c_uint8 * 512)]


class ContextParams(ctypes.Structure):
    """Likewise; `field` finds the few fields that we set, checked against the defaults that they must hold."""

    _fields_ = [("bytes", ctypes.c_uint8 * 512)]

    # name: (offset, format, default)
    LAYOUT = {
        "n_ctx": (0, "<I", 512),
        "n_batch": (4, "<I", 2048),
        "n_ubatch": (8, "<I", 512),
        "n_threads": (28, "<i", 4),
        "n_threads_batch": (32, "<i", 4),
        "flash_attn_type": (52, "<i", -1),
        "type_k": (104, "<i", 1),
        "type_v": (108, "<i", 1),
    }

    def check(self):
        for name, (offset, form, default) in self.LAYOUT.items():
            found = struct.unpack_from(form, bytes(self.bytes), offset)[0]
            if found != default:
                sys.exit(f"llama_direct: the library's llama_context_params has changed ({name} is {found})")

    def set(self, name, value):
        offset, form, _ = self.LAYOUT[name]
        ctypes.memmove(ctypes.byref(self, offset), struct.pack(form, value), struct.calcsize(form))


class Batch(ctypes.Structure):
    _fields_ = [
        ("n_tokens", ctypes.c_int32),
        ("token", ctypes.POINTER(ctypes.c_int32)),
        ("embd", ctypes.c_void_p),
        ("pos", ctypes.POINTER(ctypes.c_int32)),
        ("n_seq_id", ctypes.POINTER(ctypes.c_int32)),
        ("seq_id", ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))),
        ("logits", ctypes.POINTER(ctypes.c_int8)),
    ]


def load_library():
    spec = importlib.util.find_spec("xllamacpp")
    if spec is None:
        sys.exit("llama_direct: xllamacpp is not installed")
    lib = ctypes.CDLL(glob.glob(os.path.join(list(spec.submodule_search_locations)[0], "*.so"))[0])
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("llama_backend_init", None, []),
        ("llama_model_default_params", ModelParams, []),
        ("llama_context_default_params", ContextParams, []),
        ("llama_model_load_from_file", pointer, [ctypes.c_char_p, ModelParams]),
        ("llama_init_from_model", pointer, [pointer, ContextParams]),
        ("llama_model_get_vocab", pointer, [pointer]),
        ("llama_vocab_n_tokens", ctypes.c_int32, [pointer]),
        ("llama_decode", ctypes.c_int32, [pointer, Batch]),
        ("llama_get_logits_ith", ctypes.POINTER(ctypes.c_float), [pointer, ctypes.c_int32]),
        ("llama_get_memory", pointer, [pointer]),
        ("llama_memory_clear", None, [pointer, ctypes.c_bool]),
        ("llama_tokenize", ctypes.c_int32,
         [pointer, ctypes.c_char_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int32), ctypes.c_int32, ctypes.c_bool,
          ctypes.c_bool]),
        ("llama_free", None, [pointer]),
        ("llama_model_free", None, [pointer]),
    ):
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


class Model:
    """A model and one context, f32 cache and no flash attention: nothing rounded that need not be."""

    def __init__(self, lib, path, context):
        self.lib = lib
        self.model = lib.llama_model_load_from_file(os.fsencode(path), lib.llama_model_default_params())
        if not self.model:
            raise RuntimeError(f"llama.cpp does not load {path}")
        self.vocab = lib.llama_model_get_vocab(self.model)
        self.n_vocab = lib.llama_vocab_n_tokens(self.vocab)
        params = lib.llama_context_default_params()
        params.check()
        for name, value in (("n_ctx", context), ("n_batch", context), ("n_ubatch", 512), ("n_threads", 1),
                            ("n_threads_batch", 1), ("flash_attn_type", FLASH_OFF), ("type_k", GGML_TYPE_F32),
                            ("type_v", GGML_TYPE_F32)):
            params.set(name, value)
        self.context = lib.llama_init_from_model(self.model, params)
        if not self.context:
            lib.llama_model_free(self.model)
            raise RuntimeError(f"llama.cpp makes no context for {path}")
        self.position = 0

    def close(self):
        self.lib.llama_free(self.context)
        self.lib.llama_model_free(self.model)

    def clear(self):
        self.lib.llama_memory_clear(self.lib.llama_get_memory(self.context), True)
        self.position = 0

    def feed(self, tokens, rows):
        """Logits, as bytes of f32, of all rows or of the last."""
        n = len(tokens)
        zero = ctypes.c_int32(0)
        sequence = ctypes.pointer(zero)
        wanted = [1] * n if rows == "all" else [0] * (n - 1) + [1]
        batch = Batch(
            n,
            (ctypes.c_int32 * n)(*tokens),
            None,
            (ctypes.c_int32 * n)(*range(self.position, self.position + n)),
            (ctypes.c_int32 * n)(*([1] * n)),
            (ctypes.POINTER(ctypes.c_int32) * n)(*([sequence] * n)),
            (ctypes.c_int8 * n)(*wanted),
        )
        status = self.lib.llama_decode(self.context, batch)
        if status != 0:
            raise RuntimeError(f"llama_decode says {status}")
        self.position += n
        return [ctypes.string_at(self.lib.llama_get_logits_ith(self.context, i), 4 * self.n_vocab)
                for i in range(n) if wanted[i]]


def logits(lib, request):
    prompts = request["prompts"]
    model = Model(lib, request["model"], max(len(p) for p in prompts) + 8)
    with open(request["out"], "wb") as out:
        for prompt in prompts:
            model.clear()
            for row in model.feed(prompt, request["rows"]):
                out.write(row)
    answer = {"vocabulary": model.n_vocab}
    model.close()
    return answer


def greedy(lib, request):
    model = Model(lib, request["model"], len(request["prompt"]) + request["count"] + 8)
    feed = request["prompt"]
    tokens, top = [], []
    for _ in range(request["count"]):
        row = array.array("f", model.feed(feed, "last")[0])
        best = heapq.nlargest(request["top"], range(len(row)), key=row.__getitem__)
        top.append([[i, row[i]] for i in best])
        tokens.append(best[0])
        feed = [best[0]]
    model.close()
    return {"tokens": tokens, "top": top}


def tokenize(lib, request):
    model = Model(lib, request["model"], 64)
    text = request["text"].encode()
    room = len(text) + 16
    ids = (ctypes.c_int32 * room)()
    n = lib.llama_tokenize(model.vocab, text, len(text), ids, room, request["special"], request["special"])
    model.close()
    return {"tokens": list(ids[:n])}


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # llama.cpp's own log, wherever it goes, is not an answer
    lib = load_library()
    lib.llama_backend_init()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"logits": logits, "greedy": greedy, "tokenize": tokenize}[request["do"]](lib, request)
        except RuntimeError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)  # its global destructors are known to wait for ever


if __name__ == "__main__":
    main()
