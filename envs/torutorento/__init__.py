"""Torutorento: a card game of caterpillars, in a hand that must not be sorted.

Three to five seats hold eight cards each, in the order and the way up in which they came. A head,
bodies and a tail side by side make a caterpillar. Every round cards fall, are drawn from the hands
of others, and grow again where one likes; then the longest caterpillars score.

What the rules are, in our words (ids such as T11 name the rules in code and tests):

**Cards** (T1-T4). 71 cards of twelve faces: *head*, *head-head*, *head-tail*, *tail*, *tail-tail*,
*body-1* to *body-3*, *flower*, *bird*, *butterfly*, *mimic*. The edges of a card are a head, a
tail, an open body, or nothing; a card with different edges can lie either way up. A caterpillar
runs from a head over bodies to a tail, or from a tail to a head; a double card may serve one on
each side. Turning a whole hand round changes nothing.

**A round** (T5-T7). All cards come back. Each seat gets a flower and seven other cards, shuffled
into a hand. As many cards as seats lie face up beside the deck: the market.

**Falling leaves** (T8). All at once, each seat puts any of its cards face up into its field.

**Taking** (T9-T11). From the parent clockwise each seat draws a card blind from another hand, or
from the deck, looks at it and puts it into any field. A bird in the own field gives one more take,
also if it comes late. A mimic in a field protects that seat's hand.

**Growth** (T12-T15). Who has the most cards in its field begins. In turn each seat takes a face-up
card from any field or the market, or the top card of the deck unseen, and inserts it in its hand
where it likes, until all hands are full. A mimic in the field costs the first turn. What was seen
to be inserted stays known.

**Change** (T16). All hands are shown. Each bird in a hand may move one card of it. Each mimic is
declared: a head or a tail to either side, or a body.

**Scores** (T17-T22). Without a flower every body of the hand is one shorter, with each flower
beyond the first one longer; a body of 0 is as if it were not there. The longest caterpillars of all
score 5 points, the next 3, all others 2; a butterfly scores 1. The first caterpillar of length 10
earns the legend, and any longer one takes it over: 4 points for as long as one holds it. The game
ends after a round in which one seat alone leads with `target` points or more; `target=8` makes
games short enough for quick experiments.

**Where they come from.** The rules published with the first edition of トルトレント (SoMay,
Jugglers☆Party), which also state how many cards there are of each face; the component file has the
same name, `reconstruction`, as those of the other games. Put in other counts with
`components="my_cards.toml"`.

**What the published text leaves open, and how we play it**

| rule | decision |
|---|---|
| T2 | a card lies one of two ways up in a hand; both halves of a double card may be used |
| T5 | the first parent is drawn at random; among equals the old parent comes last |
| T6 | the eight cards are shuffled, and each is turned at random |
| T9 | a drawn card is looked at before its field is chosen |
| T10 | a seat that finds nothing to draw loses its takes |
| T11 | a bird that comes after a seat's turn still gives its take, in a further lap |
| T13 | mimics cost the first turn of growth, once however many |
| T14 | the market is open to all and belongs to no field |
| T15 | where a face-up card is inserted, and which way up, all see; of a deck card only the place |
| T16 | moves of birds are the seat's decision, not made for the best score |
| T17 | more than two flowers go on as they began: three make every body two longer |
| T18 | `tie_ranking`: after equal lengths the next one ranks next, or by its place |
| T20 | if several beat the mark the longest counts; if seats share it the legend is nobody's |
| T21 | 20 points or more win (`target=21`: the other reading); `max_rounds` cuts a game short |
"""

from pathlib import Path

from tefuda.envs.core.spec import GameSpec
from tefuda.envs.torutorento import rules, story, text
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
    story=story,
)
