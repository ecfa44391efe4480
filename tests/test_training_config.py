"""The settings of the learner: one documented file a game, and what the command line changes."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from tefuda.envs import GAMES
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import find_game
from tefuda.training import config as configs
from tefuda.training.config import TrainConfig, settings

NAMES = [find_game(game).name for game in GAMES]


def file_of(name: str) -> Path:
    return configs.CONFIGS / f"{name}.toml"


@pytest.mark.parametrize("name", NAMES)
def test_a_games_file_explains_every_setting_before_it_sets_it(name: str) -> None:
    explained: dict[str, str] = {}
    comment: list[str] = []
    for line in file_of(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            comment.append(line.removeprefix("# "))
        elif line:
            explained[line.partition(" = ")[0]] = " ".join(comment)
        if not line.startswith("#"):
            comment = []
    assert explained == {key: setting.meaning for key, setting in settings().items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_games_file_decides_unless_something_else_is_given(name: str) -> None:
    config = TrainConfig.for_game(name, clip=0.25, options={"players": 3})
    assert (config.game, config.clip, config.options) == (name, 0.25, {"players": 3})
    assert config.most_lessons != TrainConfig().most_lessons
    assert isinstance(config.layers, tuple)


def test_a_setting_that_does_not_exist_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configs, "CONFIGS", tmp_path)
    (tmp_path / "gacha.toml").write_text("speed = 3\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"gacha\.toml: speed is no setting; there are encoder"):
        TrainConfig.for_game("gacha")
    (tmp_path / "gacha.toml").write_text("clip = -1.0\n", encoding="utf-8")
    with pytest.raises(OptionError, match=r"clip=-1\.0 is not allowed"):
        TrainConfig.for_game("gacha")


def test_seats_are_paid_as_the_config_says_unless_an_option_does() -> None:
    config = TrainConfig(reward="score", options={"players": 3})
    assert config.learning_options == {"players": 3, "reward": "score"}
    given = TrainConfig(reward="score", options={"reward": "win"})
    assert given.learning_options == {"reward": "win"}
