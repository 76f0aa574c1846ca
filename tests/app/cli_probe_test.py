#!/usr/bin/env python3
"""`probe` and `presets` through the real program: what is found, what is said of everything that can be wrong, and that a
key goes nowhere else."""
import contextlib
import hashlib
import select
import socket
import ssl
import threading

import cli_support as cli


class ConnectProxy:
    """A proxy that takes CONNECT for any name and leads it to one port of this machine."""

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.asked = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError: # closed
                return
            self.threads.append(threading.Thread(target=self.serve, args=(client,)))
            self.threads[-1].start()

    def serve(self, client):
        with client:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                piece = client.recv(1)
                if not piece:
                    return
                head += piece
            self.asked.append(head.split(b"\r\n")[0].decode())
            with socket.create_connection(self.target) as server, contextlib.suppress(OSError):
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                other = {client: server, server: client}
                while True:
                    for readable in select.select(list(other), [], [])[0]:
                        data = readable.recv(65536)
                        if not data:
                            return
                        other[readable].sendall(data)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join()


class ProbeTest(cli.CliTest):
    def probe(self, scenario, *more, query="", **options):
        return cli.program("probe", self.endpoint(scenario, query), "--json", *more, **options)

    def test_a_server_that_streams(self):
        result = self.probe("pace", "--preset", "openai-compatible", query="tokens=24&interval_ms=30")
        self.assertEqual(result.status, 0, result.err)
        found = result.json()
        self.assertEqual(found["schema"], 1)
        self.assertTrue(found["reachable"])
        self.assertEqual(found["models"], ["fault-model", "second-model"])
        self.assertEqual(found["model"], "fault-model")
        self.assertEqual(found["connection"]["http_version"], "1.1")
        self.assertGreaterEqual(found["connection"]["connect_s"], 0)
        self.assertGreater(found["connection"]["first_byte_s"], 0)
        self.assertIsNone(found["connection"]["tls_version"])
        by_name = {p["protocol"]: p for p in found["protocols"]}
        self.assertTrue(by_name["openai-chat"]["answers"])
        self.assertFalse(by_name["openai-responses"]["answers"])
        self.assertGreater(by_name["openai-chat"]["ttft_s"], 0)
        stream = found["streaming"]
        self.assertEqual((stream["protocol"], stream["really_streams"], stream["verdict"]),
                         ("openai-chat", True, "yes"))
        self.assertEqual(stream["token_events"], 24)
        self.assertIn("24 events", stream["evidence"])

    def test_whoever_holds_the_stream_back_is_found_out(self):
        # The same signs by which every run is judged, from the same proxies that the streams of tst_buffered_streams
        # go through.
        for held, verdict, sign in [("all", "no", "not_really_streamed"), ("bytes=1500", "in bursts", "bursts"),
                                    ("ms=300", "in bursts", "bursts"), ("nothing", "yes", None)]:
            with self.subTest(held=held), cli.fault_server("--hold", held) as url:
                result = cli.program("probe", f"{url}/pace/v1?tokens=64&interval_ms=25", "--protocol", "openai-chat",
                                     "--json")
                self.assertEqual(result.status, 0, result.err)
                stream = result.json()["streaming"]
                self.assertEqual(stream["verdict"], verdict, stream)
                self.assertEqual(stream["really_streams"], held != "all")
                self.assertEqual(stream["token_events"], 64)
                signs = {found["name"]: found for found in stream["buffering"]["signs"]}
                if sign:
                    self.assertIn(sign, signs)
                    self.assertIn(stream["evidence"], [found["evidence"] for found in signs.values()])
                    self.assertIn(stream["evidence"] + " " + stream["try"], result.json()["verdict"])
                else:
                    self.assertEqual(set(signs) - {"merged"}, set())
                    self.assertIsNone(stream["try"])

    def with_certificate(self):
        return cli.fault_server("--tls", "--certificate", self.path("server.pem"))

    def fingerprint(self):
        with open(self.path("server.pem")) as file:
            digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read())).hexdigest().upper()
        return ":".join(digest[i:i + 2] for i in range(0, len(digest), 2))

    def test_a_pinned_certificate(self):
        with self.with_certificate() as url:
            address = f"{url}/pace/v1?tokens=24&interval_ms=10"
            result = cli.program("probe", address, "--protocol", "openai-chat", "--pin", self.fingerprint(), "--json")
            self.assertEqual(result.status, 0, result.err)
            found = result.json()
            self.assertEqual(found["connection"]["tls_version"], "TLSv1.3")
            self.assertEqual(found["connection"]["certificate_sha256"], self.fingerprint())
            self.assertGreater(found["connection"]["tls_s"], 0)
            self.assertGreaterEqual(found["connection"]["connect_s"], 0)
            self.assertIsNone(found["connection"]["proxy"])
            self.assertEqual(found["models"], ["fault-model", "second-model"])
            self.assertEqual(found["streaming"]["verdict"], "yes")
            words = cli.program("probe", address, "--protocol", "openai-chat", "--pin", self.fingerprint())
            self.assertRegex(words.out, r"TLS +TLSv1\.3")
            self.assertIn(self.fingerprint(), words.out)
            # Another pin is no help, and what to pin is said.
            for more in ([], ["--pin", self.fingerprint()[:-2] + ("00" if not self.fingerprint().endswith("00") else
                                                                   "11")]):
                refused = cli.program("probe", address, "--json", *more)
                self.assertEqual(refused.status, 3, refused.err)
                self.assertFalse(refused.json()["reachable"])
                self.assertEqual(refused.json()["error"]["kind"], "tls")
                self.assertIn(self.fingerprint(), refused.json()["error"]["message"])

    def test_through_a_proxy_that_tunnels(self):
        with self.with_certificate() as url:
            proxy = ConnectProxy(int(url.rsplit(":", 1)[1]))
            self.addCleanup(proxy.close)
            result = cli.program("probe", "https://model.example/pace/v1?tokens=24&interval_ms=10", "--protocol",
                                 "openai-chat", "--pin", self.fingerprint(), "--json",
                                 env=cli.environment(HTTPS_PROXY=proxy.url))
            self.assertEqual(result.status, 0, result.err)
            found = result.json()
            self.assertEqual(found["connection"]["proxy"], proxy.url.removeprefix("http://"))
            self.assertEqual(found["connection"]["certificate_sha256"], self.fingerprint())
            self.assertEqual(found["streaming"]["verdict"], "yes")
            self.assertEqual(found["streaming"]["token_events"], 24)
            self.assertEqual(set(proxy.asked), {"CONNECT model.example:443 HTTP/1.1"})
            self.assertGreaterEqual(len(proxy.asked), 3) # list, tokens, stream: a connection each

    def test_all_protocols_are_looked_for_without_a_preset(self):
        result = self.probe("pace", query="tokens=5&interval_ms=1")
        self.assertEqual(result.status, 0, result.err)
        protocols = [p["protocol"] for p in result.json()["protocols"]]
        self.assertEqual(len(protocols), 14)
        self.assertEqual(protocols[0], "openai-chat")

    def test_the_words_for_people(self):
        result = cli.program("probe", self.endpoint("pace", "tokens=12"), "--protocol", "openai-chat")
        self.assertEqual(result.status, 0, result.err)
        self.assertRegex(result.out, r"openai-chat +[0-9.]+ ms +answers")
        self.assertIn("Really streams: yes", result.out)
        self.assertIn("fault-model", result.out)

    def test_a_whole_answer_is_no_stream(self):
        result = self.probe("not-streamed", "--protocol", "openai-chat")
        self.assertEqual(result.status, 0, result.err)
        self.assertIs(result.json()["streaming"]["really_streams"], False)

    def test_what_is_wrong_is_said(self):
        for scenario, status, words in [("wrong-key", 4, "refuses the key"), ("html", 3, "web page"),
                                        ("redirect", 3, "redirects to http://localhost:9/"),
                                        ("empty-404", 3, "none of the protocols"), ("loading", 3, "none of the"),
                                        ("cut", 5, "answers to openai-chat")]:
            with self.subTest(scenario=scenario):
                result = self.probe(scenario, "--protocol", "openai-chat", query="after=6")
                self.assertEqual(result.status, status, result.err)
                if scenario == "html":
                    self.assertIn("page", result.json()["protocols"][0]["result"])
                else:
                    self.assertIn(words, result.json()["verdict"])

    def test_nobody_is_there(self):
        result = cli.program("probe", f"http://127.0.0.1:{cli.closed_port()}", "--json")
        self.assertEqual(result.status, 3)
        found = result.json()
        self.assertFalse(found["reachable"])
        self.assertEqual(found["error"]["kind"], "unreachable")
        self.assertEqual(found["protocols"], [])

    def test_an_echoed_key_is_never_shown(self):
        for form in (["--json"], []):
            result = cli.program("probe", self.endpoint("echo-key"), "--key-env", "TEST_KEY", "--model", "m", *form)
            self.assertEqual(result.status, 4, result.err)
            self.assertNotIn(cli.CANARY, result.out + result.err)

    def test_a_key_in_the_clear_is_refused(self):
        result = cli.program("probe", "http://192.0.2.1", "--key-env", "TEST_KEY")
        self.assertEqual(result.status, 2)
        self.assertIn("unencrypted", result.err)

    def test_usage(self):
        for arguments in ([], ["no address"], ["http://h", "--protocol", "telepathy"], ["http://h", "--preset", "x"],
                          ["http://h", "--key-env", "A", "--key-stdin"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(cli.program("probe", *arguments).status, 2)


class EnvironmentTest(cli.CliTest):
    def test_the_address_of_the_environment_is_asked_by_every_preset(self):
        # Nothing may go to the vendor where the user's environment says another address.
        here = {"OPENAI_BASE_URL": self.endpoint("pace", "tokens=12&interval_ms=2")}
        for preset in ("openai", "openai-compatible"):
            for command in (["probe"], ["run", "--model", "m", "--prompt", "hi"]):
                with self.subTest(preset=preset, command=command):
                    result = cli.program(*command, "--preset", preset, "--json", env=cli.environment(**here))
                    self.assertEqual(result.status, 0, result.err)
                    found = result.json()
                    asked = found["url"] if "url" in found else found["lanes"][0]["endpoint"]
                    self.assertTrue(asked.startswith(self.url), asked)

    def test_without_a_name_the_address_of_the_environment_is_asked_and_told(self):
        here = cli.environment(OPENAI_BASE_URL=self.endpoint("pace", "tokens=12&interval_ms=2"),
                               OPENAI_API_KEY=cli.CANARY)
        result = cli.program("run", "--model", "m", "--prompt", "hi", "--json", env=here)
        self.assertEqual(result.status, 0, result.err)
        self.assertTrue(result.json()["lanes"][0]["endpoint"].startswith(self.url))
        self.assertIn("(from OPENAI_BASE_URL) with the key from OPENAI_API_KEY", result.err)
        self.assertNotIn(cli.CANARY, result.out + result.err)

    def test_a_probe_without_a_name_goes_there_too(self):
        here = cli.environment(OPENAI_BASE_URL=self.endpoint("pace", "tokens=12&interval_ms=2"))
        result = cli.program("probe", "--json", env=here)
        self.assertEqual(result.status, 0, result.err)
        self.assertTrue(result.json()["url"].startswith(self.url))
        self.assertIn("--preset ollama (OLLAMA_HOST)",
                      cli.program("probe", env=cli.environment(OLLAMA_HOST="127.0.0.1:9")).err)

    def test_without_an_address_a_key_alone_sends_nothing(self):
        for named, preset in (({"OPENAI_API_KEY": cli.CANARY}, "--preset openai (OPENAI_API_KEY)"),
                              ({"OLLAMA_HOST": "127.0.0.1:9"}, "--preset ollama (OLLAMA_HOST)"),
                              ({"OPENAI_BASE_URL": "ftp://nowhere"}, "OPENAI_BASE_URL holds no address")):
            with self.subTest(named=list(named)):
                result = cli.program("run", "--model", "m", "--prompt", "hi", env=cli.environment(**named))
                self.assertEqual(result.status, 2)
                self.assertIn("Say whom to ask", result.err)
                self.assertIn(preset, result.err)
                self.assertNotIn(cli.CANARY, result.err)

    def test_an_address_that_makes_no_sense_is_refused_by_its_name(self):
        wrong = cli.environment(OLLAMA_HOST="ftp://nowhere")
        for command in (["probe"], ["run", "--model", "m", "--prompt", "hi"]):
            result = cli.program(*command, "--preset", "ollama", env=wrong)
            self.assertEqual(result.status, 2)
            self.assertIn("OLLAMA_HOST", result.err)
        listed = cli.program("presets", "--json", env=wrong)
        self.assertEqual(listed.status, 0)
        self.assertEqual([e for e in listed.json()["environment"] if e["preset"] == "ollama"], [])
        self.assertEqual(len(listed.json()["environment_problems"]), 1)
        self.assertIn("OLLAMA_HOST", listed.json()["environment_problems"][0])
        self.assertIn("OLLAMA_HOST", cli.program("presets", env=wrong).out)


class PresetTest(cli.CliTest):
    ENVIRONMENT = cli.environment(OPENAI_API_KEY=cli.CANARY, OLLAMA_HOST="0.0.0.0:1234")

    def test_the_list_says_where_values_come_from(self):
        result = cli.program("presets", "--json", env=self.ENVIRONMENT)
        self.assertEqual(result.status, 0, result.err)
        listed = result.json()
        self.assertIn("vllm", [preset["id"] for preset in listed["presets"]])
        named = {entry["preset"]: entry for entry in listed["environment"]}
        self.assertEqual(named["ollama"]["url"], "http://127.0.0.1:1234/")
        self.assertEqual(named["ollama"]["url_from"], "OLLAMA_HOST")
        self.assertEqual(named["openai"]["key_from"], "OPENAI_API_KEY")
        words = cli.program("presets", env=self.ENVIRONMENT)
        self.assertIn("key from OPENAI_API_KEY", words.out)
        for text in (result.out, result.err, words.out, words.err):
            self.assertNotIn(cli.CANARY, text)

    def test_a_lane_of_a_preset(self):
        result = cli.program("run", "--lane", f"preset=vllm,endpoint={self.endpoint('pace')},model=m", "--prompt", "hi",
                             "--json")
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(result.json()["lanes"][0]["protocol"], "openai-chat")

    def test_the_keys_variable_goes_to_its_own_origin_alone(self):
        # The key is OpenAI's: another address does not get it, so that the echo has none to show.
        result = cli.program("run", "--preset", "openai", "--endpoint", self.endpoint("echo-key"), "--model", "m",
                             "--prompt", "hi", "--json", env=self.ENVIRONMENT)
        self.assertEqual(result.status, 4, result.err)
        self.assertIn("provided: none", result.runs()[0]["error"]["message"])


if __name__ == "__main__":
    cli.main()
