"""An equilibrium of a research component, computed with OpenSpiel: the curve of NashConv.

The duel is no published game: two players, five cards, two tricks, 56,381 histories. CFR visits
all of them. Pass a file name, such as curve.png, to draw the curve there.
"""

import sys
import time

import pyspiel

import tefuda.wrappers.openspiel  # noqa: F401 - registers the games

GAME = "tefuda_gacha(players=2,components=duel,scoring=vp,rounds=1)"
ITERATIONS = (1, 3, 10, 30)


def compute_curve() -> list[tuple[int, float]]:
    """NashConv of the average policy after some iterations; 0 is an equilibrium."""
    game = pyspiel.convert_to_cached_tree(pyspiel.load_game(GAME))
    solver = pyspiel.CFRSolver(game)
    curve, done = [], 0
    for iterations in ITERATIONS:
        for _ in range(iterations - done):
            solver.evaluate_and_update_policy()
        done = iterations
        curve.append((done, pyspiel.nash_conv(game, solver.average_policy())))
    return curve


def draw(curve: list[tuple[int, float]], file: str) -> None:
    """Draws the curve on logarithmic axes."""
    from matplotlib.figure import Figure

    axes = Figure(figsize=(6, 4), layout="constrained").add_subplot()
    axes.loglog(*zip(*curve, strict=True), marker="o")
    axes.set(xlabel="iterations of CFR", ylabel="NashConv", title="gacha, component duel")
    axes.figure.savefig(file)


if __name__ == "__main__":
    begin = time.process_time()
    found = compute_curve()
    for iterations, nash_conv in found:
        print(f"{iterations:3d} iterations: NashConv {nash_conv:.4f}")
    print(f"{time.process_time() - begin:.0f} CPU seconds")
    if len(sys.argv) > 1:
        draw(found, sys.argv[1])
