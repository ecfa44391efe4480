"""stub page"""
from pathlib import Path
from tefuda.envs.core.spec import GameSpec
from tefuda.envs.gacha import rules, text
from tefuda.envs.gacha.encode import ENCODERS
from tefuda.envs.gacha.parts import OPTIONS, setup

GAME = GameSpec(
    name="gacha",
    version=0,
    rules=rules,
    setup=setup,
    options=OPTIONS,
    encoders=ENCODERS,
    text=text,
    folder=Path(__file__).parent,
)
