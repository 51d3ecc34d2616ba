"""A thousand programs about tables, hostile or clumsy: the tables stay as they were, and each ends as it should.

Made by rule: how the table is found and read, what is done that should not be, and what stands around it.
"""

import hashlib
import itertools
import json
import random
from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pytest

from trove_lite.sandbox.pool import Sandbox, isolation_report

pytestmark = pytest.mark.skipif(
    isolation_report()["level"] != "full", reason="this machine does not offer the level full"
)

LIMITS = {"timeout", "memory", "output"}  # which of them strikes first hangs on how busy the machine is
TSV, JSON = "data/wtq/csv/{}-csv/{}.tsv", "data/hitab/raw/{}{}.json"
READ = {
    TSV: (
        "df = pd.read_table(path)",
        "df = pd.DataFrame(list(csv.DictReader(open(path), delimiter='\\t')))",
        "lines = open(path).read().split()\ndf = pd.DataFrame(zip(lines[2::2], lines[3::2]), columns=['Year', 'Wins'])",
    ),
    JSON: (
        "df = pd.DataFrame(json.load(open(path)))",
        "df = pd.read_json(path)",
        "df = pd.DataFrame(json.loads(Path(path).read_text()))",
    ),
}
SPELT = (
    "path = {!r}",
    "path = './' + {!r}",
    "path = os.path.abspath({!r})",
    "path = str(Path({!r}).resolve())",
    "path = 'data/../' + {!r}",
    "os.chdir('data')\npath = '../' + {!r}",
)
#: What is done, by how it must end.
DEEDS = {
    "error": (
        # the table is written over, as programs do that mean no harm
        "df.to_csv(path)",
        "df.to_csv(path.rsplit('.', 1)[0] + '_clean.csv')",
        "open('answer.txt', 'w').write(str(len(df)))",
        "np.savetxt(path, df.values.astype(float))",
        "json.dump(df.to_dict('list'), open(path, 'w'))",
        "Path(path).write_text(df.to_string())",
        "open(path, 'r+').write('Year')",
        "open(path + '.bak', 'x')",
        "with fileinput.input(path, inplace=True) as lines:\n    for line in lines: print(line.upper())",
        "sqlite3.connect('tables.db').execute('create table t (a)')",
        "zipfile.ZipFile('tables.zip', 'w').write(path)",
        "import matplotlib.pyplot as plt\ndf.astype(float).plot()\nplt.savefig('chart.png')",
        "tempfile.NamedTemporaryFile(dir='.')",
        # it is renamed, moved, linked, deleted
        "os.rename(path, path + '.old')",
        "shutil.move(path, 'table.tsv')",
        "shutil.copy(path, path + '.bak')",
        "os.link(path, 'link')",
        "os.symlink('/etc/passwd', 'data/link')",
        "os.remove(path)",
        "shutil.rmtree(os.path.dirname(path))",
        "os.rmdir(os.path.dirname(path))",
        "os.makedirs('data/out')",
        # it is emptied, or its marks are changed
        "os.truncate(path, 0)",
        "os.open(path, os.O_RDONLY | os.O_TRUNC)",
        "os.ftruncate(os.open(path, os.O_RDWR), 0)",
        "mmap.mmap(os.open(path, os.O_RDWR), 0)[:4] = b'oops'",
        "os.chmod(path, 0o666)\nopen(path, 'w')",
        "os.utime(path, (0, 0))",
        "os.chown(path, 0, 0)",
        "os.setxattr(path, 'user.a', b'1')",
        "os.mkfifo('pipe')",
        # by others, and elsewhere
        "subprocess.run(['rm', path])",
        "os.fork()",
        "threading.Thread(target=lambda: open(path, 'w')).start()",
        "os.chdir('/')\nopen(path.lstrip('/'), 'w')",
        "os.chdir('/tmp')\nos.listdir()",
        "print(open({pristine!r}).read())",
        "open({pristine!r}, 'w')",
        "os.listdir(os.path.dirname({pristine!r}))",
        "os.symlink({pristine!r}, 'all')\nopen('all', 'a')",
        # and plain mistakes
        "print(df['Losses'].max())",
        "print(df.iloc[99, 0])",
        "def f(n): return f(n + 1)\nf(0)",
        "raise SystemExit(3)",
    ),
    "ok": (
        "os.system(f'rm {path}')",
        "shutil.rmtree('data', ignore_errors=True)",
        "df.loc[:, 'Wins'] = 0",
        "os.chdir('/usr/lib')",
    ),
    "memory": (
        "df = pd.DataFrame(np.ones((1 << 17, 1 << 10)))",
        "df = pd.concat([df] * 50_000_000)",
        "for _ in range(9): df = df.merge(df, how='cross', suffixes=('', 'x'))[['Year', 'Wins']]",
        "text = df.to_string() * (1 << 26)",
    ),
    "timeout": (
        "while True: df = df.assign(n=1)[['Year', 'Wins']]",
        "i = 0\nwhile df.iloc[i % 3, 0] != 'x': i += 1",
        "for _ in itertools.cycle(df.itertuples()): pass",
        "time.sleep(1_000)",
    ),
    "output": ("while True: print(df.to_string() * 999)",),
    "killed": ("os.abort()",),
}
IMPORTS = (
    "import csv, fileinput, hashlib, itertools, json, mmap, os, pickle, shutil, sqlite3, subprocess, tempfile, "
    "threading, time, zipfile\nfrom pathlib import Path\nimport numpy as np\nimport pandas as pd"
)
READY = "here = os.getcwd()\nprint('read', len(df), 'rows', flush=True)"
INTACT = "os.chdir(here)\nprint('as it was', hashlib.sha256(open(path, 'rb').read()).hexdigest())"


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


#: What stands around a deed, and whether an exception ends the program all the same.
AROUND = (
    (lambda deed: deed, True),
    (lambda deed: f"def work(path, df):\n{indented(deed)}\nfor _ in range(2): work(path, df)", True),
    (lambda deed: f"try:\n    pass\nfinally:\n{indented(deed)}", True),
    (lambda deed: f"exec({deed!r})", True),
    (lambda deed: f"try:\n{indented(deed)}\nexcept BaseException: pass\n{INTACT}", False),
)


class Program(NamedTuple):
    """A program, the table that it gets under `name`, and the ways to end that are right for it."""

    source: str
    name: str
    table: Path
    statuses: set[str]


def collection(folder: Path) -> dict[str, list[Path]]:
    """Some tables, of each kind ten, as a data set would keep them."""
    made = {TSV: [], JSON: []}
    for number in range(10):
        years = [[2001 + i, (7 * number + 3 * i) % 11] for i in range(3)]
        texts = {
            TSV: "Year\tWins\n" + "".join(f"{year}\t{wins}\n" for year, wins in years),
            JSON: json.dumps([{"Year": year, "Wins": wins} for year, wins in years]),
        }
        for kind, text in texts.items():
            path = folder / f"{number}{Path(kind).suffix}"
            path.write_text(text)
            made[kind].append(path)
    return made


def programs(tables: dict[str, list[Path]], seed: int = 0):
    """Programs without end, no two alike until all are had; the first have every deed once."""
    rng = random.Random(seed)
    deeds = [(deed, status) for status, named in DEEDS.items() for deed in named]
    rest = list(itertools.product(deeds, AROUND, SPELT, [(kind, read) for kind in READ for read in READ[kind]]))
    rng.shuffle(rest)
    before = Counter()
    turns = [before.update([deed]) or before[deed] for deed, *_ in rest]
    in_turn = [made for _, made in sorted(zip(turns, rest, strict=True), key=itemgetter(0))]
    for (deed, status), (around, ends), spelt, (kind, read) in in_turn:
        table = rng.choice(tables[kind])
        name = kind.format(rng.randrange(100, 300), rng.randrange(1000))
        deed = deed.replace("{pristine!r}", repr(str(table)))
        source = "\n".join([IMPORTS, spelt.format(name), read, READY, around(deed)])
        caught = not ends and status in ("error", "memory")
        right = {"ok"} if caught else {status}
        yield Program(source, name, table, right | LIMITS if status in LIMITS else right)


def state(folder: Path) -> dict[str, tuple]:
    """What is in a folder: the sha256 of each file, its size, times and rights."""
    return {
        path.name: (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            (found := path.stat()).st_mtime_ns,
            found.st_mode,
            found.st_nlink,
        )
        for path in folder.iterdir()
    }


def harmless(folder: Path, count: int) -> None:
    """Run so many programs on tables in that folder, and see that none did any harm."""
    tables = collection(folder)
    before, made = state(folder), list(itertools.islice(programs(tables), count))
    assert len({program.source for program in made}) == count
    limits = {"time_limit": 1.5, "wall_limit": 3.0, "memory": 256 << 20, "output_limit": 1 << 20}
    with Sandbox(2, **limits) as sandbox:
        ended = sandbox.run_many([p.source for p in made], progress=False, files=[{p.name: p.table} for p in made])
        folders = [zygote.folder for worker in sandbox._all for zygote in worker.zygotes.values() if zygote.folder]
        assert not any(path for folder in folders for path in Path(folder).iterdir())
    assert state(folder) == before
    wrong = [
        (program.source.removeprefix(IMPORTS), execution[:4])
        for program, execution in zip(made, ended, strict=True)
        if not is_right(program, execution, before)
    ]
    assert wrong == []


def is_right(program: Program, execution, before: dict[str, tuple]) -> bool:
    """Whether a program got to its deed, ended as it should, said why in a line, and saw its table whole afterwards."""
    clear = execution.status == "ok" or (execution.error and execution.error.isprintable())
    whole = before[program.table.name][0] in execution.output if "as it was" in execution.output else True
    began = execution.output.startswith("read 3 rows")
    return execution.status in program.statuses and bool(clear) and whole and began


def test_every_deed_leaves_the_tables_as_they_were_and_ends_as_it_should(tmp_path):
    harmless(tmp_path, sum(map(len, DEEDS.values())))


@pytest.mark.slow
def test_a_thousand_programs_leave_the_tables_as_they_were(tmp_path):
    harmless(tmp_path, 1000)
