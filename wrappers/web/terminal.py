"""A table in a terminal: the game in text and ANSI colours, decisions by numbers."""

import re
from collections.abc import Callable

from tefuda.envs.core.errors import ActionError, OptionError
from tefuda.envs.core.story import EVENT, ROUND, SCORE
from tefuda.envs.core.words import plain
from tefuda.wrappers.web.table import Hint, Table, TableError

#: Asks a person, with a prompt.
Ask = Callable[[str], str]

_NUMBER = re.compile(r"-?\d+")
# More actions than this are not listed unless asked for.
_LISTED = 24
_KEYS = "u: undo, h: hint, n [seed]: new game, q: quit"
_LONG_KEYS = f"?: list all, {_KEYS}"
_OVER_PROMPT = "[n [seed]: new game, u: undo, q: quit] "
_BOLD, _DIM, _GREEN, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"
_LINE_COLOURS = {EVENT: "", ROUND: _BOLD, SCORE: _GREEN}


class Terminal:
    """A person at one seat, in a terminal.

    Args:
        table: The table.
        seat: Where the person sits.
        ask: Asks the person; the end of the input means to quit.
        tell: Shows the person a text.
        colour: Whether to write ANSI colours.
    """

    def __init__(
        self,
        table: Table,
        seat: int,
        ask: Ask = input,
        tell: Callable[[str], None] = print,
        *,
        colour: bool = True,
    ) -> None:
        self._table = table
        self._seat = seat
        self._ask = ask
        self._show = tell
        self._colour = colour
        self._told = 0
        table.claim(seat)

    def play(self) -> None:
        """Plays games until the person quits."""
        going_on = True
        while going_on:
            self._let_agents_play()
            self._tell()
            going_on = self._decide() if self._table.acting == self._seat else self._after_game()

    def _let_agents_play(self) -> None:
        while self._table.agent_acts:
            self._table.accept(self._table.think())

    # ---------------------------------------------------------------- showing

    def _tell(self) -> None:
        """Shows what has happened since, and the table."""
        lines = self._table.chronicle.lines(self._seat)
        for line in lines[self._told :]:
            self._print(f"{_LINE_COLOURS.get(line.kind, _DIM)}{line.text}{_PLAIN}")
        self._told = len(lines)
        engine, state = self._table.engine, self._table.game.state
        self._print("")
        self._print(engine.spec.text.ansi(engine.setup, state, self._seat).rstrip())
        self._print("")

    def _print(self, text: str) -> None:
        self._show(text if self._colour else plain(text))

    def _list(self, choices: list[str]) -> None:
        for number, label in enumerate(choices, start=1):
            self._print(f"{number:>4}  {label}")

    # ---------------------------------------------------------------- asking

    def _decide(self) -> bool:
        """Asks until something has changed; returns whether to go on."""
        choices = [str(choice["label"]) for choice in self._table.choices(self._seat)]
        few = len(choices) <= _LISTED
        if few:
            self._list(choices)
        else:
            self._print(_how_to_choose(self._labels()))
        prompt = f"[1-{len(choices)}, {_KEYS}] " if few else f"[{_LONG_KEYS}] "
        while True:
            answer = self._read(prompt)
            if answer == "?":
                self._list(choices)
            elif answer == "h":
                self._hint()
            elif answer:
                done = self._try(answer, choices)
                if done is not None:
                    return done

    def _after_game(self) -> bool:
        while True:
            answer = self._read(_OVER_PROMPT)
            done = self._try(answer, []) if answer else None
            if done is not None:
                return done

    def _read(self, prompt: str) -> str:
        try:
            return self._ask(prompt).strip()
        except EOFError:
            return "q"

    def _try(self, answer: str, choices: list[str]) -> bool | None:
        """Does what the person wants; None where nothing came of it."""
        if answer == "q":
            return False
        try:
            if answer == "u":
                self._table.undo(self._seat)
                self._told = 0
            elif answer.split()[0] == "n":
                self._table.begin(_seed(answer))
                self._told = 0
            else:
                action = self._chosen(answer, choices)
                self._table.act(self._seat, action, self._table.turn)
        except (ActionError, TableError, OptionError) as error:
            self._show(str(error))
            return None
        return True

    def _chosen(self, answer: str, choices: list[str]) -> int:
        """The action that the person names: by its place in the list, its numbers, its label."""
        actions = [int(choice["action"]) for choice in self._table.choices(self._seat)]
        if not re.fullmatch(r"[-\d\s,]+", answer):
            return self._table.game.parse(answer)
        numbers = _NUMBER.findall(answer)
        if len(numbers) == 1:
            place = int(numbers[0])
            if not 1 <= place <= len(actions):
                raise TableError(f"{place} is not one of 1 .. {len(actions)}")
            return actions[place - 1]
        named = [at for at, label in enumerate(self._labels()) if _NUMBER.findall(label) == numbers]
        if len(named) != 1:
            raise TableError(f"{answer!r} are the numbers of no action that is legal now")
        return actions[named[0]]

    def _labels(self) -> list[str]:
        """The labels of the legal actions, as records have them."""
        game = self._table.game
        return [game.label(action) for action in game.legal_actions()]

    def _hint(self) -> None:
        try:
            hints = self._table.hints(self._table.hint_question(self._seat))
        except TableError as error:
            self._show(str(error))
            return
        self._show(f"{self._table.adviser} would:")
        for hint in hints:
            self._show(f"  {describe_hint(hint)}")


def describe_hint(hint: Hint) -> str:
    """A hint in a line."""
    return hint.label if hint.probability is None else f"{hint.probability:6.1%}  {hint.label}"


def _how_to_choose(labels: list[str]) -> str:
    """How one of many actions is named, and the few that need words."""
    pattern = next(label for label in labels if len(_NUMBER.findall(label)) > 1)
    others = [label for label in labels if not _NUMBER.findall(label)]
    return (
        f"{len(labels)} actions are legal. Type the numbers of one: "
        f"{' '.join(_NUMBER.findall(pattern))} means {pattern!r}. "
        f"Or type a word: {', '.join(others)}."
    )


def _seed(answer: str) -> int | None:
    """The seed behind "n", if one is given."""
    words = answer.split()
    if len(words) == 1:
        return None
    if len(words) > 2 or not words[1].isdecimal():
        raise OptionError(f"{answer!r}: a seed is a number, such as n 7")
    return int(words[1])
