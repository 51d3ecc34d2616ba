"""Tables, and runs by written replies, that chance puts together of odd parts: a command ends with
its status, and what is wrong is one line."""

import json
import random
from pathlib import Path

import pandas as pd
import pytest

from trove_lite.cli import main

PARTS = json.loads(Path(__file__).with_name("by_chance.json").read_text(encoding="utf-8"))
READ = (
    "summary RUN|view RUN --out v.html|judge RUN --out j|calls RUN --out c|compare RUN --out c.html"
)
READ += "|export RUN --out e.csv|export RUN --format eee --out e.jsonl|outcomes RUN --out o.parquet"
READ += "|import e.csv --out a|import e.jsonl --out b|summary a|summary b|compare RUN e.csv --out d.html"


def odd(rng) -> str:
    return rng.choice(PARTS["odd"])


OF_A_PROBLEM = {
    "question": lambda rng: f"What is {odd(rng)}?",
    "category": lambda rng: rng.choice("aaaab"),
    "level": lambda rng: rng.choice([1, "Level 4", None]),
}
OF_A_SAMPLE = {
    "mode": lambda rng: rng.choice(["import", "skip", None]),
    "input_tokens": lambda rng: rng.choice([10, 0, None]),
    "output_tokens": lambda rng: rng.choice([5.0, 100]),
    "text": odd,
    "nothing_known": odd,
}


def ends(words: str, capsys) -> int:
    """The status of a command, which says what is wrong in one line."""
    status = main(words.split())
    said = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("error: ") for line in said) == (status != 0), words
    assert "Warning" not in "".join(said), words
    return status


def table(rng, file: Path) -> None:
    """Samples of some systems on some problems, of which some cells are left out."""
    chosen = [name for name in (*OF_A_PROBLEM, *OF_A_SAMPLE) if rng.random() < 0.4]
    judged = rng.choice(["correct", "score", "gold"])
    problems = [{name: make(rng) for name, make in OF_A_PROBLEM.items()} for _ in range(8)]
    rows = []
    for i in range(rng.randint(1, 80)):
        number = i // 3 % 8
        row = problems[number] | {name: make(rng) for name, make in OF_A_SAMPLE.items()}
        row = {name: row[name] for name in chosen if rng.random() < 0.97}
        row |= {"problem": number, "method": "abc"[i % 3], "sample": i // 24}
        row |= {
            "correct": {"correct": rng.random() < 0.5},
            "score": {"score": rng.choice([0, 1, 0.25])},
            "gold": {"gold": f"{number}", "answer": rng.choice([f"{number}", odd(rng)])},
        }[judged]
        rows.append(row)
    pd.DataFrame(rows).to_csv(file, index=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_table_by_chance_is_read_or_refused(seed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table(random.Random(seed), Path("t.csv"))
    if ends("import t.csv --partial --out RUN", capsys) == 0:
        for words in READ.split("|"):
            ends(words, capsys)


def reply(rng) -> str:
    text = rng.choice(PARTS["replies"])
    for _ in range(text.count("{}")):
        program = rng.choice(PARTS["programs"]).replace("{}", repr(odd(rng)))
        text = text.replace("{}", program, 1)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("method", ["trove", "primitive", "creator", "pot", "memory", "latm"])
@pytest.mark.parametrize("seed", range(3))
def test_a_run_by_replies_of_chance_is_read_or_refused(seed, method, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(f"{seed} {method}")
    asked = [{"question": f"What is {i}? {odd(rng)}", "answer": odd(rng)} for i in range(4)]
    Path("own.jsonl").write_text("\n".join(map(json.dumps, asked)))
    said = {"prompt": "", "texts": [reply(rng) for _ in range(9)]}
    Path("said.jsonl").write_text(json.dumps(said))
    words = f"run --dataset own.jsonl --model canned:said.jsonl --methods {method} --k 3 --seeds 0"
    if ends(f"{words} --quiet --out RUN", capsys) == 0:
        for words in READ.split("|"):
            ends(words, capsys)
