"""A player from text to text, such as a language model, against random ones.

Put your model in the place of `answer`: it gets a question in plain text and returns an answer.
"""

import re

from tefuda.envs import Game
from tefuda.training.agents import RandomAgent
from tefuda.training.agents.text import TextAgent
from tefuda.training.evaluate import evaluate

LISTED = re.compile(r"^(\d+): (.*)$", re.MULTILINE)


def answer(question: str) -> str:
    """A stand-in for a model: it reads the list of legal actions and names the last one."""
    action, label = LISTED.findall(question)[-1]
    return f"I have thought about it and choose\n{action}: {label}"


def main() -> None:
    """Shows a question, then plays some games."""
    game = Game("gacha_v0", players=3, seed=(1, 0, 0))
    game.settle()
    assert game.seat is not None
    question = game.describe(game.seat)
    print(question)
    print("The answer is read as action", game.parse(answer(question)))

    player = TextAgent(answer, otherwise=RandomAgent(), name="stand-in")
    options = {"players": 3, "scoring": "vp", "rounds": 1}
    result = evaluate(player, RandomAgent(), "gacha_v0", games=12, options=options)
    print(f"{player.questions} questions, mean payoff {result.mean:+.2f}")


if __name__ == "__main__":
    main()
