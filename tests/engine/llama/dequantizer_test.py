#!/usr/bin/env python3
"""Our decoder of quantised weights against the gguf package's, bit by bit: blocks of wholly random bytes, every type."""
import argparse
import os
import sys
import tempfile

import llama_tools


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model-tool", required=True)
    options = parser.parse_args()
    llama_tools.enter("setup_gguf")
    import gguf
    import numpy as np

    different = []
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "blocks.gguf"), os.path.join(folder, "blocks.f32")
        llama_tools.probe(options.model_tool, "blocks", path)
        llama_tools.probe(options.model_tool, "weights", path, out)
        ours, at, tensors = np.fromfile(out, np.float32), 0, gguf.GGUFReader(path).tensors
        for tensor in tensors:
            theirs = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32).ravel()
            same = np.count_nonzero(ours[at:at + theirs.size] == theirs)
            print(f"{tensor.name:5} {same} of {theirs.size} values alike")
            if same != theirs.size:
                different.append(tensor.name)
            at += theirs.size
        if len(tensors) != 11 or at != ours.size:
            sys.exit(f"{len(tensors)} tensors of {at} values, {ours.size} decoded")
    if different:
        sys.exit(f"decoded otherwise: {', '.join(different)}")


if __name__ == "__main__":
    main()
