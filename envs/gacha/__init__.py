"""GachaGacha Trick-taking (ガチャガチャトリテ), for 3, 4 or 5 players.

A trick-taking game in which the follow rule is chosen for every trick, and cards change the
trump, turn the order of the numbers round, throw cards away, or exchange one of them.

What the rules are, in our words (ids such as G11 name the rules in code and tests):

**Cards** (G1-G4). The numbers 1 to 55, each once: ten of each of five colours, and five black
ones. With 3 players 1-39 are used, with 4 players 1-49. Cards may carry icons: *gacha*, *revo*,
*redraw*, *dust n*. Five balls, one of each colour but black, lie in a bag.

**A round** (G5-G8). Ten cards are dealt to each seat; the rest is the stock. Trump is black. The
first leader is drawn for the first round and then passes clockwise. Ten tricks are played, and
who wins one leads the next. Number order and bag go on from round to round.

**A trick** (G9-G17). The leader names the follow type, not that of the trick before, and every
seat plays a card:

- *must*: the led colour has to be followed. The strongest trump wins, else the strongest card of
  the led colour.
- *must-not*: a colour that lies face up, and trump as the lead, may not be played. Who can play
  nothing else puts any card face down, and that card cannot win. The face-up trump wins, else the
  strongest number.
- *may*: anything goes, trump counts for nothing, and the second strongest number wins.

**Icons** (G18-G23), only on cards that lie face up. *Redraw*: draw from the stock and put a card
of the hand under it, if you like. Then, once the trick is complete: *revo* turns the order of
numbers round for the tricks that follow; *dust n* makes the winner discard n cards of the trick;
the winner takes the rest and a T point; *gacha* draws a ball, whose colour becomes trump.

**Scores** (G24-G30). Won cards make sets: five different colours 3 VP, four 1 VP; a card won face
down and every T point stand for any colour; black counts for nothing. A seat without a trick gets
a fixed VP instead, the more the fewer such seats there are. With `scoring="wp"` the rank by VP
gives win points, and the game ends when a seat has 4; with `scoring="vp"` VP add up over the
rounds.

**Where they come from.** The rules published with the game. Card faces appear in no public text:
colours and icons of the deck file `reconstruction` are ours. They agree with every card that the
text names. Put in your real cards with `components="my_deck.toml"`.

**What the published text leaves open, and how we play it**

| rule | decision |
|---|---|
| G2 | reconstruction: which number has which colour |
| G3 | reconstruction: which card carries which icons |
| G5 | the order of numbers begins high |
| G7 | the first leader of the first round is drawn at random |
| G14 | icons of a face-down card have no effect |
| G18 | no redraw is asked in the tenth trick, nor with an empty stock (variants only) |
| G22 | `trump_draw="shuffle"` is a variant: no ball stays out |
| G27 | equal WP: the T points of the whole last round decide |
| G29 | a game of win points is cut short after `max_rounds` rounds, and its standing counts |
"""

from pathlib import Path

from tefuda.envs.core.spec import GameSpec
from tefuda.envs.gacha import rules, story, text
from tefuda.envs.gacha.encode import ENCODERS
from tefuda.envs.gacha.greedy import greedy
from tefuda.envs.gacha.parts import OPTIONS, setup

GAME = GameSpec(
    name="gacha",
    version=0,
    rules=rules,
    setup=setup,
    options=OPTIONS,
    encoders=ENCODERS,
    text=text,
    folder=Path(__file__).parent,
    greedy=greedy,
    story=story,
)
