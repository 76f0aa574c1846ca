#!/usr/bin/env python3
"""Runs llmeter against decodescope-engine and checks that every request was answered whole; see `run` beside it."""
import argparse
import asyncio
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "llama"))
import served_engine  # noqa: E402

from llmeter.endpoints.openai import OpenAICompletionStreamEndpoint  # noqa: E402
from llmeter.runner import Runner  # noqa: E402

SUBJECTS = ("a fox", "the sea", "an old clock", "winter", "a bridge", "two sisters", "a map", "rain")
TOKENS = 64


def measure(engine, clients, requests, folder):
    endpoint = OpenAICompletionStreamEndpoint(model_id="any", api_key=engine.token, base_url=engine.url + "/v1")
    payloads = [endpoint.create_payload(user_message=f"Write a long story about {subject}.", max_tokens=TOKENS,
                                        temperature=0, extra_body={"ignore_eos": True}) for subject in SUBJECTS]
    result = asyncio.run(Runner(endpoint, output_path=folder).run(payload=payloads, clients=clients,
                                                                  n_requests=requests))
    failed = [r.error for r in result.responses if r.error]
    assert not failed, failed
    assert len(result.responses) == clients * requests, len(result.responses)
    tokens = [r.num_tokens_output for r in result.responses]
    assert tokens == [TOKENS] * len(tokens), tokens
    stats = {name: value for name, value in result.stats.items()
             if name.startswith(("time_to_first_token", "time_per_output_token", "output_tps", "failed"))}
    print(json.dumps({"clients": clients, "requests": len(tokens), **stats}, default=str), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", required=True)
    parser.add_argument("serve", nargs="*", help="more arguments of serve")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = served_engine.ServedEngine(arguments.engine, served_engine.smollm2(), os.path.join(folder, "log"),
                                            "--threads", "1", "--parallel", "4", *arguments.serve)
        try:
            measure(engine, 1, 8, os.path.join(folder, "alone"))
            measure(engine, 4, 8, os.path.join(folder, "four"))
        finally:
            status, _ = engine.stop()
        assert status == 0, status


main()
