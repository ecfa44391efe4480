"""The configuration of a training run: one dataclass, saved beside the model."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from tefuda.envs.core.errors import OptionError


def setting(default: Any, meaning: str) -> Any:
    """A field with its default and the line that explains it, here and in `--help`."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class TrainConfig:
    """Everything that decides what a training run learns.

    The defaults were measured on gacha with four players: three minutes on one core.
    """

    game: str = "gacha"
    options: Mapping[str, Any] = field(default_factory=dict)  # options of the game, players too
    decisions: int = 0  # decisions in all, a whole number of rollouts; fixes the schedule
    seed: int = 0

    encoder: str = setting("flat", "how observations are written")
    tables: int = setting(128, "tables that are played at once")
    steps: int = setting(128, "decisions at each table in a rollout")
    epochs: int = setting(2, "passes over a rollout")
    batch: int = setting(512, "decisions in a gradient step")
    learning_rate: float = setting(1e-3, "at the start; it falls linearly to 0")
    gamma: float = setting(1.0, "discount from a seat's decision to its next")
    gae_lambda: float = setting(0.95, "lambda of the advantage estimation")
    clip: float = setting(0.2, "clip range of PPO")
    entropy: float = setting(0.01, "weight of the entropy bonus")
    value: float = setting(0.5, "weight of the value loss")
    max_grad: float = setting(0.5, "largest norm of a gradient")
    layers: tuple[int, ...] = setting((128, 128), "hidden layers of policy and value, separate")
    activation: Literal["tanh", "relu"] = setting("tanh", "between the layers")
    threads: int = setting(1, "threads of torch; more pay on an idle machine only")
    checks: int = setting(10, "quick evaluations on the way, with which the model is saved")
    check_games: int = setting(400, "games against each baseline in a quick evaluation")
    final_games: int = setting(4000, "games against each baseline in the end")

    @property
    def rollout(self) -> int:
        """Decisions in a rollout."""
        return self.tables * self.steps

    def save(self, file: Path) -> None:
        """Writes the configuration as JSON."""
        file.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> "TrainConfig":
        """Reads what `save` wrote.

        Raises:
            OptionError: The file is missing or holds something else.
        """
        try:
            saved: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            saved["layers"] = tuple(saved["layers"])
            return cls(**saved)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise OptionError(f"{file} is no configuration of a run: {error}") from error


def settings() -> dict[str, tuple[Any, str]]:
    """The settings with a meaning of their own: name, default and meaning."""
    return {
        field.name: (field.default, field.metadata["meaning"])
        for field in fields(TrainConfig)
        if field.metadata
    }
