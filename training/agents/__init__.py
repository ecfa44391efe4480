"""Players of the games: each chooses actions for the acting seats of a batch.

Random and greedy players need the core installation alone; torch is imported for a policy only.
"""

from typing import TYPE_CHECKING

from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import OptionError
from tefuda.training.agents.base import Agent
from tefuda.training.agents.scripted import GreedyAgent, RandomAgent
from tefuda.training.extras import needs

if TYPE_CHECKING:
    from tefuda.training.agents.shipped import ShippedPolicy

__all__ = ["AGENTS", "Agent", "GreedyAgent", "RandomAgent", "load", "make_agent"]

#: How agents are named on the command line.
AGENTS = (
    "random, greedy, ismcts:N (searches with N simulations a decision), policy (the one that comes "
    "with tefuda for this game), policy:PATH (a run folder or a model file)"
)


def load(game: str, *, deterministic: bool = True, seed: int = 0) -> "ShippedPolicy":
    """The policy of a game that comes with tefuda, ready to act.

    Its `card` tells how it was trained, how strong it is, and its limits.

    Args:
        game: The game, such as "gacha".
        deterministic: Whether to play the likeliest action.
        seed: Seeds the draws where it is not.

    Raises:
        OptionError: There is no such game.
        TefudaError: It has no shipped policy.
        MissingExtraError: torch or Stable-Baselines3 is not installed.
    """
    with needs("train"):
        from tefuda.training.agents.shipped import ShippedPolicy
    return ShippedPolicy(game, deterministic, seed)


def make_agent(name: str, seed: int = 0, engine: Engine | None = None) -> Agent:
    """The agent of that name.

    Args:
        name: "random", "greedy", "ismcts:N", "policy" (the shipped one) or "policy:PATH".
        seed: Seeds what it draws.
        engine: The game that it is to play. "policy" has to know it; a policy that cannot play it
            is refused at once.

    Raises:
        OptionError: There is no such agent, or the shipped policy was trained for another game.
        TefudaError: There is no such model, it is damaged, or it cannot play the game.
        MissingExtraError: It needs a package that is not installed.
    """
    kind, _, detail = name.partition(":")
    if name == "random":
        return RandomAgent(seed)
    if name == "greedy":
        return GreedyAgent(seed)
    if kind == "ismcts" and detail.isdecimal() and int(detail):
        from tefuda.training.agents.ismcts import IsmctsAgent

        return IsmctsAgent(int(detail), seed=seed, name=name)
    if kind == "policy" and (detail or name == "policy"):
        return _make_policy(name, detail, seed, engine)
    raise OptionError(f"there is no agent {name!r}; there are {AGENTS}")


def _make_policy(name: str, path: str, seed: int, engine: Engine | None) -> Agent:
    """The policy at a path, or the shipped one."""
    with needs("train"):
        from tefuda.training.agents.policy import PolicyAgent
    if path:
        agent = PolicyAgent(path, seed=seed, name=name)
    elif engine is not None:
        agent = load(engine.spec.id, seed=seed)
    else:
        raise OptionError("the agent 'policy' depends on the game: give its engine, or use load()")
    if engine is not None:
        agent.check(engine)
    return agent
