"""Options: declared once, checked in one place, with errors that name option, value and choice."""

from typing import Any

import pytest

from tefuda.envs.core.errors import OptionError, TefudaError
from tefuda.envs.core.options import REWARD, Option, resolve

pytestmark = pytest.mark.pure

PLAYERS = Option("players", 4, range(2, 6), "seats")
SCORING = Option("scoring", "wp", ("wp", "vp"), "what counts")
ROUNDS = Option("rounds", None, range(1, 11), "how many", only_with=("scoring", "vp"))
DECLARED = (PLAYERS, SCORING, ROUNDS, REWARD)


def test_defaults_are_filled_in_where_they_apply() -> None:
    assert resolve(DECLARED, {}) == {"players": 4, "scoring": "wp", "reward": "win"}
    assert resolve(DECLARED, {"scoring": "vp"}) == {
        "players": 4, "scoring": "vp", "rounds": None, "reward": "win",
    }  # fmt: skip
    given = {"rounds": 3, "reward": "score", "scoring": "vp", "players": 2}
    assert resolve(DECLARED, given) == given


def test_the_order_is_that_of_the_declaration() -> None:
    given = {"reward": "score", "scoring": "vp", "players": 2, "rounds": 1}
    assert list(resolve(DECLARED, given)) == ["players", "scoring", "rounds", "reward"]


def test_none_counts_as_not_given() -> None:
    assert resolve(DECLARED, {"players": None, "rounds": None})["players"] == 4
    with pytest.raises(OptionError, match="unknown option 'colour'"):
        resolve(DECLARED, {"colour": None})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"colour": 1}, "unknown option 'colour'; this game has players, scoring, rounds, reward"),
        ({"players": 6}, "option players=6 is not allowed; it must be an integer from 2 to 5"),
        ({"players": 1}, "option players=1 is not allowed"),
        ({"players": 3.0}, r"option players=3.0 is not allowed"),
        ({"players": True}, "option players=True is not allowed"),
        ({"players": "3"}, "option players='3' is not allowed"),
        ({"scoring": "xp"}, "option scoring='xp' is not allowed; it must be one of 'wp', 'vp'"),
        ({"scoring": ["wp"]}, r"option scoring=\['wp'\] is not allowed"),
        ({"scoring": 0}, "option scoring=0 is not allowed"),
        ({"reward": "points"}, "option reward='points' is not allowed"),
        ({"rounds": 3}, "option rounds=3 applies only with scoring='vp'"),
        ({"rounds": 3, "scoring": "wp"}, "option rounds=3 applies only with scoring='vp'"),
        ({"rounds": 11, "scoring": "vp"}, "option rounds=11 is not allowed"),
    ],
)
def test_wrong_options(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        resolve(DECLARED, given)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TefudaError)
