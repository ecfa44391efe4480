"""A player that reads and writes: anything from text to text, such as a language model."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tefuda.envs.core.batch import Tables
from tefuda.envs.core.errors import ActionError, TefudaError
from tefuda.envs.core.words import describe, parse
from tefuda.training.agents.base import Actions, Agent, Rows

#: What follows the description of a decision.
CALL = "Answer with the id of one of these actions on a line of its own."


class TextAgent:
    """Asks for every decision in plain text and reads the answer (see `core.words`).

    What is wrong with an answer is said in the next question. Tables are asked one by one.

    Args:
        ask: Gets a question and gives an answer.
        attempts: How often it is asked for a decision.
        otherwise: Who plays a decision in which no answer was an action; None: an error is raised.
        name: What tables and files call it.

    Attributes:
        questions: How many questions were asked.
        failures: How many decisions were left to `otherwise`.
    """

    def __init__(
        self,
        ask: Callable[[str], str],
        *,
        attempts: int = 3,
        otherwise: Agent | None = None,
        name: str = "text",
    ) -> None:
        self.name = name
        self.questions = 0
        self.failures = 0
        self._ask = ask
        self._attempts = attempts
        self._otherwise = otherwise

    def act(self, tables: Tables, rows: Rows) -> Actions:
        """See `Agent`.

        Raises:
            TefudaError: No answer was an action, and nobody plays otherwise.
        """
        return np.array([self._decide(tables, int(row)) for row in rows], np.int64)

    def _decide(self, tables: Tables, row: int) -> int:
        engine, games = tables.engine, tables.games
        described = describe(engine, games, row, int(tables.seat[row]))
        question = f"{described}\n{CALL}\n"
        wrong: ActionError | None = None
        for _ in range(self._attempts):
            self.questions += 1
            try:
                return parse(engine, games, row, self._ask(question))
            except ActionError as error:
                wrong = error
                question = f"{described}\nYour answer was refused: {error}\n{CALL}\n"
        return self._give_up(tables, row, wrong)

    def _give_up(self, tables: Tables, row: int, wrong: ActionError | None) -> int:
        if self._otherwise is None:
            raise TefudaError(
                f"{self.name} gave no action in {self._attempts} answers; the last: {wrong}"
            ) from wrong
        self.failures += 1
        chosen: Any = self._otherwise.act(tables, np.array([row]))[0]
        return int(chosen)
