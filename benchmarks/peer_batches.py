"""Batches of ours, Pgx and EnvPool, as `peers.py` compares them.

The last two are installed in the environment of `make bench-peers` alone; type checkers run in
another one.
"""

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peer import BATCH, OURS, SEED, Facts, Maker, Peer

from tefuda.envs import GAMES, make_vec

_TABLES = 1024
# Steps that are made at once.
_STEPS = 8

_BRIDGE = "bridge_bidding"
_PGX = ("kuhn_poker", "leduc_holdem", "sparrow_mahjong", "connect_four", "hex", "go_9x9", _BRIDGE)
_ENVPOOL = ("KuhnPoker-v1", "LeducHoldem-v1", "SparrowMahjong-v1", "ConnectFour-v1", "Hex-v1")


def ours(game: str) -> Peer:
    """Our batch engine, with its own random legal actions."""
    tables = make_vec(game, tables=_TABLES, seed=SEED)
    row = tables.observation[0]
    facts = Facts(
        BATCH, OURS, game, tables.players, row.size, row.nbytes, tables.actions, tables=_TABLES
    )

    def run() -> int:
        for _ in range(_STEPS):
            tables.step(tables.sample())
        return _STEPS * _TABLES

    return Peer(facts, run)


# ==================================================================== Pgx


def pgx(name: str) -> Peer:
    """A game of Pgx: sampling, step and the next game in one compiled function over the batch."""
    import jax  # type: ignore[import-not-found]
    from pgx.experimental import act_randomly, auto_reset  # type: ignore[import-not-found]

    env = _pgx_game(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(key: Any, state: Any) -> tuple[Any, Any]:
        key, drawing, chance = jax.random.split(key, 3)
        actions = act_randomly(drawing, state.legal_action_mask)
        return key, step(state, actions, jax.random.split(chance, _TABLES))

    key = jax.random.key(SEED)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, _TABLES))
    row = state.observation[0]
    facts = Facts(
        BATCH, "pgx", name, env.num_players, row.size, row.nbytes, env.num_actions, tables=_TABLES
    )
    held = [(key, state)]

    def run() -> int:
        for _ in range(_STEPS):
            held[0] = play(*held[0])
        jax.block_until_ready(held[0])
        return _STEPS * _TABLES

    return Peer(facts, run)


def _pgx_game(name: str) -> Any:
    """A game of Pgx; bridge with the sample of solved deals that the library carries.

    The large table of them is to be downloaded; how fast the game is does not depend on it.
    """
    import pgx as library  # type: ignore[import-not-found]

    if name != _BRIDGE:
        return library.make(name)
    from pgx import bridge_bidding  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deals.npy"
        np.save(file, np.stack([np.asarray(deals) for deals in bridge_bidding._load_sample_hash()]))
        return bridge_bidding.BridgeBidding(str(file))


# ==================================================================== EnvPool


def envpool(name: str) -> Peer:
    """A game of EnvPool, in C++; it gives the observations of all seats at every step."""
    import envpool as library  # type: ignore[import-not-found]

    env = library.make(name, env_type="gymnasium", num_envs=_TABLES, num_threads=1, seed=SEED)
    rng = np.random.default_rng(SEED)
    seen, info = env.reset()
    players = len(seen) // _TABLES
    facts = Facts(
        BATCH,
        "envpool",
        name,
        players,
        values=seen[0].size,
        bytes=seen[0].nbytes,
        actions=int(env.action_space.n),
        tables=_TABLES,
    )
    held = [info["legal_action_mask"]]

    def run() -> int:
        for _ in range(_STEPS):
            held[0] = env.step(_random_actions(rng, held[0]))[-1]["legal_action_mask"]
        return _STEPS * _TABLES

    return Peer(facts, run)


def _random_actions(rng: np.random.Generator, masks: Any) -> Any:
    """(N,) a legal action of each of N masks, all zero ones aside."""
    drawn = rng.random(masks.shape, dtype=np.float32)
    return (drawn * masks).argmax(axis=1).astype(np.int32)


# ==================================================================== all of them

MAKERS: list[Maker] = [
    *((OURS, name, partial(ours, name)) for name in GAMES),
    *(("pgx", name, partial(pgx, name)) for name in _PGX),
    *(("envpool", name, partial(envpool, name)) for name in _ENVPOOL),
]
