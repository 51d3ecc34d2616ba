"""Looking at images: programs ask over a line alone; what was asked before is known.

Hostile ones: test_hostile_images.
"""

import hashlib
import http.server
import json
import threading
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from trove_lite.datasets.images import GIVEN, laid
from trove_lite.errors import TroveLiteError
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.vision import Vision

from . import needs_full

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
    with Sandbox(1, time_limit=10, wall_limit=5, memory=256 << 20, vision=vision) as sandbox:
        yield sandbox


def run(sandbox, image, *lines):
    program = "\n".join([*GIVEN, 'NAME = "data/i.png"', *lines])
    return sandbox.run_many([program], progress=False, files=[{"data/i.png": image, **laid("pipe")}])[0]


def test_a_program_sees_by_path_and_by_image_and_a_crop_is_another_image(sandbox, image):
    done = run(
        sandbox,
        image,
        "image = Image.open(NAME)",
        'print(visual_qa(NAME, "What is it?"), visual_qa(image, "What is it?"), visual_qa(image, "Who?"), sep=", ")',
        'boxes = locate_objects(image, "blue")',
        "crop = crop_region(image, boxes)",
        'print(boxes, crop.size, visual_qa(crop, "What is it?"), locate_objects(image, "green"))',
    )
    assert done.error == ""
    assert done.output == (
        "a flag, a flag, no idea\n[[20.0, 0.0, 39.0, 19.0], [0.0, 0.0, 1.0, 1.0]] (25, 20) mostly blue []\n"
    )


def test_requests_are_counted_and_known_again(sandbox, vision, image):
    asked, known = vision.asked, vision.known
    run(sandbox, image, 'for _ in range(3): visual_qa(NAME, "Is it new?")', "visual_qa(NAME, 'Is it newer?')")
    assert (vision.asked - asked, vision.known - known) == (4, 2)


def test_without_a_run_that_looks_there_is_no_line(box, image):
    assert run(box, image, 'visual_qa(NAME, "Who?")').error.startswith("OSError: no program looks at images")


@pytest.fixture
def server():
    """A server as the released one; `says` is what it answers, and it reads the image that it is asked about."""

    class Handler(http.server.BaseHTTPRequestHandler):
        says: dict = {}  # noqa: RUF012
        seen: list = []  # noqa: RUF012

        def do_GET(self):
            url = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            with Image.open(asked.pop("image_name")) as picture:
                self.seen.append((url.path, picture.size, asked))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(self.says[url.path]).encode())

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as service:
        thread = threading.Thread(target=service.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{service.server_port}", Handler
        service.shutdown()
        thread.join()


def test_a_server_is_asked_as_the_released_one_and_must_answer_as_it_does(server, image):
    address, handler = server
    handler.says = {"/vqa": {"answer": "a flag"}, "/loc": {"boxes": [[1, 2, 3, 4]]}}
    with Sandbox(1, time_limit=10, vision=Vision(address)) as sandbox:
        done = run(sandbox, image, 'print(visual_qa(NAME, "What & who?"), locate_objects(NAME, "flag"))')
        assert (done.error, done.output) == ("", "a flag [[1.0, 2.0, 3.0, 4.0]]\n")
        assert handler.seen == [
            ("/vqa", (40, 20), {"question": "What & who?"}),
            ("/loc", (40, 20), {"object_name": "flag"}),
        ]
        handler.says = {"/vqa": {"answer": ["no", "words"]}, "/loc": {"boxes": [[1]]}}
        with pytest.raises(TroveLiteError, match=r"/loc: no answer"):
            run(sandbox, image, 'locate_objects(NAME, "flags")')
        assert run(sandbox, image, 'print(visual_qa(NAME, "What & who?"))').output == "a flag\n"


@pytest.mark.parametrize("spec", ["transformers:blip", "canned:", "canned:/nowhere", "http:x", "none", ""])
def test_what_is_no_spec_is_refused_in_a_line(spec):
    with pytest.raises(TroveLiteError, match=r"^--vision [^\n]*$"):
        Vision(spec)


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"answer": 3}', '{"answer": [1]}', '{"answer": [[1, 2, 3, NaN]]}'])
def test_a_damaged_line_of_answers_is_named(line, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"answer": "x"}\n' + line)
    with pytest.raises(TroveLiteError, match=r"a\.jsonl, line 2: no answer"):
        Vision(f"canned:{tmp_path / 'a.jsonl'}")
