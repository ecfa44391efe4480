"""The games in OpenSpiel: its checks, its algorithms, equilibria of research components."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import (  # noqa: E402 - only where pyspiel is
    external_sampling_mccfr,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)
from open_spiel.python.tests import games_sim_test  # noqa: E402 - its class would be collected

from tefuda.envs import Game  # noqa: E402
from tefuda.envs.core.errors import IllegalActionError, OptionError  # noqa: E402
from tefuda.wrappers.openspiel import OpenSpielGame, OpenSpielState  # noqa: E402

DUEL = "tefuda_gacha(players=2,components=duel,scoring=vp,rounds=1)"
MEADOW = "tefuda_torutorento(players=2,components=meadow,max_rounds=1)"
GACHA = "tefuda_gacha(players=3,scoring=vp,rounds=1)"
TORUTORENTO = "tefuda_torutorento(players=3,max_rounds=1)"
QUATRE = "tefuda_quatre(players=3)"
ALL = (DUEL, MEADOW, GACHA, TORUTORENTO, QUATRE)

# All histories of the components, the root included; a change of rules or files shows here.
DUEL_HISTORIES, DUEL_INFORMATION_SETS = 56_381, 13_536
MEADOW_HISTORIES = 86_931

# What `benchmarks/equilibria.py` has found: [iterations, NashConv] by component and solver.
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "equilibria.json"
CURVES: dict[tuple[str, str], list[list[float]]] = {
    (row["game"], row["solver"]): row["curve"]
    for row in json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
}


def load(name: str) -> OpenSpielGame:
    game: OpenSpielGame = pyspiel.load_game(name)
    return game


def random_states(game: OpenSpielGame, seed: int) -> list[OpenSpielState]:
    """The states of a random game, the last of them terminal."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    states = [state.clone()]
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=weights)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
        states.append(state.clone())
    return states


@pytest.fixture(scope="module")
def duel() -> Any:
    """The duel with its tree kept in C++, so that each history costs Python only once."""
    return pyspiel.convert_to_cached_tree(load(DUEL))


# ==================================================================== OpenSpiel's own checks


@pytest.mark.parametrize("name", ALL)
def test_random_simulations(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ALL)
def test_simulations_of_the_api_tests(name: str) -> None:
    np.random.seed(0)  # noqa: NPY002 - what OpenSpiel's test draws from
    games_sim_test.GamesSimTest().sim_game(load(name))


@pytest.mark.parametrize("name", ["tefuda_gacha", "tefuda_quatre", "tefuda_torutorento"])
def test_registered_with_its_options(name: str) -> None:
    game = load(name)
    assert game.num_players() == game.engine.players == 4
    assert game.num_distinct_actions() == game.engine.actions
    assert game.get_type().short_name in pyspiel.registered_names()
    assert (game.max_utility(), game.utility_sum()) == (1.0, 0.0)
    assert game.min_utility() == -1 / 3


def test_parameters_are_the_options() -> None:
    game = load("tefuda_gacha(players=5,trump_draw=shuffle,max_rounds=7,encoder=tokens)")
    setup = game.engine.setup
    assert (setup.players, game.engine.encoder) == (5, "tokens")
    assert (setup.options["trump_draw"], setup.options["max_rounds"]) == ("shuffle", 7)
    with pytest.raises(OptionError, match="players=6"):
        load("tefuda_gacha(players=6)")
    with pytest.raises(OptionError, match="max_rounds=7"):
        load("tefuda_gacha(scoring=vp,max_rounds=7)")


def test_importing_it_does_not_spoil_the_end_of_python() -> None:
    code = "import pyspiel, tefuda.wrappers.openspiel; pyspiel.load_game('tefuda_gacha')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ==================================================================== states


@pytest.mark.parametrize("name", ALL)
def test_a_state_is_the_game(name: str) -> None:
    game = load(name)
    states = random_states(game, seed=3)
    twin = Game(game.engine, seed=(0, 0, 0))
    for state in states[:-1]:
        if twin.node == "chance":
            assert state.is_chance_node()
            assert state.chance_outcomes() == twin.chance_outcomes()
            twin.apply_chance(states[-1].history()[len(twin.values)])
        else:
            assert state.current_player() == twin.seat
            assert state.legal_actions() == twin.legal_actions()
            twin.apply(states[-1].history()[len(twin.values)])
    assert twin.node == "over"
    assert states[-1].returns() == twin.returns("win")
    assert sum(states[-1].returns()) == pytest.approx(0)
    assert states[-1].legal_actions() == []


@pytest.mark.parametrize("name", ALL)
def test_actions_and_outcomes_have_words(name: str) -> None:
    for state in random_states(load(name), seed=4)[:-1]:
        player = state.current_player()
        words = [state.action_to_string(player, action) for action in state.legal_actions()]
        assert all(words)
        assert len(set(words)) == len(words)


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    state = random_states(load(GACHA), seed=5)[40]
    assert state.is_player_node()
    before = state.history()
    illegal = next(a for a in range(120) if a not in state.legal_actions())
    with pytest.raises(IllegalActionError):
        state.apply_action(illegal)
    assert state.history() == before


@pytest.mark.parametrize("name", ALL)
def test_tensors_are_the_observations(name: str) -> None:
    game = load(name)
    observer = game.make_py_observer()
    for state in random_states(game, seed=6)[::17]:
        for player in range(game.num_players()):
            seen = state.table.observation(player)
            pieces = seen.values() if isinstance(seen, dict) else [seen]
            flat = np.concatenate([piece.ravel() for piece in pieces]).astype(np.float32)
            np.testing.assert_array_equal(state.observation_tensor(player), flat)
            observer.set_from(state, player)
            for section in game.engine.sections:
                piece = observer.dict[section.name].ravel()
                np.testing.assert_array_equal(piece, flat[section.slice])


def test_observation_strings_tell_observations_apart() -> None:
    game = load(GACHA)
    found: dict[tuple[int, ...], str] = {}
    for state in random_states(game, seed=7):
        for player in range(3):
            tensor = (player, *map(int, state.observation_tensor(player)))
            assert found.setdefault(tensor, state.observation_string(player)) == (
                state.observation_string(player)
            )
    assert len(set(found.values())) == len(found)


@pytest.mark.parametrize("kind", [(True, False, "NONE"), (False, False, "SINGLE_PLAYER")])
def test_other_observers_are_refused(kind: tuple[bool, bool, str]) -> None:
    public, recall, private = kind
    wanted = pyspiel.IIGObservationType(
        public_info=public,
        perfect_recall=recall,
        private_info=getattr(pyspiel.PrivateInfoType, private),
    )
    with pytest.raises(OptionError, match="observers show what one seat knows"):
        load(GACHA).make_py_observer(wanted)


@pytest.mark.parametrize("name", [DUEL, MEADOW, GACHA, TORUTORENTO])
def test_a_resampled_state_looks_the_same_to_its_seat(name: str) -> None:
    game = load(name)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    changed = 0
    decisions = [state for state in random_states(game, seed=8) if state.is_player_node()]
    for state in decisions[::3]:
        player = state.current_player()
        other = state.resample_from_infostate(player, sampler)
        told = state.information_state_string(player)
        assert other.information_state_string(player) == told
        assert other.observation_string(player) == state.observation_string(player)
        assert other.legal_actions() == state.legal_actions()
        changed += other.history() != state.history()
    assert changed


def test_resampling_follows_its_random_numbers() -> None:
    state = random_states(load(GACHA), seed=9)[60]
    first, again, other = (
        state.resample_from_infostate(0, lambda number=number: number)
        for number in (0.25, 0.25, 0.5)
    )
    assert first.history() == again.history() != other.history()


def test_only_research_components_have_information_state_tensors() -> None:
    has = {name: load(name).get_type().provides_information_state_tensor for name in ALL}
    assert has == dict.fromkeys(ALL, False) | {DUEL: True}


# ==================================================================== algorithms on full games


@pytest.mark.parametrize("name", [GACHA, TORUTORENTO])
def test_outcome_sampling_runs_on_full_games(name: str) -> None:
    np.random.seed(1)  # noqa: NPY002 - what the solver draws from
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(load(name))
    solver.iteration()
    policy = solver.average_policy()
    state = next(s for s in random_states(load(name), seed=10) if s.is_player_node())
    assert sum(policy.action_probabilities(state).values()) == pytest.approx(1)


@pytest.mark.parametrize("name", [GACHA, TORUTORENTO])
def test_ismcts_plays_full_games(name: str) -> None:
    game = load(name)
    rng = np.random.RandomState(2)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = ismcts.ISMCTSBot(game, evaluator, uct_c=2.0, max_simulations=8, random_state=rng)
    decisions = [state for state in random_states(game, seed=11) if state.is_player_node()]
    for state in decisions[:: len(decisions) // 3]:
        assert bot.step(state) in state.legal_actions()


def test_the_bots_in_c_plus_plus_still_crash_on_games_in_python() -> None:
    """As the docs say; once this fails, OpenSpiel has mended it and the docs can change."""
    code = f"""
import pyspiel
import tefuda.wrappers.openspiel

state = pyspiel.load_game("{DUEL}").new_initial_state()
while state.is_chance_node():
    state.apply_action(state.chance_outcomes()[0][0])
kind = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
pyspiel.ISMCTSBot(1, evaluator, 2.0, 5, -1, kind, False, False).step(state)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -signal.SIGSEGV


def test_mcts_plays_the_game_of_perfect_information() -> None:
    game = load("tefuda_quatre(players=2,components=mini)")
    assert game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
    rng = np.random.RandomState(4)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = mcts.MCTSBot(game, 2.0, 20, evaluator, random_state=rng)
    state = next(s for s in random_states(game, seed=12) if s.is_player_node())
    assert bot.step(state) in state.legal_actions()


# ==================================================================== research components


def test_the_duel_is_a_proper_game_of_perfect_recall(duel: Any) -> None:
    """Walks all histories: their number, information sets, legal actions, recall, zero sum."""
    found: dict[str, tuple[Any, ...]] = {}
    histories = 0

    def walk(state: Any, recalled: tuple[tuple[Any, ...], ...]) -> None:
        nonlocal histories
        histories += 1
        if state.is_terminal():
            first, second = state.returns()
            assert (first + second, abs(first) in (0, 1)) == (0, True)
            return
        if state.is_chance_node():
            for outcome, _ in state.chance_outcomes():
                walk(state.child(outcome), recalled)
            return
        player = state.current_player()
        key = state.information_state_string(player)
        facts = (player, state.legal_actions(), recalled[player])
        assert found.setdefault(key, facts) == facts
        for action in state.legal_actions():
            own = (*recalled[player], key, action)
            after = (own, recalled[1]) if player == 0 else (recalled[0], own)
            walk(state.child(action), after)

    walk(duel.new_initial_state(), ((), ()))
    assert (histories, len(found)) == (DUEL_HISTORIES, DUEL_INFORMATION_SETS)


def test_information_state_tensors_of_the_duel_are_its_information_sets() -> None:
    game = load(DUEL)
    found: dict[str, tuple[float, ...]] = {}
    for seed in range(150):
        for state in random_states(game, seed):
            for player in range(2):
                tensor = tuple(state.information_state_tensor(player))
                key = state.information_state_string(player)
                assert found.setdefault(key, tensor) == tensor
    assert len(set(found.values())) == len(found) > 1000


def test_nash_conv_falls_under_cfr(duel: Any) -> None:
    """Along the curve that the docs show, which falls to the end."""
    shown = CURVES["gacha, duel", "CFR"]
    solver, done = pyspiel.CFRSolver(duel), 0
    for iterations, nash_conv in shown[:3]:
        for _ in range(int(iterations) - done):
            solver.evaluate_and_update_policy()
        done = int(iterations)
        found = pyspiel.nash_conv(duel, solver.average_policy())
        assert found == pytest.approx(nash_conv, abs=1e-5)
    assert done == 10


@pytest.mark.parametrize("curve", CURVES, ids=" ".join)
def test_the_curves_in_the_docs_fall(curve: tuple[str, str]) -> None:
    values = [nash_conv for _, nash_conv in CURVES[curve]]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.1
    assert values[-1] < 0.02


def test_nash_conv_falls_under_external_sampling(duel: Any) -> None:
    solver = pyspiel.ExternalSamplingMCCFRSolver(duel, seed=1)
    curve = []
    for iterations in (1, 2000):
        for _ in range(iterations):
            solver.run_iteration()
        curve.append(pyspiel.nash_conv(duel, solver.average_policy(), True))
    assert curve[1] < curve[0] / 2


def test_external_sampling_in_python_runs_on_the_duel() -> None:
    np.random.seed(3)  # noqa: NPY002 - what the solver draws from
    solver = external_sampling_mccfr.ExternalSamplingSolver(load(DUEL))
    for _ in range(20):
        solver.iteration()
    state = next(s for s in random_states(load(DUEL), seed=13) if s.is_player_node())
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


def test_the_meadow_has_fewer_than_a_million_histories() -> None:
    table = Game(load(MEADOW).engine, seed=(0, 0, 0))
    assert count_histories(table) == MEADOW_HISTORIES


def count_histories(table: Game) -> int:
    if table.node == "over":
        return 1
    if table.node == "chance":
        values = [outcome for outcome, _ in table.chance_outcomes()]
    else:
        values = table.legal_actions()
    count = 1
    for value in values:
        after = table.clone()
        after.advance(value)
        count += count_histories(after)
    return count
