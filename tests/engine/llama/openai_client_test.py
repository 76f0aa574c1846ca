#!/usr/bin/env python3
"""The openai package streams chat and completions from our engine and finds everything where it looks for it.

    openai_client_test.py --engine build/release/bin/decodescope-engine
"""
import argparse
import os
import tempfile
import threading

import llama_tools
import served_engine

llama_tools.enter("setup_peers", "openai")

import openai  # noqa: E402 (of the environment just entered)

MESSAGES = [{"role": "system", "content": "You are brief."}, {"role": "user", "content": "Name three colours."}]


def stream_chat(client, **more):
    """(text, finish reason, usage, our objects, number of log-probabilities) of one stream."""
    text, finish, usage, own, logprobs = "", None, None, [], 0
    for chunk in client.chat.completions.create(model="any", messages=MESSAGES, temperature=0, stream=True,
                                                stream_options={"include_usage": True}, **more):
        usage = chunk.usage or usage
        own += [chunk.decodescope] if getattr(chunk, "decodescope", None) else []
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            if choice.logprobs:
                logprobs += len(choice.logprobs.content)
    return text, finish, usage, own, logprobs


def check_chat(client):
    text, finish, usage, own, logprobs = stream_chat(client, max_tokens=40, logprobs=True, top_logprobs=2)
    ids = [i for o in own for i in o.get("tokens", [])]
    assert text.strip() and finish in ("stop", "length"), (text, finish)
    assert usage.completion_tokens == len(ids) == logprobs, (usage, ids, logprobs)
    assert usage.prompt_tokens > 10 and usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert own[0]["engine"]["architecture"] == "llama" and own[0]["prompt"]["tokens"] == usage.prompt_tokens
    stamps = [o["sampled_at_ns"] for o in own if "tokens" in o]
    assert stamps == sorted(stamps)
    whole = client.chat.completions.create(model="any", messages=MESSAGES, temperature=0, max_tokens=40)
    assert whole.choices[0].message.content == text, (whole.choices[0].message.content, text)
    assert whole.usage.completion_tokens == len(ids)
    assert whole.usage.prompt_tokens_details.cached_tokens > 0, "the second time the prompt is known"


def check_completions(client):
    asked = dict(model="any", prompt="The sky is", temperature=0, max_tokens=16, logprobs=2)
    text, usage, tokens = "", None, []
    for chunk in client.completions.create(stream=True, stream_options={"include_usage": True}, **asked):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.text
            tokens += choice.logprobs.tokens if choice.logprobs else []
    whole = client.completions.create(**asked)
    assert text == whole.choices[0].text == "".join(tokens), (text, whole.choices[0].text, tokens)
    assert usage.completion_tokens == len(tokens) == 16
    assert whole.choices[0].logprobs.tokens == tokens
    assert all(len(best) == 2 for best in whole.choices[0].logprobs.top_logprobs)
    offsets = whole.choices[0].logprobs.text_offset
    assert [text[o:o + len(t)] for o, t in zip(offsets, tokens)] == tokens


def check_settings(client):
    one, two = (client.chat.completions.create(model="any", messages=MESSAGES, temperature=1.2, seed=7, max_tokens=30)
                for _ in range(2))
    assert one.choices[0].message.content == two.choices[0].message.content, "the same seed gives the same text"
    stopped = client.completions.create(model="any", prompt="1, 2, 3, 4, 5, 6,", temperature=0, max_tokens=40, stop=["9"])
    assert stopped.choices[0].finish_reason == "stop" and "9" not in stopped.choices[0].text, stopped
    assert [m.id for m in client.models.list().data], "a model is listed"
    try:
        client.chat.completions.create(model="any", messages=MESSAGES, n=2)
        raise AssertionError("n=2 was taken")
    except openai.BadRequestError as error:
        assert error.body["type"] == "invalid_request_error", error.body


def check_many(client):
    """As many streams as sequences, twice over: all whole, all the same as alone."""
    alone = stream_chat(client, max_tokens=24)[0]
    texts = [None] * 8

    def ask(i):
        texts[i] = stream_chat(client, max_tokens=24)[0]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [alone] * len(texts), texts


def check_end(client, engine):
    """SIGTERM in the middle of a stream: the client learns it, the engine is gone within a second."""
    stream = client.chat.completions.create(model="any", messages=MESSAGES, stream=True,
                                            extra_body={"ignore_eos": True})
    next(iter(stream))
    status, seconds = engine.stop()
    try:
        for _ in stream:
            pass
        raise AssertionError("the stream ended as if it were whole")
    except openai.APIError as error:
        assert "stopping" in str(error), error
    assert status == 0 and seconds < 1, (status, seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = served_engine.ServedEngine(arguments.engine, served_engine.smollm2(), os.path.join(folder, "log"),
                                            "--threads", "1", "--parallel", "4", "--ctx", "2048")
        try:
            client = openai.OpenAI(base_url=engine.url + "/v1", api_key=engine.token, max_retries=0)
            try:
                openai.OpenAI(base_url=engine.url + "/v1", api_key="wrong", max_retries=0).models.list()
                raise AssertionError("a wrong token was taken")
            except openai.AuthenticationError:
                pass
            for check in (check_chat, check_completions, check_settings, check_many):
                check(client)
                print(check.__name__, "ok", flush=True)
            check_end(client, engine)
            print("check_end ok")
        finally:
            if engine.process.poll() is None:
                engine.stop()


main()
