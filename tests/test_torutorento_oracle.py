"""Whole games of torutorento, judged event by event by the second implementation.

Set TEFUDA_ORACLE_GAMES for a longer run, for example to 20000 games for each number of players
(about 20 ms a game): TEFUDA_ORACLE_GAMES=20000 pytest -n 2 tests/test_torutorento_oracle.py
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from helpers.torutorento import COUNTS, Counts, changed, components
from oracles import torutorento as oracle
from oracles.torutorento import BIRD, BODY_1, FLOWER, MIMIC, Card
from tefuda.envs import make_vec
from tefuda.training.agents import Agent, GreedyAgent, RandomAgent

#: Games for each number of players, by random seats and by greedy ones.
RANDOM_GAMES = int(os.environ.get("TEFUDA_ORACLE_GAMES", "480"))
GREEDY_GAMES = RANDOM_GAMES // 4
_MOST_TABLES = 500

#: Hardly more cards than hands and market need: the deck runs out.
SCARCE = {
    players: [0, 0, 1, 3, 0, 2 * players, 2 * players, players, 2 * players, players, 0, players]
    for players in (3, 4, 5)
}
#: More of the cards that are rare.
BEASTS = changed(bird=10, mimic=6, butterfly=5, flower=12)

#: Options that take turns, each a batch of its own.
BATCHES: list[dict[str, Any]] = [
    {"max_rounds": 2},
    {"max_rounds": 2, "tie_ranking": "competition", "mimic_body": 2, "reward": "score"},
    {"max_rounds": 3, "mimic_body": 3, "target": 5},
    {"max_rounds": 1, "tie_ranking": "competition"},
    {"max_rounds": 4, "mimic_body": 2, "target": 6, "reward": "score"},
    {"max_rounds": 2, "tie_ranking": "competition", "mimic_body": 3, "target": 4},
    {"max_rounds": 1, "counts": "scarce", "mimic_body": 2},
    {"max_rounds": 2, "counts": "beasts", "tie_ranking": "competition"},
]


class Watched(oracle.Torutorento):
    """The second implementation, counting what rarely happens."""

    happened: Counter[str] = Counter()

    def _count(self, name: str, condition: object = True) -> None:
        self.happened[name] += bool(condition)
