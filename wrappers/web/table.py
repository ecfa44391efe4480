"""A table at which people and agents play one game after another; it knows no HTTP.

Nothing here waits: whoever runs the table asks agents to think where it suits.
"""

import copy
import json
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.chance import check_seed, fresh_seed
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import RecordError, TefudaError
from tefuda.envs.core.game import Game
from tefuda.envs.core.record import RecordData
from tefuda.envs.core.spec import BoardText, Event
from tefuda.envs.core.story import Chronicle, in_words
from tefuda.training.agents.base import Agent
from tefuda.training.files import replacing
from tefuda.training.play import deal

_ROW = np.array([0])
# How many bytes of randomness a token has.
_TOKEN_BYTES = 24
# How many actions a hint names.
_HINTS = 5
_LEAST_PROBABILITY = 0.001


class TableError(TefudaError, ValueError):
    """Something cannot be done at the table now; nothing has changed."""


class TokenError(TableError):
    """A token belongs to no seat."""


@runtime_checkable
class Adviser(Protocol):
    """An agent that has probabilities, such as a policy."""

    def observe(self, tables: Tables, rows: npt.NDArray[np.int64]) -> Any:
        """What the acting seats see, as the agent reads it."""
        ...

    def probabilities(
        self, observations: Any, masks: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.float64]:
        """(R, A) the probabilities of legal actions."""
        ...


@dataclass
class Chair:
    """A seat of the table.

    Attributes:
        seat: Its number.
        agent: Who plays while nobody sits there.
        token: What the person on it proves itself with; None while nobody sits there.
        connections: How many browsers show it.
    """

    seat: int
    agent: Agent
    token: str | None = None
    connections: int = 0


class Question(NamedTuple):
    """What an agent is asked; its own copy, so that it can be answered while the table goes on.

    Attributes:
        games: How many games had begun at the table.
        turn: How many decisions of the game had been made.
        agent: Who is asked.
        tables: The table as it stood, for the agent.
        game: The game as it stood, for labels.
    """

    games: int
    turn: int
    agent: Agent
    tables: Tables
    game: Game


class Thought(NamedTuple):
    """What an agent wants to play, and at which point of which game.

    Attributes:
        games: How many games had begun at the table.
        turn: How many decisions of the game had been made.
        action: The action.
    """

    games: int
    turn: int
    action: int


class Hint(NamedTuple):
    """What an agent would do.

    Attributes:
        action: The action.
        label: It in words.
        probability: How likely; None where the agent has no probabilities.
    """

    action: int
    label: str
    probability: float | None


class Table:
    """One table: its game, who sits where, and the files of its games.

    Attributes:
        engine: The game made ready.
        game: The running game.
        chronicle: Its story.
        chairs: The seats.
        people: How many people must sit down before the first decision.
        turn: How many decisions of the game have been made.
        games: How many games have begun.
        record_file: Where the running game is written; None before its first move, and where
            no game is.
    """

    def __init__(
        self,
        engine: Engine,
        agents: Sequence[Agent],
        *,
        seed: int | None = None,
        people: int = 1,
        adviser: Agent | None = None,
        records: Path | None = None,
    ) -> None:
        """Sets the table and begins a game.

        Args:
            engine: The game made ready.
            agents: Who plays where nobody sits, from seat 1 on, and from the first again where
                they are too few.
            seed: The first game has the key (seed, 0, 0); None takes fresh entropy.
            people: How many people must sit down before the first decision.
            adviser: Who gives hints; None: nobody.
            records: The folder for the files of the games; None writes none.

        Raises:
            OptionError: The seed is not allowed.
            TableError: There is no agent, or people do not fit the seats.
            TefudaError: An agent cannot play this game.
        """
        if not agents:
            raise TableError("a table needs an agent for the seats where nobody sits")
        if not 0 <= people <= engine.players:
            raise TableError(f"people={people} is not allowed; it must be 0 .. {engine.players}")
        self.engine = engine
        self.people = people
        self.games = 0
        self.chairs = [
            Chair(seat, agents[(seat - 1) % len(agents)]) for seat in range(engine.players)
        ]
        self._adviser = adviser
        self._records = records
        self._thinking = threading.Lock()  # agents keep working space of their own
        self._waiting = people > 0
        self.begin(seed)
        for agent in (*agents, *filter(None, (adviser,))):
            self._try_out(agent)

    def _try_out(self, agent: Agent) -> None:
        """Lets an agent play once aside: it may not fit the game, and its kernels get compiled."""
        question = self._question(agent)
        action = self._ask(agent, question.tables)
        question.tables.step([action])
        question.game.apply(action)

    # ---------------------------------------------------------------- games

    def begin(self, seed: int | None = None) -> None:
        """Begins a new game; the running one stays in its file as far as it came.

        Args:
            seed: The game has the key (seed, 0, 0); None takes fresh entropy.

        Raises:
            OptionError: The seed is not allowed.
        """
        key = (fresh_seed() if seed is None else check_seed(seed), 0, 0)
        self._key, self._actions, self._actors = key, list[int](), list[int]()
        self.games += 1
        self.record_file: Path | None = None
        self._replay([])

    def resume(self, record: RecordData, file: Path | None = None) -> None:
        """Goes on with an unfinished game from where its record ends.

        Args:
            record: The record, which is judged.
            file: Where the game is written from now on; None: a new file.

        Raises:
            RecordError: The record is impossible, of another game, or its chance has no key.
        """
        game = Game.from_record(record)
        if game.engine.spec.id != self.engine.spec.id or record["players"] != self.engine.players:
            raise RecordError(f"the record is of {record['env']}, {record['players']} players")
        if game.key is None or game.key[2]:
            raise RecordError(f"seed is {record['seed']!r}: a game goes on only from (seed, n, 0)")
        actions = [e["action"] for e in record["events"] if e["kind"] == "decision"]
        if Game.replay(game.engine, game.key, actions).values[: len(game.values)] != game.values:
            raise RecordError("the record's chance is not that of its seed")
        self.engine, self._key = game.engine, game.key
        self.games += 1
        self.record_file = file
        self._replay(actions)

    def _replay(self, actions: Sequence[int]) -> None:
        """Puts the table where these actions lead."""
        seed, number, _ = self._key
        self.turn, self._actions, self._actors = 0, [], []
        self._tables = Tables(self.engine, 1, seed=0, autoreset=False)
        deal(self._tables, seed, np.array([number]))
        self.game = Game(self.engine, seed=self._key)
        self.game.settle()
        self.chronicle = Chronicle(self.engine)
        for action in actions:
            self._advance(action)
        self.chronicle.follow(self.game)

    def _advance(self, action: int) -> None:
        seat = self.game.seat
        assert seat is not None
        self.game.apply(action)  # refuses an illegal action before anything has changed
        self.game.settle()
        self._tables.step([action])
        self._actions.append(action)
        self._actors.append(seat)
        self.turn += 1

    # ---------------------------------------------------------------- seats

    def claim(self, seat: int) -> str:
        """Lets a person sit down in the place of the agent.

        Returns:
            The token that the person proves itself with from now on.

        Raises:
            TableError: There is no such seat, or somebody sits there.
        """
        if isinstance(seat, bool) or seat not in range(self.engine.players):
            raise TableError(f"seat {seat!r} is not one of 0 .. {self.engine.players - 1}")
        chair = self.chairs[seat]
        if chair.token is not None:
            raise TableError(f"somebody sits at seat {seat} already")
        chair.token = secrets.token_urlsafe(_TOKEN_BYTES)
        if len(self.seated) >= self.people:
            self._waiting = False
        return chair.token

    def release(self, token: str) -> None:
        """Lets a person get up; the agent plays on.

        Raises:
            TokenError: The token belongs to no seat.
        """
        self.chairs[self.seat_of(token)].token = None

    def seat_of(self, token: str) -> int:
        """The seat of a person.

        Raises:
            TokenError: The token belongs to no seat.
        """
        for chair in self.chairs:
            own = chair.token
            if own is not None and secrets.compare_digest(own.encode(), token.encode()):
                return chair.seat
        raise TokenError("this address belongs to no seat; sit down again")

    @property
    def seated(self) -> list[int]:
        """The seats at which people sit."""
        return [chair.seat for chair in self.chairs if chair.token is not None]

    @property
    def missing(self) -> int:
        """How many people must still sit down before the game goes on."""
        return max(0, self.people - len(self.seated)) if self._waiting else 0

    @property
    def acting(self) -> int | None:
        """The seat that is to act; None once the game is over."""
        return self.game.seat if self.game.node == "decision" else None

    @property
    def agent_acts(self) -> bool:
        """Whether an agent is to act."""
        return (
            self.acting is not None and not self.missing and self.chairs[self.acting].token is None
        )

    # ---------------------------------------------------------------- decisions

    def act(self, seat: int, action: int, turn: int) -> None:
        """A person's decision.

        Args:
            seat: Who decides.
            action: The action.
            turn: The decision that is meant, as `turn` counts, so that none is made twice.

        Raises:
            TableError: It is not this seat's turn, or the decision has been made already.
            ActionError: The action is illegal.
        """
        self._check_turn(seat, turn)
        self._play(action)

    def _check_turn(self, seat: int, turn: int) -> None:
        if self.missing:
            raise TableError(f"{self.missing} more must sit down before the game begins")
        if self.acting is None:
            raise TableError("the game is over; nobody can act")
        if turn != self.turn:
            raise TableError(
                f"this was meant for decision {turn!r}, but the table is at decision {self.turn}; "
                "it was not played"
            )
        if self.acting != seat:
            raise TableError(f"seat {self.acting} is to act, not seat {seat}")

    def _play(self, action: int) -> None:
        self._advance(action)
        self.chronicle.follow(self.game)
        self.write()

    def question(self) -> Question:
        """What the agent that is to act is asked."""
        assert self.acting is not None
        return self._question(self.chairs[self.acting].agent)

    def _question(self, agent: Agent) -> Question:
        tables = copy.deepcopy(self._tables)
        return Question(self.games, self.turn, agent, tables, self.game.clone())

    def think(self, question: Question | None = None) -> Thought:
        """What an agent wants to play; may take long, and changes nothing.

        Args:
            question: What it is asked; by default what the agent that is to act is asked now.
        """
        asked = question or self.question()
        return Thought(asked.games, asked.turn, self._ask(asked.agent, asked.tables))

    def _ask(self, agent: Agent, tables: Tables) -> int:
        with self._thinking:
            return int(agent.act(tables, _ROW)[0])

    def accept(self, thought: Thought) -> bool:
        """Plays what an agent thought of, unless the table has moved on or a person sits there."""
        if not self.agent_acts or (thought.games, thought.turn) != (self.games, self.turn):
            return False
        self._play(thought.action)
        return True

    # ---------------------------------------------------------------- undo, hints

    def may_undo(self, seat: int) -> bool:
        """Whether this person can take a decision back: alone among agents, and having made one."""
        return self.seated == [seat] and seat in self._actors

    def undo(self, seat: int) -> None:
        """Goes back to the latest decision of the only person at the table.

        Raises:
            TableError: Other people sit at the table, or there is nothing to take back.
        """
        if not self.may_undo(seat):
            others = len(self.seated) > 1
            why = "other people sit at this table" if others else "you have decided nothing yet"
            raise TableError(f"nothing can be taken back: {why}")
        latest = len(self._actors) - 1 - self._actors[::-1].index(seat)
        self.games += 1  # what agents are thinking of is out of date
        self._replay(self._actions[:latest])
        self.write()

    @property
    def adviser(self) -> str | None:
        """The name of who gives hints."""
        return None if self._adviser is None else _shown_name(self._adviser)

    def hint_question(self, seat: int) -> Question:
        """What the adviser is asked in the place of the acting seat.

        Raises:
            TableError: There is no adviser, or it is not this seat's turn.
        """
        if self._adviser is None:
            raise TableError("nobody gives hints at this table")
        self._check_turn(seat, self.turn)
        return self._question(self._adviser)

    def hints(self, question: Question) -> list[Hint]:
        """What the adviser would do, the likeliest first; may take long, and changes nothing."""
        agent, tables, game = question.agent, question.tables, question.game
        if not isinstance(agent, Adviser):
            action = self._ask(agent, tables)
            return [Hint(action, _choice(game, action), None)]
        with self._thinking:
            seen = agent.observe(tables, _ROW)
            chances = agent.probabilities(seen, tables.action_mask)[0]
        best = [int(action) for action in np.argsort(-chances, kind="stable")[:_HINTS]]
        return [
            Hint(action, _choice(game, action), float(chances[action]))
            for action in best
            if chances[action] >= _LEAST_PROBABILITY
        ]

    # ---------------------------------------------------------------- what a seat is shown

    def choices(self, seat: int) -> list[dict[str, Any]]:
        """The legal actions of a seat, if it is to act, with ids and offers."""
        if self.acting != seat or self.missing:
            return []
        return [self._offer(action) for action in self.game.legal_actions()]

    def _offer(self, action: int) -> dict[str, Any]:
        """An action; with its row, column and quarter turns where it places a card on a board."""
        offer: dict[str, Any] = {"action": action, "label": _choice(self.game, action)}
        text = self.engine.spec.text
        if isinstance(text, BoardText):
            move = text.decode(self.engine.setup, action)
            if move.kind == text.PLACE:
                offer["place"] = [move.row, move.column, move.turn]
        return offer

    def _faces(self) -> dict[str, Any]:
        """The card to be placed in its four turns, as rows of letters, where there is one."""
        text = self.engine.spec.text
        if not isinstance(text, BoardText):
            return {}
        return {"faces": text.faces(self.engine.setup, self.game.state)}

    def snapshot(self, seat: int) -> dict[str, Any]:
        """All that a person at a seat is shown, as JSON; nothing that the seat may not know."""
        return {
            "turn": self.turn,
            "seat": seat,
            "view": {**self.game.view(seat), "legal": self.choices(seat), **self._faces()},
            "log": [[line.kind, line.text] for line in self.chronicle.lines(seat)],
            "chairs": [self._chair(chair, seat) for chair in self.chairs],
            "missing": self.missing,
            "undo": self.may_undo(seat),
            "adviser": self.adviser,
            # The seed tells all hidden cards to who deals them again. It is a text, for browsers
            # round large numbers.
            "seed": str(self._key[0]) if self.acting is None else None,
        }

    def _chair(self, chair: Chair, seat: int | None) -> dict[str, Any]:
        who = "person" if chair.token is not None else "agent"
        return {
            "seat": chair.seat,
            "who": "you" if chair.seat == seat else who,
            "name": _shown_name(chair.agent) if chair.token is None else None,
            "here": chair.connections > 0,
        }

    def standing(self) -> dict[str, Any]:
        """What the table shows to people who do not sit at it yet."""
        return {
            "game": self.engine.spec.name,
            "players": self.engine.players,
            "people": self.people,
            "turn": self.turn,
            "over": self.acting is None,
            "chairs": [self._chair(chair, None) for chair in self.chairs],
        }

    # ---------------------------------------------------------------- the file

    def write(self) -> None:
        """Writes the record of the game; its file is complete at any time."""
        if self._records is None:
            return
        if self.record_file is None:
            self._records.mkdir(parents=True, exist_ok=True)
            self.record_file = _free_name(self._records, self.engine.spec.name)
        record = self.game.record()
        with replacing(self.record_file) as part:
            part.write_text(_line(record), encoding="utf-8")


def _line(record: RecordData) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _free_name(folder: Path, game: str) -> Path:
    """A name that no file has yet."""
    begun = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    names = (f"{game}-{begun}{f'-{n}' if n else ''}.jsonl" for n in range(10**6))
    return next(folder / name for name in names if not (folder / name).exists())


def _shown_name(agent: Agent) -> str:
    """An agent's name; of a path only the end, for who plays along need not know the folders."""
    kind, colon, path = agent.name.partition(":")
    return f"{kind}{colon}{Path(path).name}"


def _choice(game: Game, action: int) -> str:
    """An action of the acting seat as an offer, such as "Play 14 red"."""
    event = Event(int(game.state["phase"]), game.seat, action)
    told = in_words(game.engine, event) if game.engine.spec.story else None
    return game.label(action) if told is None else _as_offer(told)


def _as_offer(told: str) -> str:
    """A sentence about what a seat does ("Seat 0 plays 14 red.") as an offer ("Play 14 red")."""
    _, _, done = told.removesuffix(".").split(" ", 2)
    verb, _, rest = done.partition(" ")
    offer = f"{verb.removesuffix('s').capitalize()} {rest}".rstrip()
    return offer.replace(" its ", " your ")
