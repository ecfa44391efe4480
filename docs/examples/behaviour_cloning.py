"""Behaviour cloning: games of the scripted player go to a file, and a network learns from it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import nn

from tefuda.training import cli
from tefuda.training.offline import Decisions, read_decisions

BATCH, EPOCHS = 256, 4
# The same as on the command line: tefuda record gacha --parquet ...
RECORD = "record gacha --players 3 --option scoring=vp --option rounds=1 --policy greedy --parquet"
GAMES = "--games 256 --seed 1"


def logits_of(net: nn.Module, decisions: Decisions) -> torch.Tensor:
    """(M, A) the network's scores of the legal actions; others get minus infinity."""
    legal = torch.as_tensor(np.array(decisions.action_mask), dtype=torch.bool)
    return net(torch.as_tensor(np.array(decisions.observation)).float()).masked_fill(
        ~legal, -torch.inf
    )


def agreement(net: nn.Module, decisions: Decisions) -> float:
    """How often the network's first choice is what was played, where there was a choice."""
    open_ = torch.as_tensor(decisions.action_mask.sum(1) > 1)
    with torch.no_grad():
        chosen = logits_of(net, decisions).argmax(1)
    played = torch.as_tensor(np.array(decisions.action)).long()
    return float((chosen == played)[open_].float().mean())


def main() -> None:
    """Records, learns, and compares on games that were not learnt from."""
    torch.manual_seed(0)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "greedy.parquet"
        cli.main([*RECORD.split(), *GAMES.split(), "-o", str(file)])
        *lessons, test = read_decisions(file)
    size, actions = test.observation.shape[1], test.action_mask.shape[1]
    net = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, actions))
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    print(f"before: {agreement(net, test):.0%} as the scripted player")
    for _ in range(EPOCHS):
        for lesson in lessons:
            for rows in torch.randperm(lesson.game.size).split(BATCH):
                part = Decisions(*(column[rows.numpy()] for column in lesson))
                played = torch.as_tensor(part.action).long()
                loss = nn.functional.cross_entropy(logits_of(net, part), played)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print(f"after:  {agreement(net, test):.0%}")


if __name__ == "__main__":
    main()
