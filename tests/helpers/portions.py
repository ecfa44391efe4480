"""A workplace without games, which other processes find by its name."""

from tefuda.envs.core.errors import OptionError

WRONG = 13


class Doubling:
    """Doubles the numbers of a portion."""

    def play(self, portion: range) -> list[int]:
        """The doubles; one number is refused."""
        if WRONG in portion:
            raise OptionError(f"{WRONG} is not allowed")
        return [2 * number for number in portion]
