#!/usr/bin/env python3
"""Logits of tiny random models, every architecture x tensor type, against llama.cpp's.

Where both compute in f32 they agree to rounding. For other types llama.cpp rounds what a matrix is multiplied with:
to f16 or bf16 for those types, to 8-bit integers in blocks of 32 (256 for K types) for the quantised ones. Its GELU is
a table of f16 values. Our reference rounds nothing; the cpu backend rounds to 8-bit integers too, but in its own way,
and its keys and values are f16. The tolerances below are for that rounding, as a part of the standard deviation of the
logits: `rms` over all logits of all positions, `worst` for the one that differs most. A wrong model (an order of rope
pairs, a norm, a scale) is off by the order of 1.
"""
import argparse
import json
import os
import sys
import tempfile

import llama_tools

# backend: type: rms, worst
TOLERANCES = {
    "reference": {
        "F32": (5e-6, 1e-4),
        "gemma3 F32": (1e-3, 1e-2),  # the GELU
        "F16": (2e-3, 2e-2),
        "gemma3 F16": (3e-3, 3e-2),
        "BF16": (2e-2, 2e-1),
        "quantised": (8e-2, 7e-1),
    },
    "cpu": {
        "F32": (1e-3, 1e-2),
        "gemma3 F32": (2e-3, 2e-2),
        "F16": (2e-3, 2e-2),
        "gemma3 F16": (4e-3, 4e-2),
        "BF16": (2e-2, 2e-1),
        "quantised": (1e-1, 8e-1),
    },
}


def variants():
    """Models with a feature that no plain one has: name, model."""
    from tiny_gguf import Tiny
    yield "llama F32, Llama 3's rope factors, tied head", Tiny("llama", "F32", rope_factors=True, tied=True)
    yield "llama F32, linear rope scaling", Tiny("llama", "F32", linear_factor=4.0)
    yield "llama F32, biases everywhere", Tiny("llama", "F32", biases=True, all_biases=True)
    yield "llama F32, one key head", Tiny("llama", "F32", kv_heads=1)
    yield "llama Q8_0, rows that are no multiple of 256", Tiny("llama", "Q8_0", embedding=96, heads=3, kv_heads=3,
                                                             head_size=32, feed_forward=160)
    yield "llama Q4_0, rows that are no multiple of 256", Tiny("llama", "Q4_0", embedding=96, heads=3, kv_heads=1,
                                                             head_size=32, feed_forward=224)
    yield "qwen2 F32, tied head", Tiny("qwen2", "F32", tied=True)
    yield "gemma3 F32, every third layer global, linear rope scaling", Tiny("gemma3", "F32", pattern=3,
                                                                          linear_factor=8.0)
    mixed = {"blk.0.attn_v": "Q6_K", "blk.1.ffn_down": "Q6_K", "token_embd": "Q6_K", "blk.1.attn_k": "Q5_0",
             "blk.0.ffn_up": "Q8_0", "blk.1.attn_q": "F16"}
    yield "llama Q4_K, a mixture of types", Tiny("llama", "Q4_K", kinds=mixed)


def cases():
    from tiny_gguf import ARCHITECTURES, TYPES, Tiny
    for architecture in ARCHITECTURES:
        for kind in TYPES:
            yield f"{architecture} {kind}", Tiny(architecture, kind)
    yield from variants()


def check_weights(model_tool, folder, path, name):
    """Our decoder against the package's."""
    import gguf
    import numpy as np
    out = os.path.join(folder, "weights.f32")
    llama_tools.probe(model_tool, "weights", path, out)
    ours = np.fromfile(out, np.float32)
    theirs = np.concatenate([gguf.quants.dequantize(t.data, t.tensor_type).ravel()
                             for t in gguf.GGUFReader(path).tensors]).astype(np.float32)
    if ours.shape != theirs.shape:
        return f"{name}: {ours.size} weights decoded, {theirs.size} expected"
    worst = np.max(np.abs(ours - theirs) / (np.abs(theirs) + 1e-3 * np.std(theirs)))
    return None if worst < 1e-5 else f"{name}: decoded weights differ by up to {worst:.2e}"


def allowed_for(backend, model):
    tolerances = TOLERANCES[backend]
    return (tolerances.get(f"{model.architecture} {model.kind}") or tolerances.get(model.kind)
            or tolerances["quantised"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probe", required=True)
    parser.add_argument("--model-tool", required=True)
    parser.add_argument("--backend", default="reference", choices=TOLERANCES)
    parser.add_argument("--isa", nargs="+", default=[None], help="kernels of the cpu backend: scalar, avx2, avx512 "
                        "(those that the processor lacks give way to the next)")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    options = parser.parse_args()
    llama_tools.enter("setup_gguf")
    import numpy as np

    # One token, a few, more than a block of the cache (32) and than the window (24), several chunks.
    rng = np.random.default_rng(7)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        llama = llama_tools.Llama(os.path.join(folder, "llama.log"))
        path, prompts_path = os.path.join(folder, "tiny.gguf"), os.path.join(folder, "prompts.json")
        ours_path, theirs_path = os.path.join(folder, "ours.f32"), os.path.join(folder, "theirs.f32")
        print(f"{'model':60} {'kernels':8} {'rms':>9} {'worst':>9} {'same best':>10}")
        for name, model in cases():
            if options.only not in name:
                continue
            prompts = [[int(t) for t in rng.integers(0, model.vocabulary, n)] for n in (1, 5, 33, 70, 150)]
            with open(prompts_path, "w") as out:
                json.dump(prompts, out)
            model.write(path)
            if problem := check_weights(options.model_tool, folder, path, name):
                failures.append(problem)
            llama.ask(do="logits", model=path, prompts=prompts, rows="all", out=theirs_path)
            theirs = np.fromfile(theirs_path, np.float32).reshape(-1, model.vocabulary).astype(np.float64)
            for isa in options.isa:
                kernels = isa or ""
                llama_tools.probe(options.probe, "logits", path, "--prompts", prompts_path, "--out", ours_path,
                                  "--backend", options.backend, isa=isa)
                ours = np.fromfile(ours_path, np.float32).reshape(-1, model.vocabulary).astype(np.float64)
                if ours.shape != theirs.shape or len(ours) != sum(map(len, prompts)):
                    failures.append(f"{name} {kernels}: {ours.shape} logits for {theirs.shape}")
                    continue
                difference = np.abs(ours - theirs) / np.std(theirs)
                rms, worst = np.sqrt(np.mean(difference**2)), np.max(difference)
                same = np.mean(np.argmax(ours, 1) == np.argmax(theirs, 1))
                print(f"{name:60} {kernels:8} {rms:9.2e} {worst:9.2e} {same:10.1%}", flush=True)
                allowed = allowed_for(options.backend, model)
                if not (rms <= allowed[0] and worst <= allowed[1]):
                    failures.append(f"{name} {kernels}: logits differ by {rms:.2e} (worst {worst:.2e}), allowed "
                                    f"{allowed}")
        llama.close()
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
