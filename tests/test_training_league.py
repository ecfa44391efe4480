"""Whom the learner meets at its tables: scripted players, and earlier snapshots of itself."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tefuda.envs.core.errors import OptionError
from tefuda.training import league as leagues
from tefuda.training.agents import GreedyAgent, RandomAgent
from tefuda.training.config import TrainConfig
from tefuda.training.league import MOST_SNAPSHOTS, SNAPSHOT_GAMES, League, Snapshot
from tefuda.training.model import make_model
from tefuda.training.network import TablePolicy
from tefuda.training.ppo import SelfPlayPPO
from tefuda.wrappers.sb3 import LEARNER, TablesVecEnv

CONFIG = TrainConfig(
    game="gacha",
    options={"players": 3},
    tables=16,
    steps=32,
    batch=256,
    layers=(8,),
    encoder="flat",
    scripted=0.2,
    snapshots=0.5,
    decisions=10_240,
    lessons=0.0,
)
PLAYERS = 4


def test_a_share_of_the_games_is_played_among_others() -> None:
    league = League([RandomAgent(), GreedyAgent()], 0.25)
    league.seed(3)
    seating = league.draw(20_000, 4)
    learners = (seating == LEARNER).sum(axis=1)
    assert set(learners.tolist()) == {1, 4}
    away = seating[learners == 1]
    assert len(away) / 20_000 == pytest.approx(0.25, abs=0.015)
    assert (np.sort(away, axis=1)[:, 1] == away.max(axis=1)).all()  # one player in all the rest
    assert away.max(axis=1).mean() == pytest.approx(0.5, abs=0.03)
    assert np.bincount((away == LEARNER).argmax(axis=1)) / len(away) == pytest.approx(
        0.25, abs=0.03
    )
    league.seed(3)
    np.testing.assert_array_equal(seating, league.draw(20_000, 4))


@pytest.mark.parametrize("league", [League([], 0.5), League([RandomAgent()], 0.0)])
def test_without_others_the_learner_plays_every_seat(league: League) -> None:
    assert (league.draw(100, 3) == LEARNER).all()


# ==================================================================== snapshots


def league_of(snapshots: int) -> League:
    league = League([RandomAgent()], 0.2, 0.5)
    league.seed(4)
    for _ in range(snapshots):
        league.add(GreedyAgent())
    return league


def tell(league: League, index: int, won: int, lost: int) -> None:
    """Tells of games against a snapshot that the learner won, or one of the others."""
    seating = np.full((won + lost, PLAYERS), 1 + index)
    seating[:, 2] = LEARNER
    winners = np.zeros(seating.shape, np.bool_)
    winners[:won, 2] = winners[won:, 0] = True
    league.hear(seating, winners)


def test_hard_snapshots_are_met_oftener() -> None:
    league = league_of(3)
    np.testing.assert_allclose(league.win_rates(), 0.5)
    # Of four seats an even one wins a quarter: then it wins as often as each other seat.
    tell(league, 0, 250, 750)
    tell(league, 1, 700, 300)
    tell(league, 2, 50, 950)
    even, easy, hard = league.win_rates()
    assert even == pytest.approx(0.5)
    assert easy == pytest.approx(710 / (700 + 100 + 20))
    assert hard == pytest.approx(60 / (50 + 950 / 3 + 20))
    expected = (1 - np.array([even, easy, hard])) ** 2
    np.testing.assert_allclose(league.weights(), expected / expected.sum())
    assert easy > even > hard


def test_shared_victories_count_in_part_and_other_games_not_at_all() -> None:
    league = league_of(2)
    seating = np.array([[1, LEARNER, 1], [0, 0, LEARNER], [LEARNER, LEARNER, LEARNER]])
    winners = np.array([[True, True, False], [True, False, False], [False, False, True]])
    league.hear(seating, winners)
    assert league.win_rates()[0] == pytest.approx((0.5 + 10) / (0.5 + 0.25 + 20))
    assert league.win_rates()[1] == 0.5


def test_seats_among_snapshots() -> None:
    league = league_of(3)
    tell(league, 2, 0, 500)
    batches = [league.draw(2, PLAYERS) for _ in range(40_000)]
    seating = np.concatenate(batches)
    learners = (seating == LEARNER).sum(axis=1)
    assert set(learners.tolist()) == {1, PLAYERS}
    others = seating.max(axis=1)[learners == 1]
    assert ((seating == LEARNER) | (seating == seating.max(axis=1, keepdims=True))).all()
    shares = np.bincount(others, minlength=4) / len(seating)
    assert shares[0] == pytest.approx(0.2, abs=0.01)
    np.testing.assert_allclose(shares[1:], 0.5 * league.weights(), atol=0.04)
    # One after the other, so that they decide in larger batches.
    met = others[others > 0]
    assert (met[: SNAPSHOT_GAMES - 1] == met[0]).all()
    assert np.flatnonzero(np.diff(met)).size < len(met) / SNAPSHOT_GAMES
    again = league_of(3)
    tell(again, 2, 0, 500)
    for batch in batches[:500]:
        np.testing.assert_array_equal(batch, again.draw(2, PLAYERS))


def test_without_snapshots_their_games_are_self_play() -> None:
    seating = league_of(0).draw(5000, PLAYERS)
    assert (seating == LEARNER).all(axis=1).mean() == pytest.approx(0.8, abs=0.03)


def test_the_easiest_makes_room() -> None:
    league = league_of(MOST_SNAPSHOTS)
    tell(league, 5, 90, 10)
    tell(league, 6, 10, 90)
    kept, newest = [*league.players], RandomAgent()
    rates = league.win_rates()
    league.add(newest)
    assert league.players == [*kept[:6], newest, *kept[7:]]
    assert league.win_rates()[5] == 0.5
    assert rates[6] < league.win_rates()[6] < 0.5  # what was before counts less


# ==================================================================== in training


def parameters(policy: torch.nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in policy.parameters()])


def trained(config: TrainConfig) -> SelfPlayPPO:
    model = make_model(config)
    model.learn(config.decisions)
    return model


def test_a_run_meets_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leagues, "SNAPSHOT_GAMES", 2)
    config = replace(CONFIG, checks=4)
    model = make_model(config)
    assert isinstance(model.policy, TablePolicy)
    before = parameters(model.policy).clone()
    model.learn(config.decisions)
    assert isinstance(model.env, TablesVecEnv)
    league = model.env._seating
    assert isinstance(league, League)
    greedy, *snapshots = league.players
    assert greedy.name == "greedy"
    assert len(snapshots) == config.checks
    assert all(isinstance(snapshot, Snapshot) for snapshot in snapshots)
    found = [parameters(s._policy) for s in snapshots if isinstance(s, Snapshot)]
    torch.testing.assert_close(found[0], before)
    assert not torch.equal(found[0], found[-1])
    assert (league.win_rates() != 0.5).any()
    assert torch.equal(parameters(trained(config).policy), parameters(model.policy))


def test_a_snapshot_plays_what_the_policy_played() -> None:
    model = make_model(CONFIG)
    assert isinstance(model.policy, TablePolicy)
    assert isinstance(model.env, TablesVecEnv)
    snapshot, tables = Snapshot(model.policy), model.env.tables
    model.env.reset()
    rows = np.arange(3, CONFIG.tables)
    expected, _ = model.predict(
        tables.observation[rows], action_masks=tables.action_mask[rows], deterministic=True
    )
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.add_(1.0)
    np.testing.assert_array_equal(snapshot.act(tables, rows), expected)


def test_shares_of_games_add_up_to_one_at_most() -> None:
    with pytest.raises(OptionError, match=r"scripted=0\.6 and snapshots=0\.5 are shares"):
        replace(CONFIG, scripted=0.6)
