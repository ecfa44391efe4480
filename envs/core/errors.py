"""The errors of tefuda: each names the thing that is wrong, its value, and what is allowed."""


class TefudaError(Exception):
    """The base of every error that tefuda raises on purpose."""


class OptionError(TefudaError, ValueError):
    """An option of a game is unknown, out of range, or does not apply."""


class ComponentError(TefudaError, ValueError):
    """A component file breaks a fact of its game; the message says file, place and fact."""


class ActionError(TefudaError, ValueError):
    """An action was refused; the state has not changed."""


class ActionTypeError(ActionError, TypeError):
    """An action is not an integer (or an array of actions has the wrong dtype or shape)."""


class ActionRangeError(ActionError):
    """An action lies outside 0 .. A - 1."""


class IllegalActionError(ActionError):
    """An action exists but is not legal now."""


class ActionTextError(ActionError):
    """A text names no action, or more than one."""


class GameOverError(ActionError):
    """The game has ended: nobody can act."""


class NotResetError(TefudaError, RuntimeError):
    """An environment was used before its first `reset()`."""


class ChanceError(TefudaError, ValueError):
    """A chance outcome is impossible, or there is no chance node to take it."""


class RecordError(TefudaError, ValueError):
    """A record is malformed, or tells of something that cannot have happened.

    Attributes:
        index: The index of the event that is wrong; None where it is no event.
    """

    def __init__(self, reason: str, index: int | None = None) -> None:
        """Keeps the index beside the message, which names it too."""
        super().__init__(reason if index is None else f"event {index}: {reason}")
        self.index = index
