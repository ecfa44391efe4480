"""A training run from the command line to its folder, resumed, interrupted and killed."""

import csv
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("rich")

import torch

from tefuda.envs import GAMES, Game
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import find_game
from tefuda.training import plan, train
from tefuda.training.agents.policy import load_model
from tefuda.training.cli import main
from tefuda.training.config import TrainConfig, settings
from tefuda.training.model import choose_encoder, count_lessons, make_model, reload_model
from tefuda.training.runs import KEPT, RunFolder
from tefuda.training.shipped import PolicyCard
from tefuda.training.watch import Watch, interruptible
from tefuda.wrappers.sb3 import TablesVecEnv

ROLLOUT = 8 * 16
SMALL = [
    *("--tables", "8", "--steps", "16", "--batch", "64", "--layers", "8,8", "--checks", "2"),
    *("--check-games", "8", "--final-games", "8", "--most-lessons", "300"),
    *("--encoder", "flat"),
]
CONFIG = TrainConfig(
    tables=8,
    steps=16,
    batch=64,
    layers=(8,),
    checks=2,
    encoder="flat",
    check_games=8,
    final_games=8,
)
FILES = {
    *("config.json", "versions.json", "model.zip", "checkpoints", "curve.csv", "curve.png"),
    *("evaluation.json", "records.jsonl", "tensorboard"),
}


def run(*arguments: str) -> int:
    return main(["train", *arguments])


def new_run(folder: Path, *more: str) -> int:
    return run("gacha", "--decisions", str(4 * ROLLOUT), "--run", str(folder), *SMALL, *more)


def curve(folder: Path) -> list[dict[str, str]]:
    with (folder / "curve.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def decisions(folder: Path) -> list[int]:
    return [int(point["decisions"]) for point in curve(folder)]


def parameters(folder: Path) -> torch.Tensor:
    return torch.cat([p.flatten() for p in load_model(folder).policy.parameters()])


# ==================================================================== a whole run


def test_a_run_leaves_everything_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new_run(tmp_path, "--seed", "3", "--option", "scoring=vp", "--players", "3") == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES
    config = TrainConfig.load(tmp_path / "config.json")
    assert (config.seed, config.decisions, config.game) == (3, 4 * ROLLOUT, "gacha_v0")
    assert config.options == {"players": 3, "scoring": "vp"}
    (versions,) = json.loads((tmp_path / "versions.json").read_text())
    assert versions["packages"]["torch"] == version("torch")
    assert len(versions["components"]["sha256"]) == 64
    assert load_model(tmp_path).num_timesteps == 4 * ROLLOUT
    evaluation = json.loads((tmp_path / "evaluation.json").read_text())
    results = evaluation["results"]
    assert [result["opponents"] for result in results] == ["random", "greedy"]
    assert evaluation["decisions"] == 4 * ROLLOUT
    assert decisions(tmp_path) == [0, 0, 2 * ROLLOUT, 4 * ROLLOUT]
    lessons = [int(point["lessons"]) for point in curve(tmp_path)]
    assert lessons == [0, *[evaluation["lessons"]] * 3]
    assert evaluation["lessons"] >= 300
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert len(records) == train.RECORDED
    assert all(Game.from_record(record).node == "over" for record in records)
    out = capsys.readouterr().out
    for result in results:
        assert f"{result['low']:+.3f} .. {result['high']:+.3f}" in out


@pytest.mark.parametrize(
    ("game", "encoder"), [*((game, "flat") for game in GAMES), ("quatre_v0", "planes")]
)
def test_every_game_can_be_learnt(tmp_path: Path, game: str, encoder: str) -> None:
    folder = str(tmp_path / "run")
    more = ("--run", folder, *SMALL, "--encoder", encoder)
    assert run(game, "--decisions", "1", *more) == 0
    assert run("--resume", folder, "--decisions", str(2 * ROLLOUT)) == 0
    results = json.loads((tmp_path / "run" / "evaluation.json").read_text())["results"]
    assert len(results) == (2 if find_game(game).greedy else 1)


def test_the_seed_decides_what_is_learnt(tmp_path: Path) -> None:
    for name, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        assert new_run(tmp_path / name, "--seed", seed) == 0
    assert torch.equal(parameters(tmp_path / "one"), parameters(tmp_path / "again"))
    assert not torch.equal(parameters(tmp_path / "one"), parameters(tmp_path / "other"))


def test_the_learning_rate_falls_to_nothing(tmp_path: Path) -> None:
    assert new_run(tmp_path) == 0
    model = load_model(tmp_path)
    assert model._current_progress_remaining == 0
    assert model.lr_schedule(1.0) == pytest.approx(CONFIG.learning_rate)
    assert model.lr_schedule(0.0) == 0


# ==================================================================== learning on from a policy


def test_a_run_can_start_from_a_policy(tmp_path: Path) -> None:
    """It has no lessons, and with next to no learning it stays what it was."""
    assert new_run(tmp_path / "one", "--seed", "1") == 0
    slow = ("--learning-rate", "1e-12", "--seed", "2", "--start", str(tmp_path / "one"))
    assert new_run(tmp_path / "two", *slow) == 0
    assert torch.allclose(parameters(tmp_path / "one"), parameters(tmp_path / "two"), atol=1e-6)
    assert [int(point["lessons"]) for point in curve(tmp_path / "two")][-1] == 0
    assert TrainConfig.load(tmp_path / "two" / "config.json").start == str(tmp_path / "one")


def test_a_run_can_start_from_the_shipped_policy(tmp_path: Path) -> None:
    started = make_model(TrainConfig.for_game("torutorento", start="policy", decisions=1))
    shipped = load_model(PolicyCard.find("torutorento").model)
    pairs = zip(started.policy.parameters(), shipped.policy.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_a_start_that_does_not_fit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new_run(tmp_path / "one") == 0
    start = ("--start", str(tmp_path / "one"))
    for more, complaint in (
        (("--layers", "4"), "network of another shape"),
        (("--encoder", "expert"), "with encoder 'flat', not gacha_v0 with 'expert'"),
    ):
        assert new_run(tmp_path / "two", *more, *start) == 2
        assert complaint in capsys.readouterr().err
        assert not (tmp_path / "two").exists()
    assert new_run(tmp_path / "two", "--start", "nowhere") == 2
    assert "there is no model at nowhere" in capsys.readouterr().err


# ==================================================================== minutes


def test_minutes_become_whole_rollouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "WARM_UP_SECONDS", 0.1)
    short, long = (plan.plan_run(CONFIG, s, lessons=True).decisions for s in (1.0, 200.0))
    assert short % ROLLOUT == long % ROLLOUT == 0
    assert 0 < short < long


def test_a_run_of_minutes_is_one_of_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "WARM_UP_SECONDS", 0.1)
    assert run("gacha", "--minutes", "0.02", "--run", str(tmp_path / "minutes"), *SMALL) == 0
    config = TrainConfig.load(tmp_path / "minutes" / "config.json")
    count = str(config.decisions)
    assert run("gacha", "--decisions", count, "--run", str(tmp_path / "decisions"), *SMALL) == 0
    repeated = TrainConfig.load(tmp_path / "decisions" / "config.json")
    assert replace(repeated, check_games=config.check_games) == config  # there is no time for 8
    assert config.check_games < repeated.check_games == 8
    assert torch.equal(parameters(tmp_path / "minutes"), parameters(tmp_path / "decisions"))


@pytest.mark.parametrize(
    ("seconds", "lesson", "expected"),
    [
        (10.0, 0.0, 1000),  # 10 ms a decision, no lessons
        (10.0, 0.005, 500),  # two lessons of 5 ms go with each
        (1000.0, 0.005, 75_000),  # no more than 50,000 lessons: 250 of the 1,000 seconds
    ],
)
def test_lessons_take_their_share_of_the_time(seconds: float, lesson: float, expected: int) -> None:
    config = replace(CONFIG, lessons=2.0, most_lessons=50_000)
    assert plan._solve(config, seconds, 0.01, lesson) == pytest.approx(expected)


@pytest.mark.parametrize(("game", "games"), [(0.01, 100), (0.5, 4), (100.0, 1)])
def test_checks_take_a_tenth_of_the_time_at_most(game: float, games: int) -> None:
    config = replace(CONFIG, checks=5, check_games=100)
    spread, seconds = plan._spread_checks(config, 100.0, game)  # 2 s for each check
    assert (spread.check_games, seconds) == (games, pytest.approx(games * game))


# ==================================================================== going on


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
    assert decisions(tmp_path) == [0, 0, 2 * ROLLOUT, 4 * ROLLOUT, 8 * ROLLOUT]
    seconds = [float(point["seconds"]) for point in curve(tmp_path)]
    assert seconds == sorted(seconds)
    versions = json.loads((tmp_path / "versions.json").read_text())
    assert [entry["decisions"] for entry in versions] == [0, 4 * ROLLOUT]


def test_resume_deals_new_games(tmp_path: Path) -> None:
    assert new_run(tmp_path) == 0
    config = TrainConfig.load(tmp_path / "config.json")
    dealt = []
    for model in (reload_model(config, load_model(tmp_path)), make_model(config)):
        assert isinstance(model.env, TablesVecEnv)
        dealt.append(model.env.reset())
    assert not np.array_equal(*dealt)


def test_a_finished_run_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new_run(tmp_path) == 0
    assert run("--resume", str(tmp_path)) == 2
    assert "512 decisions, and 512 were planned" in capsys.readouterr().err
    # Killed while it was evaluated, it has learnt everything but is not finished.
    (tmp_path / "evaluation.json").unlink()
    assert run("--resume", str(tmp_path)) == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES


def test_a_damaged_checkpoint_is_named_and_the_one_before_it_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new_run(tmp_path) == 0
    files = RunFolder(tmp_path).checkpoint_files()
    assert [int(file.stem) for file in files] == [0, 2 * ROLLOUT, 4 * ROLLOUT]
    files[-1].write_bytes(files[-1].read_bytes()[:5000])
    assert run("--resume", str(tmp_path), "--decisions", str(6 * ROLLOUT)) == 0
    error = capsys.readouterr().err
    assert f"{files[-1]} is damaged" in error
    assert load_model(tmp_path).num_timesteps == 6 * ROLLOUT
    # Points of the curve after the checkpoint were learnt by a model that is lost.
    assert decisions(tmp_path) == [0, 0, 2 * ROLLOUT, 3 * ROLLOUT, 6 * ROLLOUT]
    for file in RunFolder(tmp_path).checkpoint_files():
        file.write_bytes(b"")
    assert run("--resume", str(tmp_path), "--decisions", str(8 * ROLLOUT)) == 2
    assert "no checkpoint of" in capsys.readouterr().err


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def test_old_checkpoints_are_dropped(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.make()
    for number in (5, 20, 100, 3000):
        folder.save_checkpoint(number, partial(_write, text=str(number)))
    kept = [int(file.stem) for file in folder.checkpoint_files()]
    assert kept == [5, 20, 100, 3000][-KEPT:]
    assert folder.model.read_text() == "3000"


# ==================================================================== broken off

COMMAND = [sys.executable, "-c", "import sys; from tefuda.training.cli import main; "]
COMMAND[-1] += "sys.exit(main(sys.argv[1:]))"
LONG = 10_000 * ROLLOUT


def begun(folder: Path, checkpoints: int) -> "subprocess.Popen[str]":
    """A process that trains for long, once it has so many checkpoints of self-play."""
    more = ["--decisions", str(LONG), "--run", str(folder), *SMALL, "--checks", "5000"]
    process = subprocess.Popen(
        [*COMMAND, "train", "gacha", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    newest = 0
    while newest < checkpoints * 2 * ROLLOUT:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
        files = RunFolder(folder).checkpoint_files()
        newest = int(files[-1].stem) if files else 0
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_a_complete_run(tmp_path: Path, number: signal.Signals) -> None:
    process = begun(tmp_path, 1)
    process.send_signal(number)
    out, _ = process.communicate()
    assert process.returncode == 0, out
    assert "stopping: what has been learnt is kept" in out
    assert {path.name for path in tmp_path.iterdir()} == FILES
    learnt = load_model(tmp_path).num_timesteps
    assert 0 < learnt < LONG
    assert learnt % ROLLOUT == 0
    assert decisions(tmp_path)[-1] == learnt
    assert json.loads((tmp_path / "evaluation.json").read_text())["decisions"] == learnt


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    process = begun(tmp_path, 2)
    process.kill()
    process.communicate()
    # Nothing is half written; a temporary file may be left.
    learnt = int(RunFolder(tmp_path).checkpoint_files()[-1].stem)
    assert run("--resume", str(tmp_path), "--decisions", str(learnt + ROLLOUT)) == 0
    assert load_model(tmp_path).num_timesteps == learnt + ROLLOUT
    assert decisions(tmp_path) == sorted(decisions(tmp_path))
    assert decisions(tmp_path)[-1] == learnt + ROLLOUT


def test_a_broken_off_rollout_is_not_learnt_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Watch._on_step
    seen: list[int] = []

    def on_step(watch: Watch) -> bool:
        seen.append(watch.num_timesteps)
        if len(seen) == 16 + 5:
            signal.raise_signal(signal.SIGINT)
        return whole(watch)

    monkeypatch.setattr(Watch, "_on_step", on_step)
    assert new_run(tmp_path) == 0
    assert seen[-1] == ROLLOUT + 5 * 8
    assert load_model(tmp_path).num_timesteps == ROLLOUT
    assert run("--resume", str(tmp_path)) == 0
    assert load_model(tmp_path).num_timesteps == 4 * ROLLOUT


def test_lessons_can_be_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Watch.evaluate
    calls: list[Any] = []

    def evaluate(watch: Watch, results: Any) -> None:
        whole(watch, results)
        calls.append(results)
        if len(calls) == 1:  # before the first lesson
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Watch, "evaluate", evaluate)
    assert new_run(tmp_path) == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES
    assert load_model(tmp_path).num_timesteps == 0


def test_a_second_ctrl_c_interrupts(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible("stopping") as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        assert "stopping" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


# ==================================================================== what is allowed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gacha", "--run", "{}"], "is not empty"),
        (["--resume", "{}"], "is no run folder"),
        (["gacha", "--option", "rounds=2", "--decisions", "1"], "applies only with scoring='vp'"),
        (["gacha", "--option", "rounds", "--decisions", "1"], "not of the form NAME=VALUE"),
        (["gacha", "--encoder", "braille", "--decisions", "1"], "encoder='braille'"),
        (["nogame", "--decisions", "1"], "'nogame' is not known"),
        (["--resume", "{}", "--tables", "9"], "takes its game, settings"),
        (["gacha", "--resume", "{}"], "takes its game, settings"),
        (["--resume", "{}", "--seed", "9"], "takes its game, settings"),
        (["gacha", "--tables", "0"], "tables=0 is not allowed; it must be an integer of at least"),
        (["gacha", "--learning-rate", "nan"], "learning_rate=nan is not allowed; it must be a num"),
        (["gacha", "--gamma", "1.5"], "gamma=1.5 is not allowed; it must be a number of at least"),
        (["gacha", "--clip", "0"], "clip=0.0 is not allowed; it must be a number above 0"),
        (["gacha", "--activation", "cube"], "it must be one of 'tanh', 'relu'"),
        (["gacha", "--batch", "1000"], "batch=1000 does not divide the 16,384 decisions"),
        (["gacha", "--seed", "-3"], "seed=-3"),
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
    assert [path.name for path in tmp_path.iterdir()] == ["something"]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--minutes", "0", "'0' is not a positive number"),
        ("--minutes", "inf", "'inf' is not a positive number"),
        ("--decisions", "-5", "'-5' is not a positive number"),
        ("--layers", "64,x", "'x' is not an integer"),
        ("--epochs", "2.5", "invalid int value: '2.5'"),
    ],
)
def test_numbers_are_checked_by_name(
    capsys: pytest.CaptureFixture[str], option: str, value: str, message: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        run("gacha", option, value)
    assert refused.value.code == 2
    assert f"argument {option}: {message}" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert new_run(tmp_path / "file" / "run") == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_help_tells_every_setting_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as shown:
        run("--help")
    assert shown.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for name, setting in settings().items():
        assert f"--{name.replace('_', '-')}" in text
        default = setting.default
        told = ",".join(map(str, default)) if isinstance(default, tuple) else default
        assert f"{setting.meaning} (default: {told})" in text


@pytest.mark.parametrize("command", ["train", "evaluate", "record", "replay"])
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as shown:
        main([command, "--help"])
    assert shown.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    if command != "replay":
        for option in find_game("gacha").options:
            assert f"{option.name} {option.meaning}; " in text


# ==================================================================== the configuration


def test_a_configuration_is_read_back_as_written(tmp_path: Path) -> None:
    CONFIG.save(tmp_path / "config.json")
    assert TrainConfig.load(tmp_path / "config.json") == CONFIG


@pytest.mark.parametrize(
    "text", ["", "{}", '{"layers": [8], "wings": 2}', '{"layers": [8], "tables": 0}']
)
def test_other_files_are_no_configuration(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(OptionError, match="is no configuration of a run"):
        TrainConfig.load(tmp_path / "config.json")


@pytest.mark.parametrize(
    ("game", "named", "chosen"),
    [
        ("gacha", "auto", "expert"),
        ("quatre", "auto", "expert"),
        ("gacha", "tokens", "tokens"),
    ],
)
def test_the_encoder_that_learns_quickest_is_chosen(game: str, named: str, chosen: str) -> None:
    assert choose_encoder(replace(CONFIG, game=game, encoder=named)) == chosen


def test_the_chosen_encoder_is_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever auto may come to mean, a run goes on with what it began with.
    configs: list[TrainConfig] = []
    monkeypatch.setattr(train, "make_model", lambda config: config)
    monkeypatch.setattr(train, "_run", lambda model, config, folder: configs.append(config))
    train.start(replace(CONFIG, encoder="auto", decisions=1), tmp_path / "run", None)
    assert [(config.encoder, config.decisions) for config in configs] == [("expert", ROLLOUT)]


def test_lessons_need_a_scripted_player(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(CONFIG, decisions=1000)
    assert count_lessons(config) > 0
    spec = replace(find_game("gacha"), greedy=None)
    monkeypatch.setattr("tefuda.training.model.find_game", lambda name: spec)
    assert count_lessons(config) == 0
