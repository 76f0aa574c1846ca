#!/usr/bin/env python3
"""llama.cpp's tokenizer over bytes, which JSON routes cannot carry: the C interface that the library inside the
xllamacpp wheel exports. Loads vocabularies alone, so that files without weights will do.

    llama_vocabulary.py FILE

One JSON request a line on stdin, one JSON answer a line on stdout:
  {"hex": "...", "special": BOOL}  ->  {"ids": [...]}   special: BOS and EOS, and control tokens are parsed
  {"pieces": true}                 ->  {"hex": [...]}   the bytes of every token, control tokens shown
"""
import ctypes
import glob
import importlib.util
import json
import os
import sys


class ModelParams(ctypes.Structure):
    """Passed by value as it was received; larger than the real one, which does no harm to an argument on the stack."""

    _fields_ = [("bytes", ctypes.c_uint8 * 512)]


# Where `vocab_only` lies, with the flags around it and their defaults by which a change of the layout is noticed.
FLAGS = slice(72, 77)
DEFAULTS = [0, 0, 1, 0, 0]


def load_library():
    spec = importlib.util.find_spec("xllamacpp")
    if spec is None:
        sys.exit("llama_vocabulary: xllamacpp is not installed")
    lib = ctypes.CDLL(glob.glob(os.path.join(list(spec.submodule_search_locations)[0], "*.so"))[0])
    ids = ctypes.POINTER(ctypes.c_int32)
    for name, result, arguments in (
        ("llama_backend_init", None, []),
        ("llama_model_default_params", ModelParams, []),
        ("llama_model_load_from_file", ctypes.c_void_p, [ctypes.c_char_p, ModelParams]),
        ("llama_model_get_vocab", ctypes.c_void_p, [ctypes.c_void_p]),
        ("llama_vocab_n_tokens", ctypes.c_int32, [ctypes.c_void_p]),
        ("llama_tokenize", ctypes.c_int32,
         [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ids, ctypes.c_int32, ctypes.c_bool, ctypes.c_bool]),
        ("llama_token_to_piece", ctypes.c_int32,
         [ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_bool]),
    ):
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    return lib


def tokenize(lib, vocab, text, special):
    room = len(text) + 16
    ids = (ctypes.c_int32 * room)()
    return list(ids[:lib.llama_tokenize(vocab, text, len(text), ids, room, special, special)])


def pieces(lib, vocab):
    room = 1 << 16
    buffer = ctypes.create_string_buffer(room)
    found = []
    for token in range(lib.llama_vocab_n_tokens(vocab)):
        size = lib.llama_token_to_piece(vocab, token, buffer, room, 0, True)
        found.append(buffer.raw[:max(size, 0)].hex())
    return found


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # llama.cpp's own log, wherever it goes, is not an answer
    lib = load_library()
    lib.llama_backend_init()
    params = lib.llama_model_default_params()
    if list(params.bytes[FLAGS]) != DEFAULTS:
        sys.exit("llama_vocabulary: the library's llama_model_params has changed")
    params.bytes[FLAGS.start] = 1
    model = lib.llama_model_load_from_file(os.fsencode(sys.argv[1]), params)
    if not model:
        sys.exit(f"llama_vocabulary: llama.cpp does not load {sys.argv[1]}")
    vocab = lib.llama_model_get_vocab(model)
    for line in sys.stdin:
        request = json.loads(line)
        if "pieces" in request:
            answer = {"hex": pieces(lib, vocab)}
        else:
            answer = {"ids": tokenize(lib, vocab, bytes.fromhex(request["hex"]), request["special"])}
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)  # its global destructors are known to wait for ever


if __name__ == "__main__":
    main()
