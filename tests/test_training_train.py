"""A training run from the command line to its folder, resumed and interrupted."""

import csv
import json
import signal
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("rich")

import torch

from tefuda.envs import Game
from tefuda.training import train
from tefuda.training.agents.policy import load_model
from tefuda.training.cli import main
from tefuda.training.config import TrainConfig, settings
from tefuda.training.watch import interruptible
from tefuda.wrappers.sb3 import TablesVecEnv

ROLLOUT = 8 * 16
SMALL = [
    *("--tables", "8", "--steps", "16", "--batch", "64", "--layers", "8,8", "--checks", "2"),
    *("--check-games", "8", "--final-games", "8"),
]
CONFIG = TrainConfig(
    tables=8, steps=16, batch=64, layers=(8,), checks=2, check_games=8, final_games=8
)
FILES = {
    *("config.json", "versions.json", "model.zip", "curve.csv", "curve.png"),
    *("evaluation.json", "records.jsonl", "tensorboard"),
}


def run(*arguments: str) -> int:
    return main(["train", *arguments])


def new_run(folder: Path, *more: str) -> int:
    return run("gacha", "--decisions", str(4 * ROLLOUT), "--run", str(folder), *SMALL, *more)


def curve(folder: Path) -> list[dict[str, str]]:
    with (folder / "curve.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_leaves_everything_behind(tmp_path: Path) -> None:
    assert new_run(tmp_path, "--seed", "3", "--option", "scoring=vp", "--players", "3") == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES
    config = TrainConfig.load(tmp_path / "config.json")
    assert (config.seed, config.decisions, config.game) == (3, 4 * ROLLOUT, "gacha_v0")
    assert config.options == {"players": 3, "scoring": "vp"}
    versions = json.loads((tmp_path / "versions.json").read_text())
    assert versions["packages"]["torch"] == torch.__version__.partition("+")[0]
    assert load_model(tmp_path).num_timesteps == 4 * ROLLOUT
    results = json.loads((tmp_path / "evaluation.json").read_text())["results"]
    assert [result["opponents"] for result in results] == ["random", "greedy"]
    assert [int(point["decisions"]) for point in curve(tmp_path)] == [
        0,
        2 * ROLLOUT,
        4 * ROLLOUT,
    ]
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert len(records) == train.RECORDS
    assert all(Game.from_record(record).node == "over" for record in records)


def test_the_seed_decides_what_is_learnt(tmp_path: Path) -> None:
    weights = []
    for name, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        assert new_run(tmp_path / name, "--seed", seed) == 0
        parameters = load_model(tmp_path / name).policy.parameters()
        weights.append(torch.cat([parameter.flatten() for parameter in parameters]))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_resume_goes_on_with_counters_optimiser_and_schedule(tmp_path: Path) -> None:
    assert new_run(tmp_path) == 0
    before = load_model(tmp_path)
    assert run("--resume", str(tmp_path), "--decisions", str(8 * ROLLOUT)) == 0
    after = load_model(tmp_path)
    assert after.num_timesteps == 8 * ROLLOUT
    assert after._n_updates == 2 * before._n_updates
    steps = [m.policy.optimizer.state_dict()["state"][0]["step"] for m in (before, after)]
    assert steps[1] == 2 * steps[0]
    assert TrainConfig.load(tmp_path / "config.json").decisions == 8 * ROLLOUT
    decisions = [int(point["decisions"]) for point in curve(tmp_path)]
    assert decisions == [0, 2 * ROLLOUT, 4 * ROLLOUT, 8 * ROLLOUT]
    seconds = [float(point["seconds"]) for point in curve(tmp_path)]
    assert seconds == sorted(seconds)


def test_resume_deals_new_games(tmp_path: Path) -> None:
    assert new_run(tmp_path) == 0
    config = TrainConfig.load(tmp_path / "config.json")
    model = train.reload_model(config, train.RunFolder.open(tmp_path))
    first = train.make_model(config)
    dealt = []
    for env in (model.env, first.env):
        assert isinstance(env, TablesVecEnv)
        dealt.append(env.reset())
    assert not np.array_equal(*dealt)


def test_the_learning_rate_falls_to_nothing(tmp_path: Path) -> None:
    assert new_run(tmp_path) == 0
    model = load_model(tmp_path)
    assert model._current_progress_remaining == 0
    assert model.lr_schedule(1.0) == pytest.approx(CONFIG.learning_rate)
    assert model.lr_schedule(0.0) == 0


def test_ctrl_c_keeps_what_was_learnt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    whole_check = train.check

    def check(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:  # half way through
            signal.raise_signal(signal.SIGINT)
        return whole_check(*arguments)

    monkeypatch.setattr(train, "check", check)
    assert new_run(tmp_path) == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES
    assert load_model(tmp_path).num_timesteps == 2 * ROLLOUT
    assert run("--resume", str(tmp_path)) == 0
    assert load_model(tmp_path).num_timesteps == 4 * ROLLOUT


def test_a_second_ctrl_c_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_minutes_become_whole_rollouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "WARM_UP_SECONDS", 0.2)
    short, long = (train.plan(CONFIG, minutes, Event()) for minutes in (0.1, 1.0))
    assert short % ROLLOUT == long % ROLLOUT == 0
    assert 0 < short < long


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gacha", "--run", "{}"], "is not empty"),
        (["--resume", "{}"], "holds no model"),
        (["gacha", "--option", "rounds=2", "--decisions", "1"], "applies only with scoring='vp'"),
        (["gacha", "--option", "rounds", "--decisions", "1"], "not of the form NAME=VALUE"),
        (["nogame", "--decisions", "1"], "'nogame' is not known"),
        (["--resume", "{}", "--tables", "9"], "takes its settings"),
    ],
)
def test_refusals_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (tmp_path / "something").touch()
    assert run(*[argument.format(tmp_path) for argument in arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_finished_run_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new_run(tmp_path) == 0
    assert run("--resume", str(tmp_path)) == 2
    assert "512 decisions, and 512 were planned" in capsys.readouterr().err


def test_help_tells_every_setting_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("--help")
    text = " ".join(capsys.readouterr().out.split())
    for name, (_, meaning) in settings().items():
        assert f"--{name.replace('_', '-')}" in text
        assert f"{meaning} (default:" in text


def test_a_configuration_is_read_back_as_written(tmp_path: Path) -> None:
    CONFIG.save(tmp_path / "config.json")
    assert TrainConfig.load(tmp_path / "config.json") == CONFIG
