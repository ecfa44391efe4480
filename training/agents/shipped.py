"""The policies that come with tefuda, as players."""

from tefuda.envs.core.engine import Engine
from tefuda.training.agents.policy import PolicyAgent
from tefuda.training.shipped import PolicyCard


class ShippedPolicy(PolicyAgent):
    """The policy of a game that comes with tefuda.

    It plays the game that it was trained for and refuses any other.

    Args:
        game: The game, such as "gacha".
        deterministic: Whether to play the likeliest action.
        seed: Seeds the draws.
        name: What tables and files call it.

    Attributes:
        card: What is known of it: training, strength, limits.

    Raises:
        OptionError: There is no such game.
        TefudaError: It has no shipped policy, or the file is not what its card says.
    """

    def __init__(
        self, game: str, deterministic: bool = True, seed: int = 0, name: str = "policy"
    ) -> None:
        self.card = PolicyCard.find(game)
        self.card.check_file()
        super().__init__(self.card.model, deterministic, seed, name)

    def check(self, engine: Engine) -> None:
        """Sees whether it can play a game.

        Raises:
            OptionError: It was trained for another game, or other players, options or components.
        """
        self.card.check_game(engine)
        super().check(engine)
