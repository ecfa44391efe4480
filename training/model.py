"""From a configuration to tables and a model, new or reloaded."""

from pathlib import Path

import numpy as np
import torch
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from tefuda.envs import make_vec
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.registry import find_game
from tefuda.training.agents.policy import load_model
from tefuda.training.agents.scripted import GreedyAgent
from tefuda.training.augment import make_turner
from tefuda.training.config import AUTO, TrainConfig
from tefuda.training.imitate import LESSON_TABLES, Pupil
from tefuda.training.league import League
from tefuda.training.learner_env import LearnerEnv
from tefuda.training.network import TablePolicy, extractor_for
from tefuda.training.ppo import SelfPlayPPO
from tefuda.training.shipped import PolicyCard

# What this encoder shows besides the plain observation is worth more than any other setting.
_EXPERT = "expert"

#: The policy to start from that comes with tefuda.
SHIPPED = "policy"

_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU}

#: What random numbers are for; each purpose has seeds of its own.
LEARNING, CHECKS, FINAL, RECORDS, LEAGUE, LESSONS = range(6)


def seed_for(config: TrainConfig, purpose: int, learnt: int = 0) -> int:
    """A seed that follows from the run's."""
    return int(np.random.SeedSequence((config.seed, purpose, learnt)).generate_state(1)[0])


def choose_encoder(config: TrainConfig) -> str:
    """The encoder of a run; where none is named, the one that makes learning quickest.

    Raises:
        OptionError: There is no such game.
    """
    encoders = find_game(config.game).encoders
    if config.encoder != AUTO:
        return config.encoder
    return _EXPERT if _EXPERT in encoders else next(iter(encoders))


def make_env(config: TrainConfig) -> LearnerEnv:
    """The tables at which a run learns."""
    encoder = choose_encoder(config)
    tables = make_vec(config.game, tables=config.tables, encoder=encoder, **config.learning_options)
    scripted = [GreedyAgent(seed_for(config, LEAGUE))] if find_game(config.game).greedy else []
    every = max(config.decisions // config.checks, config.rollout)
    return LearnerEnv(
        tables,
        League(scripted, config.scripted, config.snapshots, every),
        privileged=config.privileged,
        turner=make_turner(tables.engine) if config.augment else None,
    )


def make_model(config: TrainConfig) -> SelfPlayPPO:
    """A model that has learnt nothing yet.

    Raises:
        TefudaError: The game or one of its options is not allowed.
    """
    torch.set_num_threads(config.threads)
    env = make_env(config)
    model = SelfPlayPPO(
        TablePolicy,
        env,
        learning_rate=LinearSchedule(config.learning_rate, config.learning_rate_last, 1.0),
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
            "features_extractor_class": extractor_for(env.observation_space),
        },
        seed=seed_for(config, LEARNING),
        device="cpu",
    )
    model.reward_scale = config.reward_scale
    model.entropy_schedule = LinearSchedule(config.entropy, config.entropy_last, 1.0)
    if config.start:
        adopt(model, config.start)
    if count_lessons(config):
        model.critic_first = round(config.critic_first * config.decisions)
    return model


def adopt(model: SelfPlayPPO, start: str) -> None:
    """Gives a new model the parameters of an earlier one.

    Args:
        model: The new model.
        start: The earlier one: its file or run folder, or `SHIPPED`.

    Raises:
        TefudaError: There is no such model, or it has another game, encoder or layers.
    """
    path = PolicyCard.find(model.game).model if start == SHIPPED else Path(start)
    earlier = load_model(path)
    if (earlier.game, earlier.encoder) != (model.game, model.encoder):
        raise OptionError(
            f"start={start!r} has learnt {earlier.game} with encoder {earlier.encoder!r}, "
            f"not {model.game} with {model.encoder!r}"
        )
    try:
        model.policy.load_state_dict(earlier.policy.state_dict())
    except RuntimeError as error:
        raise OptionError(f"start={start!r} has a network of another shape: {error}") from error


def reload_model(config: TrainConfig, model: SelfPlayPPO) -> SelfPlayPPO:
    """Seats an earlier run's model, with its optimiser and counters, at newly dealt tables."""
    torch.set_num_threads(config.threads)
    model.set_env(make_env(config))
    model.set_random_seed(seed_for(config, LEARNING, model.num_timesteps))
    return model


def make_pupil(config: TrainConfig, model: SelfPlayPPO) -> Pupil:
    """The model's policy before its lessons from the game's scripted player."""
    tables = make_vec(
        config.game,
        tables=LESSON_TABLES,
        seed=seed_for(config, LESSONS),
        encoder=choose_encoder(config),
        **config.learning_options,
    )
    assert isinstance(model.policy, TablePolicy)
    return Pupil(
        model.policy,
        tables,
        GreedyAgent(seed_for(config, LEAGUE)),
        config.lesson_rate,
        config.batch,
        seed_for(config, LESSONS),
        make_turner(tables.engine) if config.augment else None,
    )


def count_lessons(config: TrainConfig) -> int:
    """How many decisions of the scripted player are imitated.

    None where a game has no such player, or where a policy that has had lessons goes on.
    """
    if config.start or find_game(config.game).greedy is None:
        return 0
    return min(round(config.lessons * config.decisions), config.most_lessons)
