"""A table of gacha under PettingZoo's usual wrappers, played by uniformly random legal actions."""

import pettingzoo
from pettingzoo.utils import wrappers

import tefuda.envs  # noqa: F401 - registers the games

GAMES = 20


def main() -> None:
    """Plays some games and prints who won how many."""
    env = pettingzoo.make("aec", "tefuda/gacha-v0", players=3, scoring="vp", rounds=1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    env = wrappers.OrderEnforcingWrapper(env)
    wins = dict.fromkeys(env.possible_agents, 0)
    for seed in range(GAMES):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
        for agent in env.unwrapped.winners:
            wins[agent] += 1
    print("wins, shared ones too:", wins)


if __name__ == "__main__":
    main()
