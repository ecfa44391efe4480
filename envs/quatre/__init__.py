"""Quatre des Fruits (キャトル・デ・フルーツ), for 2, 3 or 4 players.

Transparent cards with fruits and cream are laid over each other on a round cake. Every player
wants large connected groups of the own fruit. Everything is open but the order of the bag.

What the rules are, in our words (ids such as Q10 name the rules in code and tests):

**Components** (Q1-Q5). 36 square cards whose cells show strawberry, blueberry, kiwi, orange,
cream, or nothing; a round board of marks. With four players each owns a fruit; with three nobody
owns the orange; with two each owns two.

**A play** (Q6-Q12). In each turn everybody takes one play, in turn order. A card is drawn from the
bag for all to see. Once in the play it may go back and another be drawn. Then it is laid, turned
as you like, so that all its fruits and cream lie on marks and no fruit lies on a visible fruit;
cream may cover anything, and fruit may lie on that cream. Or it is collected, and stays with the
player.

**Scores** (Q13-Q16). After turns 3, 6 and the last, each group of the same visible fruit scores
the square of its size, and each collected card 1. Points add up. After a scoring the order
changes: the highest total first, of equals who acted later first. The highest total wins.

**Where they come from.** The rules published by +Spice with the edition of 2023. Its card faces
and the outline of its cake appear in pictures only: the file `reconstruction` holds five patterns
in four shifts and a cake of 112 marks that agree with every stated fact. Put in your real
components with `components="my_cake.toml"`: board and cards are drawn as text. Two more files
ship: `mini`, which can be solved to the end, and `tart`, of middle size.

**What the published text leaves open, and how we play it**

| rule | decision |
|---|---|
| Q2, Q3 | reconstruction: the card faces and the outline of the board |
| Q5 | with two players a seat's score is the sum of its two fruits |
| Q6 | two players: a play a turn for each seat, or with `two_player_turns="fruit"` for each fruit |
| Q7 | the first turn order is seat 0, 1, 2, ... |
| Q8 | the card drawn is seen by all; a redraw is allowed with an empty bag too |
| Q11 | a card need not touch or overlap another |
| Q13 | groups connect side by side; with `adjacency="diagonal"` over corners too |
| Q13 | collected cards score in each of the three scorings |
| Q15 | equal totals share the win |
"""

from pathlib import Path

from tefuda.envs.core.spec import GameSpec
from tefuda.envs.quatre import rules, story, text
from tefuda.envs.quatre.encode import ENCODERS
from tefuda.envs.quatre.greedy import greedy
from tefuda.envs.quatre.parts import OPTIONS, setup

GAME = GameSpec(
    name="quatre",
    version=0,
    rules=rules,
    setup=setup,
    options=OPTIONS,
    encoders=ENCODERS,
    text=text,
    greedy=greedy,
    folder=Path(__file__).parent,
    story=story,
)
