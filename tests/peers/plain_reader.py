"""Reads a captured response by the shortest road that is right for a well-behaved server: a second opinion on text and
counts that shares no line with the program under test."""
import json


def messages(body, protocol):
    text = body.decode("utf-8")
    if protocol.startswith("ollama"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if protocol == "gemini-array":
        return json.loads(text)
    events = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        data = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if data and data[0].strip() != "[DONE]":
            events.append(json.loads("\n".join(data)))
    return events


def chat(m):
    choice = (m.get("choices") or [{}])[0]
    usage = m.get("usage") or {}
    return (choice.get("delta") or {}).get("content"), choice.get("finish_reason"), usage.get("completion_tokens")


def completions(m):
    choice = (m.get("choices") or [{}])[0]
    return choice.get("text"), choice.get("finish_reason"), (m.get("usage") or {}).get("completion_tokens")


def responses(m):
    kind = m.get("type")
    if kind == "response.output_text.delta":
        return m["delta"], None, None
    if kind in ("response.completed", "response.incomplete"):
        return None, None, (m["response"].get("usage") or {}).get("output_tokens")
    return None, None, None


def anthropic(m):
    kind = m.get("type")
    if kind == "content_block_delta":
        return m["delta"].get("text"), None, None
    if kind == "message_delta":
        return None, m["delta"].get("stop_reason"), (m.get("usage") or {}).get("output_tokens")
    return None, None, None


def gemini(m):
    candidate = (m.get("candidates") or [{}])[0]
    parts = (candidate.get("content") or {}).get("parts") or []
    text = "".join(part.get("text", "") for part in parts)
    return text, candidate.get("finishReason"), (m.get("usageMetadata") or {}).get("candidatesTokenCount")


def ollama_chat(m):
    return (m.get("message") or {}).get("content"), m.get("done_reason"), m.get("eval_count")


def ollama_generate(m):
    return m.get("response"), m.get("done_reason"), m.get("eval_count")


def native(m):
    return m.get("content"), m.get("stop_type") if m.get("stop") else None, m.get("tokens_predicted")


READERS = {"openai-chat": chat, "openai-completions": completions, "openai-responses": responses,
           "anthropic": anthropic, "gemini-sse": gemini, "gemini-array": gemini, "ollama-chat": ollama_chat,
           "ollama-generate": ollama_generate, "llamacpp-completion": native}


def read(body, protocol):
    """(text, finish reason or None, tokens as the last usage says or None, pieces of text)."""
    text, finish, tokens, pieces = "", None, None, 0
    for m in messages(body, protocol):
        piece, reason, count = READERS[protocol](m)
        if piece:
            text += piece
            pieces += 1
        finish = reason or finish
        tokens = count if count is not None else tokens
    return text, finish, tokens, pieces
