"""Torutorento (トルトレント, the first edition), for 3, 4 or 5 players.

Caterpillars grow in a hand whose order must not be changed: a head, one or more bodies, a tail,
side by side and facing each other. Cards are lost and gained by the field in front of each seat,
and inserted where you like; what lies already stays as it lies.

What the rules are, in our words (ids such as T17 name the rules in code and tests):

**Cards** (T1-T4). 71 cards of twelve faces: heads and tails, single and double, bodies of length 1
to 3, flowers, birds, butterflies, mimics. A card lies one of two ways up, so that its edges face
the one or the other side. A double card may end two caterpillars.

**A round.** *Deal* (T5-T7): a flower and seven other cards each, in random order; a market of as
many cards as players. *Falling leaves* (T8): all at once, everybody puts any cards of the hand
face up into the own field. *Taking* (T9-T11): each seat, and once more for each bird in its
field, draws a card blind from a hand, or the top card of the deck, and puts it into any field. A
mimic in the field protects a hand. *Growth* (T12-T15): in turn, a card from any field, the market
or the deck is inserted into the hand, until all have eight. *Change* (T16): hands are shown; each
bird in a hand moves one card; each mimic becomes a head, a tail, or a body.

**Scores** (T17-T22). Flowers in the hand change the length of its bodies: none -1, one 0, two +1,
and so on. Of all caterpillars the longest get 5 points, the second 3, all others 2; a butterfly 1.
The first of length 10 or more earns the legend, worth 4 points while it is held; a longer one takes
it. A round after which one seat alone leads with `target` points or more ends the game.

**Where they come from.** The rules of the first edition (2019) by SoMay, Jugglers☆Party, as
published on the makers' page of the game market. The number of cards of each face is data; another
file can be given with `components="my_deck.toml"`. For quick experiments play to `target=8`.

**What the published text leaves open, and how we play it**

| rule | decision |
|---|---|
| T2 | a card lies one of two ways up, and its edges with it |
| T5 | the first parent is drawn; later the highest total, among equals not the parent itself |
| T6 | hand order and ways up are random |
| T9 | where a drawn card goes is chosen after it is seen; its way up is not told |
| T10 | if nothing can be drawn, takes lapse |
| T11 | a bird that arrives late still gives its take, in a further lap |
| T13 | a mimic in the field costs one turn of growth, however many there are |
| T14 | the market is open to all |
| T15 | face-up cards are seen going in with place and way up; of deck cards only the place |
| T16 | moving by birds is a decision; birds come before mimics, for all seats |
| T17 | four flowers and more go on as +3, +4, ... |
| T18 | equal lengths share a rank, and none is skipped, but by `tie_ranking="competition"` |
| T20 | the legend is the longest so far; shared by two seats, nobody holds it, and the mark stays |
| T21 | the game ends at 20 points or more, led alone; `max_rounds` cuts it short |
"""

from pathlib import Path

from tefuda.envs.core.spec import GameSpec
from tefuda.envs.torutorento import rules, text
from tefuda.envs.torutorento.encode import ENCODERS
from tefuda.envs.torutorento.greedy import greedy
from tefuda.envs.torutorento.parts import OPTIONS, setup

GAME = GameSpec(
    name="torutorento",
    version=0,
    rules=rules,
    setup=setup,
    options=OPTIONS,
    encoders=ENCODERS,
    text=text,
    folder=Path(__file__).parent,
    greedy=greedy,
)
