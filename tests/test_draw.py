"""Pictures: nothing leaks, all that can be chosen can be clicked, colours can be told apart."""

import importlib
import itertools
import random
import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from PIL import Image

from helpers.games import play_to_end, some_positions
from tefuda.envs import GAMES, Game, make
from tefuda.envs.core import picture as pictures
from tefuda.envs.core.errors import OptionError
from tefuda.envs.core.extras import MissingExtraError
from tefuda.envs.core.picture import DisplayError, Window, has_picture, pixels
from tefuda.envs.core.registry import find_game
from tefuda.envs.core.svg import WIDTH
from tefuda.training.picture import write_gif

ROOT = Path(__file__).parents[1]
DRAWN = [name for name in GAMES if has_picture(find_game(name))]
every_drawn_game = pytest.mark.parametrize("name", DRAWN)

#: Positions of a game that a test looks at: enough for every phase to come several times.
POSITIONS = {"gacha_v0": 200, "quatre_v0": 40, "torutorento_v0": 200}


def phase_of(game: Game) -> str:
    """What is asked or drawn, or "over"."""
    text, phase = game.engine.spec.text, int(game.state["phase"])
    return {**text.DECISION_NAMES, **text.CHANCE_NAMES}.get(phase, "over")


def actions_of(svg: str) -> Counter[int]:
    """The actions that elements of a drawing stand for."""
    chosen = [element for element in Xml.fromstring(svg).iter() if "data-action" in element.attrib]
    for element in chosen:
        assert element.attrib["class"] == "legal"
        assert (element.attrib["tabindex"], element.attrib["role"]) == ("0", "button")
    return Counter(int(element.attrib["data-action"]) for element in chosen)


def expected_actions(game: Game) -> Counter[int]:
    """Every legal action once; quatre's places are chosen on the board, by row and column."""
    legal = game.legal_actions()
    if game.engine.spec.name == "quatre":
        legal = [action for action in legal if action >= game.engine.actions - 2]
    return Counter(legal)


@every_drawn_game
def test_every_phase_is_drawn_from_all_eyes(name: str) -> None:
    seen = set[str]()
    for game in some_positions(name, 4, POSITIONS[name], share=0.2):
        for seat in (None, *range(game.players)):
            root = Xml.fromstring(game.svg(seat))
            assert root.tag.endswith("svg")
            assert root.attrib["viewBox"].split()[2] == str(WIDTH)
        seen.add(phase_of(game))
    text = find_game(name).text
    # Before the deal, for a draw that decides a tie: seldom among random positions.
    rare = {"first_leader", "first_parent", "tie_draw", "over"}
    assert seen >= {*text.DECISION_NAMES.values(), *text.CHANCE_NAMES.values()} - rare


@every_drawn_game
def test_beginning_and_end_are_drawn(name: str) -> None:
    game = Game(name, seed=(1, 0, 0))
    assert Xml.fromstring(game.svg(0)) is not None
    play_to_end(game, random.Random(1))
    assert "The game is over" in game.svg(0)
    assert not actions_of(game.svg(0))


@every_drawn_game
def test_the_acting_seat_can_choose_each_legal_action_and_nothing_else(name: str) -> None:
    for game in some_positions(name, 5, POSITIONS[name], share=0.2):
        for seat in (None, *range(game.players)):
            acts = game.node == "decision" and seat == game.seat
            expected = expected_actions(game) if acts else Counter[int]()
            assert actions_of(game.svg(seat)) == expected, (phase_of(game), seat)


@every_drawn_game
def test_a_choice_is_labelled_for_those_who_hear_it(name: str) -> None:
    checked = 0
    for game in some_positions(name, 6, POSITIONS[name] // 4, share=0.2):
        if game.node != "decision":
            continue
        for element in Xml.fromstring(game.svg(game.seat)).iter():
            if "data-action" in element.attrib:
                label = game.label(int(element.attrib["data-action"]))
                assert element.attrib["aria-label"] == label
                checked += 1
    assert checked > POSITIONS[name] // 8


@every_drawn_game
def test_no_picture_tells_a_seat_what_it_does_not_know(name: str) -> None:
    rng, differ = np.random.default_rng(7), 0
    for game in some_positions(name, 7, POSITIONS[name], share=0.2):
        seat = int(rng.integers(game.players))
        world = game.resample(seat, rng)
        assert world.svg(seat) == game.svg(seat), phase_of(game)
        differ += world.svg() != game.svg()
    # In quatre nothing but the future is hidden.
    assert differ >= (0 if name == "quatre_v0" else POSITIONS[name] / 4)


@pytest.mark.rule("T3", "T17")
def test_drawn_caterpillars_have_the_lengths_that_score() -> None:
    from tefuda.envs.torutorento.draw import runs_of
    from tefuda.envs.torutorento.hands import caterpillars

    found = Counter[int]()
    for game in some_positions("torutorento_v0", 8, 240, share=0.1):
        for hand in game.state["hand"][: game.players].tolist():
            cards = [hand >> (8 * slot) & 255 for slot in range(8)]
            runs = runs_of(game.engine.setup, [card for card in cards if card])
            packed = int(caterpillars(np.uint64(hand), game.engine.parts[0]))
            lengths = [packed >> (8 * place) & 255 for place in range(8)]
            assert [run.length for run in reversed(runs)] == [one for one in lengths if one]
            found.update(run.length for run in runs)
    assert len(found) > 3


@every_drawn_game
def test_notebooks_show_all_cards(name: str) -> None:
    game = Game(name, seed=(1, 0, 0))
    game.settle()
    assert game._repr_svg_() == game.svg() == game.svg(None)


def test_a_game_without_a_drawing_says_so(tiny_game: str) -> None:
    game = Game(tiny_game)
    assert game._repr_svg_() is None
    with pytest.raises(OptionError, match="tiny_v0 has no drawing"):
        game.svg()
    with pytest.raises(OptionError, match="seat=9 is not one of 0"):
        Game("gacha_v0").svg(9)


def test_drawings_are_loaded_when_they_are_needed() -> None:
    import subprocess

    code = (
        "import sys, tefuda.envs; print([m for m in sys.modules if m.endswith(('.draw', '.svg'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ==================================================================== pixels and windows


def test_pixels_of_a_table() -> None:
    env = make("gacha_v0", render_mode="rgb_array")
    env.reset(seed=3)
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert first.dtype == np.uint8
    assert first.ndim == 3 and first.shape[1:] == (WIDTH, 3)
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    then = env.render()
    assert isinstance(then, np.ndarray)
    assert (then != first).any()


def words(text: str) -> np.ndarray[Any, Any]:
    """The pixels of a text, black on white."""
    return pixels(
        '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30">'
        '<rect width="60" height="30" fill="white"/>'
        f'<text x="5" y="22" font-size="20">{text}</text></svg>'
    )


def test_words_in_both_languages_are_visible_without_fonts_of_the_system() -> None:
    """No text vanishes, and no sign is drawn as the box of an unknown one."""
    signs = [words(sign) for sign in "Aあ札ガ蝶"]
    assert all((sign < 128).sum() > 50 for sign in signs)
    for one, other in itertools.combinations(signs, 2):
        assert (one != other).any()


def test_a_window_needs_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if sys.platform != "linux":
        pytest.skip("elsewhere there is always a display")
    with pytest.raises(DisplayError, match="needs a display"):
        Window().show(np.zeros((8, 8, 3), np.uint8), "x", 1)


def test_a_window_that_is_closed_by_hand_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    window, picture = Window(), np.zeros((8, 8, 3), np.uint8)
    window.show(picture, "x", 1000)
    assert pygame.display.get_init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(picture, "x", 1000)
    window.show(picture, "x", 1000)
    assert not pygame.display.get_init()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r'resvg_py.*pip install "tefuda\[draw\]"'):
        pictures.png("<svg/>")


# ==================================================================== pictures of the docs


def test_pictures_of_the_docs_are_those_of_the_code() -> None:
    """Loosely, for another version of the rasteriser may smooth edges in another way."""
    pictures_of = runpy.run_path(str(ROOT / "docs" / "pictures.py"))["pictures"]
    kept = pictures_of()
    assert {file.stem for file in kept} == {find_game(name).name for name in GAMES}
    for file, svg in kept.items():
        with Image.open(file) as image:
            old = np.asarray(image.convert("RGB")).astype(int)
        new = pixels(svg).astype(int)
        assert old.shape == new.shape, "run docs/pictures.py"
        assert np.abs(old - new).mean() < 0.1, "run docs/pictures.py"


# ==================================================================== records


def test_a_record_becomes_an_animation(tmp_path: Path) -> None:
    """A picture for each decision and one for the end, each with its time."""
    game = play_to_end(
        Game("quatre_v0", seed=(2, 0, 0), players=2, components="mini"), random.Random(2)
    )
    file = tmp_path / "game.gif"
    write_gif([game.record()], file, 0, seconds=0.5, zoom=0.25)
    decisions = sum(seen.kind == "decision" for seen in game.information_state(0))
    with Image.open(file) as image:
        assert image.format == "GIF"
        assert image.size[0] == WIDTH // 4
        assert getattr(image, "n_frames") == decisions + 1 > 4  # noqa: B009 - of animations alone
        assert image.info["duration"] == 500
        last = np.asarray(image.convert("RGB"))
        image.seek(decisions)
        assert (np.asarray(image.convert("RGB")) != last).any()


def test_wrong_animations(tmp_path: Path) -> None:
    record = Game("quatre_v0", seed=(2, 0, 0)).record()
    file = tmp_path / "game.gif"
    with pytest.raises(OptionError, match="records are empty"):
        write_gif([], file)
    with pytest.raises(OptionError, match="seconds=0"):
        write_gif([record], file, seconds=0)
    with pytest.raises(OptionError, match="seat=7 is not one of"):
        write_gif([record], file, 7)
    assert not file.exists()


# ==================================================================== colours


#: How people without the red, green or blue cones see linear RGB (Machado et al. 2009).
BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def lab(colour: str, kind: str) -> np.ndarray[Any, Any]:
    """A colour as a kind of eyes sees it, in CIE L*a*b*."""
    coded = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    if kind in BLINDNESS:
        linear = np.clip(np.array(BLINDNESS[kind]) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ linear / [0.9505, 1.0, 1.089] + 1e-9)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("kind", ["normal", *BLINDNESS])
@every_drawn_game
def test_colours_of_things_can_be_told_apart(name: str, kind: str) -> None:
    """A difference of 10 in L*a*b* is plain to see; letters differ besides."""
    module = importlib.import_module(f"tefuda.envs.{find_game(name).name}.draw")
    tints = list(module.TINTS.values())
    assert len({tint.letter for tint in tints}) == len(tints)
    for one, other in itertools.combinations(tints, 2):
        apart = float(np.linalg.norm(lab(one.fill, kind) - lab(other.fill, kind)))
        assert apart > 10, (one, other)
