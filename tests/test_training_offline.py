"""Decisions in Parquet files: complete, in order, with what each seat was still paid."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pq = pytest.importorskip("pyarrow.parquet")

from tefuda.envs import Game  # noqa: E402 - only where pyarrow is
from tefuda.envs.core.engine import make_engine  # noqa: E402
from tefuda.envs.core.errors import OptionError  # noqa: E402
from tefuda.envs.core.registry import find_game  # noqa: E402
from tefuda.training import offline  # noqa: E402
from tefuda.training.agents import GreedyAgent, RandomAgent  # noqa: E402
from tefuda.training.cli import main  # noqa: E402
from tefuda.training.offline import read_about, read_decisions, write_parquet  # noqa: E402

SEED = 6
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 2},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "max_rounds": 2},
}


@pytest.mark.parametrize("reward", ["win", "score"])
@pytest.mark.parametrize("name", SHORT)
def test_every_row_is_a_decision_of_its_game(name: str, reward: str, tmp_path: Path) -> None:
    """Replays each game from its actions and compares all columns."""
    options: dict[str, Any] = {**SHORT[name], "reward": reward}
    file = tmp_path / "games.parquet"
    count = write_parquet(RandomAgent(1), name, games=3, seed=SEED, file=file, options=options)
    engine = make_engine(find_game(name), **options)
    (found,) = read_decisions(file)
    assert found.game.size == count
    at = 0
    for number in range(3):
        game = Game(engine, seed=(SEED, number, 0))
        game.settle()
        paid, rows = [], []
        while game.node != "over":
            assert (found.game[at], found.seat[at]) == (number, game.seat)
            assert found.decision[at] == len(rows)
            np.testing.assert_array_equal(
                np.flatnonzero(found.action_mask[at]), game.legal_actions()
            )
            assert game.seat is not None
            seen = game.observation(game.seat)
            flat = (
                seen
                if not isinstance(seen, dict)
                else np.concatenate([piece.ravel() for piece in seen.values()])
            )
            np.testing.assert_array_equal(found.observation[at].ravel(), flat.ravel())
            paid.append(game.returns())
            rows.append(at)
            game.apply(int(found.action[at]))
            game.settle()
            at += 1
        for row, before in zip(rows, paid, strict=True):
            to_go = game.returns()[found.seat[row]] - before[found.seat[row]]
            assert found.reward_to_go[row] == pytest.approx(to_go, abs=1e-4)
    assert at == count


def test_portions_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    told: list[int] = []
    for file, portion in ((whole, 64), (cut, 3)):
        monkeypatch.setattr(offline, "_PORTION", portion)
        write_parquet(
            GreedyAgent(2), "gacha_v0", games=7, seed=SEED, file=file, encoder="tokens",
            options=SHORT["gacha_v0"], on_game=lambda: told.append(1),
        )  # fmt: skip
    assert pq.ParquetFile(cut).num_row_groups == 3
    assert pq.read_table(whole).equals(pq.read_table(cut))
    assert len(told) == 14


def test_a_file_says_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "games.parquet"
    write_parquet(RandomAgent(), "quatre", games=1, seed=SEED, file=file, options={"players": 2})
    about = read_about(file)
    assert (about["env"], about["players"], about["seed"]) == ("quatre_v0", 2, SEED)
    assert (about["agent"], about["components"]["name"]) == ("random", "reconstruction")
    engine = make_engine(find_game(about["env"]), about["encoder"], players=about["players"])
    assert next(read_decisions(file)).observation.shape[1:] == engine.shape


def test_a_failing_agent_leaves_no_file(tmp_path: Path) -> None:
    class Broken:
        name = "broken"

        def act(self, tables: object, rows: object) -> Any:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        write_parquet(Broken(), "gacha_v0", games=1, seed=0, file=tmp_path / "games.parquet")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OptionError):
        write_parquet(RandomAgent(), "gacha_v0", games=1, seed=-1, file=tmp_path / "x.parquet")
    with pytest.raises(OptionError, match="no folder"):
        write_parquet(
            RandomAgent(), "gacha_v0", games=1, seed=1, file=tmp_path / "no" / "x.parquet"
        )


# ==================================================================== the command

COMMAND = ["record", "gacha", "--games", "5", "--seed", str(SEED), "--policy", "greedy"]
OPTIONS = ["--players", "3", "--option", "scoring=vp", "--option", "rounds=2"]


@pytest.mark.parametrize("encoder", [None, "tokens"])
def test_the_command_writes_what_the_function_writes(encoder: str | None, tmp_path: Path) -> None:
    by_command, by_function = tmp_path / "command.parquet", tmp_path / "function.parquet"
    more = ["--encoder", encoder] if encoder else []
    assert main([*COMMAND, *OPTIONS, "--parquet", *more, "-o", str(by_command)]) == 0
    write_parquet(
        GreedyAgent(), "gacha_v0", games=5, seed=SEED, file=by_function, encoder=encoder,
        options=SHORT["gacha_v0"],
    )  # fmt: skip
    assert pq.read_table(by_command).equals(pq.read_table(by_function))
    assert read_about(by_command) == read_about(by_function)


def test_an_encoder_belongs_to_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--encoder", "tokens", "-o", str(tmp_path / "x")]) == 2
    assert "--encoder belongs to --parquet" in capsys.readouterr().err
    assert main([*COMMAND, "--parquet", "--encoder", "runes", "-o", str(tmp_path / "x")]) == 2
    assert "encoder='runes' is not allowed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
