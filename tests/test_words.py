"""Games in words: descriptions, JSON views, actions as text, and a player that reads and writes."""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tefuda.envs import GAMES, Game, make_vec
from tefuda.envs.core.errors import (
    ActionRangeError,
    ActionTextError,
    GameOverError,
    IllegalActionError,
    OptionError,
    TefudaError,
)
from tefuda.training.agents import RandomAgent
from tefuda.training.agents.text import TextAgent
from tefuda.training.evaluate import evaluate

FOLLOW_MUST, FOLLOW_MUST_NOT = 110, 111
LISTED = re.compile(r"^(\d+): ", re.MULTILINE)


#: Options for games of one round.
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 1},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "max_rounds": 1},
}


def random_decisions(name: str, games: int, step: int = 7) -> Iterator[Game]:
    """Decisions of random games."""
    rng = np.random.default_rng(len(name))
    options: dict[str, Any] = {**SHORT[name], "players": 3}
    for seed in range(games):
        game = Game(name, seed=(seed, 0, 0), **options)
        game.settle()
        while game.node != "over":
            if rng.random() < 1 / step:
                yield game
            game.apply(int(rng.choice(game.legal_actions())))
            game.settle()


@pytest.mark.pure
@pytest.mark.parametrize("name", GAMES)
def test_a_seat_is_told_only_what_it_knows(name: str) -> None:
    rng = np.random.default_rng(0)
    checked = 0
    for game in random_decisions(name, games=3, step=5):
        for seat in range(3):
            other = game.resample(seat, rng)
            assert other.describe(seat) == game.describe(seat)
            assert other.view(seat) == game.view(seat)
            checked += other.values != game.values
    assert checked > 10 or name == "quatre_v0"


@pytest.mark.pure
@pytest.mark.parametrize("name", GAMES)
def test_the_legal_actions_are_listed_for_the_acting_seat_alone(name: str) -> None:
    for game in random_decisions(name, games=2):
        for seat in range(3):
            listed = [int(action) for action in LISTED.findall(game.describe(seat))]
            shown = [choice["action"] for choice in game.view(seat)["legal"]]
            assert listed == shown == (game.legal_actions() if seat == game.seat else [])


@pytest.mark.pure
@pytest.mark.parametrize("name", GAMES)
def test_a_view_is_json_at_every_node(name: str) -> None:
    game = Game(name, players=3, seed=(5, 0, 0))
    rng = np.random.default_rng(1)
    while game.node != "over":
        for seat in (0, 2, None):
            view = game.view(seat)
            assert json.loads(json.dumps(view)) == view
            assert (view["node"], view["acting"]) == (game.node, game.seat)
        if game.node == "chance":
            game.settle()
        else:
            game.apply(int(rng.choice(game.legal_actions())))
    end = game.view(1)
    assert (end["winners"], end["totals"], end["legal"]) == (game.winners, game.totals, [])
    assert "over" in game.describe(1)


def test_the_view_of_gacha_shows_the_own_hand_and_no_other() -> None:
    for game in random_decisions("gacha_v0", games=2):
        held = [int(bits).bit_count() for bits in game.state["hand"][:3]]
        for seat in range(3):
            seats = game.view(seat)["table"]["seats"]
            assert [shown["cards"] for shown in seats] == held
            assert ["hand" in shown for shown in seats] == [other == seat for other in range(3)]
            assert len(seats[seat]["hand"]) == held[seat]
        assert all("hand" in shown for shown in game.view(None)["table"]["seats"])


def test_a_face_down_card_of_gacha_is_shown_to_its_player_alone() -> None:
    downs = 0
    for game in random_decisions("gacha_v0", games=12, step=2):
        for seat in range(3):
            for play in game.view(seat)["table"]["plays"]:
                assert (play["card"] is None) == (play["face_down"] and play["seat"] != seat)
                downs += play["face_down"]
    assert downs > 0


def test_the_view_of_quatre_is_its_board_card_and_bag() -> None:
    for game in random_decisions("quatre_v0", games=2):
        table, state, parts = game.view(1)["table"], game.state, game.engine.setup.parts[0]
        assert table == game.view(None)["table"]
        letters = [".sbkoc"[symbol] for symbol in state["board"]]
        marks = parts["marks"].ravel()
        shown = "".join(table["board"])
        assert list(shown) == [
            "+" if mark and letter == "." else letter
            for letter, mark in zip(letters, marks, strict=True)
        ]
        assert table["card"]["kind"] == state["card"]
        first, _, half, _ = table["card"]["turned"]
        assert half == [row[::-1] for row in reversed(first)]
        assert sum(kind["copies"] for kind in table["bag"]) == state["bag_left"]
        now = {name: points for seat in table["seats"] for name, points in seat["fruits"].items()}
        assert list(now.values()) == state["group_points"][:3].tolist()  # nobody owns oranges


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"players": 2}, ["You own blueberry and orange.", "Seat 0 owns strawberry and kiwi."]),
        ({"players": 3}, ["You own blueberry.", "Nobody owns orange.", "after turns 3, 6, 10"]),
        ({"players": 4, "adjacency": "diagonal"}, ["Seat 3 owns orange.", "over corners"]),
    ],
)
def test_quatre_tells_whose_the_fruits_are(options: dict[str, Any], told: list[str]) -> None:
    game = Game("quatre_v0", seed=(1, 0, 0), **options)
    game.settle()
    for words in told:
        assert words in game.describe(1)


def test_the_last_turns_of_quatre_do_not_speak_of_the_order() -> None:
    rule = "A scoring changes the order"
    for game in random_decisions("quatre_v0", games=3, step=3):
        assert (rule in game.describe(0)) == (game.view(0)["table"]["turn"] <= 6)


def test_the_view_of_torutorento_shows_the_own_hand_and_what_is_known_of_others() -> None:
    stages, unknown, open_cards = set(), 0, 0
    for game in random_decisions("torutorento_v0", games=4, step=4):
        for seat in range(3):
            table = game.view(seat)["table"]
            seats, everything = table["seats"], game.view(None)["table"]["seats"]
            assert ["hand" in shown for shown in seats] == [other == seat for other in range(3)]
            for shown, truth in zip(seats, everything, strict=True):
                assert (
                    len(shown["known_hand"])
                    == len(truth["hand"])
                    == game.state["held"][shown["seat"]]
                )
                for known, card in zip(shown["known_hand"], truth["hand"], strict=True):
                    assert known["face"] is None or known == card
                    unknown += known["face"] is None
                    open_cards += known["face"] is not None
            stages.add(table["stage"])
            assert table["stage"].split(":")[0] in game.describe(seat).lower()
    assert stages >= {"falling leaves", "taking", "growth", "change: birds"}
    assert min(unknown, open_cards) > 100


def test_leaves_that_fall_in_torutorento_are_the_own_secret() -> None:
    game = Game("torutorento_v0", players=3, seed=(2, 0, 0))
    game.settle()
    first = game.seat
    assert first is not None
    game.apply(2)
    game.apply(5)
    second = (first + 1) % 3
    assert game.view(first)["table"]["seats"][first]["falling"] == [2, 5]
    assert "[" in game.describe(first).split("Hands are listed")[0]
    assert "falling" not in game.view(second)["table"]["seats"][first]
    assert "[" not in game.describe(second).split("Hands are listed")[0]


@pytest.mark.parametrize("seat", [3, -1, True])
def test_unknown_seats_are_refused(seat: int) -> None:
    game = Game("gacha_v0", players=3)
    with pytest.raises(OptionError):
        game.describe(seat)
    with pytest.raises(OptionError):
        game.view(seat)


# ==================================================================== actions as text


@pytest.fixture
def leading() -> Game:
    """A game of gacha whose first leader chooses the follow type."""
    game = Game("gacha_v0", seed=(1, 0, 0))
    game.settle()
    return game


@pytest.mark.parametrize(
    "text",
    [
        "111",
        " 111.\n",
        "action 111",
        "Action: 111",
        "follow must-not",
        '"Follow  MUST-NOT".',
        "111: follow must-not",
        '{"action": 111}',
        '{"reason": "no trump", "action": "follow must-not"}',
        "I hold 14 red and no trump, so 110 is bad.\nMy answer:\n**111**",
        "Long thoughts about seat 2.\nI choose follow must-not, since I hold no trump.",
    ],
)
def test_an_action_is_read_by_id_or_label(leading: Game, text: str) -> None:
    assert leading.parse(text) == FOLLOW_MUST_NOT


@pytest.mark.pure
@pytest.mark.parametrize("name", GAMES)
def test_every_legal_action_is_read_back_from_its_label_and_its_line(name: str) -> None:
    for game in random_decisions(name, games=1, step=20):
        for action in game.legal_actions():
            label = game.label(action)
            assert game.parse(label) == game.parse(f"{action}: {label}") == action


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", ActionTextError, "names no action"),
        ("pass", ActionTextError, "110: follow must, 111: follow must-not, 112: follow may"),
        ("follow must or follow may", ActionTextError, "names 2 legal actions"),
        ("110: follow may", ActionTextError, "action 112 has this label, not 110"),
        ("400", ActionRangeError, "400"),
        ("5", IllegalActionError, "play 6 purple"),
        ("play 6 purple", IllegalActionError, "action 5"),
    ],
)
def test_what_is_wrong_is_said(leading: Game, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        leading.parse(text)


def test_nothing_is_read_where_nobody_acts() -> None:
    with pytest.raises(GameOverError):
        Game("gacha_v0").parse("110")


# ==================================================================== a player of texts


def first_listed(question: str) -> str:
    """A fake model: the first action of the list."""
    found = LISTED.search(question)
    assert found is not None
    return f"Let me think.\naction {found[1]}"


@pytest.mark.parametrize("name", GAMES)
def test_a_text_player_plays_in_an_evaluation(name: str) -> None:
    agent = TextAgent(first_listed, name="fake")
    result = evaluate(
        agent, RandomAgent(), name, games=4, options={"players": 2 + (name[0] != "q")}
    )
    assert result.agent == "fake"
    assert agent.questions > 4
    assert agent.failures == 0


def test_a_wrong_answer_is_answered_with_the_reason() -> None:
    asked: list[str] = []

    def model(question: str) -> str:
        asked.append(question)
        return "banana" if len(asked) == 1 else "follow must"

    tables = make_vec("gacha_v0", seed=1)
    assert TextAgent(model).act(tables, np.array([0])).tolist() == [FOLLOW_MUST]
    assert "refused" not in asked[0]
    assert "'banana' names no action" in asked[1]
    assert asked[1].startswith(asked[0].partition("Answer with")[0])


def test_somebody_else_plays_where_no_answer_is_an_action() -> None:
    tables = make_vec("gacha_v0", tables=3, seed=1)
    agent = TextAgent(lambda _: "I resign.", attempts=2, otherwise=RandomAgent(4))
    actions = agent.act(tables, np.array([0, 2]))
    np.testing.assert_array_equal(actions, RandomAgent(4).act(tables, np.array([0, 2])))
    assert (agent.questions, agent.failures) == (4, 2)


def test_without_somebody_else_it_is_an_error() -> None:
    agent = TextAgent(lambda _: "I resign.", attempts=2)
    with pytest.raises(TefudaError, match=r"no action in 2 answers.*'I resign\.'"):
        agent.act(make_vec("gacha_v0", seed=1), np.array([0]))
