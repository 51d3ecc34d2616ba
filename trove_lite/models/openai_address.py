"""A server's address, key and client, and how long to wait. Nothing here quotes an address: it may hold a key."""

import math
import os
import re
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from ..errors import TroveLiteError
from .openai_answers import without_secret

ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s#]*)?")
KEYS = ("TROVE_LITE_API_KEY", "OPENAI_API_KEY")


def address_of(base_url: str, model: str) -> str:
    """The address without its last slash. Raises TroveLiteError for none, and for one that holds a key."""
    url, named, known = base_url.rstrip("/"), f"{base_url}#{model}", False
    with suppress(httpx.InvalidURL, ValueError):
        known = (
            ADDRESS.fullmatch(url) and httpx.URL(url).host and (httpx.URL(url).port or 0) < 1 << 16
        )
    # None of these quotes the address: it may hold a key, if only where a port should be.
    if "@" in url or "?" in url or (known and without_secret(key_for(url), named) != named):
        raise TroveLiteError(f"a server's address holds no key: put it into ${KEYS[0]}")
    if not known:
        raise TroveLiteError("no server has such an address: write http://HOST:PORT/v1#NAME")
    if end := re.search(r"(/chat)?/completions$|/chat$", url):
        added = f"{end[0]}, which is added to it (--chat says which)"
        raise TroveLiteError(
            f"a server's address ends before {added}: write http://HOST:PORT/v1#NAME"
        )
    return url


def key_for(url: str) -> str:
    """The key, "" where there is none; OpenAI's own key goes to OpenAI alone, whatever server is named."""
    host = urlsplit(url).hostname or ""
    names = KEYS if host == "openai.com" or host.endswith(".openai.com") else KEYS[:1]
    key = next(filter(None, (os.environ.get(name, "").strip() for name in names)), "")
    if not re.fullmatch(r"[!-~]*", key):  # as a header it would fail with an error that quotes it
        raise TroveLiteError(f"${' or $'.join(KEYS)} is not a key")
    return key


def waiting(header: str) -> float:
    """The seconds of a Retry-After header, which is a number or a date; 0 where it is something else."""
    seconds = 0.0
    with suppress(ValueError, OverflowError):
        seconds = parsedate_to_datetime(header).timestamp() - time.time()
    with suppress(ValueError):
        seconds = float(header)
    return seconds if 0 < seconds < math.inf else 0.0


def client(url: str, **how: object) -> httpx.AsyncClient:
    """A client by what the environment says of proxies and certificates, as far as this address has to do with them."""
    plain = url.lower().startswith("http://")
    here = httpx.URL(url).host in ("localhost", "127.0.0.1", "::1")  # which no proxy reaches
    try:
        return httpx.AsyncClient(**how, trust_env=not (plain and here), verify=not plain)
    except (ValueError, ImportError, OSError) as error:
        files = isinstance(error, OSError) and not isinstance(error, ImportError)
        known = (
            ("SSL_CERT_FILE", "SSL_CERT_DIR")
            if files
            else ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY")
        )
        names = " ".join(sorted(name for name in os.environ if name.upper() in known))
        what = "certificates" if files else "proxy (http://, or socks5:// with pip install socksio)"
        raise TroveLiteError(
            f"{names}: names no {what} that can be used; correct or unset it"
        ) from error
