"""The configuration of a training run: one dataclass, saved beside the model."""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tefuda.envs.core.chance import check_seed
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.payoff import REWARDS
from tefuda.envs.core.registry import find_game
from tefuda.training.files import replacing

#: Where each game's settings lie, NAME.toml.
CONFIGS = Path(__file__).parent / "configs"

#: The encoder that is not named.
AUTO = "auto"


@dataclass(frozen=True)
class Setting:
    """What a field of the configuration means, and what it may be.

    Attributes:
        default: Its value unless given.
        meaning: One line, here and in `--help`.
        least: The least allowed number.
        most: The largest allowed number, where there is one.
        above: Whether the number must be more than `least`.
        words: The allowed words, where it is one of some.
    """

    default: Any
    meaning: str
    least: float = 0
    most: float = math.inf
    above: bool = False
    words: tuple[str, ...] = ()

    def describe_allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.words:
            return "one of " + ", ".join(repr(word) for word in self.words)
        if isinstance(self.default, str):
            return "a name"
        if isinstance(self.default, tuple):
            return "positive integers"
        kind = "an integer" if isinstance(self.default, int) else "a number"
        lower = f"above {self.least:g}" if self.above else f"of at least {self.least:g}"
        return f"{kind} {lower}" + (f" and at most {self.most:g}" if self.most < math.inf else "")

    def allows(self, value: Any) -> bool:
        """Whether a value is allowed."""
        if isinstance(self.default, bool):
            return isinstance(value, bool)
        if self.words or isinstance(self.default, str):
            return isinstance(value, str) and (not self.words or value in self.words)
        if isinstance(self.default, tuple):
            return isinstance(value, tuple) and all(_is_whole(v) and v > 0 for v in value)
        whole = isinstance(self.default, int)
        if not (_is_whole(value) if whole else _is_number(value)):
            return False
        return self.least <= value <= self.most and not (self.above and value == self.least)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def setting(default: Any, meaning: str, **limits: Any) -> Any:
    """A field with its default, its line of explanation, and its limits (see `Setting`)."""
    return field(default=default, metadata={"setting": Setting(default, meaning, **limits)})


@dataclass(frozen=True)
class TrainConfig:
    """Everything that decides what a training run learns.

    The defaults here are those for gacha; each game has its own in `configs/NAME.toml`, which
    `for_game` reads.

    Raises:
        OptionError: A value is not allowed.
    """

    game: str = "gacha"
    options: Mapping[str, Any] = field(default_factory=dict)  # options of the game, players too
    decisions: int = 0  # decisions in all, a whole number of rollouts; fixes the schedules
    seed: int = 0
    start: str = ""  # the policy to learn on from: "policy" (the shipped one), or its path

    encoder: str = setting(
        AUTO, "how observations are written: auto is expert where a game has it, else its first"
    )
    lessons: float = setting(
        1.0,
        "decisions of the game's scripted player to imitate beforehand, for each decision of "
        "self-play; 0 learns from self-play alone",
    )
    most_lessons: int = setting(5_000_000, "the largest number of decisions to imitate")
    scripted: float = setting(
        0.5, "share of the games in which the learner plays one seat among scripted players", most=1
    )
    snapshots: float = setting(
        0.0,
        "share of the games in which it plays one seat among an earlier snapshot of itself, hard "
        "ones oftener; a resumed run begins with new snapshots",
        most=1,
    )
    tables: int = setting(128, "tables that are played at once", least=1)
    steps: int = setting(128, "decisions at each table in a rollout", least=1)
    epochs: int = setting(2, "passes over a rollout", least=1)
    batch: int = setting(512, "decisions in a gradient step", least=2)
    lesson_rate: float = setting(
        1e-3, "learning rate of imitation at the start; it falls to a tenth", above=True
    )
    learning_rate: float = setting(
        3e-4, "that of self-play at the start; it changes linearly", above=True
    )
    learning_rate_last: float = setting(0.0, "that of self-play at the end")
    critic_first: float = setting(
        0.08, "share of self-play in which the critic learns alone, after lessons", most=1
    )
    reward: str = setting(
        "win",
        "what seats are paid while they learn: win, for the game alone; score, for points as they "
        "fall, which is quicker to learn where games are long",
        words=REWARDS,
    )
    reward_scale: float = setting(
        1.0, "what rewards are multiplied by: bring points to about 1", above=True
    )
    gamma: float = setting(1.0, "discount from a seat's decision to its next", most=1)
    gae_lambda: float = setting(0.95, "lambda of the advantage estimation", most=1)
    clip: float = setting(0.2, "clip range of PPO", above=True)
    entropy: float = setting(0.003, "weight of the entropy bonus at the start; it changes linearly")
    entropy_last: float = setting(0.003, "weight of the entropy bonus at the end")
    value: float = setting(0.5, "weight of the value loss")
    max_grad: float = setting(0.5, "largest norm of a gradient", above=True)
    layers: tuple[int, ...] = setting((128, 128), "hidden layers of policy and value, separate")
    activation: str = setting("tanh", "between the layers: tanh or relu", words=("tanh", "relu"))
    privileged: bool = setting(
        False, "whether the critic sees what all seats see; the policy never does"
    )
    augment: bool = setting(
        False,
        "whether observations are turned at random by the game's symmetry; not with expert",
    )
    threads: int = setting(1, "threads of torch; more pay on an idle machine only", least=1)
    checks: int = setting(10, "evaluations on the way, each with a checkpoint", least=1)
    check_games: int = setting(400, "games against each baseline in these evaluations", least=1)
    final_games: int = setting(4000, "games against each baseline in the end", least=1)

    def __post_init__(self) -> None:
        """Refuses what is not allowed."""
        check_seed(self.seed)
        if not _is_whole(self.decisions) or self.decisions < 0:
            raise OptionError(f"decisions={self.decisions!r} must be an integer of at least 0")
        for name, allowed in settings().items():
            value = getattr(self, name)
            if not allowed.allows(value):
                raise OptionError(
                    f"{name}={value!r} is not allowed; it must be {allowed.describe_allowed()}"
                )
        if self.scripted + self.snapshots > 1:
            raise OptionError(
                f"scripted={self.scripted} and snapshots={self.snapshots} are shares of all games; "
                "together they must be at most 1"
            )
        if self.rollout % self.batch:
            raise OptionError(
                f"batch={self.batch} does not divide the {self.rollout:,} decisions of a rollout "
                f"(tables={self.tables} x steps={self.steps})"
            )

    @property
    def learning_options(self) -> dict[str, Any]:
        """The options of the game while it is learnt."""
        return {"reward": self.reward, **self.options}

    @property
    def rollout(self) -> int:
        """Decisions in a rollout."""
        return self.tables * self.steps

    @classmethod
    def for_game(cls, game: str, **given: Any) -> "TrainConfig":
        """The configuration of a game: its file in `configs/`, and what is given instead.

        Args:
            game: The game, with or without its version.
            **given: Fields of the configuration.

        Raises:
            OptionError: There is no such game, or a value is not allowed.
        """
        file = CONFIGS / f"{find_game(game).name}.toml"
        known: dict[str, Any] = {**_read_settings(file), "game": game, **given}
        return cls(**known)

    def save(self, file: Path) -> None:
        """Writes the configuration as JSON."""
        with replacing(file) as part:
            part.write_text(json.dumps(asdict(self), indent=2, default=str) + "\n", "utf-8")

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


def _read_settings(file: Path) -> dict[str, Any]:
    """The settings in a file of `configs/`; a game without one has the defaults."""
    if not file.is_file():
        return {}
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    if unknown := sorted(found.keys() - settings().keys()):
        raise OptionError(f"{file}: {unknown[0]} is no setting; there are {', '.join(settings())}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}


def settings() -> dict[str, Setting]:
    """The settings of the learner by name."""
    return {
        field.name: field.metadata["setting"] for field in fields(TrainConfig) if field.metadata
    }
