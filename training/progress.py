"""A progress bar where there is a terminal and the extra `cli`; else nothing."""

from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def counting(what: str, total: int) -> Generator[Callable[[int], None], None, None]:
    """Shows how much of some work is done; gives what is to be called with each portion done.

    Args:
        what: What is done, in a word or two.
        total: How much there is.
    """
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ModuleNotFoundError:
        yield lambda done: None
        return
    console = Console(stderr=True)  # what a command prints can be piped
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, advance=done)
