"""Turning a whole hand round (T4): exact in what a seat sees, may do and does.

A game and its mirror run side by side. In the mirror one seat was dealt its hand turned round, and
everything that happens to that hand happens at the mirrored place. So the seat must see, at every
decision, what `HandFlip` makes of its observation in the game itself.
"""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from helpers.torutorento import (
    DONE,
    INSERT,
    LIFT,
    ROLES,
    TAKE,
    TAKE_DECK,
    TWO_WAYS,
    WORDS,
    asked,
    changed,
    components,
    deal_round,
    play_event,
    random_event,
    scored,
)
from oracles.torutorento import MIMIC, Card, Torutorento
from tefuda.envs import Game
from tefuda.envs.torutorento.symmetry import HandFlip

#: More birds and mimics than published, so that few games are enough.
BEASTS = changed(bird=8, mimic=7)
PLAYERS = 3
SETUP = ("first_parent", "flower_slot", "deal", "way_up", "market", "over")
TURNED_ROLES = {
    ROLES["M>H"]: ROLES["<HM"], ROLES["<HM"]: ROLES["M>H"],
    ROLES["M>T"]: ROLES["<TM"], ROLES["<TM"]: ROLES["M>T"],
    ROLES["body"]: ROLES["body"],
}  # fmt: skip


def turned(card: Card) -> Card:
    """A card turned round."""
    face, way = card
    return (face, 1 - way) if face in TWO_WAYS else card


class Mirrored:
    """A game, its mirror for one seat, and the slow game that knows what lies where."""

    def __init__(self, encoder: str, seat: int, rng: random.Random) -> None:
        options: dict[str, Any] = {"players": PLAYERS, "max_rounds": 2, "target": 99}
        games = [
            Game("torutorento_v0", encoder=encoder, components=components(BEASTS), **options)
            for _ in range(2)
        ]
        self.game, self.mirror = games
        self.slow = Torutorento(counts=tuple(BEASTS), **options)
        self.seat = seat
        self.rng = rng
        self.leaves: list[int] = []
        self.roles: list[int] = []
        self.flip = HandFlip(self.game.engine.setup, encoder)

    # ---------------------------------------------------------------- playing both

    def deal(self) -> None:
        """Deals a round by chance, and the same to the mirror with one hand turned round."""
        if self.slow.name == "first_parent":
            self.play(value := self.rng.randrange(PLAYERS))
            self.mirror.apply_chance(value)
        while self.game.node == "chance":
            self.play(random_event(self.game, self.rng))
        hands, slots = [*self.slow.hands], dict(enumerate(self.slow.flower_slots))
        hands[self.seat] = [turned(card) for card in reversed(hands[self.seat])]
        slots[self.seat] = 7 - slots[self.seat]
        deal_round(
            self.mirror,
            [" ".join(WORDS[card] for card in cards) for cards in hands],
            market=" ".join(WORDS[face, 0] for face in self.slow.market),
            flowers=slots,
            counts=BEASTS,
        )

    def play(self, value: int) -> None:
        """Plays an event of the game."""
        play_event(self.game, value)
        self.slow.apply(value)

    def step(self) -> None:
        """Plays a random event, and what it is in the mirror."""
        name, own = self.slow.name, self.slow.seat == self.seat
        value = random_event(self.game, self.rng)
        if name == "leaf" and own:
            self.leaves.append(7 - value)
            self.play(value)
            if value == DONE:
                self._let_leaves_fall()
        elif name == "mimic" and own:
            self.roles.append(TURNED_ROLES[value])
            self.play(value)
            self._declare()
        else:
            mirrored = self.mirrored(value)
            self.play(value)
            play_event(self.mirror, mirrored)

    def _let_leaves_fall(self) -> None:
        """The mirrored slots in rising order."""
        for slot in [*sorted(self.leaves[:-1]), DONE]:
            self.mirror.apply(slot)
        self.leaves = []

    def _declare(self) -> None:
        """The mimics of a hand from left to right, which is the other order in the mirror."""
        if asked(self.game) != "mimic" or self.game.seat != self.seat:
            for role in reversed(self.roles):
                self.mirror.apply(role)
            self.roles = []

    def mirrored(self, action: int) -> int:
        """What an event of the game is in the mirror, leaves and roles left out."""
        slow, own = self.slow, self.slow.seat == self.seat
        held = len(slow.hands[self.seat])
        if slow.name == "take" and action < TAKE_DECK:
            assert slow.seat is not None
            distance, slot = divmod(action - TAKE, 8)
            hit = (slow.seat + distance + 1) % PLAYERS == self.seat
            return TAKE + 8 * distance + held - 1 - slot if hit else action
        if slow.name in ("insert", "reinsert") and own:
            gap, way = divmod(action - INSERT, 2)
            return INSERT + 2 * (held - gap) + (1 - way if slow.held in TWO_WAYS else way)
        if slow.name == "bird" and own and action != DONE:
            return LIFT + held - 1 - (action - LIFT)
        return TURNED_ROLES[action] if slow.name == "mimic" and own else action

    # ---------------------------------------------------------------- comparing

    def is_excepted(self) -> bool:
        """Whether the flip does nothing here: leaves fall, or one of several mimics is declared."""
        mimics = sum(face == MIMIC for face, _ in self.slow.hands[self.seat])
        return self.slow.phase == "leaves" or (self.slow.name == "mimic" and mimics > 1)

    def compare(self) -> None:
        """Observation, mask and every action of the seat at the present node."""
        seen = self.game.observation(self.seat)[None]
        flipped = self.flip.observations(seen)
        if self.is_excepted():
            assert not self.flip.applies(seen).any()
            np.testing.assert_array_equal(flipped, seen)
        else:
            np.testing.assert_array_equal(flipped[0], self.mirror.observation(self.seat))
            np.testing.assert_array_equal(self.flip.observations(flipped), seen)
        if self.game.seat == self.seat and self.game.node == "decision":
            self._compare_actions(seen, flipped)

    def _compare_actions(self, seen: np.ndarray, flipped: np.ndarray) -> None:
        legal = self.game.legal_actions()
        mask = np.zeros((1, 89), np.int8)
        mask[0, legal] = 1
        masks = self.flip.masks(seen, mask)
        actions = self.flip.actions(np.repeat(seen, len(legal), axis=0), np.array(legal))
        if self.is_excepted():
            np.testing.assert_array_equal(masks, mask)
            assert actions.tolist() == legal
        else:
            assert np.flatnonzero(masks[0]).tolist() == self.mirror.legal_actions()
            assert actions.tolist() == [self.mirrored(action) for action in legal]
            back = self.flip.actions(np.repeat(flipped, len(legal), axis=0), actions)
            assert back.tolist() == legal


def walk(encoder: str, seat: int, seed: int, nodes: Counter[str]) -> None:
    """Plays a game and its mirror to the end, and compares at every node."""
    pair = Mirrored(encoder, seat, random.Random(seed))
    while pair.game.node != "over":
        if pair.slow.name in SETUP:
            pair.deal()
        pair.compare()
        own = pair.slow.seat == seat
        several = pair.is_excepted() and pair.slow.name == "mimic"
        nodes[pair.slow.name + (" own" if own else "") + (" several" if several else "")] += 1
        rounds = scored(pair.game)
        pair.step()
        if scored(pair.game) > rounds:
            assert pair.mirror.totals == pair.game.totals
            assert pair.mirror.node == pair.game.node
    assert pair.mirror.winners == pair.game.winners


OWN = {f"{name} own" for name in ("leaf", "take", "put", "pick", "insert", "bird", "reinsert")}


@pytest.mark.rule("T4", "T2", "T3", "T16", "T18")
@pytest.mark.parametrize("encoder", ["flat", "tokens"])
def test_the_flip_commutes_with_the_rules(encoder: str) -> None:
    """T4: observation, mask and action at every decision, scores at the end; two exceptions."""
    nodes: Counter[str] = Counter()
    for seed in range(12):
        walk(encoder, seed % PLAYERS, seed, nodes)
    assert {*OWN, "mimic own", "mimic own several", "deck own", "take", "pick"} <= nodes.keys()


@pytest.mark.pure
@pytest.mark.rule("T4")
@pytest.mark.parametrize("encoder", ["flat", "tokens"])
def test_the_flip_of_a_game(encoder: str) -> None:
    """The same for runs without the JIT."""
    walk(encoder, 1, 5, Counter())


@pytest.mark.rule("T4")
@pytest.mark.parametrize("encoder", ["flat", "tokens"])
def test_a_batch_is_flipped_row_by_row(encoder: str) -> None:
    """Many rows at once, the observations in the encoder's shape, and nothing is overwritten."""
    rng, rows, masks, actions = random.Random(4), [], [], []
    game = Game("torutorento_v0", encoder=encoder, components=components(BEASTS), max_rounds=2)
    while game.node != "over":
        if game.node == "decision":
            assert game.seat is not None
            legal = game.legal_actions()
            rows.append(game.observation(game.seat))
            masks.append([int(action in legal) for action in range(89)])
            actions.append(rng.choice(legal))
        play_event(game, random_event(game, rng))
    flip = HandFlip(game.engine.setup, encoder)
    seen, mask, chosen = np.stack(rows), np.array(masks, np.int8), np.array(actions)
    before = seen.copy(), mask.copy(), chosen.copy()
    flipped, flipped_masks = flip.observations(seen), flip.masks(seen, mask)
    flipped_actions = flip.actions(seen, chosen)
    for one, other in zip((seen, mask, chosen), before, strict=True):
        np.testing.assert_array_equal(one, other)
    assert flipped.shape == seen.shape
    for k in range(len(rows)):
        one = slice(k, k + 1)
        np.testing.assert_array_equal(flipped[one], flip.observations(seen[one]))
        np.testing.assert_array_equal(flipped_masks[one], flip.masks(seen[one], mask[one]))
        np.testing.assert_array_equal(flipped_actions[one], flip.actions(seen[one], chosen[one]))
        assert flipped_masks[k, flipped_actions[k]] == 1
    assert 0 < flip.applies(seen).sum() < len(rows)
