"""The core knows no game: it names none, imports none, and plays one it has never heard of."""

import ast
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tefuda.envs
import tefuda.envs.core
from helpers import tiny
from helpers.statistics import assert_frequencies
from tefuda.envs import GAMES, Game, make, make_vec
from tefuda.envs.core.contract import VERBS
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.game import Seen
from tefuda.envs.core.parts import parse_components
from tefuda.envs.core.registry import find_game, known_games

CORE = Path(tefuda.envs.core.__path__[0])
Deal = tuple[int, ...]
FILES = sorted(CORE.rglob("*.py"))

pytestmark = [pytest.mark.usefixtures("tiny_game"), pytest.mark.pure]


# ==================================================================== no word of any game


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_file_of_the_core_mentions_a_game(file: Path) -> None:
    """Neither a registered one, nor one whose folder lies beside it."""
    folders = {path.parent.name for path in CORE.parent.glob("*/rules.py")}
    names = folders | {find_game(name).name for name in GAMES}
    assert names >= {"gacha"}
    found = re.search("|".join(names), file.read_text(encoding="utf-8"), re.IGNORECASE)
    assert found is None, f"{file.name} mentions {found and found[0]!r}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_core_imports_nothing_of_the_package_but_itself(file: Path) -> None:
    for module in imported(ast.parse(file.read_text(encoding="utf-8"))):
        assert not module.startswith("tefuda") or f"{module}.".startswith("tefuda.envs.core.")


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a file imports."""
    for thing in ast.walk(tree):
        if isinstance(thing, ast.ImportFrom):
            assert thing.module is not None
            yield thing.module
        elif isinstance(thing, ast.Import):
            yield from (name.name for name in thing.names)


def test_every_game_has_all_verbs_of_the_contract() -> None:
    for spec in known_games():
        assert not set(VERBS) - set(dir(spec.rules)), spec.id


def test_games_are_found_by_versioned_name_or_by_name() -> None:
    assert find_game("tiny_v0") is find_game("tiny") is tiny.GAME
    with pytest.raises(OptionError, match=r"game 'tiny_v1' is not known; the games are 'gacha_v0'"):
        find_game("tiny_v1")


# ==================================================================== the tiny game by hand


def dealt(*ranks: int) -> Game:
    """A tiny game at its first decision."""
    game = Game("tiny_v0")
    for rank in ranks:
        game.apply_chance(rank)
    return game


def test_a_game_by_hand() -> None:
    game = dealt(3, 0, 2)
    assert (game.node, game.seat, game.legal_actions()) == ("decision", 0, [0, 1])
    game.apply(1)
    assert (game.seat, game.legal_actions()) == (1, [0])
    game.apply(0)
    game.apply(1)
    assert (game.totals, game.node, game.seat, game.chance_name) == ([1, 0, 0], "chance", 0, "deal")
    for rank in (1, 2, 2):
        game.apply_chance(rank)
    assert game.seat == 1
    for action in (1, 1, 1):
        game.apply(action)
    assert (game.node, game.seat, game.totals, game.winners) == ("over", None, [1, 1, 1], [0, 1, 2])
    assert game.returns() == [0, 0, 0]
    assert game.returns("score") == [0, 0, 0]


def test_what_a_seat_has_seen() -> None:
    game = dealt(3, 0, 2)
    for action in (1, 0, 0):
        game.apply(action)
    deals = [Seen("chance", "deal", seat, None) for seat in range(3)]
    asked = [Seen("decision", "ask", 0, 1), Seen("decision", "ask", 1, 0)]
    asked.append(Seen("decision", "ask", 2, 0))
    shown = Seen("news", "", 1, 3)
    claims = [Seen("news", "", seat, 3) for seat in range(3)]
    deals_seen = [[deal._replace(value=rank) if k == seat else deal for k, deal in enumerate(deals)]
                  for seat, rank in enumerate((3, 0, 2))]  # fmt: skip
    assert game.information_state(0) == (*deals_seen[0], *asked, claims[0])
    assert game.information_state(1) == (
        *deals_seen[1], asked[0], shown, *asked[1:], claims[1],
    )  # fmt: skip
    assert game.information_state(2) == (*deals_seen[2], *asked, claims[2])


def test_chance_is_weighted() -> None:
    """Two cards of rank 0, one of rank 1, three of rank 2, two of rank 3."""
    game = Game("tiny_v0")
    assert game.chance_outcomes() == [(0, 0.25), (1, 0.125), (2, 0.375), (3, 0.25)]
    game.apply_chance(1)
    assert game.chance_outcomes() == [(0, 2 / 7), (2, 3 / 7), (3, 2 / 7)]


def test_own_components() -> None:
    file = parse_components('name = "few"\ncopies = [0, 0, 3, 0]\n', "few.toml")
    game = Game("tiny_v0", components=file)
    game.settle()
    assert game.state["rank"].tolist() == [2, 2, 2]
    record = game.record()
    assert record["components"] == {"name": "few", "sha256": file.sha256, "text": file.text}
    assert Game.from_record(record).values == game.values


# ==================================================================== every face of it


def test_all_faces_play_the_same_games() -> None:
    """AEC, batch and tree, over several games in a row."""
    tables = make_vec("tiny_v0", tables=2, seed=4, keep_actions=True)
    env = make("tiny_v0")
    env.reset(seed=4)
    games = 0
    while games < 5:
        actions = tables.sample()
        assert env.observe(env.agent_selection)["observation"].tolist() == (
            tables.observation[0].tolist()
        )
        env.step(int(actions[0]))
        tables.step(actions)
        assert list(env.rewards.values()) == tables.reward[0].tolist()
        if tables.done[0]:
            assert [agent in env.winners for agent in env.possible_agents] == (
                tables.winners[0].tolist()
            )
            assert env.record() == tables.record(0)
            assert Game.from_record(env.record()).winners == env.record()["winners"]
            games += 1
            env.reset()


def consistent_deals(
    seat: int, own: int, claims: dict[int, int], shown: int | None
) -> Counter[Deal]:
    """All deals by how many ways there are to them, by enumeration over the eight cards."""
    cards = [rank for rank, copies in enumerate((2, 1, 3, 2)) for _ in range(copies)]
    found: Counter[Deal] = Counter()
    for ranks in itertools.permutations(cards, 3):
        allowed = all(ranks[other] > 0 for other, claim in claims.items() if claim)
        agrees = shown is None or ranks[(seat - 1) % 3] == shown
        if ranks[seat] == own and allowed and agrees:
            found[ranks] += 1
    return found


@pytest.mark.parametrize(
    ("seat", "actions"), [(0, []), (0, [1]), (1, [1]), (2, [1, 1]), (2, [1, 0]), (0, [0, 1])]
)
def test_resampling_is_exact(seat: int, actions: list[int]) -> None:
    """Every deal that agrees with what the seat has seen, as often as chance says."""
    ranks = (1, 2, 2)
    game, rng = dealt(*ranks), np.random.default_rng(5)
    for action in actions:
        game.apply(action)
    claims, before = dict(enumerate(actions)), (seat - 1) % 3
    shown = ranks[before] if claims.get(before) else None
    deals = consistent_deals(seat, ranks[seat], claims, shown)
    total = sum(deals.values())
    found: Counter[Deal] = Counter()
    for _ in range(1500):
        world = game.resample(seat, rng)
        found[tuple(world.state["rank"].tolist())] += 1
        assert world.values[:3] == tuple(world.state["rank"].tolist())
    ids = {deal: k for k, deal in enumerate(deals)}
    assert_frequencies(
        {ids.get(deal, -1): count for deal, count in found.items()},
        {ids[deal]: ways / total for deal, ways in deals.items()},
    )
