"""Torutorento: a card game of caterpillars, in a hand that must not be sorted.

Three to five seats build caterpillars in the fixed order of their hands: a head, bodies, a tail.
"""

from pathlib import Path

from tefuda.envs.core.spec import GameSpec
from tefuda.envs.torutorento import rules, text
from tefuda.envs.torutorento.encode import ENCODERS
from tefuda.envs.torutorento.parts import OPTIONS, setup

GAME = GameSpec(
    name="torutorento",
    version=0,
    rules=rules,
    setup=setup,
    options=OPTIONS,
    encoders=ENCODERS,
    text=text,
    folder=Path(__file__).parent,
)
