"""How a run's policy fares against the baselines."""

from tefuda.envs.core.registry import find_game
from tefuda.training.agents.base import Agent
from tefuda.training.agents.policy import PolicyAgent
from tefuda.training.agents.scripted import GreedyAgent, RandomAgent
from tefuda.training.config import TrainConfig
from tefuda.training.evaluate import Evaluation, evaluate
from tefuda.training.ppo import SelfPlayPPO


def baselines(game: str) -> list[Agent]:
    """Whom a policy is measured against: random, and greedy where the game has one."""
    return [RandomAgent(), GreedyAgent()] if find_game(game).greedy else [RandomAgent()]


def check(model: SelfPlayPPO, config: TrainConfig, games: int, seed: int) -> list[Evaluation]:
    """Plays the model's likeliest actions among each baseline, paid for winning."""
    agent = PolicyAgent(model)
    options = {**config.options, "reward": "win"}
    return [
        evaluate(
            agent,
            baseline,
            config.game,
            games=games,
            seed=seed,
            encoder=model.encoder,
            options=options,
        )
        for baseline in baselines(config.game)
    ]
