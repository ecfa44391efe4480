"""The model card of a shipped policy, for people: written from its facts and from nothing else."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tefuda.training.evaluate import CONFIDENCE
from tefuda.training.shipped import describe_conditions

_Facts = Mapping[str, Any]

#: With fewer deals an interval says too little for a verdict.
ENOUGH_DEALS = 30

_MINUTE = 60
_MEGABYTE = 1e6


def card_text(name: str, facts: _Facts) -> str:
    """The card as Markdown.

    Args:
        name: The game, such as "gacha".
        facts: See `tefuda.training.ship`.
    """
    parts = [
        f"# The policy for {name}",
        f'`tefuda.training.agents.load("{name}")` loads it; the commands of `tefuda` call it '
        "`policy`. This card was written by `python -m tefuda.training.ship` from the run that "
        "trained the policy and from the games below.",
        _table(_description(facts)),
        "## Strength",
        _strength_note(facts["evaluation"]),
        _results(facts["evaluation"]["results"]),
        _list(map(verdict, facts["evaluation"]["results"])),
        "## Limits",
        _list(facts["limits"]),
    ]
    if facts["notes"]:
        parts += ["## What was tried", facts["notes"].strip()]
    parts += ["## Settings of the run", _code(facts["training"]["config"])]
    parts += ["## Versions", _code(_versions(facts))]
    return "\n\n".join(parts) + "\n"


def verdict(result: _Facts) -> str:
    """What a result shows, in a sentence."""
    if result["deals"] < ENOUGH_DEALS:
        shown = f"Too few games to tell against {result['opponents']}"
    elif result["low"] > 0:
        shown = f"It beats {result['opponents']}"
    elif result["high"] < 0:
        shown = f"It loses to {result['opponents']}"
    else:
        shown = f"No difference from {result['opponents']} is shown"
    return f"{shown}: {result['mean']:+.3f} ({_interval(result)}) over {result['games']:,} games."


def limits(trained_for: _Facts, results: list[dict[str, Any]]) -> list[str]:
    """What the policy is not good for, as far as its facts tell."""
    unproven = [
        result["opponents"]
        for result in results
        if result["low"] <= 0 or result["deals"] < ENOUGH_DEALS
    ]
    met = ", ".join(result["opponents"] for result in results)
    found = [
        f"It was trained for {describe_conditions(trained_for)}. Loaded by its name it refuses "
        "everything else.",
        f"It has been measured against {met} alone, one seat among equal opponents.",
        "It plays its likeliest action without search, and is no equilibrium: what an opponent who "
        "knows it could win was not measured.",
        "Its file is a pickle, like every model of Stable-Baselines3: load only what you trust.",
    ]
    if unproven:
        found.insert(1, f"It has not been shown to beat {', '.join(unproven)} (see the table).")
    return found


def _description(facts: _Facts) -> dict[str, str]:
    training, file = facts["training"], facts["file"]
    return {
        "game": f"{facts['trained_for']['game']}: {describe_conditions(facts['trained_for'])}",
        "observations": f"encoder {facts['encoder']}",
        "file": f"{file['name']}, {file['bytes'] / _MEGABYTE:.2f} MB, "
        f"{facts['parameters']:,} parameters of actor and critic",
        "imitated": f"{training['lessons']:,} decisions of the scripted player",
        "self-play": f"{training['decisions']:,} decisions, {training['games']:,} games",
        "training time": f"{training['seconds'] / _MINUTE:.1f} minutes, evaluations included",
    }


def _strength_note(evaluation: _Facts) -> str:
    return (
        f"Mean payoff of the policy in one seat with its {CONFIDENCE:.0%} interval: a sole winner "
        f"has 1, an even player 0. Every deal of seed {evaluation['seed']} is played from every "
        f"seat, and deals are the sample. The policy plays {evaluation['plays']} "
        f"({evaluation['date']})."
    )


def _results(results: list[dict[str, Any]]) -> str:
    lines = [
        "| among | mean payoff | interval | won | games |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for result in results:
        cells = [f"{result['mean']:+.3f}", _interval(result), f"{result['wins']:.1%}"]
        lines.append(f"| {result['opponents']} | {' | '.join(cells)} | {result['games']:,} |")
    return "\n".join(lines)


def _interval(result: _Facts) -> str:
    return f"{result['low']:+.3f} .. {result['high']:+.3f}"


def _versions(facts: _Facts) -> dict[str, Any]:
    return {"trained with": facts["training"]["versions"], "evaluated with": facts["versions"]}


def _table(rows: Mapping[str, str]) -> str:
    return "\n".join(
        ["| | |", "| --- | --- |", *(f"| {key} | {row} |" for key, row in rows.items())]
    )


def _list(lines: "Iterator[str] | list[str]") -> str:
    return "\n".join(f"- {line}" for line in lines)


def _code(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2)}\n```"
