"""Looking at images: programs ask over a line alone, 200 hostile ones too; what was asked before is
known."""

import hashlib
import json
from itertools import product
from urllib.parse import parse_qsl, urlsplit

import pytest
from PIL import Image

from trove_lite.errors import TroveLiteError
from trove_lite.sandbox.pool import Sandbox
from trove_lite_papers.images.broker import MOST_REQUESTS, Vision
from trove_lite_papers.images.primitives import GIVEN, laid

from ...models.misbehaving import Server
from ...sandbox import needs_full

pytestmark = needs_full


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """Left half red, right half blue; 40 × 20 pixels."""
    path = tmp_path_factory.mktemp("images") / "halves.png"
    picture = Image.new("RGB", (40, 20), (255, 0, 0))
    picture.paste((0, 0, 255), (20, 0, 40, 20))
    picture.save(path)
    return path


def sha256_of(path, box=None) -> str:
    picture = Image.open(path).convert("RGB").crop(box)
    return hashlib.sha256(b"%d %d " % picture.size + picture.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def vision(image, tmp_path_factory):
    lines = [
        {"text": "blue", "answer": [[20, 0, 39, 19], [0, 0, 1, 1]]},
        {"image": sha256_of(image), "text": "What is it?", "answer": "a flag"},
        {"image": sha256_of(image, (15, 0, 40, 20)), "answer": "mostly blue"},
        {"answer": "no idea"},
    ]
    file = tmp_path_factory.mktemp("canned") / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return Vision(f"canned:{file}")


@pytest.fixture(scope="module")
def sandbox(vision):
    with Sandbox(2, time_limit=10, wall_limit=3, memory=256 << 20, vision=vision) as sandbox:
        yield sandbox


def run(sandbox, image, *programs):
    """How programs end that have the image `NAME`."""
    files = [{"data/i.png": image, **laid("pipe")}] * len(programs)
    whole = ["\n".join([*GIVEN, 'NAME = "data/i.png"', program]) for program in programs]
    return sandbox.run_many(whole, progress=False, files=files)


LOOKS = """
image = Image.open(NAME)
print(visual_qa(NAME, "What is it?"), visual_qa(image, "What is it?"), visual_qa(image, "Who?"), sep=", ")
boxes = locate_objects(image, "blue")
crop = crop_region(image, boxes)
print(boxes, crop.size, visual_qa(crop, "What is it?"), locate_objects(image, "green"))
"""


def test_a_program_sees_by_path_and_by_image_and_a_crop_is_another_image(sandbox, image):
    (done,) = run(sandbox, image, LOOKS)
    boxes = "[[20.0, 0.0, 39.0, 19.0], [0.0, 0.0, 1.0, 1.0]]"
    assert (done.error, done.output) == (
        "",
        f"a flag, a flag, no idea\n{boxes} (25, 20) mostly blue []\n",
    )


def test_requests_are_counted_and_known_again(sandbox, vision, image):
    asked = vision.asked
    known = vision.known
    run(
        sandbox,
        image,
        "for _ in range(3): visual_qa(NAME, 'Is it new?')\nvisual_qa(NAME, 'Is it newer?')",
    )
    assert (vision.asked - asked, vision.known - known) == (4, 2)


def test_without_a_run_that_looks_there_is_no_line(box, image):
    (done,) = run(box, image, 'visual_qa(NAME, "Who?")')
    assert done.error.startswith("OSError: no program looks at images")


def test_a_server_is_asked_as_the_released_one_and_must_answer_as_it_does(image):
    says = {"/vqa": {"answer": "a flag"}, "/loc": {"boxes": [[1, 2, 3, 4]]}}
    seen = []

    def looks(handler, _):
        url = urlsplit(handler.path)
        asked = dict(parse_qsl(url.query))
        with Image.open(asked.pop("image_name")) as picture:
            seen.append((url.path, picture.size, asked))
        handler.reply(200, says[url.path], {"Connection": "close"})

    with (
        Server(always=looks) as server,
        Sandbox(1, vision=Vision(server.url.removesuffix("/v1"))) as sandbox,
    ):
        (done,) = run(
            sandbox, image, 'print(visual_qa(NAME, "What & who?"), locate_objects(NAME, "flag"))'
        )
        assert (done.error, done.output) == ("", "a flag [[1.0, 2.0, 3.0, 4.0]]\n")
        assert seen[0] == ("/vqa", (40, 20), {"question": "What & who?"})
        assert seen[1] == ("/loc", (40, 20), {"object_name": "flag"})
        says |= {"/vqa": {"answer": ["no", "words"]}, "/loc": {"boxes": [[1]]}}
        with pytest.raises(TroveLiteError, match=r"/loc: no answer"):
            run(sandbox, image, 'locate_objects(NAME, "flags")')
        assert run(sandbox, image, 'print(visual_qa(NAME, "What & who?"))')[0].output == "a flag\n"


@pytest.mark.parametrize(
    "spec", ["transformers:blip", "canned:", "canned:/nowhere", "http:x", "none", ""]
)
def test_what_is_no_spec_is_refused_in_a_line(spec):
    with pytest.raises(TroveLiteError, match=r"^--vision [^\n]*$"):
        Vision(spec)


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"answer": 3}', '{"answer": [1]}', '{"answer": [[1, 2, 3, NaN]]}']
)
def test_a_damaged_line_of_answers_is_named(line, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"answer": "x"}\n' + line)
    with pytest.raises(TroveLiteError, match=r"a\.jsonl, line 2: no answer"):
        Vision(f"canned:{tmp_path / 'a.jsonl'}")


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
    *(
        "/etc/passwd",
        "../../../../etc/hostname",
        "/proc/self/environ",
        "/proc/self/mem",
        "/proc/1/root/etc/passwd",
    ),
    *(
        "/dev/zero",
        "/dev/mem",
        "/dev/stdin",
        "/dev/fd/7",
        "/proc/self/fd/7",
        "vision.py",
        "eyes.py",
        "data",
        "/tmp",
    ),
    *(
        "/sys/kernel/notes",
        "http://127.0.0.1/a.png",
        "file:///etc/passwd",
        "https://example.org/a.jpg",
        "~/.netrc",
    ),
)
TEXTS = (
    *("'a' * 10**6", "'\\ud800'", "None", "b'a'", "7", "['a']", "'\\0' * 1001", "'☃' * 400"),
    "type('S', (str,), {{}})()",
)
SIZES = (
    "crop((0, 0, {0}, {0}))",
    "resize(({0}, {0}))",
    "resize((1, {0} * 70))",
    "crop((9, 9, 9, {0}))",
)
VALUES = ("'x' * 9**5", "2**40", "-1", "b'\\xff' * 65_000")
ASKS = ("visual_qa", "locate_objects")
READ = "import io, struct\nprint(visual_qa(Image.open(io.BytesIO({0})), 'a'))"
EXIF = """\
i = Image.open(NAME)
e = i.getexif()
e[{0}] = {1}
b = __import__('io').BytesIO()
i.save(b, 'jpeg', exif=e)
print(visual_qa(Image.open(b), 'a'))"""
REQUESTS = product((b"vqa", b"loc", b"xyz"), (0, 1, 65_535), (0, 65_535), (0, 2**32 - 1))
WRITES = [f"{kind!r} + struct.pack('<HHI', {w}, {h}, {n})" for kind, w, h, n in REQUESTS]
FORGED = "import os, struct\nos.write(7, {0})\nos.write(7, b'x' * 9**5)\nvisual_qa(NAME, 'a')\nvisual_qa(NAME, 'a')"
NOISE = (
    "import os, eyes; os.write(7, b'\\xff' * 10**5); visual_qa(NAME, 'a')",
    # no answer is taken
    "import os\nfor n in range(10**5): os.write(7, b'vqa\\x01\\0\\x01\\0\\0\\0\\0\\0abc')",
)

#: By kind of attack: programs, and how these may end.
HOSTILE = {
    "bombs": (
        [PNG.format(w, h, c) for w, h in product(LARGE, LARGE) for c in (2, 6)],
        {"error", "memory"},
    ),
    "headers": (
        [READ.format(head.format(n)) for head, n in product(HEADERS, LARGE[1:])],
        {"error", "memory"},
    ),
    "crops": (
        [
            f"print(visual_qa(crop_region(Image.open(NAME), [[0, 0, {x}, {y}]]), 'a'))"
            for x, y in product(EDGES, EDGES)
        ],
        {"ok", "error", "memory"},
    ),
    "sizes": (
        [
            f"visual_qa(Image.open(NAME).{size.format(10**n)}, 'a')"
            for n, size in product((4, 5, 6), SIZES)
        ],
        {"error", "memory"},
    ),
    "paths": ([f"{ask}({path!r}, 'a')" for path, ask in product(PATHS, ASKS)], {"error"}),
    "texts": ([f"{ask}(NAME, {text})" for text, ask in product(TEXTS, ASKS)], {"error", "ok"}),
    "exif": (
        [EXIF.format(*entry) for entry in product((274, 34_665, 0x9286), VALUES)],
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
    "forged requests": (
        [*(FORGED.format(write) for write in WRITES), *NOISE],
        {"error", "timeout"},
    ),
}


def test_there_are_two_hundred():
    assert sum(len(set(programs)) for programs, _ in HOSTILE.values()) >= 200


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_images_end_in_a_verdict_and_the_next_program_is_seen_to(kind, sandbox, image):
    programs, ends = HOSTILE[kind]
    done = run(sandbox, image, *programs, *['print(visual_qa(NAME, "Who?"))'] * 2)
    wrong = [
        (program, one)
        for program, one in zip(programs, done, strict=False)
        if one.status not in ends
    ]
    assert wrong == []
    assert [one.output for one in done[-2:]] == ["no idea\n"] * 2


#: Ways out that are none: what is not refused is printed. The calls by number are those of the
#: line's own socket.
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


def test_nothing_but_the_line_is_reached(sandbox, image):
    (done,) = run(sandbox, image, REACHES)
    assert (done.error, done.output) == ("", "no idea\n")
