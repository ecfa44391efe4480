"""Learning a game by self-play: from a configuration to a run folder."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import torch
from rich.console import Console
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from tefuda.envs import make_vec
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import find_game
from tefuda.training.agents import Agent, GreedyAgent, RandomAgent
from tefuda.training.agents.policy import PolicyAgent
from tefuda.training.config import TrainConfig
from tefuda.training.evaluate import Evaluation, evaluate
from tefuda.training.files import replacing, write_json
from tefuda.training.network import ScaledFlatten
from tefuda.training.plot import plot_curve
from tefuda.training.ppo import SelfPlayPPO
from tefuda.training.records import record_games
from tefuda.training.runs import RunFolder
from tefuda.training.tables import results_table
from tefuda.training.watch import Watch, interruptible, make_progress
from tefuda.wrappers.sb3 import TablesVecEnv

#: How long the speed of learning is measured to turn minutes into decisions.
WARM_UP_SECONDS = 4.0

#: Games of the trained policy against itself that a run folder keeps.
RECORDS = 10

_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU}

# What random numbers are for; each purpose has seeds of its own.
_LEARNING, _CHECKS, _FINAL, _RECORDS = range(4)


def seed_for(config: TrainConfig, purpose: int, learnt: int = 0) -> int:
    """A seed that follows from the run's."""
    return int(np.random.SeedSequence((config.seed, purpose, learnt)).generate_state(1)[0])


def make_env(config: TrainConfig) -> TablesVecEnv:
    """The tables at which a run learns."""
    return TablesVecEnv(
        make_vec(config.game, tables=config.tables, encoder=config.encoder, **config.options)
    )


def make_model(config: TrainConfig) -> SelfPlayPPO:
    """A model that has learnt nothing yet."""
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    return SelfPlayPPO(
        "MlpPolicy",
        make_env(config),
        learning_rate=LinearSchedule(config.learning_rate, 0.0, 1.0),
        n_steps=config.steps,
        batch_size=config.batch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value,
        max_grad_norm=config.max_grad,
        policy_kwargs={
            "net_arch": list(config.layers),
            "activation_fn": _ACTIVATIONS[config.activation],
            "features_extractor_class": ScaledFlatten,
        },
        seed=seed_for(config, _LEARNING),
        device="cpu",
    )


def reload_model(config: TrainConfig, folder: RunFolder) -> SelfPlayPPO:
    """The model of an earlier run, with optimiser and counters, at newly dealt tables."""
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    model = SelfPlayPPO.load(folder.model, env=make_env(config), device="cpu")
    model.set_random_seed(seed_for(config, _LEARNING, model.num_timesteps))
    return model


def baselines(config: TrainConfig) -> list[Agent]:
    """Whom a policy is measured against: random, and greedy where the game has one."""
    return [RandomAgent(), GreedyAgent()] if find_game(config.game).greedy else [RandomAgent()]


def check(
    model: SelfPlayPPO, config: TrainConfig, games: int, purpose: int = _CHECKS
) -> list[Evaluation]:
    """Plays the model's likeliest actions among each baseline, paid for winning."""
    agent = PolicyAgent(model)
    return [
        evaluate(
            agent,
            baseline,
            config.game,
            games=games,
            seed=seed_for(config, purpose),
            encoder=config.encoder,
            options={**config.options, "reward": "win"},
        )
        for baseline in baselines(config)
    ]


def plan(config: TrainConfig, minutes: float, stop: Event) -> int:
    """How many decisions can be learnt from in so many minutes.

    Measured with a model that is then thrown away, so that a run with this number of decisions
    learns the same.
    """
    print(f"measuring how much can be learnt in {minutes:g} minutes ...", file=sys.stderr)
    began = time.perf_counter()
    model = make_model(config)
    model.learn(config.rollout)
    check(model, config, config.check_games)
    warm, learnt = time.perf_counter(), 0
    while not stop.is_set() and time.perf_counter() - warm < WARM_UP_SECONDS:
        model.learn(config.rollout, reset_num_timesteps=False)
        learnt += config.rollout
    rate = learnt / (time.perf_counter() - warm)
    checking = time.perf_counter()
    check(model, config, config.check_games)
    checking = config.checks * (time.perf_counter() - checking)
    if stop.is_set():
        raise KeyboardInterrupt
    left = minutes * 60 - (time.perf_counter() - began) - checking
    return config.rollout * max(1, round(rate * left / config.rollout))


def learn(model: SelfPlayPPO, config: TrainConfig, folder: RunFolder, stop: Event) -> Watch:
    """Learns until the decisions are made or `stop` is set, and saves the model."""
    model.set_logger(configure(str(folder.tensorboard), ["tensorboard"]))
    with make_progress() as progress:
        watch = Watch(
            folder,
            progress,
            check=lambda: check(model, config, config.check_games),
            save=lambda: save_model(model, folder),
            decisions=config.decisions,
            checks=config.checks,
            stop=stop,
        )
        left = config.decisions - model.num_timesteps
        model.learn(left, callback=watch, reset_num_timesteps=False)
    model.num_timesteps = watch.learnt
    save_model(model, folder)
    return watch


def save_model(model: SelfPlayPPO, folder: RunFolder) -> None:
    """Saves the model in one move."""
    with replacing(folder.model) as part:
        model.save(part)


def finish(model: SelfPlayPPO, config: TrainConfig, folder: RunFolder, watch: Watch) -> None:
    """Evaluates what was learnt, prints it, and fills the run folder."""
    console = Console()
    console.print(f"playing {config.final_games:,} games against each baseline ...")
    results = check(model, config, config.final_games, _FINAL)
    watch.evaluate(results)
    model.logger.dump(watch.learnt)
    model.logger.close()
    write_json(folder.evaluation, {"policy": "argmax", "results": [r.as_dict() for r in results]})
    title = f"{config.game}: mean payoff of the policy in one seat"
    plot_curve(folder.points(), folder.plot, title)
    record_games(
        PolicyAgent(model),
        config.game,
        games=RECORDS,
        seed=seed_for(config, _RECORDS),
        file=folder.records,
        encoder=config.encoder,
        options=config.options,
    )
    console.print(results_table(results))
    console.print(f"run folder: {folder.path}")


def start(config: TrainConfig, path: Path | None, minutes: float | None) -> RunFolder:
    """Trains a new policy.

    Args:
        config: What to do; its decisions count where `minutes` is None.
        path: The run folder; None for a new one named after game and time.
        minutes: How long to train, from the warm-up to the last decision.

    Raises:
        TefudaError: The folder is not empty, or an option is not allowed.
    """
    spec = find_game(config.game)
    config = _whole_rollouts(replace(config, game=spec.id))
    folder = RunFolder.new(path, spec.name)
    with interruptible() as stop:
        if minutes is not None:
            config = replace(config, decisions=plan(config, minutes, stop))
        model = make_model(config)
        _run(model, config, folder, stop)
    return folder


def resume(path: Path, minutes: float | None, decisions: int | None) -> RunFolder:
    """Goes on with a run.

    Args:
        path: Its folder.
        minutes: How much longer to train; or
        decisions: how many decisions to make in all; or neither: as many as were planned.

    Raises:
        TefudaError: There is no such run, or it has nothing left to do.
    """
    folder = RunFolder.open(path)
    config = TrainConfig.load(folder.config)
    model = reload_model(config, folder)
    with interruptible() as stop:
        if minutes is not None:
            decisions = model.num_timesteps + plan(config, minutes, stop)
        config = _whole_rollouts(replace(config, decisions=decisions or config.decisions))
        if model.num_timesteps >= config.decisions:
            raise OptionError(
                f"{path} has learnt from {model.num_timesteps:,} decisions, and "
                f"{config.decisions:,} were planned: tell by --minutes or --decisions how far to go"
            )
        _run(model, config, folder, stop)
    return folder


def _whole_rollouts(config: TrainConfig) -> TrainConfig:
    """The configuration with its decisions rounded up to whole rollouts."""
    return replace(config, decisions=-(-config.decisions // config.rollout) * config.rollout)


def _run(model: SelfPlayPPO, config: TrainConfig, folder: RunFolder, stop: Event) -> None:
    """Learns, and fills the run folder."""
    folder.path.mkdir(parents=True, exist_ok=True)
    config.save(folder.config)
    folder.save_versions()
    watch = learn(model, config, folder, stop)
    finish(model, config, folder, watch)
