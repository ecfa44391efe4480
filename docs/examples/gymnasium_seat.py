"""One seat against scripted players, as Gymnasium environments: one table, then many at once."""

import gymnasium
import numpy as np

GAME = "tefuda.envs:tefuda/Gacha-v0"
GAMES, TABLES, STEPS = 20, 32, 200


def play_one_table() -> float:
    """The mean payoff of a random learner in a random seat; even players would get 0."""
    env = gymnasium.make(GAME, players=3, seat="random", opponents="greedy")
    total = 0.0
    for seed in range(GAMES):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            _, reward, terminated, truncated, info = env.step(action)
            total += float(reward)
            over = terminated or truncated
    return total / GAMES


def play_many_tables() -> int:
    """How many games end within some steps at many tables; ended ones begin again at once."""
    envs = gymnasium.make_vec(
        GAME, num_envs=TABLES, vectorization_mode="vector_entry_point", players=3
    )
    rng = np.random.default_rng(0)
    ended = 0
    _, info = envs.reset(seed=0)
    for _ in range(STEPS):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        _, _, terminated, truncated, info = envs.step(actions)
        ended += int((terminated | truncated).sum())
    return ended


if __name__ == "__main__":
    print(f"mean payoff of a random learner: {play_one_table():+.2f}")
    print(f"{play_many_tables()} games ended at {TABLES} tables in {STEPS} steps")
