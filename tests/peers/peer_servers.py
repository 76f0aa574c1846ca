"""Other people's servers, started on loopback for a test: how each is called, where its routes are, at what pace it
sends. setup_peers makes the environment of each."""
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time

FIXED = "One fixed answer of several words, told slowly."


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def llmock(port, _folder, _more):
    return ["llmock", "serve", "--host", "127.0.0.1", "--port", str(port), "--response-style", "varied",
            "--stream-chunk-delay-ms", "20", "--log-level", "warning"]


def llm_mock_api(port, _folder, _more):
    return ["llm-mock-api", "start", "-H", "127.0.0.1", "-p", str(port), "-l", "20", "-c", "5", "-f", FIXED]


def mock_ai_api(port, _folder, more):
    return ["mock-ai-api", "--openai-port", str(port), "--anthropic-port", str(more)]


def fakellm(port, folder, _more):
    subprocess.run([os.path.join(folder, "fakellm"), "init"], check=True, cwd=os.getcwd(), stdout=subprocess.DEVNULL)
    return ["fakellm", "serve", "--port", str(port), "--config", "fakellm.yaml"]


def stubllm(port, _folder, _more):
    return ["stubllm", "serve", "--host", "127.0.0.1", "--port", str(port)]


def llm_katan(port, _folder, _more):
    return ["llm-katan", "-m", "echo-model", "-b", "echo", "--host", "127.0.0.1", "--port", str(port), "--providers",
            "openai,anthropic,vertexai"]


def ollama_proxy(port, _folder, _more):
    return ["ollama-proxy", "serve", "--host", "127.0.0.1", "--port", str(port)]


COMMANDS = {f.__name__.replace("_", "-"): f for f in (llmock, llm_mock_api, mock_ai_api, fakellm, stubllm, llm_katan,
                                                      ollama_proxy)}


def descendants(pid):
    """The processes that `pid` started, and theirs: some servers put them into sessions of their own and leave them."""
    found = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    found += [child, *descendants(child)]
    return found


def answers(port):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        connection.request("GET", "/")
        connection.getresponse().read()
        return True
    except (OSError, http.client.HTTPException):
        return False


@contextlib.contextmanager
def started(name, scripts, environment=None):
    """The server `name` whose programs lie in the folder `scripts`; gives (port, further port). It is ended with all
    the processes that it started: one of them leaves children behind."""
    port, more = free_port(), free_port()
    command = COMMANDS[name](port, scripts, more)
    command[0] = os.path.join(scripts, command[0])
    with open(os.path.join(os.getcwd(), name + ".log"), "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    try:
        end = time.monotonic() + 60
        while not answers(port):
            if process.poll() is not None or time.monotonic() > end:
                with open(name + ".log", encoding="utf-8", errors="replace") as log:
                    raise RuntimeError(f"{name} did not start:\n{log.read()[-2000:]}")
            time.sleep(0.1)
        yield port, more
    finally:
        left = descendants(process.pid)
        # Its whole session, which is no one else's.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for child in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
