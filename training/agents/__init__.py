"""Players of the games: each chooses actions for the acting seats of a batch.

Random and greedy players need the core installation alone; torch is imported for a policy only.
"""

from tefuda.envs.core.errors import OptionError
from tefuda.training.agents.base import Agent
from tefuda.training.agents.scripted import GreedyAgent, RandomAgent
from tefuda.training.extras import needs

__all__ = ["AGENTS", "Agent", "GreedyAgent", "RandomAgent", "make_agent"]

#: How agents are named on the command line.
AGENTS = (
    "random, greedy, ismcts:N (searches with N simulations a decision), "
    "policy:PATH (a run folder or a model file)"
)


def make_agent(name: str, seed: int = 0) -> Agent:
    """The agent of that name.

    Args:
        name: "random", "greedy", "ismcts:N" or "policy:PATH".
        seed: Seeds what it draws.

    Raises:
        OptionError: There is no such agent.
        TefudaError: There is no such model, or it is damaged.
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
    if kind == "policy" and detail:
        with needs("train"):
            from tefuda.training.agents.policy import PolicyAgent
        return PolicyAgent(detail, seed=seed, name=name)
    raise OptionError(f"there is no agent {name!r}; there are {AGENTS}")
