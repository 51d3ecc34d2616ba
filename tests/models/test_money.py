"""A run never costs more than it may, whatever its server does, and what it cost is what its server
was told."""

import json

import pytest

from trove_lite.candidates import read_description
from trove_lite.errors import TroveLiteError
from trove_lite.models.base import Completion, SamplingSettings
from trove_lite.models.money import BILL, Price, price_of, read_prices
from trove_lite.models.openai import OpenAIServer

from ..scripted import problems, run, table
from ..typed import typed
from .misbehaving import Server, changed

TOML = '["tin*"]\ninput = 1000\noutput = 2000\n[tiny]\ninput = 1000\noutput = 10000\n'
SPEC = "http://127.0.0.1:1/v1#tiny"


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(TOML)
    return path


def made(server, folder, **given):
    model = OpenAIServer(server.url, "tiny", first_pause=0.001, retries=1)
    small = {
        "methods": ("primitive",),
        "seeds": (0,),
        "k": 4,
        "problems": lambda *where: problems(*where, n=5),
    }
    return run(folder, model=model, **({"in_flight": 3} | small | given))


def billed(server) -> float:
    """What all requests that were answered cost: 7 tokens written each."""
    return sum(len(body["prompt"].split()) * 1000 + 7 * 10000 for body in server.bodies) / 1e6


def test_a_run_stops_before_it_costs_more_and_goes_on_with_more(tmp_path, prices):
    with Server() as server:
        whole = table(made(server, tmp_path / "whole", prices=prices))
        cost = billed(server)
    assert read_description(tmp_path / "whole")["cost"] == pytest.approx(cost)
    with Server() as server:
        for most in (6.0, 6.3):  # the longest completion alone, reserved, is 5.12
            with pytest.raises(TroveLiteError, match=f"of --max_cost {most:g} is spent") as error:
                made(server, tmp_path / "run", prices=prices, max_cost=most)
            assert str(error.value).isprintable()
            assert read_description(tmp_path / "run")["cost"] == pytest.approx(billed(server))
            assert most - 5.3 < billed(server) <= most
        assert table(made(server, tmp_path / "run", prices=prices, max_cost=10)).equals(whole)
        assert billed(server) == pytest.approx(cost)
    assert read_description(tmp_path / "run")["cost"] == pytest.approx(cost)


def test_a_reply_without_tokens_and_a_kill_cost_all_that_was_put_aside(tmp_path, prices):
    with (
        Server(always=changed(usage=None)) as server,
        pytest.raises(TroveLiteError, match="is spent"),
    ):
        made(server, tmp_path / "run", prices=prices, max_cost=12)
    assert len(server.bodies) == 2
    bill = tmp_path / "run" / BILL
    bill.write_text(
        "".join(line for line in bill.read_text().splitlines(True) if "paid" not in line)
    )
    with Server() as server, pytest.raises(TroveLiteError, match="is spent"):
        made(server, tmp_path / "run", prices=prices, max_cost=12)
    assert server.bodies == []


def test_failures_cost_nothing(tmp_path, prices):
    with Server(*[500, 200] * 20) as server:
        made(server, tmp_path / "run", prices=prices, in_flight=1)
    assert read_description(tmp_path / "run")["cost"] == pytest.approx(billed(server) / 2)


@pytest.mark.parametrize(("cached", "cost"), [(None, 140), (0, 80), (3, 260)])
def test_what_a_cache_held_costs_what_the_price_says_of_it_and_no_request_more_than_its_worst(
    cached, cost
):
    price = Price(1, 2, cached)
    settings = SamplingSettings(max_tokens=20)
    asked = Completion("7", 100, 20, "stop", 0.1, cached_tokens=60)
    assert price.of_all([asked]) == pytest.approx(cost / 1e6)
    assert price.of_all([asked]) < price.at_most("x" * 100, settings)
    assert price.of_all([asked._replace(completion_tokens=None)]) is None


def test_a_name_comes_before_a_pattern(prices):
    found = read_prices(prices)
    assert price_of("tiny", found) == Price(1000, 10000)
    assert price_of("tinier", found) == Price(1000, 2000)
    with pytest.raises(TroveLiteError, match="no price for the model 'other'"):
        price_of("other", found)


@pytest.mark.parametrize(
    "text", ["", "x", "tiny = 3", "[tiny]\ninput = 1", "[tiny]\ninput = -1\noutput = 1"]
)
def test_files_without_prices_and_money_that_cannot_be_counted_are_refused_in_a_line(
    text, prices, capsys
):
    for words in (["--max_cost", "1"], ["--model", "practice", "--prices", str(prices)]):
        assert typed("run --dry_run", *words) in (1, 2)
        assert "--" in capsys.readouterr().err
    prices.write_text(text)
    assert typed("run --model", SPEC, "--max_cost", "1", "--prices", prices, "--dry_run") in (1, 2)
    assert capsys.readouterr().err.count("\n") == 1


def test_an_estimate_says_what_it_assumes(tmp_path, capsys):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"tiny": {"input": 1, "output": 2}}))
    assert typed("run --model", SPEC, "--prompts", "own", "--prices", path, "--dry_run") == 0
    assert (
        "by the price of tiny, if every completion is the longest allowed"
        in capsys.readouterr().out
    )
