"""The course of a game in words: true, the same in every world that a seat cannot tell apart."""

import re
from typing import Any

import numpy as np
import pytest

from tefuda.envs import GAMES, Game, make_vec
from tefuda.envs.core.story import EVENT, ROUND, SCORE, WHY, Chronicle
from tefuda.training.agents import make_agent

OPTIONS: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 4, "scoring": "vp", "rounds": 2},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "target": 12},
}


def played(name: str, seed: int, agent: str = "greedy", **options: Any) -> Game:
    """A whole game."""
    tables = make_vec(
        name,
        tables=1,
        seed=seed,
        autoreset=False,
        keep_actions=True,
        **{**OPTIONS[name], **options},
    )
    player = make_agent(agent)
    while not tables.done[0]:
        tables.step(player.act(tables, np.array([0])))
    return tables.game(0)


def shortened(game: Game, count: int) -> Game:
    """The first events of a game."""
    short = Game(game.engine, seed=game.key)
    for value in game.values[:count]:
        short.advance(value)
    return short


def told(game: Game, seat: int | None) -> list[tuple[str, str]]:
    chronicle = Chronicle(game.engine)
    chronicle.follow(game)
    return [(line.kind, line.text) for line in chronicle.lines(seat)]


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_is_told_the_same_in_worlds_that_it_cannot_tell_apart(name: str) -> None:
    rng = np.random.default_rng(5)
    differing = 0
    for seed in range(3):
        game = played(name, seed, "random")
        for _ in range(8):
            short = shortened(game, int(rng.integers(len(game.values))))
            for seat in range(game.players):
                other = short.resample(seat, rng)
                assert told(other, seat) == told(short, seat)
                differing += told(other, None) != told(short, None)
    assert name == "quatre_v0" or differing > 5


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("agent", ["greedy", "random"])
def test_gacha_names_who_wins_each_trick_and_why(players: int, agent: str) -> None:
    game = played("gacha_v0", 1, agent, players=players, rounds=3)
    chronicle = Chronicle(game.engine)
    winner, tricks = None, 0
    for value in game.values:
        trick = int(chronicle.twin.state["trick"])
        count = len(chronicle.lines(0))
        chronicle.add(value)
        for line in chronicle.lines(0)[count:]:
            found = re.match(r"Seat (\d) wins the trick with (\d+) (\w+), the ", line.text)
            if found:
                winner, tricks = int(found[1]), tricks + 1
        if int(chronicle.twin.state["trick"]) == trick + 1:
            assert int(chronicle.twin.state["leader"]) == winner
    assert tricks == 30


@pytest.mark.parametrize("name", GAMES)
def test_points_and_rounds_are_told(name: str) -> None:
    game = played(name, 2)
    lines = told(game, 0)
    assert [kind for kind, _ in lines].count(SCORE) == int(game.state["scorings"]) + 1
    rounds = 1 if name == "quatre_v0" else int(game.state["scorings"])
    assert [kind for kind, _ in lines].count(ROUND) == rounds
    assert {kind for kind, _ in lines} == {EVENT, WHY, SCORE, ROUND}
    assert f"totals {', '.join(map(str, game.totals))}." in lines[-2][1]
    assert all(f"seat {seat}" in lines[-1][1] for seat in game.winners or ())


@pytest.mark.parametrize("name", GAMES)
def test_a_chronicle_can_follow_a_game_that_goes_on(name: str) -> None:
    game = played(name, 3)
    chronicle = Chronicle(game.engine)
    for count in range(0, len(game.values), 7):
        chronicle.follow(shortened(game, count))
    chronicle.follow(game)
    for seat in (None, *range(game.players)):
        assert [(line.kind, line.text) for line in chronicle.lines(seat)] == told(game, seat)


def test_a_game_without_a_story_is_told_by_its_labels(tiny_game: str) -> None:
    game = Game(tiny_game, seed=(1, 0, 0))
    while game.node != "over":
        if game.node == "chance":
            game.settle()
        else:
            game.apply(game.legal_actions()[0])
    texts = [text for kind, text in told(game, 0) if kind == EVENT]
    assert texts[0].startswith("Seat 0: deal: ")
    assert "Seat 1: deal: hidden." in texts
    assert "Seat 0: pass." in texts


def test_torutorento_tells_leaves_draws_and_caterpillars() -> None:
    texts = [text for _, text in told(played("torutorento_v0", 3), 0)]
    for pattern in (
        r"Seat 1 has let fall: .+\.",
        r"Seat \d draws the card of slot \d from seat \d\.",
        r"It is a [\w-]+\.",
        r"Seat \d has a caterpillar of length \d+.*\.",
    ):
        assert any(re.fullmatch(pattern, text) for text in texts), pattern


def test_quatre_tells_what_goes_under_cream_and_the_new_order() -> None:
    texts = [text for _, text in told(played("quatre_v0", 3), 0)]
    assert any(re.fullmatch(r"Under cream now: \d \w+.*\.", text) for text in texts)
    orders = [text for text in texts if text.startswith("Turn order from now on")]
    assert len(orders) == 3
