"""Shipped policies: made of a run, loaded by name, and refused where they were not trained."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("rich")

from stable_baselines3.common.save_util import load_from_zip_file

from tefuda.envs import make_vec
from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.training import ship as shipping
from tefuda.training import shipped, train
from tefuda.training.agents import load, make_agent
from tefuda.training.agents.policy import PolicyAgent
from tefuda.training.cli import main
from tefuda.training.config import TrainConfig
from tefuda.training.ship import ship
from tefuda.training.shipped import PolicyCard

CONFIG = TrainConfig(
    game="gacha",
    tables=8,
    steps=16,
    batch=64,
    layers=(8,),
    decisions=128,
    lessons=0,
    checks=1,
    encoder="flat",
    check_games=8,
    final_games=8,
)
NOTES = "Larger layers gave nothing.\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny run."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    train.start(CONFIG, folder, None)
    return folder


@pytest.fixture(scope="module")
def made(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the shipped policy of the run."""
    folder = tmp_path_factory.mktemp("policies")
    # An unknown setting, as a run of another version may have.
    config = run / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "later": 1}))
    ship(run, folder, games=8, ismcts_games=4, simulations=2, notes=NOTES)
    return folder


@pytest.fixture
def policies(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder, in the place of the package's own."""
    monkeypatch.setattr(shipped, "POLICIES", made)
    return made


def facts(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "gacha.json").read_text())
    return found


def optimiser_state(file: Path) -> Any:
    parameters: Any = load_from_zip_file(file)[1]
    return parameters["policy.optimizer"]["state"]


def test_the_card_holds_what_was_measured_and_what_the_run_says(made: Path, run: Path) -> None:
    card, text = facts(made), (made / "gacha.md").read_text()
    results = card["evaluation"]["results"]
    assert [(r["agent"], r["opponents"], r["games"]) for r in results] == [
        ("policy", "random", 8),
        ("policy", "greedy", 8),
        ("policy", "ismcts:2", 8),  # two deals at least
    ]
    for result in results:
        assert f"| {result['opponents']} | {result['mean']:+.3f} |" in text
    assert card["training"]["decisions"] == 128
    assert card["training"]["config"]["later"] == 1
    assert card["training"]["seconds"] > 0
    assert card["trained_for"]["players"] == 4
    assert card["file"]["bytes"] == (made / "gacha.zip").stat().st_size
    assert "## What was tried" in text and NOTES.strip() in text
    assert str(made) not in text and str(run) not in json.dumps(card)
    assert "platform" not in json.dumps(card)


def test_it_plays_as_the_model_of_the_run(policies: Path, run: Path) -> None:
    agent, other = load("gacha"), PolicyAgent(run)
    assert agent.name == "policy" and agent.card.facts == facts(policies)
    tables, rows = make_vec("gacha_v0", tables=16, seed=1), np.arange(16)
    for _ in range(30):
        actions = agent.act(tables, rows)
        np.testing.assert_array_equal(actions, other.act(tables, rows))
        tables.step(actions)


def test_the_file_holds_no_state_of_training(made: Path, run: Path) -> None:
    data, _, _ = load_from_zip_file(made / "gacha.zip")
    assert data is not None
    assert not set(shipping._OF_TRAINING) & set(data)
    assert optimiser_state(run / "model.zip")
    assert not optimiser_state(made / "gacha.zip")
    # No object is pickled by its code, which another Python could not read.
    with zipfile.ZipFile(made / "gacha.zip") as archive:
        assert "function'" not in archive.read("data").decode()


def test_commands_know_it_by_its_name(
    policies: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = ["evaluate", "gacha", "--agents", "policy", "random"]
    assert main([*agents, "--games", "8"]) == 0
    assert "policy" in capsys.readouterr().out
    file = tmp_path / "games.jsonl"
    assert main(["record", "gacha", "--policy", "policy", "--games", "2", "-o", str(file)]) == 0
    assert len(file.read_text().splitlines()) == 2
    assert main([*agents, "--players", "3"]) == 2
    told = capsys.readouterr().err
    assert "shipped policy of gacha was trained for players=4" in told
    assert "not for players=3" in told


@pytest.mark.parametrize("options", [{"players": 3}, {"scoring": "vp"}])
def test_what_it_was_not_trained_for_is_refused(policies: Path, options: dict[str, Any]) -> None:
    tables = make_vec("gacha_v0", tables=2, **options)
    ((name, value),) = options.items()
    with pytest.raises(OptionError, match=f"trained for players=4.*not for {name}={value!r}"):
        load("gacha").act(tables, np.arange(2))
    with pytest.raises(OptionError, match="trained for players=4"):
        make_agent("policy", engine=tables.engine)


def test_another_deck_is_refused_and_another_reward_is_not(policies: Path) -> None:
    tables = make_vec("gacha_v0", tables=2, reward="score")
    load("gacha").act(tables, np.arange(2))
    card = PolicyCard.find("gacha")
    components = {"name": "base", "sha256": "0" * 64}
    other = {**card.facts, "trained_for": {**card.facts["trained_for"], "components": components}}
    with pytest.raises(OptionError, match=r"components='base' \(sha256 00000000\), not for comp"):
        PolicyCard(card.model, other).check_game(tables.engine)


def test_who_has_none_is_told_who_has_one(policies: Path) -> None:
    with pytest.raises(TefudaError, match="quatre has no shipped policy; there is one for gacha"):
        load("quatre")
    with pytest.raises(OptionError, match="'policy' depends on the game"):
        make_agent("policy")


def test_a_file_that_is_not_the_cards_is_refused(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "POLICIES", tmp_path)
    (tmp_path / "gacha.json").write_bytes((made / "gacha.json").read_bytes())
    with pytest.raises(TefudaError, match="there is no model at"):
        load("gacha")
    (tmp_path / "gacha.zip").write_bytes((made / "gacha.zip").read_bytes() + b" ")
    with pytest.raises(TefudaError, match="not the file that its card tells of"):
        load("gacha")
    (tmp_path / "gacha.json").write_text("[]")
    with pytest.raises(TefudaError, match="no model card"):
        load("gacha")


def test_too_large_a_policy_is_refused_and_nothing_is_written(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shipping, "MOST_BYTES", 1000)
    assert shipping.main([str(run), "--to", str(tmp_path / "new")]) == 2
    assert "a shipped one may have 1,000" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_no_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shipping.main([str(tmp_path)]) == 2
    assert f"{tmp_path} is no folder of a finished run" in capsys.readouterr().err


def test_verdicts_follow_the_intervals() -> None:
    from tefuda.training.card import limits, verdict

    row = {"opponents": "greedy", "mean": 0.1, "games": 2000, "deals": 500}
    won, lost, open_ = (
        {**row, "low": low, "high": high} for low, high in ((0.05, 0.15), (-0.2, -0.1), (-0.1, 0.3))
    )
    assert verdict(won) == "It beats greedy: +0.100 (+0.050 .. +0.150) over 2,000 games."
    assert verdict(lost).startswith("It loses to greedy")
    assert verdict(open_).startswith("No difference from greedy is shown")
    trained = {"players": 4, "options": {}, "components": {"name": "base", "sha256": "ab"}}
    assert not any("not been shown" in line for line in limits(trained, [won]))
    assert any("not been shown to beat greedy" in line for line in limits(trained, [won, lost]))
    few = {**won, "games": 8, "deals": 2}
    assert verdict(few).startswith("Too few games to tell against greedy")
    assert any("not been shown" in line for line in limits(trained, [few]))
