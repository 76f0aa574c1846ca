"""llama.cpp's own server as the tests start it, and the virtual environments that peers come in."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def python_of(script, *names):
    """The interpreter of the environment that `script` (setup_llama, setup_peers) makes. Ends the test as skipped (77)
    where its packages cannot be had; the script has said why."""
    done = subprocess.run([os.path.join(HERE, script), *names], stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{script} ended with {done.returncode}")
    return done.stdout.strip()


class LlamaServer:
    """A server with a real model on loopback, one thread, no prompt cache; `url` is its root. Ends by itself after
    `seconds`, and with stop()."""

    def __init__(self, python, parallel, seconds):
        self.process = subprocess.Popen(
            [python, os.path.join(HERE, "llama_server.py"), "--threads", "1", "--parallel", str(parallel), "--ctx",
             "2048", "--alias", "smollm2", "--no-cache-prompt", "--seconds", str(seconds)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
