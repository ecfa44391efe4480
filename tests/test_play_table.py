"""A table of people and agents, without a server: seats, decisions, undo, hints, files, secrets."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tefuda.envs import GAMES, Game
from tefuda.envs.core.engine import make_engine
from tefuda.envs.core.errors import IllegalActionError, RecordError
from tefuda.envs.core.registry import find_game
from tefuda.envs.core.story import Chronicle
from tefuda.training.agents import make_agent
from tefuda.wrappers.web.picture import picture
from tefuda.wrappers.web.table import Hint, Table, TableError, TokenError

#: Short games of each kind.
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 1},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "target": 8},
}


def table_of(name: str = "gacha_v0", agent: str = "greedy", **more: Any) -> Table:
    engine = make_engine(find_game(name), **SHORT[name])
    more = {"seed": 3, "adviser": make_agent("greedy"), **more}
    return Table(engine, [make_agent(agent)], **more)


def let_agents_play(table: Table) -> None:
    while table.agent_acts:
        assert table.accept(table.think())


def hints(table: Table, seat: int) -> list[Hint]:
    return table.hints(table.hint_question(seat))


def play_on(table: Table, decisions: int = 10**6) -> None:
    """People play what the greedy player would."""
    let_agents_play(table)
    while table.acting is not None and decisions:
        table.act(table.acting, hints(table, table.acting)[0].action, table.turn)
        decisions -= 1
        let_agents_play(table)


def the_record(folder: Path) -> dict[str, Any]:
    """The only record in a folder."""
    (file,) = folder.glob("[!.]*")
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


# ==================================================================== seats


def test_a_seat_is_claimed_once_and_its_token_opens_no_other() -> None:
    table = table_of()
    token = table.claim(1)
    other = table.claim(2)
    assert (table.seat_of(token), table.seat_of(other)) == (1, 2)
    assert len(token) >= 32 and token != other
    with pytest.raises(TableError, match="somebody sits at seat 1 already"):
        table.claim(1)
    for seat in (3, -1, True):
        with pytest.raises(TableError, match=r"is not one of 0 \.\. 2"):
            table.claim(seat)
    for forged in ("", "x", token[:-1], token + "a", "é"):
        with pytest.raises(TokenError, match="belongs to no seat"):
            table.seat_of(forged)
    table.release(token)
    with pytest.raises(TokenError):
        table.seat_of(token)
    assert table.claim(1) != token


def test_the_game_waits_for_people_and_agents_take_over() -> None:
    table = table_of(people=2)
    assert table.missing == 2 and not table.agent_acts
    token = table.claim(0)
    assert table.missing == 1
    with pytest.raises(TableError, match="1 more must sit down"):
        table.act(0, 0, 0)
    table.claim(1)
    assert table.missing == 0
    table.release(token)
    assert table.missing == 0  # the game has begun: the agent plays on
    let_agents_play(table)
    assert table.acting == 1


def test_agents_sit_from_seat_one_on_and_from_the_first_again() -> None:
    engine = make_engine(find_game("gacha_v0"), players=5)
    table = Table(engine, [make_agent("greedy"), make_agent("random")])
    names = [chair["name"] for chair in table.standing()["chairs"]]
    assert names == ["random", "greedy", "random", "greedy", "random"]
    with pytest.raises(TableError, match="needs an agent"):
        Table(engine, [])


@pytest.mark.parametrize("people", [-1, 4])
def test_people_must_fit_the_seats(people: int) -> None:
    with pytest.raises(TableError, match=f"people={people} is not allowed"):
        table_of(people=people)


# ==================================================================== decisions


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_is_the_game_of_its_record(name: str, tmp_path: Path) -> None:
    table = table_of(name, records=tmp_path)
    table.claim(1)
    play_on(table)
    (file,) = tmp_path.iterdir()
    assert file == table.record_file
    record = json.loads(file.read_text(encoding="utf-8"))
    game = Game.from_record(record)
    assert game.values == table.game.values
    assert record["winners"] == table.game.winners is not None
    assert record["seed"] == [3, 0, 0]


def test_a_decision_counts_once_and_only_by_whose_turn_it_is() -> None:
    table = table_of()
    table.claim(0)
    let_agents_play(table)
    turn, state = table.turn, table.game.state.copy()
    legal = table.game.legal_actions()
    with pytest.raises(TableError, match="seat 0 is to act, not seat 1"):
        table.act(1, legal[0], turn)
    with pytest.raises(IllegalActionError):
        table.act(0, next(a for a in range(120) if a not in legal), turn)
    for wrong in (turn - 1, turn + 1):
        with pytest.raises(TableError, match="it was not played"):
            table.act(0, legal[0], wrong)
    assert table.game.state == state and table.turn == turn
    table.act(0, legal[0], turn)
    with pytest.raises(TableError, match="it was not played"):
        table.act(0, legal[0], turn)
    assert table.turn == turn + 1


def test_nobody_acts_once_the_game_is_over() -> None:
    table = table_of("torutorento_v0")
    table.claim(0)
    play_on(table)
    with pytest.raises(TableError, match="the game is over"):
        table.act(0, 0, table.turn)
    first = table.game.key
    table.begin(9)
    assert table.acting is not None and table.turn == 0
    assert (first, table.game.key) == ((3, 0, 0), (9, 0, 0))


def test_a_thought_of_another_moment_is_not_played() -> None:
    table = table_of(people=0)
    thought = table.think()
    assert table.accept(thought)
    assert not table.accept(thought)
    late = table.think()
    table.begin(4)
    assert not table.accept(late)
    assert table.turn == 0


# ==================================================================== undo, hints


def test_undo_takes_back_the_own_latest_decision_and_what_followed() -> None:
    table = table_of()
    table.claim(0)
    play_on(table, 3)
    values, turn = table.game.values, table.turn
    lines = list(table.chronicle.lines(0))
    play_on(table, 1)
    assert table.turn > turn
    table.undo(0)
    assert (table.game.values, table.turn) == (values, turn)
    assert table.chronicle.lines(0) == lines
    play_on(table)
    assert table.acting is None
    table.undo(0)
    assert table.acting == 0


def test_undo_needs_a_decision_and_nobody_else() -> None:
    table = table_of()
    table.claim(0)
    let_agents_play(table)
    with pytest.raises(TableError, match="you have decided nothing yet"):
        table.undo(0)
    play_on(table, 2)
    table.claim(1)
    turn = table.turn
    with pytest.raises(TableError, match="other people sit at this table"):
        table.undo(0)
    assert table.turn == turn


def test_hints_name_what_the_adviser_would_do() -> None:
    table = table_of()
    table.claim(0)
    with pytest.raises(TableError):
        hints(table_of(adviser=None, people=0), 0)
    let_agents_play(table)
    (hint,) = hints(table, 0)
    assert hint.action in table.game.legal_actions() and hint.probability is None
    assert hint.label[0].isupper()
    assert table.adviser == "greedy"


def test_a_policy_tells_its_probabilities() -> None:
    class Policy:
        name = "policy"

        def act(self, tables: Any, rows: Any) -> Any:
            return tables.action_mask[rows].argmax(axis=1)

        def observe(self, tables: Any, rows: Any) -> Any:
            return tables.observation[rows]

        def probabilities(self, observations: Any, masks: Any) -> Any:
            weights = masks * np.arange(1, masks.shape[1] + 1)
            return weights / weights.sum(axis=1, keepdims=True)

    table = table_of("torutorento_v0", adviser=Policy())
    table.claim(0)
    let_agents_play(table)
    found = hints(table, 0)
    assert len(found) == 5
    assert [hint.action for hint in found] == sorted((h.action for h in found), reverse=True)
    assert found[0].action == max(table.game.legal_actions())
    assert all(hint.probability and hint.probability > 0 for hint in found)


# ==================================================================== files


def test_the_file_is_whole_after_every_move_and_its_game_can_be_resumed(tmp_path: Path) -> None:
    table = table_of(records=tmp_path)
    table.claim(0)
    for _ in range(5):
        play_on(table, 1)
        record = the_record(tmp_path)
        assert Game.from_record(record).values == table.game.values
        assert record["winners"] is None
    record, file = the_record(tmp_path), table.record_file
    other = table_of(seed=99)
    other.resume(record, file)
    assert other.game.values == table.game.values
    assert other.chronicle.lines(0) == table.chronicle.lines(0)
    assert (other.turn, other.record_file) == (table.turn, file)


def test_only_games_of_a_seed_can_be_resumed(tmp_path: Path) -> None:
    table = table_of()
    play = Game(table.engine, seed=(1, 0, 0))
    play.apply_chance(0)
    with pytest.raises(RecordError, match="goes on only from"):
        table.resume(play.record())
    with pytest.raises(RecordError, match="chance is not that of its seed"):
        table.resume({**play.record(), "seed": _other_seed(play)})
    with pytest.raises(RecordError, match="3 players"):
        table_of("quatre_v0").resume(Game(table.engine, seed=(1, 0, 0)).record())
    assert table.turn == 0


def _other_seed(game: Game) -> list[int]:
    """The seed of a game that begins otherwise."""
    for seed in range(100):
        other = Game(game.engine, seed=(seed, 0, 0))
        other.settle()
        if other.values[0] != game.values[0]:
            return [seed, 0, 0]
    raise AssertionError


# ==================================================================== secrets


@pytest.mark.parametrize("name", ["gacha_v0", "torutorento_v0"])
def test_a_seat_is_shown_the_same_in_worlds_that_it_cannot_tell_apart(name: str) -> None:
    rng = np.random.default_rng(1)
    table = table_of(name)
    table.claim(0)
    table.claim(1)
    differing = 0
    while table.acting is not None:
        play_on(table, 1)
        real = table.game
        for seat in range(3):
            table.game = real
            table.chronicle = Chronicle(table.engine)
            table.chronicle.follow(real)
            shown = json.dumps(table.snapshot(seat)) + picture(real, seat)
            table.game = real.resample(seat, rng)
            table.chronicle = Chronicle(table.engine)
            table.chronicle.follow(table.game)
            assert json.dumps(table.snapshot(seat)) + picture(table.game, seat) == shown
            differing += picture(table.game, None) != picture(real, None)
        table.game, table.chronicle = real, Chronicle(table.engine)
        table.chronicle.follow(real)
    assert name == "torutorento_v0" or differing > 20


def test_the_seed_is_told_only_at_the_end() -> None:
    table = table_of("torutorento_v0", seed=987654321)
    table.claim(0)
    play_on(table, 5)
    assert "987654321" not in json.dumps(table.snapshot(0))
    play_on(table)
    assert table.snapshot(0)["seed"] == "987654321"


@pytest.mark.parametrize("name", GAMES)
def test_every_choice_is_offered_in_words_of_its_own(name: str) -> None:
    table = table_of(name)
    table.claim(0)
    let_agents_play(table)
    seen: set[str] = set()
    while table.acting is not None:
        choices = table.choices(0)
        labels = [choice["label"] for choice in choices]
        assert len(set(labels)) == len(labels)
        assert [c["action"] for c in choices] == table.game.legal_actions()
        seen |= set(labels)
        play_on(table, 1)
    assert all(label[0].isupper() and not label.endswith(".") for label in seen)
