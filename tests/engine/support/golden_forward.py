#!/usr/bin/env python3
"""Writes tests/data/engine/golden_logits.json: logits of the tiny models of tests/engine/support/tiny_model.h, computed
with numpy in f64 and whole matrices, from the published descriptions of the architectures and nothing of the engine's.

    tests/support/setup_gguf           # prints the python to run this with
    PYTHON golden_forward.py build/release/tests/engine_model_tool tests/data/engine/golden_logits.json

To be run again when the tiny models change (the test says so: it compares a hash of the file's bytes).
"""
import json
import subprocess
import sys
import tempfile

import gguf
import numpy as np

TOKENS = [(7 * i * i + 3 * i + 11) % 256 for i in range(45)]  # more than a block of the cache, and than the window
ROWS = (0, 17, 44)
STRIDE = 7  # every seventh logit is kept
MODELS = [(a, t) for a in ("llama", "qwen2", "qwen3", "gemma3") for t in ("F32", "Q8_0", "Q4_K")]


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


class Model:
    def __init__(self, path):
        reader = gguf.GGUFReader(path)
        self.keys = {k: f.contents() for k, f in reader.fields.items() if not k.startswith("GGUF.")}
        self.tensors = {t.name: gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float64)
                        for t in reader.tensors}
        self.architecture = self.keys["general.architecture"]

    def key(self, name, default=None):
        return self.keys.get(f"{self.architecture}.{name}", default)

    def rms(self, x, name):
        scaled = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.key("attention.layer_norm_rms_epsilon"))
        return scaled * self.tensors[name + ".weight"]

    def linear(self, x, name):
        y = x @ self.tensors[name + ".weight"].T
        return y + self.tensors[name + ".bias"] if name + ".bias" in self.tensors else y

    def rotate(self, x, base):
        """x: (tokens, heads, size). As complex numbers: the pair is one, its rotation a product."""
        n, _, size = x.shape
        angles = np.arange(n)[:, None] * base ** (-2.0 * np.arange(size // 2) / size)
        turn = np.exp(1j * angles)[:, None, :]
        if self.architecture == "llama":
            z = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
            return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)
        z = (x[..., : size // 2] + 1j * x[..., size // 2 :]) * turn
        return np.concatenate([z.real, z.imag], axis=-1)

    def attention(self, x, layer):
        block = f"blk.{layer}."
        heads, kv_heads = self.key("attention.head_count"), self.key("attention.head_count_kv")
        size, n = self.key("attention.key_length"), len(x)
        local = self.architecture == "gemma3" and (layer + 1) % 6 != 0
        q = self.linear(x, block + "attn_q").reshape(n, heads, size)
        k = self.linear(x, block + "attn_k").reshape(n, kv_heads, size)
        v = self.linear(x, block + "attn_v").reshape(n, kv_heads, size)
        if self.architecture in ("qwen3", "gemma3"):
            q, k = self.rms(q, block + "attn_q_norm"), self.rms(k, block + "attn_k_norm")
        base = 10000.0 if local else self.key("rope.freq_base")
        q, k = self.rotate(q, base), self.rotate(k, base)
        k, v = np.repeat(k, heads // kv_heads, axis=1), np.repeat(v, heads // kv_heads, axis=1)
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(size)
        distance = np.arange(n)[:, None] - np.arange(n)[None, :]
        seen = distance >= 0
        if local:
            seen &= distance < self.key("attention.sliding_window")
        scores = np.where(seen[None], scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return self.linear(np.einsum("hij,jhd->ihd", weights, v).reshape(n, -1), block + "attn_output")

    def feed_forward(self, x, layer):
        block = f"blk.{layer}."
        gate, up = self.linear(x, block + "ffn_gate"), self.linear(x, block + "ffn_up")
        if self.architecture == "gemma3":
            gate = 0.5 * gate * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)))
        else:
            gate = gate / (1 + np.exp(-gate))
        return self.linear(gate * up, block + "ffn_down")

    def logits(self, tokens):
        gemma = self.architecture == "gemma3"
        x = self.tensors["token_embd.weight"][tokens]
        if gemma:
            x = x * np.sqrt(x.shape[1])
        for layer in range(self.key("block_count")):
            block = f"blk.{layer}."
            y = self.attention(self.rms(x, block + "attn_norm"), layer)
            x = x + (self.rms(y, block + "post_attention_norm") if gemma else y)
            y = self.feed_forward(self.rms(x, block + "ffn_norm"), layer)
            x = x + (self.rms(y, block + "post_ffw_norm") if gemma else y)
        x = self.rms(x, "output_norm")
        return self.linear(x, "output" if "output.weight" in self.tensors else "token_embd")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    models = []
    for architecture, kind in MODELS:
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            subprocess.run([sys.argv[1], "write", architecture, kind, file.name], check=True)
            with open(file.name, "rb") as data:
                digest = fnv1a(data.read())
            logits = Model(file.name).logits(TOKENS)
        models.append({"architecture": architecture, "type": kind, "fnv1a": digest, "rows": [
            {"row": row, "logits": [float(f"{value:.8g}") for value in logits[row, ::STRIDE]]} for row in ROWS]})
    lines = ",\n".join(json.dumps(model) for model in models)
    with open(sys.argv[2], "w") as out:
        out.write('{"tokens": %s,\n"stride": %d,\n"models": [\n%s\n]}\n' % (json.dumps(TOKENS), STRIDE, lines))


if __name__ == "__main__":
    main()
