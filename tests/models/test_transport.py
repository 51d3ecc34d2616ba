"""What lies under the requests: proxies, certificates, connections kept or dropped, limits of time
and of size."""

import asyncio
import base64
import gzip
import shutil
import ssl
import subprocess
import threading
import time
import tracemalloc
import zlib

import pytest

from trove_lite.models.base import Completion, ModelError
from trove_lite.models.openai import TRIES, OpenAIServer

from .misbehaving import TEXT, Server, ask, choice, content

PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in (*PROXIES, "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def elsewhere(**options) -> OpenAIServer:
    """A server that is only to be had through a proxy."""
    given = {"listed": False, "retries": 0, "timeout": 5, "first_pause": 0.01} | options
    return OpenAIServer("http://models.invalid/v1", "tiny", **given)


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_a_proxy_that_the_environment_names_is_used(monkeypatch, name, scheme):
    with Server() as proxy:
        monkeypatch.setenv(name, f"{scheme}127.0.0.1:{proxy.server_port}")
        found, _ = ask(proxy, model=elsewhere())
    assert found.text == "print(1)"
    assert proxy.paths == ["http://models.invalid/v1/completions"]
    assert proxy.headers[0]["Host"] == "models.invalid"


def test_a_proxy_gets_its_own_name_and_password(monkeypatch):
    with Server() as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:s%40cret@127.0.0.1:{proxy.server_port}")
        found, _ = ask(proxy, model=elsewhere())
    assert found.text == "print(1)"
    told = proxy.headers[0]["Proxy-Authorization"].removeprefix("Basic ")
    assert base64.b64decode(told) == b"me:s@cret"


@pytest.mark.parametrize("without", ["*", "models.invalid", "invalid", "a.org,models.invalid"])
def test_no_proxy_is_used_where_the_environment_says_so(monkeypatch, without):
    with Server() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", without)
        found, _ = ask(proxy, model=elsewhere())
    assert isinstance(found, ModelError)
    assert proxy.paths == []


@pytest.mark.parametrize(
    "bad",
    ["ftp://me:secret@here", "socks5://secret@here:1", "http://:secret", "http://secret:999999"],
)
def test_what_is_no_proxy_is_named_and_not_quoted(monkeypatch, bad):
    monkeypatch.setenv("HTTP_PROXY", bad)
    with Server() as proxy:
        found, _ = ask(proxy, model=elsewhere())
    assert str(found).startswith("HTTP_PROXY: names no proxy")
    assert "secret" not in str(found)


def test_a_proxy_that_lets_nobody_through_ends_in_one_clear_line(monkeypatch):
    with Server() as proxy:
        monkeypatch.setenv("https_proxy", f"http://me:secret@127.0.0.1:{proxy.server_port}")
        model = OpenAIServer("https://models.invalid/v1", "tiny", listed=False, retries=0)
        found, _ = ask(proxy, model=model)
    assert isinstance(found, ModelError)
    assert str(found).startswith("https://models.invalid/v1/completions: no connection (ClientHttp")
    assert "secret" not in str(found)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of its own for 127.0.0.1, with its key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificate")
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file, "-out", f"{file}.crt"]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    with file.open("a") as both:
        both.write((file.parent / f"{file.name}.crt").read_text())
    return file


@pytest.mark.parametrize(
    ("trusted", "said"), [(True, ""), (False, "ClientConnectorCertificateError")]
)
def test_a_certificate_is_believed_where_the_environment_says_so(
    monkeypatch, certificate, trusted, said
):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Server() as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        if trusted:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        address = server.url.replace("http:", "https:")
        found, _ = ask(server, model=OpenAIServer(address, "tiny", retries=0, timeout=5))
    if trusted:
        assert found.text == "print(1)"
    else:
        assert isinstance(found, ModelError)
        assert said in str(found)


class Counting(Server):
    """A server that counts the connections made to it."""

    connections = 0

    def get_request(self):
        self.connections += 1
        return super().get_request()


def test_connections_are_kept_and_are_no_more_than_requests_at_a_time():
    with Counting() as server:
        found, _ = ask(server, seeds=range(60), concurrency=4)
    assert len(found) == 60
    assert server.connections <= 5  # the list of models may have had one of its own


def test_a_connection_that_the_server_has_closed_is_not_used_again():
    def and_closes(handler, body):
        choice()(handler, body)
        handler.close_connection = True

    async def twice(model):
        async with model:
            for _ in range(3):
                await model.complete(TEXT, [1])
                await asyncio.sleep(0.05)

    with Counting(always=and_closes) as server:
        model = OpenAIServer(server.url, "tiny", retries=0)
        asyncio.run(twice(model))
    assert (model.retried, len(server.bodies)) == (0, 3)


def test_who_is_cancelled_gives_the_place_and_the_connection_back():
    gone = threading.Event()

    def silent(handler, body):
        handler.connection.settimeout(10)
        gone.set() if handler.rfile.read(1) == b"" else None
        handler.close_connection = True

    async def cancelled(model):
        async with model:
            waits = asyncio.create_task(model.complete(TEXT, [1]))
            await asyncio.sleep(0.2)
            waits.cancel()
            await asyncio.gather(waits, return_exceptions=True)
            return await model.complete(TEXT, [2])

    with Server(silent) as server:
        model = OpenAIServer(server.url, "tiny", concurrency=1, timeout=5)
        (found,) = asyncio.run(cancelled(model))
        assert gone.wait(5)
    assert found.text == "print(2)"


def test_a_server_that_answers_nobody_keeps_nobody_for_longer_than_the_timeout():
    with Server(always="silence") as server:
        start = time.monotonic()
        found, _ = ask(server, seeds=range(30), timeout=0.5, retries=0)
    assert isinstance(found, ModelError)
    assert "no answer within 0.5 s" in str(found)
    assert time.monotonic() - start < 3


def test_one_that_is_forgotten_among_answered_ones_ends_once_these_are_done():
    """Each answer begins everybody's time anew; after the last one the forgotten one has the
    timeout left."""

    def forgets_one(handler, body):
        if body["seed"] == 7:
            handler.server.closing.wait(20)
        else:
            handler.server.closing.wait(0.1)
            choice()(handler, body)

    async def asked(model):
        async with model:
            forgotten = asyncio.create_task(model.complete(TEXT, [7]))
            for _ in range(10):
                await model.complete(TEXT, [1])
                assert not forgotten.done()
            last = time.monotonic()
            await asyncio.wait([forgotten])
            return forgotten.exception(), time.monotonic() - last

    with Server(always=forgets_one) as server:
        model = OpenAIServer(server.url, "tiny", timeout=0.6, retries=0)
        problem, waited = asyncio.run(asked(model))
    assert "no answer within 0.6 s" in str(problem)
    assert 0.3 < waited < 2


@pytest.mark.parametrize(("kind", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_small_answer_that_unpacks_to_a_large_one_is_not_unpacked(kind, pack):
    packed = pack(b" " * (300 << 20))

    def bomb(handler, body):
        handler.send(200, packed, {"Content-Encoding": kind})

    with Server(*[bomb] * TRIES) as server:
        tracemalloc.start()
        found, _ = ask(server)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert not isinstance(found, Completion)
    assert most < 200 << 20


@pytest.mark.parametrize("after", [b"", b" " * (70 << 20)])
def test_an_answer_longer_than_any_is_dropped(after):
    with Server(content(b'{"choices": []}' + after)) as server:
        found, model = ask(server)
    assert (found.text, model.retried) == ("print(1)", 1)


def test_what_a_server_would_have_us_remember_is_not_sent_back():
    sets = {"Set-Cookie": "who=you; Path=/"}

    def remembers(handler, body):
        handler.send(200, b'{"choices": [{"text": "a", "finish_reason": "stop"}]}', sets)

    with Server(always=remembers) as server:
        ask(server, seeds=range(3))
    assert not any("Cookie" in headers for headers in server.headers)
