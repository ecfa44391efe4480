"""Ray: the same results from any number of actors, which may die, and RLlib's masked PPO."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ray = pytest.importorskip("ray")

from tefuda.envs.core.engine import make_engine  # noqa: E402 - only where Ray is
from tefuda.envs.core.errors import TefudaError  # noqa: E402
from tefuda.envs.core.registry import find_game  # noqa: E402
from tefuda.training import crossplay  # noqa: E402
from tefuda.training.cli import main  # noqa: E402
from tefuda.training.cluster import MOST_DEATHS, Crew, connected  # noqa: E402
from tefuda.training.crossplay import CrossPlay  # noqa: E402
from tefuda.training.portions import cut, in_order  # noqa: E402
from tefuda.training.records import Recording  # noqa: E402

pytestmark = pytest.mark.slow

ACTORS = 2
NAMES = ["random", "greedy"]
SHORT: dict[str, Any] = {"players": 3, "scoring": "vp", "rounds": 1}


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://127.0.0.1:1"])
def test_where_there_is_no_cluster_it_is_said(address: str) -> None:
    with (
        pytest.raises(TefudaError, match=f"no Ray cluster at '{address}'"),
        connected(address),
    ):
        pass


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One cluster for all tests; it leaves nothing behind, in the home folder neither."""
    home = tmp_path_factory.mktemp("home")
    scratch = tempfile.TemporaryDirectory(prefix="t")  # short: Ray's sockets lie in it
    with scratch as folder, pytest.MonkeyPatch.context() as patch, ExitStack() as open_:
        patch.setenv("HOME", str(home))
        for name in ("RAY_TMPDIR", "RAY_ADDRESS"):
            patch.delenv(name, raising=False)
        with pytest.MonkeyPatch.context() as elsewhere:
            elsewhere.setattr(tempfile, "tempdir", folder)
            open_.enter_context(connected("local"))
        assert [path.name[:3] for path in Path(folder).iterdir()] == ["ray"]
        yield
        open_.close()
        assert list(Path(folder).iterdir()) == []
        assert list(home.iterdir()) == []


# ==================================================================== who plays makes no difference


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("actors", [1, 2])
def test_any_number_of_actors_finds_what_one_process_finds(
    actors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossplay, "PORTION", 4)
    alone, apart = (CrossPlay(NAMES, "gacha", games=30, seed=2) for _ in range(2))
    alone.play()
    apart.play(actors, ray="local")
    assert apart.complete
    assert alone.as_dict() == apart.as_dict()


@pytest.mark.usefixtures("cluster")
def test_the_commands_write_the_same_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("rich")
    on_ray = ["--ray", "local", "--jobs", str(ACTORS)]
    record = ["record", "gacha", "--games", "70", "--players", "3", "--policy", "greedy"]
    evaluate = ["evaluate", "gacha", "--agents", *NAMES, "--games", "160"]
    commands = {
        "games.jsonl": [*record, "-o"],
        "games.parquet": [*record, "--parquet", "-o"],
        "results.json": [*evaluate, "--json"],
    }
    for name, command in commands.items():
        here, there = tmp_path / f"here-{name}", tmp_path / f"there-{name}"
        assert main([*command, str(here)]) == 0
        assert main([*command, str(there), *on_ray]) == 0
        assert here.read_bytes() == there.read_bytes()


# ==================================================================== actors that die


def recording() -> Recording:
    return Recording("greedy", make_engine(find_game("gacha_v0"), **SHORT), 3)


@pytest.mark.usefixtures("cluster")
def test_an_actor_killed_in_mid_run_changes_nothing() -> None:
    work, portions = recording(), cut(40, 4)
    expected = [work.play(portion) for portion in portions]
    crew = Crew(work, portions, ACTORS)
    found = {}
    try:
        for done, (portion, records) in enumerate(crew.play()):
            found[portion] = records
            if done == 2:
                for actor in list(crew.actors):  # those at work too
                    ray.kill(actor)
    finally:
        crew.dismiss()
    assert crew.deaths >= 1
    assert list(in_order(portions, found.items())) == expected


class Kamikaze(NamedTuple):
    """Plays portions; the process dies at the first that is told, once or always."""

    work: Recording
    fatal: range
    mark: Path
    always: bool

    def play(self, portion: range) -> list[Any]:
        if portion == self.fatal and (self.always or not self.mark.exists()):
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.work.play(portion)


@pytest.fixture
def sent_whole() -> Iterator[None]:
    """Actors do not find this module by its name: its classes are sent with their code."""
    import sys

    from ray import cloudpickle

    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.mark.usefixtures("cluster", "sent_whole")
def test_a_portion_whose_process_is_killed_is_played_again(tmp_path: Path) -> None:
    work, portions = recording(), cut(12, 3)
    crew = Crew(Kamikaze(work, portions[1], tmp_path / "mark", False), portions, ACTORS)
    found = dict(crew.play())
    crew.dismiss()
    assert crew.deaths == 1
    assert found == {portion: work.play(portion) for portion in portions}


@pytest.mark.usefixtures("cluster", "sent_whole")
def test_a_portion_that_kills_every_actor_ends_the_work(tmp_path: Path) -> None:
    portions = cut(6, 3)
    crew = Crew(Kamikaze(recording(), portions[0], tmp_path / "mark", True), portions, 1)
    with pytest.raises(TefudaError, match=rf"{MOST_DEATHS} actors have died at range\(0, 3\)"):
        dict(crew.play())
    crew.dismiss()


@pytest.mark.usefixtures("cluster")
def test_an_error_of_the_work_is_told_as_it_is() -> None:
    work = recording()
    work._arguments = ("clever", *work._arguments[1:])  # known nowhere: not made ready there
    crew = Crew(work, cut(6, 3), 1)
    with pytest.raises(TefudaError, match="no agent 'clever'"):
        dict(crew.play())
    crew.dismiss()


# ==================================================================== RLlib


@pytest.mark.usefixtures("cluster")
def test_one_iteration_of_masked_ppo_with_a_shared_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example: any illegal action would raise an error of the table."""
    pytest.importorskip("ray.rllib")
    pytest.importorskip("torch")
    import runpy

    monkeypatch.setattr("ray.tune.trainable.trainable.DEFAULT_STORAGE_PATH", str(tmp_path))
    example = Path(__file__).parents[1] / "docs" / "examples" / "rllib_ppo.py"
    runpy.run_path(str(example), run_name="__main__")
    assert "iteration 1:" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "encoder"), [("gacha_v0", "tokens"), ("quatre_v0", "planes")])
def test_the_network_for_rllib_gives_illegal_actions_no_chance(name: str, encoder: str) -> None:
    pytest.importorskip("ray.rllib")
    torch = pytest.importorskip("torch")
    from tefuda.wrappers.rllib import MaskedPPOModule, make_env

    env = make_env({"game": name, "encoder": encoder})
    seen, _ = env.reset(seed=1)
    ((agent, observation),) = seen.items()
    spaces: Any = env.observation_spaces
    network = MaskedPPOModule(
        observation_space=spaces[agent],
        action_space=env.env.action_space(agent),
        model_config={"fcnet_hiddens": [8]},
    )
    batch = {"obs": convert(torch, observation)}
    for forward in (network.forward_inference, network.forward_exploration, network.forward_train):
        chances = torch.softmax(forward(batch)["action_dist_inputs"], 1)[0].detach().numpy()
        legal = observation["action_mask"] == 1
        assert (chances[legal] > 0).all()
        assert (chances[~legal] == 0).all()
    assert network.compute_values(batch).shape == (1,)


def convert(torch: Any, value: Any) -> Any:
    """A batch of one observation as tensors."""
    if isinstance(value, dict):
        return {name: convert(torch, piece) for name, piece in value.items()}
    return torch.as_tensor(value)[None]
