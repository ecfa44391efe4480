"""Quatre des Fruits: cards laid over cards on a round cake."""

from pathlib import Path

from tefuda.envs.core.spec import GameSpec
from tefuda.envs.quatre import rules, text
from tefuda.envs.quatre.encode import ENCODERS
from tefuda.envs.quatre.greedy import greedy
from tefuda.envs.quatre.parts import OPTIONS, setup

GAME = GameSpec(
    name="quatre",
    version=0,
    rules=rules,
    setup=setup,
    options=OPTIONS,
    encoders=ENCODERS,
    text=text,
    greedy=greedy,
    folder=Path(__file__).parent,
)
