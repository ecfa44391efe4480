"""Evaluations: duplicate deals, a fixed number of games, honest intervals."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tefuda.envs import make_vec
from tefuda.envs.core.batch import Tables
from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.training import crossplay
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.training.agents.base import Actions, Rows
from tefuda.training.cli import main
from tefuda.training.crossplay import CrossPlay
from tefuda.training.evaluate import (
    Portion,
    count_deals,
    evaluate,
    play_portion,
    summarise,
)
from tefuda.training.play import deal, play_out
from tefuda.training.portions import cut


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


# ==================================================================== one pair


def test_each_deal_is_played_once_from_every_seat() -> None:
    agent = Watched()
    result = evaluate(agent, RandomAgent(1), "gacha", games=10, seed=5)
    assert (result.deals, result.games) == (3, 12)  # whole deals of four games
    assert agent.seen == {(5, deal, 0, seat) for deal in range(3) for seat in range(4)}


def test_payoffs_and_wins_are_those_of_games_played_one_by_one() -> None:
    found = play_portion(GreedyAgent(), RandomAgent(1), "gacha", range(4, 6), seed=3)
    for index, number in enumerate(range(4, 6)):
        for seat in range(4):
            tables = make_vec("gacha", tables=number + 1, seed=3, autoreset=False)
            seating = np.ones((number + 1, 4), np.int64)
            seating[:, seat] = 0
            payoffs = play_out(tables, [GreedyAgent(), RandomAgent(1)], seating).payoffs
            assert found.payoffs[index, seat] == payoffs[number, seat]
            winners = tables.winners[number]
            assert found.shares[index, seat] == winners[seat] / winners.sum()


def test_a_deal_is_that_of_its_number() -> None:
    whole = make_vec("gacha", tables=8, seed=3)
    some = make_vec("gacha", tables=3, seed=0)
    deal(some, 3, np.array([6, 2, 6]))
    for array, expected in (
        (some.observation, whole.observation),
        (some.action_mask, whole.action_mask),
        (some.seat, whole.seat),
        (some.keys, whole.keys),
    ):
        np.testing.assert_array_equal(array, expected[[6, 2, 6]])


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
    portions = [Portion(part, part.clip(0)) for part in (payoffs[:1], payoffs[1:])]
    result = summarise("one", "other", portions)
    means = [0.5, 0.5, -0.5, 0.25]
    assert result.mean == pytest.approx(np.mean(means))
    assert result.half_width == pytest.approx(1.959964 * np.std(means, ddof=1) / 2)
    assert (result.games, result.deals, result.wins) == (8, 4, 0.5)
    assert result.by_seat == pytest.approx((0.5, -0.125))


def test_deals_are_whole_and_at_least_two() -> None:
    assert [count_deals("gacha", games) for games in (1, 8, 9, 400)] == [2, 2, 3, 100]
    assert [list(portion) for portion in cut(5, 2)] == [[0, 1], [2, 3], [4]]


# ==================================================================== every pair

NAMES = ["random", "greedy"]
PAIRS = [("random", "greedy"), ("greedy", "random")]


def test_any_number_of_processes_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossplay, "PORTION", 4)
    alone, together = (CrossPlay(NAMES, "gacha", games=30, seed=2) for _ in range(2))
    told: list[int] = []
    alone.play(1, told.append)
    together.play(2)
    assert alone.complete
    assert alone.results() == together.results()
    assert [(r.agent, r.opponents, r.games) for r in alone.results()] == [(*p, 32) for p in PAIRS]
    assert sum(told) == alone.games == 64


def test_interrupted_it_tells_of_the_deals_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossplay, "PORTION", 4)
    whole, broken = (CrossPlay(NAMES, "gacha", games=48, seed=2) for _ in range(2))
    whole.play()
    told: list[int] = []

    def interrupt(games: int) -> None:
        told.append(games)
        if len(told) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken.play(1, interrupt)
    assert not broken.complete
    assert [result.games for result in broken.results()] == [32, 32]
    shorter = CrossPlay(NAMES, "gacha", games=32, seed=2)
    shorter.play()
    assert broken.results() == shorter.results()


def test_an_error_in_a_process_is_told() -> None:
    crossplay_ = CrossPlay(NAMES, "gacha", games=8)
    crossplay_._workplace._arguments = (["random", "clever"], "gacha", 0, {})
    with pytest.raises(TefudaError, match="process that played has died"):
        crossplay_.play(2)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["random"], "two or more are needed"),
        (["random", "greedy", "random"], "agent 'random' is named twice"),
        (["random", "clever"], "no agent 'clever'"),
    ],
)
def test_agents_that_cannot_be_compared_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CrossPlay(names, "gacha", games=8)


# ==================================================================== the command

COMMAND = ["evaluate", "gacha", "--agents", *NAMES, "--games", "40"]


def test_command_prints_every_ordered_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich")
    file = tmp_path / "results.json"
    command = [*COMMAND, "--players", "3", "--option", "scoring=vp", "--json", str(file)]
    assert main(command) == 0
    told = json.loads(file.read_text())
    assert (told["game"], told["players"], told["complete"]) == ("gacha_v0", 3, True)
    assert told["options"]["scoring"] == "vp"
    assert set(told["components"]) == {"name", "sha256"}
    results = told["results"]
    assert [(r["agent"], r["opponents"]) for r in results] == PAIRS
    out = capsys.readouterr().out
    assert f"{results[1]['mean']:+.3f} ±{results[1]['half_width']:.3f}" in out
    assert "42 games a pair" in out


def test_ctrl_c_prints_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(crossplay, "PORTION", 2)
    played: list[Any] = []

    def interrupted(*arguments: Any, **more: Any) -> Portion:
        played.append(arguments)
        if len(played) > 3:
            raise KeyboardInterrupt
        return play_portion(*arguments, **more)

    monkeypatch.setattr(crossplay, "play_portion", interrupted)
    file = tmp_path / "results.json"
    assert main([*COMMAND, "--json", str(file)]) == 130
    out = capsys.readouterr().out
    assert "interrupted: fewer games than asked for" in out
    assert "8 to 16 games a pair" in out
    told = json.loads(file.read_text())
    assert not told["complete"]
    assert [result["games"] for result in told["results"]] == [16, 8]
    pytest.importorskip("statsmodels")
    assert [rating["agent"] for rating in told["ratings"]] == NAMES


def test_command_rates_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    pytest.importorskip("statsmodels")
    file, plots = tmp_path / "results.json", tmp_path / "new" / "plots"
    assert main([*COMMAND, "--json", str(file), "--plot", str(plots), "--jobs", "2"]) == 0
    weak, strong = json.loads(file.read_text())["ratings"]
    assert weak["high"] < 0 < strong["low"]
    assert f"{strong['rating']:+.0f}" in capsys.readouterr().out
    for name in ("matrix.png", "ratings.png"):
        assert (plots / name).read_bytes().startswith(b"\x89PNG")


def test_without_statsmodels_there_is_a_matrix_and_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    for module in [name for name in sys.modules if name.startswith("statsmodels")]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    monkeypatch.delitem(sys.modules, "tefuda.training.ratings", raising=False)
    assert main([*COMMAND, "--json", str(tmp_path / "results.json")]) == 0
    told = capsys.readouterr()
    assert "mean payoff" in told.out
    assert "no ratings: this needs statsmodels" in told.err and "tefuda[evaluate]" in told.err
    assert json.loads((tmp_path / "results.json").read_text())["ratings"] == []


def test_pictures_need_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    pytest.importorskip("matplotlib")
    file = tmp_path / "file"
    file.touch()
    assert main([*COMMAND, "--plot", str(file)]) == 2
    assert f"cannot draw into {file}: it is no folder" in capsys.readouterr().err


def test_some_pairs_with_games_of_their_own() -> None:
    names = ["random", "greedy", "ismcts:2"]
    some = CrossPlay(names, "gacha", games={PAIRS[1]: 24, ("greedy", "ismcts:2"): 8}, seed=2)
    some.play()
    found = {(r.agent, r.opponents): r for r in some.results()}
    assert {pair: r.games for pair, r in found.items()} == {PAIRS[1]: 24, ("greedy", "ismcts:2"): 8}
    alone = CrossPlay(NAMES, "gacha", games=24, seed=2)
    alone.play()
    assert found[PAIRS[1]] == alone.results()[1]
