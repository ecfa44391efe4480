"""Single tables of ours, PettingZoo, RLCard and OpenSpiel, as `peers.py` compares them."""

import importlib
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from peer import OURS, SEED, SINGLE, STRETCH, WRAPPED, Facts, Maker, Peer, pick

from tefuda.envs import GAMES

_PETTINGZOO = (
    "tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4",
    "texas_holdem_no_limit_v6", "hanabi_v5", "chess_v6", "go_v5",
)  # fmt: skip
_RLCARD = ("doudizhu", "uno", "bridge", "mahjong")
_OPENSPIEL = ("hearts", "spades", "skat", "euchre")


# ==================================================================== PettingZoo's AEC


def aec(library: str, name: str, module: str, group: str) -> Peer:
    """An AEC environment, `raw_env` as it is or `env` under the wrappers that its makers chose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some are called deprecated
        made = importlib.import_module(module)
    env = _wrapped(library, made) if group == WRAPPED else made.raw_env()
    env.reset(seed=SEED)
    seen = env.last()[0]
    facts = Facts(
        group,
        library,
        name,
        players=len(env.possible_agents),
        values=seen["observation"].size,
        bytes=seen["observation"].nbytes,
        actions=seen["action_mask"].size,
    )
    return Peer(facts, partial(_play_aec, env))


def _wrapped(library: str, module: Any) -> Any:
    """Ours under the same wrappers: `env` of tefuda has none, and refuses illegal actions."""
    if library != OURS:
        return module.env()
    from pettingzoo.utils import wrappers

    env = wrappers.TerminateIllegalWrapper(module.raw_env(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def _play_aec(env: Any) -> int:
    decisions = 0
    while decisions < STRETCH:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            continue
        env.step(int(pick(np.flatnonzero(observation["action_mask"]))))  # type: ignore[arg-type]
        decisions += 1
    return decisions


# ==================================================================== RLCard


def rlcard(name: str) -> Peer:
    """A game of RLCard; its state has the observation and the legal actions."""
    # Of the environment of `make bench-peers`; type checkers run in another.
    import rlcard as library  # type: ignore[import-not-found]

    env = library.make(name, config={"seed": SEED})
    state, _ = env.reset()
    facts = Facts(
        SINGLE,
        "rlcard",
        name,
        players=env.num_players,
        values=state["obs"].size,
        bytes=state["obs"].nbytes,
        actions=env.num_actions,
    )
    return Peer(facts, partial(_play_rlcard, env))


def _play_rlcard(env: Any) -> int:
    decisions = 0
    while decisions < STRETCH:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(pick(list(state["legal_actions"])))
            decisions += 1
    return decisions


# ==================================================================== OpenSpiel


def openspiel(name: str) -> Peer:
    """A C++ game of OpenSpiel; at every decision its tensor is written into a NumPy array."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    recall = game.get_type().provides_information_state_tensor
    seen = make_observation(game, pyspiel.IIGObservationType(perfect_recall=recall))
    assert seen is not None and seen.tensor is not None
    facts = Facts(
        SINGLE,
        "open-spiel",
        name,
        players=game.num_players(),
        values=seen.tensor.size,
        bytes=seen.tensor.nbytes,
        actions=game.num_distinct_actions(),
    )
    return Peer(facts, partial(_play_openspiel, game, seen.set_from))


def _play_openspiel(game: Any, write: Callable[..., None]) -> int:
    decisions = 0
    while decisions < STRETCH:
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()  # those of chance too, which is uniform in these games
            if not state.is_chance_node():
                write(state, player=state.current_player())
                decisions += 1
            state.apply_action(pick(actions))
    return decisions


# ==================================================================== all of them


def _makers() -> list[Maker]:
    found: list[Maker] = []
    for group in (SINGLE, WRAPPED):
        for name in GAMES:
            make = partial(aec, OURS, name, f"tefuda.envs.{name}", group)
            found.append((OURS, name, make))
        for name in _PETTINGZOO:
            make = partial(aec, "pettingzoo", name, f"pettingzoo.classic.{name}", group)
            found.append(("pettingzoo", name, make))
    found += [("rlcard", name, partial(rlcard, name)) for name in _RLCARD]
    found += [("open-spiel", name, partial(openspiel, name)) for name in _OPENSPIEL]
    return found


MAKERS = _makers()
