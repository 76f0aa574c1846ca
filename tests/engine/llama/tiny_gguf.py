"""Tiny random models of every supported architecture and tensor type, written by the `gguf` package.

The package quantises F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0. It cannot quantise to the K types: their blocks are
random bytes with scales that give weights of the size that a trained model has.
"""
import gguf
import numpy as np

TYPES = ("F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K")
ARCHITECTURES = ("llama", "qwen2", "qwen3", "gemma3")


def half(value, blocks):
    return np.full((blocks, 1), value, np.float16).view(np.uint8)


def random_k_blocks(rng, kind, rows, columns, spread):
    """Blocks of 256 whose decoded values have a mean near 0 and about the given standard deviation."""
    blocks = rows * columns // 256
    random = lambda count: rng.integers(0, 256, (blocks, count), dtype=np.uint8)
    if kind in ("Q4_K", "Q5_K"):
        # d * S * u - dmin * M with S and M up to 63; the middle of u is 7.5 or 15.5
        middle = 7.5 if kind == "Q4_K" else 15.5
        d = spread / (34.3 * middle)
        parts = [half(d, blocks), half(d * middle, blocks), random(12)]
        parts.append(random(128) if kind == "Q4_K" else random(160))
    else:
        scales = rng.integers(-32, 33, (blocks, 16)).astype(np.int8).view(np.uint8)
        parts = [random(192), scales, half(spread / 346, blocks)]
    return np.concatenate(parts, axis=1).reshape(rows, -1)


class Tiny:
    """Numbers of a tiny model. Rows are multiples of 256, which K blocks want, unless `embedding` says otherwise."""

    def __init__(self, architecture, kind, seed=1, **changes):
        self.architecture, self.kind, self.seed = architecture, kind, seed
        self.embedding, self.heads, self.kv_heads = 256, 4, 2
        self.head_size = 128 if architecture == "qwen3" else 64
        self.feed_forward, self.vocabulary, self.context = 512, 320, 512
        self.layers = 7 if architecture == "gemma3" else 2
        self.rope_base = {"llama": 10000.0, "qwen2": 1e6, "qwen3": 1e6, "gemma3": 1e6}[architecture]
        self.window = 24 if architecture == "gemma3" else 0
        self.pattern = None  # gemma3: layers a period, where the file says so
        self.linear_factor = None
        self.rope_factors = False
        self.biases = architecture == "qwen2"
        self.all_biases = False  # llama: on the output and the feed-forward too
        self.tied = architecture == "gemma3"
        self.kinds = {}  # tensor name -> type, where it is not self.kind
        for name, value in changes.items():
            if not hasattr(self, name):
                raise AttributeError(name)
            setattr(self, name, value)

    def write(self, path):
        rng = np.random.default_rng(self.seed)
        w = gguf.GGUFWriter(path, self.architecture)
        w.add_name(f"tiny {self.architecture} {self.kind}")
        w.add_block_count(self.layers)
        w.add_context_length(self.context)
        w.add_embedding_length(self.embedding)
        w.add_feed_forward_length(self.feed_forward)
        w.add_head_count(self.heads)
        w.add_head_count_kv(self.kv_heads)
        w.add_key_length(self.head_size)
        w.add_value_length(self.head_size)
        w.add_layer_norm_rms_eps(1e-6)
        w.add_rope_freq_base(self.rope_base)
        if self.linear_factor:
            w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
            w.add_rope_scaling_factor(self.linear_factor)
        if self.window:
            w.add_sliding_window(self.window)
        if self.pattern:
            w.add_uint32(f"{self.architecture}.attention.sliding_window_pattern", self.pattern)
        self.write_vocabulary(w)
        self.write_tensors(w, rng)
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()

    def write_vocabulary(self, w):
        texts = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
        kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
        kinds += [gguf.TokenType.BYTE] * 256
        while len(texts) < self.vocabulary:
            texts.append(f"piece{len(texts)}")
            kinds.append(gguf.TokenType.NORMAL)
        w.add_tokenizer_model("llama")
        w.add_token_list(texts)
        w.add_token_scores([-float(i) for i in range(len(texts))])
        w.add_token_types(kinds)
        w.add_bos_token_id(1)
        w.add_eos_token_id(2)
        w.add_unk_token_id(0)

    def write_tensors(self, w, rng):
        queries, keys = self.heads * self.head_size, self.kv_heads * self.head_size
        width, hidden = self.embedding, self.feed_forward

        def matrix(name, inputs, outputs, spread):
            kind = self.kinds.get(name, self.kind)
            if kind in ("Q4_K", "Q5_K", "Q6_K"):
                data = random_k_blocks(rng, kind, outputs, inputs, spread)
            else:
                data = rng.normal(0, spread, (outputs, inputs)).astype(np.float32)
                if kind != "F32":
                    data = gguf.quants.quantize(data, gguf.GGMLQuantizationType[kind])
            w.add_tensor(name + ".weight", data, raw_dtype=gguf.GGMLQuantizationType[kind])

        def vector(name, size, mean, spread):
            w.add_tensor(name, rng.normal(mean, spread, size).astype(np.float32))

        # The residual begins with elements of about 1, as what the layers add to it, so that every layer shows in the
        # logits; these have a standard deviation of about 3.
        embedding = 1 / np.sqrt(width) if self.architecture == "gemma3" else 1.0
        matrix("token_embd", width, self.vocabulary, embedding)
        if not self.tied:
            matrix("output", width, self.vocabulary, 3 / np.sqrt(width))
        final = 3 / (embedding * np.sqrt(width)) if self.tied else 1.0
        vector("output_norm.weight", width, final, 0.1 * final)
        if self.rope_factors:
            w.add_tensor("rope_freqs.weight", np.geomspace(1, 8, self.head_size // 2).astype(np.float32))
        for layer in range(self.layers):
            prefix = f"blk.{layer}."
            vector(prefix + "attn_norm.weight", width, 1.0, 0.1)
            for name, inputs, outputs in (("attn_q", width, queries), ("attn_k", width, keys), ("attn_v", width, keys),
                                          ("attn_output", queries, width)):
                # Queries and keys a little larger: attention that looks somewhere.
                gain = 1.7 if name in ("attn_q", "attn_k") else 1.0
                matrix(prefix + name, inputs, outputs, gain / np.sqrt(inputs))
                if (self.biases and name != "attn_output") or self.all_biases:
                    vector(prefix + name + ".bias", outputs, 0, 0.3)
            if self.architecture in ("qwen3", "gemma3"):
                vector(prefix + "attn_q_norm.weight", self.head_size, 1.5, 0.2)
                vector(prefix + "attn_k_norm.weight", self.head_size, 1.5, 0.2)
            if self.architecture == "gemma3":
                vector(prefix + "post_attention_norm.weight", width, 1.0, 0.1)
                vector(prefix + "post_ffw_norm.weight", width, 1.0, 0.1)
            vector(prefix + "ffn_norm.weight", width, 1.0, 0.1)
            for name, inputs, outputs in (("ffn_gate", width, hidden), ("ffn_up", width, hidden),
                                          ("ffn_down", hidden, width)):
                matrix(prefix + name, inputs, outputs, 1.4 / np.sqrt(inputs))
                if self.all_biases:
                    vector(prefix + name + ".bias", outputs, 0, 0.3)
