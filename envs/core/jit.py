"""How kernels are compiled: inner ones plain, entry ones bound to a game and cached on disk.

A game's verbs are small functions marked `kernel`; they are compiled into whatever calls them.
The loops over tables are written once (`engine.py`) against the placeholder verbs of
`contract.py`. `bind` gives a game its own copies of these loops, in which the placeholders are
replaced by the game's verbs, so that the compiler sees through every call.

Numba's disk cache looks only at the file of the function that is cached, not at the files of
its callees. The names of bound functions therefore carry a fingerprint of all sources that take
part: an edited rule never runs from a stale cache.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar, cast

# A structured record and an array of them. Their fields live in a dtype, of which type checkers
# know nothing. (Aliases of Any would be the plainer form, but confuse pyright.)
from typing import Any as Record
from typing import Any as Records

import numba
import numpy as np
from numba import types

__all__ = [
    "PURE_PYTHON", "Record", "Records", "bind", "fields", "fingerprint", "inlined", "kernel",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])

#: True when NUMBA_DISABLE_JIT=1: kernels are then ordinary Python functions.
PURE_PYTHON = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]  # set at import

# Nothing calls a kernel through a C pointer; leaving that entry out saves a tenth of the compiling.
_INNER: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compiles `function` into its callers (without the JIT: leaves it as it is)."""
    return cast(Function, _without_literals(numba.njit(**_INNER)(function)))


def inlined(function: Function) -> Function:
    """Like `kernel`, but pasted into the caller: for the few places where a call shows."""
    return cast(Function, numba.njit(**_INNER, inline="always")(function))


def _without_literals(dispatcher: Any) -> Any:
    """Has a kernel compiled once for all integers, not once more for each constant it is given.

    Numba types constants as literals first. The optimiser sees them all the same once the kernel
    is part of its caller.
    """
    if PURE_PYTHON:
        return dispatcher
    template_of = dispatcher.get_call_template
    plain: Callable[[Any], Any] = types.unliteral

    def get_call_template(args: Any, kws: Any) -> Any:
        named = {name: plain(kind) for name, kind in kws.items()}
        return template_of(tuple(plain(kind) for kind in args), named)

    dispatcher.get_call_template = get_call_template
    return dispatcher


def fields(records: Records) -> Records:
    """A view of `records` whose elements have their fields as attributes, in either mode.

    Numba gives records attributes by itself, and dispatches plain arrays ten times faster.
    """
    return records.view(np.recarray) if PURE_PYTHON else records


def bind(
    name: str,
    loops: ModuleType,
    verbs: Mapping[str, Callable[..., Any]],
    sources: Iterable[Path],
) -> SimpleNamespace:
    """Compiles the functions of the module `loops` for one game.

    Args:
        name: Tells this set of bound functions from every other.
        loops: The module whose functions are bound; it imports the placeholders.
        verbs: The game's function for each placeholder.
        sources: The files and folders whose text decides what the compiled code does.

    Returns:
        The bound functions by name. They compile on their first call, or come from the cache.
    """
    own = {key: thing for key, thing in vars(loops).items() if _is_defined_in(thing, loops)}
    namespace: dict[str, Any] = {**vars(loops), **verbs}
    mark = f"{name}_{fingerprint(tuple(sources))}"
    for key, function in own.items():
        namespace[key] = _entry(_copy(function, namespace, mark))
    return SimpleNamespace(**{key: namespace[key] for key in own})


@cache
def fingerprint(sources: tuple[Path, ...]) -> str:
    """Eight hex digits that change when any Python file below `sources` does."""
    digest = hashlib.sha256()
    for source in sources:
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:8]


def _is_defined_in(thing: object, module: ModuleType) -> bool:
    return isinstance(thing, FunctionType) and thing.__module__ == module.__name__


def _copy(function: FunctionType, namespace: dict[str, Any], mark: str) -> FunctionType:
    code: CodeType = function.__code__
    copy = FunctionType(code, namespace, function.__name__, function.__defaults__)
    copy.__qualname__ = f"{function.__name__}_{mark}"
    copy.__module__ = function.__module__
    return copy


def _entry(function: FunctionType) -> Callable[..., Any]:
    return cast(Callable[..., Any], numba.njit(**_INNER, cache=True, nogil=True)(function))
