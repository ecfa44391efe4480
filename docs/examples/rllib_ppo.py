"""RLlib's PPO learns gacha by self-play: one policy for all seats, masked by the legal actions."""

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.tune.registry import register_env

from tefuda.training.cluster import connected
from tefuda.wrappers.rllib import MaskedPPOModule, make_env

GAME = {"game": "gacha_v0", "players": 3, "scoring": "vp", "rounds": 1}
ITERATIONS = 1


def make_config() -> PPOConfig:
    """A small learner: everything in this process."""
    register_env("tefuda", make_env)
    network = RLModuleSpec(module_class=MaskedPPOModule, model_config={"fcnet_hiddens": [64, 64]})
    return (
        PPOConfig()
        # RLlib's check of environments plays illegal actions.
        .environment("tefuda", env_config=GAME, disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": network}))
        .training(gamma=1.0, train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2)
    )


def main() -> None:
    """Trains and prints what RLlib tells."""
    with connected("local"):
        algorithm = make_config().build_algo()
        for iteration in range(ITERATIONS):
            told = algorithm.train()
            played, learnt = told["env_runners"], told["learners"]["shared"]
            print(
                f"iteration {iteration + 1}: {played['num_episodes']:.0f} games, "
                f"{played['num_env_steps_sampled']:.0f} decisions, "
                f"entropy {learnt['entropy']:.2f}"
            )
        algorithm.stop()


if __name__ == "__main__":
    main()
