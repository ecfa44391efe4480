"""Evaluations: duplicate deals, a fixed number of games, honest intervals."""

import json
from pathlib import Path

import numpy as np
import pytest

from tefuda.envs.core.batch import Tables
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.training.agents.base import Actions, Rows
from tefuda.training.cli import main
from tefuda.training.evaluate import evaluate, summarise


class Watched:
    """A random player that notes which deals it was asked about, and in which seat."""

    name = "watched"

    def __init__(self) -> None:
        self.seen: set[tuple[int, int, int, int]] = set()
        self._agent = RandomAgent(7)

    def act(self, tables: Tables, rows: Rows) -> Actions:
        keys = tables.keys[rows].tolist()
        self.seen |= {(*key, int(s)) for key, s in zip(keys, tables.seat[rows], strict=True)}
        return self._agent.act(tables, rows)


def test_each_deal_is_played_once_from_every_seat() -> None:
    agent = Watched()
    result = evaluate(agent, RandomAgent(1), "gacha", games=10, seed=5)
    assert (result.deals, result.games) == (3, 12)  # whole deals of four games
    assert agent.seen == {(5, deal, 0, seat) for deal in range(3) for seat in range(4)}


def test_an_agent_among_itself_breaks_even_on_every_deal() -> None:
    # Its draws depend on the decision alone, so the four games of a deal are one and the same.
    result = evaluate(RandomAgent(1), RandomAgent(1), "gacha", games=80)
    assert result.mean == pytest.approx(0, abs=1e-6)
    assert result.half_width == pytest.approx(0, abs=1e-6)


def test_is_repeatable_and_the_seed_matters() -> None:
    first, again, other = (
        evaluate(RandomAgent(1), RandomAgent(2), "gacha", games=40, seed=s) for s in (1, 1, 2)
    )
    assert first == again != other


def test_random_among_random_is_even() -> None:
    result = evaluate(RandomAgent(1), RandomAgent(2), "gacha", games=2000)
    low, high = result.interval
    assert low - 0.02 < 0 < high + 0.02
    assert 0.2 < result.wins < 0.35


@pytest.mark.parametrize("players", [3, 5])
def test_greedy_beats_random(players: int) -> None:
    result = evaluate(
        GreedyAgent(), RandomAgent(), "gacha", games=300, options={"players": players}
    )
    assert result.interval[0] > 0.4
    assert len(result.by_seat) == players


def test_interval_takes_deals_as_the_sample() -> None:
    payoffs = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, -1.0], [0.5, 0.0]])
    won = payoffs > 0
    result = summarise("one", "other", payoffs, won)
    means = [0.5, 0.5, -0.5, 0.25]
    assert result.mean == pytest.approx(np.mean(means))
    assert result.half_width == pytest.approx(1.959964 * np.std(means, ddof=1) / 2)
    assert (result.games, result.deals, result.wins) == (8, 4, 0.5)
    assert result.by_seat == pytest.approx((0.5, -0.125))


def test_command_prints_every_ordered_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich")
    file = tmp_path / "results.json"
    command = ["evaluate", "gacha", "--agents", "random", "greedy", "--games", "40"]
    assert main([*command, "--json", str(file)]) == 0
    results = json.loads(file.read_text())["results"]
    assert [(r["agent"], r["opponents"]) for r in results] == [
        ("random", "greedy"),
        ("greedy", "random"),
    ]
    assert f"{results[1]['mean']:+.3f}" in capsys.readouterr().out
