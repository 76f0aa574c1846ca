#!/usr/bin/env python3
"""llmeter against one address; prints what it measured of each request, in ms, as one JSON line.
    llmeter_client.py URL MODEL REQUESTS TOKENS FOLDER"""
import asyncio
import json
import sys

from llmeter.endpoints.openai import OpenAICompletionStreamEndpoint
from llmeter.runner import Runner

url, model, requests, tokens, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
endpoint = OpenAICompletionStreamEndpoint(model_id=model, api_key="none", base_url=url + "/v1")
payload = endpoint.create_payload(user_message="Tell a long story about a lighthouse.", max_tokens=tokens, temperature=0,
                                  extra_body={"ignore_eos": True})
result = asyncio.run(Runner(endpoint, output_path=folder).run(payload=[payload], clients=1, n_requests=requests))
print(json.dumps({"failed": [str(r.error) for r in result.responses if r.error],
                  "ttft": [r.time_to_first_token * 1e3 for r in result.responses],
                  "per_token": [r.time_per_output_token * 1e3 for r in result.responses],
                  "tokens": [r.num_tokens_output for r in result.responses]}))
