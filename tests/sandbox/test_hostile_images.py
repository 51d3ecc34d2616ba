"""200 programs about images that mean harm end in a verdict, and nothing but the line to who looks is reached."""

from itertools import product

import pytest
from PIL import Image

from trove_lite.datasets.images import GIVEN, laid
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.vision import MOST_REQUESTS, Vision

from . import needs_full

pytestmark = needs_full

LARGE = (0, 60_000, 65_536, 100_000, 2**31 - 1)
PNG = """\
import io, struct, zlib
def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
head = chunk(b"IHDR", struct.pack(">IIBBBBB", {0}, {1}, 8, {2}, 0, 0, 0))
png = b"\\x89PNG\\r\\n\\x1a\\n" + head + chunk(b"IDAT", zlib.compress(bytes(9**6))) + chunk(b"IEND", b"")
print(visual_qa(Image.open(io.BytesIO(png)), "a"))"""
HEADERS = [
    "b'P6 {0} {0} 255\\n'",
    "b'BM' + struct.pack('<IHHIIiiHHIIiiII', 99, 0, 0, 54, 40, {0} % 2**31, {0} % 2**31, 1, 24, 0, 0, 0, 0, 0, 0)",
    "b'GIF89a' + struct.pack('<HHBBB', {0} % 65536, {0} % 65536, 0, 0, 0)",
]
EDGES = ("-10**5", "10**5", "1e308", "float('nan')", "None")
PATHS = (
    *("/etc/passwd", "../../../../etc/hostname", "/proc/self/environ", "/proc/self/mem", "/proc/1/root/etc/passwd"),
    *("/dev/zero", "/dev/mem", "/dev/stdin", "/dev/fd/7", "/proc/self/fd/7", "vision.py", "eyes.py", "data", "/tmp"),
    *("/sys/kernel/notes", "http://127.0.0.1/a.png", "file:///etc/passwd", "https://example.org/a.jpg", "~/.netrc"),
)
TEXTS = (
    "'a' * 10**6",
    "'\\ud800'",
    "None",
    "b'a'",
    "7",
    "['a']",
    "'\\0' * 1001",
    "'☃' * 400",
    "type('S', (str,), {{}})()",
)
REQUESTS = product((b"vqa", b"loc", b"xyz"), (0, 1, 65_535), (0, 65_535), (0, 2**32 - 1))
WRITES = [f"{kind!r} + struct.pack('<HHI', {w}, {h}, {n})" for kind, w, h, n in REQUESTS]
FORGED = "import os, struct\nos.write(7, {0})\nos.write(7, b'x' * 9**5)\nvisual_qa(NAME, 'a')\nvisual_qa(NAME, 'a')"
NOISE = (
    "import os, eyes; os.write(7, b'\\xff' * 10**5); visual_qa(NAME, 'a')",
    "import os\nfor n in range(10**5): os.write(7, b'vqa\\x01\\0\\x01\\0\\0\\0\\0\\0abc')",  # no answer is taken
)

#: By kind of attack: programs, and how these may end.
HOSTILE = {
    "bombs": ([PNG.format(w, h, c) for w, h in product(LARGE, LARGE) for c in (2, 6)], {"error", "memory"}),
    "headers": (
        [
            f"import io, struct\nprint(visual_qa(Image.open(io.BytesIO({h.format(n)})), 'a'))"
            for h in HEADERS
            for n in LARGE[1:]
        ],
        {"error", "memory"},
    ),
    "crops": (
        [f"print(visual_qa(crop_region(Image.open(NAME), [[0, 0, {x}, {y}]]), 'a'))" for x, y in product(EDGES, EDGES)],
        {"ok", "error", "memory"},
    ),
    "sizes": (
        [
            f"visual_qa(Image.open(NAME).{change.format(n)}, 'a')"
            for n in (10**4, 10**5, 10**6)
            for change in (
                "crop((0, 0, {0}, {0}))",
                "resize(({0}, {0}))",
                "resize((1, {0} * 70))",
                "crop((9, 9, 9, {0}))",
            )
        ],
        {"error", "memory"},
    ),
    "paths": ([f"{ask}({path!r}, 'a')" for path in PATHS for ask in ("visual_qa", "locate_objects")], {"error"}),
    "texts": ([f"{ask}(NAME, {t})" for t in TEXTS for ask in ("visual_qa", "locate_objects")], {"error", "ok"}),
    "exif": (
        [
            f"i = Image.open(NAME)\ne = i.getexif()\ne[{tag}] = {value}\nb = __import__('io').BytesIO()\n"
            "i.save(b, 'jpeg', exif=e)\nprint(visual_qa(Image.open(b), 'a'))"
            for tag, value in product((274, 34_665, 0x9286), ("'x' * 9**5", "2**40", "-1", "b'\\xff' * 65_000"))
        ],
        {"ok", "error"},
    ),
    "the rest": (
        [
            "visual_qa(Image.new('RGB', (10**5, 10**5)), 'a')",  # more pixels than memory
            "visual_qa(crop_region(Image.open(NAME), [[3, 3, 3, 3]]), 'a')",  # a crop of nothing
            "import socket; socket.create_connection(('127.0.0.1', 80))",
            f"for n in range({MOST_REQUESTS + 1}): visual_qa(NAME, str(n))",
        ],
        {"error", "memory"},
    ),
    "half a request": (["import os; os.write(7, b'vqa\\x01'); os.read(7, 1)"], {"timeout"}),
    "forged requests": ([*(FORGED.format(write) for write in WRITES), *NOISE], {"error", "timeout"}),
}


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    path = tmp_path_factory.mktemp("images") / "i.png"
    Image.new("RGB", (40, 20), (255, 0, 0)).save(path)
    return path


@pytest.fixture(scope="module")
def run(image, tmp_path_factory):
    file = tmp_path_factory.mktemp("canned") / "answers.jsonl"
    file.write_text('{"answer": "no idea"}')
    limits = {"time_limit": 10, "wall_limit": 3, "memory": 256 << 20, "vision": Vision(f"canned:{file}")}
    with Sandbox(2, **limits) as sandbox:

        def run(*programs):
            files = [{"data/i.png": image, **laid("pipe")}] * len(programs)
            whole = ["\n".join([*GIVEN, 'NAME = "data/i.png"', program]) for program in programs]
            return sandbox.run_many(whole, progress=False, files=files)

        yield run


def test_there_are_two_hundred():
    assert sum(len(set(programs)) for programs, _ in HOSTILE.values()) >= 200


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_images_end_in_a_verdict_and_the_next_program_is_seen_to(kind, run):
    programs, ends = HOSTILE[kind]
    done = run(*programs, *['print(visual_qa(NAME, "Who?"))'] * 2)
    wrong = [(program, one) for program, one in zip(programs, done, strict=False) if one.status not in ends]
    assert wrong == []
    assert [one.output for one in done[-2:]] == ["no idea\n"] * 2


#: Ways out that are none: what is not refused is printed. The calls by number are those of the line's own socket.
REACHES = """\
import ctypes, os, socket
def tried(way):
    try:
        return way()
    except OSError as error:
        return error
for name, way in {
    "tcp": lambda: socket.create_connection(("127.0.0.1", 80), 1),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "unix": lambda: socket.socket(socket.AF_UNIX),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "pair": socket.socketpair,
    "names": lambda: socket.gethostbyname("example.org"),
    "the line as a socket": lambda: socket.socket(fileno=7),
    "a file": lambda: open("/tmp/x", "w"),
    "a process": os.fork,
}.items():
    found = tried(way)
    if not isinstance(found, OSError):
        print(name, found)
libc = ctypes.CDLL(None, use_errno=True)
for name in "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg connect bind listen accept getpeername".split():
    ctypes.set_errno(0)
    if getattr(libc, name)(7, None, 0, 0, None, 0) != -1 or ctypes.get_errno() != 1:
        print(name, ctypes.get_errno())
for fd in range(3, 256):
    try:
        kind = os.fstat(fd).st_mode >> 12
    except OSError:
        continue
    if kind == 12 and fd != 7:
        print("another socket", fd)
print(visual_qa(NAME, "Who?"))"""


def test_nothing_but_the_line_is_reached(run):
    (done,) = run(REACHES)
    assert (done.error, done.output) == ("", "no idea\n")
