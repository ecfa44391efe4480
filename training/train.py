"""Learning a game by self-play: from a configuration to a run folder."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

from rich.console import Console
from stable_baselines3.common.logger import configure

from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.envs.core.registry import find_game
from tefuda.training.agents.policy import PolicyAgent, load_model
from tefuda.training.check import check
from tefuda.training.config import TrainConfig
from tefuda.training.files import write_json
from tefuda.training.model import (
    CHECKS,
    FINAL,
    RECORDS,
    choose_encoder,
    count_lessons,
    make_model,
    make_pupil,
    reload_model,
    seed_for,
)
from tefuda.training.plan import plan_run
from tefuda.training.plot import plot_curve
from tefuda.training.ppo import SelfPlayPPO
from tefuda.training.records import record_games
from tefuda.training.runs import RunFolder
from tefuda.training.tables import results_table
from tefuda.training.watch import Watch, interruptible, make_progress

#: Games of the trained policy against itself that a run folder keeps.
RECORDED = 10

_MINUTE = 60
_STOPPING = (
    "stopping: what has been learnt is kept, evaluated and written; "
    "press Ctrl-C again to leave at once"
)


def start(config: TrainConfig, path: Path | None, minutes: float | None) -> RunFolder:
    """Trains a new policy.

    Args:
        config: What to do; its decisions count where `minutes` is None.
        path: The run folder; None for a new one named after game and time.
        minutes: How long to train, from the first measurement to the last decision.

    Raises:
        TefudaError: The folder is not empty, or an option is not allowed.
    """
    spec = find_game(config.game)
    config = _whole_rollouts(replace(config, game=spec.id, encoder=choose_encoder(config)))
    folder = RunFolder.new(path, spec.name)
    if minutes is not None:
        config = _plan(config, minutes, lessons=True)
    if not config.decisions:
        raise OptionError("decisions=0: tell how many decisions, or minutes, there are to learn")
    _run(make_model(config), config, folder)
    return folder


def resume(path: Path, minutes: float | None, decisions: int | None) -> RunFolder:
    """Goes on with a run from its newest checkpoint that is not damaged.

    Args:
        path: Its folder.
        minutes: How much longer to train; or
        decisions: how many decisions to make in all; or neither: as many as were planned.

    Raises:
        TefudaError: There is no such run, or it has nothing left to do.
    """
    folder = RunFolder.open(path)
    config = TrainConfig.load(folder.config)
    model = reload_model(config, _newest_model(folder))
    if minutes is not None:
        decisions = model.num_timesteps + _plan(config, minutes, lessons=False).decisions
    config = _whole_rollouts(replace(config, decisions=decisions or config.decisions))
    if model.num_timesteps >= config.decisions and folder.evaluation.is_file():
        raise OptionError(
            f"{path} has learnt from {model.num_timesteps:,} decisions, and "
            f"{config.decisions:,} were planned: tell by --minutes or --decisions how far to go"
        )
    _run(model, config, folder)
    return folder


def _plan(config: TrainConfig, minutes: float, *, lessons: bool) -> TrainConfig:
    print(f"measuring how much can be learnt in {minutes:g} minutes ...", file=sys.stderr)
    return plan_run(config, minutes * _MINUTE, lessons=lessons)


def _whole_rollouts(config: TrainConfig) -> TrainConfig:
    """The configuration with its decisions rounded up to whole rollouts."""
    return replace(config, decisions=-(-config.decisions // config.rollout) * config.rollout)


def _newest_model(folder: RunFolder) -> SelfPlayPPO:
    """The newest checkpoint that is not damaged; what came after it is forgotten."""
    damaged = []
    for file in reversed(folder.checkpoint_files()):
        try:
            model = load_model(file)
        except TefudaError as error:
            print(f"tefuda: {error}; going back to the checkpoint before it", file=sys.stderr)
            damaged.append(file.name)
        else:
            folder.drop_after(file)
            return model
    raise TefudaError(f"no checkpoint of {folder.path} can be read: {', '.join(damaged)}")


def _run(model: SelfPlayPPO, config: TrainConfig, folder: RunFolder) -> None:
    """Learns, and fills the run folder."""
    folder.make()
    config.save(folder.config)
    folder.evaluation.unlink(missing_ok=True)
    folder.add_versions(model.num_timesteps, config.game, config.options)
    with interruptible(_STOPPING) as stop:
        watch = learn(model, config, folder, stop)
        finish(model, config, folder, watch)


def learn(model: SelfPlayPPO, config: TrainConfig, folder: RunFolder, stop: Event) -> Watch:
    """Learns until the decisions are made or `stop` is set, and saves the model."""
    model.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
    save = _saver(model, folder)
    with make_progress() as progress:
        watch = Watch(
            folder,
            progress,
            check=lambda: check(model, config, config.check_games, seed_for(config, CHECKS)),
            save=save,
            decisions=config.decisions,
            checks=config.checks,
            stop=stop,
        )
        watch.init_callback(model)
        if model.num_timesteps == 0 and (lessons := count_lessons(config)):
            watch.take_lessons(lessons, make_pupil(config, model).study)
        left = config.decisions - model.num_timesteps
        model.learn(left, callback=watch, reset_num_timesteps=False)
    model.num_timesteps = watch.learnt
    save(watch.learnt)
    return watch


def _saver(model: SelfPlayPPO, folder: RunFolder) -> Callable[[int], None]:
    return lambda decisions: folder.save_checkpoint(decisions, model.save)


def finish(model: SelfPlayPPO, config: TrainConfig, folder: RunFolder, watch: Watch) -> None:
    """Evaluates what was learnt, prints it, and fills the run folder."""
    console = Console()
    console.print(f"playing {config.final_games:,} games against each baseline ...")
    results = check(model, config, config.final_games, seed_for(config, FINAL))
    watch.evaluate(results)
    model.logger.dump(watch.learnt)
    model.logger.close()
    plot_curve(
        folder.points(), folder.plot, f"{config.game}: mean payoff of the policy in one seat"
    )
    record_games(
        PolicyAgent(model),
        config.game,
        games=RECORDED,
        seed=seed_for(config, RECORDS),
        file=folder.records,
        options=config.options,
    )
    write_json(
        folder.evaluation,
        {
            "game": config.game,
            "options": dict(config.options),
            "policy": "its likeliest action",
            "lessons": watch.lessons,
            "decisions": watch.learnt,
            "seed": seed_for(config, FINAL),
            "results": [result.as_dict() for result in results],
        },
    )
    console.print(results_table(results))
    console.print(f"run folder: {folder.path}")
