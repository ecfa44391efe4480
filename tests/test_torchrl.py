"""TorchRL's wrapper of PettingZoo on the unchanged environments: specs, masks, rewards."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from torchrl.envs import MarlGroupMapType  # noqa: E402 - only where TorchRL is
from torchrl.envs.libs.pettingzoo import PettingZooWrapper  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

from tefuda.envs import TableEnv, make  # noqa: E402

# TorchRL names the version of PettingZoo that it was tested with.
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL:UserWarning")

#: Options for games of one round.
SHORT: dict[str, dict[str, Any]] = {
    "gacha_v0": {"players": 3, "scoring": "vp", "rounds": 1},
    "quatre_v0": {"players": 2},
    "torutorento_v0": {"players": 3, "max_rounds": 1},
}
MOST_STEPS = 2000

every_game = pytest.mark.parametrize("name", SHORT)


def wrapped(
    name: str, group_map: MarlGroupMapType | None = None, **options: Any
) -> tuple[PettingZooWrapper, TableEnv]:
    table = make(name, **SHORT[name], **options)
    return PettingZooWrapper(table, use_mask=True, group_map=group_map, seed=0), table


@every_game
@pytest.mark.parametrize("group_map", [None, MarlGroupMapType.ALL_IN_ONE_GROUP])
def test_the_specs_hold(name: str, group_map: MarlGroupMapType | None) -> None:
    env, _ = wrapped(name, group_map)
    check_env_specs(env, seed=1)


def test_the_specs_of_pieces_hold() -> None:
    env, _ = wrapped("quatre_v0", encoder="planes")
    check_env_specs(env, seed=1)
    assert {"board", "context"} <= set(env.reset()["player_0", "observation", "observation"].keys())


@every_game
def test_a_random_rollout_is_a_legal_game_with_its_payoffs(name: str) -> None:
    torch.manual_seed(2)
    env, table = wrapped(name)
    rollout = env.rollout(MOST_STEPS)
    assert rollout["next", "done"].flatten().tolist() == [False] * (len(rollout) - 1) + [True]
    record = table.record()
    decisions = [event for event in record["events"] if event["kind"] == "decision"]
    assert len(decisions) == len(rollout)
    for seat, agent in enumerate(table.possible_agents):
        acts = rollout[agent, "mask"].flatten()
        assert acts.tolist() == [event["seat"] == seat for event in decisions]
        masks = rollout[agent, "action_mask"].squeeze(1)
        for mask, event in zip(masks, decisions, strict=True):
            if event["seat"] == seat:  # TorchRL fills the masks of idle seats
                assert mask.nonzero().flatten().tolist() == event["legal"]
        rewards = rollout["next", agent, "reward"]
        assert rewards.sum().item() == pytest.approx(record["payoffs"][seat], abs=1e-5)


def test_the_next_rollout_is_the_next_game() -> None:
    env, table = wrapped("gacha_v0")
    env.set_seed(5)
    games = []
    for _ in range(2):
        env.rollout(MOST_STEPS)
        games.append(table.record()["seed"])
    assert games[0][2] + 1 == games[1][2]
