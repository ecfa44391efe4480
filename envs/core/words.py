"""Games for players that read and write: what a seat knows in words and as JSON, actions in text.

All of it comes from a record alone, and tells a seat nothing that it does not know.
"""

import json
import re
from typing import Any

from tefuda.envs.core.contract import CHANCE, DECISION, NOBODY, OVER, TRUNCATED
from tefuda.envs.core.engine import Engine
from tefuda.envs.core.errors import (
    ActionRangeError,
    ActionTextError,
    GameOverError,
    IllegalActionError,
)
from tefuda.envs.core.jit import Records
from tefuda.envs.core.spec import WordyText

_COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")
# "110", "action 110", "id: 110."
_ID = re.compile(r"(?:(?:action|id|answer)\W*)*(\d+)")
# "110: follow must", as legal actions are listed
_LISTED = re.compile(r"(\d+) ?[:=] ?(.+)")
_JSON = re.compile(r"\{[^{}]*\}")
_JSON_KEY = "action"
# What may stand around an answer.
_TRIMMINGS = " \t\r\n.,;!\"'`*()[]"

_NODES = {DECISION: "decision", CHANCE: "chance", OVER: "over"}


# ==================================================================== what a seat knows


def view(engine: Engine, games: Records, row: int, seat: int | None) -> dict[str, Any]:
    """What a seat knows as JSON.

    Args:
        engine: The game made ready.
        games: Its records.
        row: Which of them.
        seat: Whose eyes; None sees everything.

    Returns:
        `env`, `players`, `options`, `components`, `seat`; `node`, `asked` and `acting`: what is to
        happen and who acts; `legal`: the seat's legal actions with their labels, if it acts;
        `totals`, `winners` (None while the game runs), `truncated`; and `table`: what lies on the
        table and in the seat's hand, in the words of the game.
    """
    game, setup, kind = games[row], engine.setup, int(engine.loops.node_of(games, row))
    acting = int(game["seat"])
    text = engine.spec.text
    shows = seat in (None, acting)
    return {
        "env": engine.spec.id,
        "players": engine.players,
        "options": dict(setup.options),
        "components": setup.components.name,
        "seat": seat,
        "node": _NODES[kind],
        "asked": {**text.DECISION_NAMES, **text.CHANCE_NAMES}.get(int(game["phase"])),
        "acting": None if acting == NOBODY else acting,
        "legal": _choices(engine, games, row) if shows else [],
        "round": int(game["round_index"]) + 1,
        "totals": [int(total) for total in game["totals"][: engine.players]],
        "winners": _winners(engine, game) if kind == OVER else None,
        "truncated": bool(game["ending"] == TRUNCATED),
        "table": text.view(setup, game, seat) if isinstance(text, WordyText) else {},
    }


def _choices(engine: Engine, games: Records, row: int) -> list[dict[str, Any]]:
    legal = engine.legal_actions(games, row)
    return [{"action": action, "label": engine.label(action)} for action in legal]


def _winners(engine: Engine, game: Any) -> list[int]:
    return [seat for seat in range(engine.players) if game["winners"][seat]]


def describe(engine: Engine, games: Records, row: int, seat: int) -> str:
    """What a seat knows in plain text.

    Args:
        engine: The game made ready.
        games: Its records.
        row: Which of them.
        seat: Whose eyes.

    Returns:
        The table as the seat sees it, what it remembers, the rules that matter now, and its legal
        actions, one a line as "ID: LABEL".
    """
    game, setup = games[row], engine.setup
    text = engine.spec.text
    lines = [f"You are seat {seat} of {engine.players} in {engine.spec.name}."]
    lines += ["", plain(text.ansi(setup, game, seat)).rstrip()]
    if isinstance(text, WordyText):
        lines += ["", *text.notes(setup, game, seat)]
    return "\n".join([*lines, "", *_call_to_act(engine, games, row, seat)]) + "\n"


def _call_to_act(engine: Engine, games: Records, row: int, seat: int) -> list[str]:
    kind, acting = int(engine.loops.node_of(games, row)), int(games[row]["seat"])
    if kind == OVER:
        return ["The game is over."]
    if kind == CHANCE:
        return ["Chance is to move."]
    if acting != seat:
        return [f"Seat {acting} is to act."]
    asked = engine.spec.text.DECISION_NAMES[int(games[row]["phase"])]
    actions = engine.legal_actions(games, row)
    return [f"You are to act ({asked}). Your legal actions:", *_listed(engine, actions)]


def _listed(engine: Engine, actions: list[int]) -> list[str]:
    return [f"{action}: {engine.label(action)}" for action in actions]


def plain(text: str) -> str:
    """A text without its ANSI colours."""
    return _COLOUR_CODE.sub("", text)


# ==================================================================== what a player writes


def parse(engine: Engine, games: Records, row: int, text: str) -> int:
    """The legal action that a text names, by id or by label.

    Understood are "110", "action 110", "follow must", "110: follow must", {"action": 110}, and a
    longer text whose last line is one of these or that names just one legal action by its label.

    Raises:
        ActionTextError: The text names no action, or several.
        ActionRangeError: There is no such action.
        IllegalActionError: The action is illegal now.
        GameOverError: Nobody acts.
    """
    legal = engine.legal_actions(games, row)
    if not legal:
        raise GameOverError(f"{_shown(text)}: nobody is to act")
    action = _named(engine, legal, text)
    if not 0 <= action < engine.actions:
        raise ActionRangeError(f"action {action} is not one of 0 .. {engine.actions - 1}")
    if action not in legal:
        raise IllegalActionError(engine.refusal(action, legal))
    return action


def _named(engine: Engine, legal: list[int], text: str) -> int:
    """The action that a text names, legal or not."""
    lines = [line for line in map(_normal, text.splitlines()) if line]
    for answer in (_from_json(text), *lines[-1:], _normal(text)):
        action = _exact(engine, answer) if answer else None
        if action is not None:
            return action
    mentioned = [action for action in legal if _mentions(_normal(text), engine.label(action))]
    if len(mentioned) == 1:
        return mentioned[0]
    said = f"names {len(mentioned)} legal actions" if mentioned else "names no action"
    choices = ", ".join(_listed(engine, mentioned or legal))
    raise ActionTextError(f"{_shown(text)} {said}; answer with the id of one of these: {choices}")


def _from_json(text: str) -> str | None:
    """What the last JSON object of a text has under "action"."""
    for found in reversed(_JSON.findall(text)):
        try:
            value = json.loads(found)
        except json.JSONDecodeError:
            continue
        if _JSON_KEY in value:
            return _normal(str(value[_JSON_KEY]))
    return None


def _exact(engine: Engine, answer: str) -> int | None:
    """The action that an answer is, by id or by label.

    Raises:
        ActionTextError: It is an id with the label of another action.
    """
    if found := _ID.fullmatch(answer):
        return int(found[1])
    if found := _LISTED.fullmatch(answer):
        action, meant = int(found[1]), _labelled(engine, found[2])
        if meant not in (None, action):
            raise ActionTextError(f"{answer!r}: action {meant} has this label, not {action}")
        return action
    return _labelled(engine, answer)


def _labelled(engine: Engine, label: str) -> int | None:
    """The action that has a label."""
    return next((a for a in range(engine.actions) if _normal(engine.label(a)) == label), None)


def _mentions(text: str, label: str) -> bool:
    """Whether a label occurs in a text, not as a part of longer words."""
    return re.search(rf"(?<!\w){re.escape(_normal(label))}(?![\w-])", text) is not None


def _normal(text: str) -> str:
    """A text in small letters, with single spaces, without what may stand around an answer."""
    return " ".join(text.casefold().split()).strip(_TRIMMINGS)


def _shown(text: str) -> str:
    """A text as an error quotes it."""
    short = " ".join(text.split())
    return repr(short if len(short) <= 80 else f"{short[:77]}...")
