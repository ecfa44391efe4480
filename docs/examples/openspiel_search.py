"""OpenSpiel's information-set Monte Carlo tree search plays a seat of gacha among random players.

It is written in Python, and so are the states: expect seconds for a decision of many simulations.
The C++ bots of OpenSpiel cannot play games written in Python.
"""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

import tefuda.wrappers.openspiel  # noqa: F401 - registers the games

SIMULATIONS = 20
SEARCHER = 0


def main() -> None:
    """Plays one game and prints the searcher's decisions."""
    game = pyspiel.load_game("tefuda_gacha(players=3,scoring=vp,rounds=1)")
    rng = np.random.RandomState(7)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = ismcts.ISMCTSBot(
        game, evaluator, uct_c=2.0, max_simulations=SIMULATIONS, random_state=rng
    )
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            action = rng.choice(outcomes, p=probabilities)
        elif state.current_player() == SEARCHER:
            action = bot.step(state)
            print("searcher:", state.action_to_string(SEARCHER, int(action)))
        else:
            action = rng.choice(state.legal_actions())
        state.apply_action(int(action))
    print("returns:", state.returns())


if __name__ == "__main__":
    main()
