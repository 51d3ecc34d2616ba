"""A server's address, key and client, and how long to wait. Nothing here quotes an address: it may
hold a key."""

import math
import os
import re
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import certifi
from yarl import URL

from ..errors import TroveLiteError
from .openai_answers import without_secret

ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s#]*)?")
KEYS = ("TROVE_LITE_API_KEY", "OPENAI_API_KEY")
HERE = ("localhost", "127.0.0.1", "::1")  # which no proxy reaches
PROXIES = ("http", "https", "socks4", "socks5", "socks5h")
CONNECT_SECONDS = 10.0
#: How long an unused connection is kept: less than the 5 s after which common servers close theirs.
KEPT_SECONDS = 4.0


def address_of(base_url: str, model: str) -> str:
    """The address without its last slash. Raises TroveLiteError for none, and for one that holds a
    key."""
    url = base_url.rstrip("/")
    named = f"{base_url}#{model}"
    known = False
    with suppress(ValueError):
        known = ADDRESS.fullmatch(url) and URL(url).host
    # None of these quotes the address: it may hold a key, if only where a port should be.
    if "@" in url or "?" in url or (known and without_secret(key_for(url), named) != named):
        raise TroveLiteError(f"a server's address holds no key: put it into ${KEYS[0]}")
    if not known:
        raise TroveLiteError("no server has such an address: write http://HOST:PORT/v1#NAME")
    if end := re.search(r"(/chat)?/completions$|/chat$", url):
        raise TroveLiteError(
            f"a server's address ends before {end[0]}, which is added to it (--chat says which): "
            "write http://HOST:PORT/v1#NAME"
        )
    return url


def key_for(url: str) -> str:
    """The key, "" where there is none; OpenAI's own key goes to OpenAI alone, whatever server is
    named."""
    host = urlsplit(url).hostname or ""
    names = KEYS if host == "openai.com" or host.endswith(".openai.com") else KEYS[:1]
    key = next(filter(None, (os.environ.get(name, "").strip() for name in names)), "")
    if not re.fullmatch(r"[!-~]*", key):  # as a header it would fail with an error that quotes it
        raise TroveLiteError(f"${' or $'.join(KEYS)} is not a key")
    return key


def waiting(header: str) -> float:
    """The seconds of a Retry-After header, which is a number or a date; 0 where it is something
    else."""
    seconds = 0.0
    with suppress(ValueError, OverflowError):
        seconds = parsedate_to_datetime(header).timestamp() - time.time()
    with suppress(ValueError):
        seconds = float(header)
    return seconds if 0 < seconds < math.inf else 0.0


def client(url: str, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A client by what the environment says of proxies and certificates, as far as this address has
    to do with them.

    It makes a connection wherever none is free: who asks bounds their number. It is made in a
    running loop. Raises TroveLiteError where the environment names what cannot be used.
    """
    how = {"limit": 0, "keepalive_timeout": KEPT_SECONDS}
    if url.lower().startswith("https:"):
        how["ssl"] = certificates()
    proxy = proxy_for(url)
    if proxy.startswith("socks"):
        connector = through_socks(proxy, how)
        proxy = ""
    else:
        connector = aiohttp.TCPConnector(**how)
    return aiohttp.ClientSession(
        connector=connector,
        proxy=proxy or None,
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS),
    )


def certificates() -> ssl.SSLContext:
    """Whom to trust: what $SSL_CERT_FILE and $SSL_CERT_DIR name, else the machine's certificates
    and certifi's."""
    file, folder = (os.environ.get(name) or None for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
    try:
        context = ssl.create_default_context(cafile=file, capath=folder)
        if not (file or folder):
            context.load_verify_locations(certifi.where())
    except OSError as error:
        raise unusable(("SSL_CERT_FILE", "SSL_CERT_DIR"), "certificates") from error
    return context


def proxy_for(url: str) -> str:
    """The proxy that the environment names for an address, "" for none: $NO_PROXY and this machine
    need none."""
    parts = urlsplit(url.lower())
    here = parts.scheme == "http" and parts.hostname in HERE
    if here or proxy_bypass(parts.netloc):
        return ""
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all") or ""
    if proxy and "://" not in proxy:
        proxy = f"http://{proxy}"
    with suppress(ValueError):
        if not proxy or (URL(proxy).host and URL(proxy).scheme in PROXIES):
            return proxy
    raise no_proxy()


def through_socks(proxy: str, how: Mapping) -> aiohttp.BaseConnector:
    try:
        from aiohttp_socks import ProxyConnector
    except ImportError as error:
        raise no_proxy() from error
    return ProxyConnector.from_url(proxy, **how)


def no_proxy() -> TroveLiteError:
    return unusable(
        ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"),
        "proxy (http://, or socks5:// with pip install aiohttp-socks)",
    )


def unusable(known: tuple[str, ...], what: str) -> TroveLiteError:
    names = " ".join(sorted(name for name in os.environ if name.upper() in known))
    return TroveLiteError(f"{names}: names no {what} that can be used; correct or unset it")
