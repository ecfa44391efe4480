"""Component files: where they come from, and errors that say file, place and fact."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tefuda.envs.core.errors import ComponentError
from tefuda.envs.core.parts import ComponentFile, parse_components, read_components

pytestmark = pytest.mark.pure

TEXT = 'name = "mine"\nsize = 3\nopen = true\n[deck]\ncards = [1, 2]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game's folder of shipped files: two of them, and a neighbour that is none."""
    shipped = tmp_path / "data"
    shipped.mkdir()
    (shipped / "standard.toml").write_text('name = "standard"\n', encoding="utf-8")
    (shipped / "other.toml").write_text('name = "other"\n', encoding="utf-8")
    (tmp_path / "secret.toml").write_text('name = "secret"\n', encoding="utf-8")
    return shipped


def test_shipped_files_by_name(folder: Path) -> None:
    standard = read_components(None, folder, "standard")
    assert (standard.name, standard.source, standard.shipped) == ("standard", "standard.toml", True)
    assert read_components("other", folder, "standard").name == "other"


def test_own_files_by_path(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TEXT, encoding="utf-8")
    for given in (path, str(path)):
        own = read_components(given, folder, "standard")
        assert (own.name, own.source, own.shipped) == ("mine", str(path), False)
    assert read_components(own, folder, "standard") is own


@pytest.mark.parametrize("name", ["nothing", "../secret", "data/standard", "", "."])
def test_unknown_names_are_refused_with_the_known_ones(name: str, folder: Path) -> None:
    with pytest.raises(
        ComponentError, match=r"there is no such file.*'other', 'standard'"
    ) as error:
        read_components(name, folder, "standard")
    assert repr(name) in str(error.value)


def test_unreadable_files_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"missing\.toml'.*no such file"):
        read_components(tmp_path / "missing.toml", folder, "standard")
    path = tmp_path / "latin.toml"
    path.write_bytes('name = "Früchte"\n'.encode("latin-1"))
    with pytest.raises(ComponentError, match=r"latin\.toml' cannot be read"):
        read_components(path, folder, "standard")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ComponentError, match=r"folder\.toml'.*no such file"):
        read_components(tmp_path / "folder.toml", folder, "standard")


def test_no_toml_is_refused_with_line_and_column() -> None:
    with pytest.raises(ComponentError, match=r"mine\.toml: not a TOML file: .*line 2, column"):
        parse_components('name = "x"\nsize = = 3\n', "mine.toml")


def test_identity_does_not_depend_on_line_ends() -> None:
    unix = parse_components(TEXT, "a")
    assert unix.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    for end in ("\r\n", "\r"):
        other = parse_components(TEXT.replace("\n", end), "b")
        assert (other.text, other.sha256) == (TEXT, unix.sha256)
    assert parse_components(TEXT + "\n", "c").sha256 != unix.sha256


def test_records_carry_the_text_of_own_files_alone() -> None:
    own, shipped = parse_components(TEXT, "a"), parse_components(TEXT, "a", shipped=True)
    identity = {"name": "mine", "sha256": own.sha256}
    assert shipped.describe() == identity
    assert own.describe() == {**identity, "text": TEXT}
    assert parse_components(own.describe()["text"], "again").describe() == own.describe()


def test_values_at_dotted_keys() -> None:
    file = parse_components(TEXT, "mine.toml")
    assert file.get("size", int) == 3
    assert file.get("open", bool) is True
    assert file.get("deck.cards", list) == [1, 2]
    assert file.get("deck.more", int, 7) == 7
    assert file.get("deck", dict) == {"cards": [1, 2]}


@pytest.mark.parametrize(
    ("key", "kind", "message"),
    [
        ("colour", str, "mine.toml: colour: is missing"),
        ("deck.size", int, "mine.toml: deck.size: is missing"),
        ("size.of", int, "mine.toml: size.of: is missing"),
        ("name", int, "mine.toml: name: 'mine' must be an integer"),
        ("size", str, "mine.toml: size: 3 must be a text"),
        ("open", int, "mine.toml: open: True must be an integer"),
        ("deck", list, "mine.toml: deck: {'cards': [1, 2]} must be a list"),
        ("deck.cards", dict, "mine.toml: deck.cards: [1, 2] must be a table"),
        ("size", bool, "mine.toml: size: 3 must be true or false"),
    ],
)
def test_wrong_values_are_refused_with_place_and_fact(
    key: str, kind: type[Any], message: str
) -> None:
    with pytest.raises(ComponentError) as error:
        parse_components(TEXT, "mine.toml").get(key, kind)
    assert str(error.value) == message


def test_keys_without_a_meaning_are_refused() -> None:
    file = parse_components(TEXT, "mine.toml")
    file.only_keys("", file.data, ("name", "size", "open", "deck"))
    with pytest.raises(ComponentError, match=r"^mine.toml: open: is not known; allowed are name,"):
        file.only_keys("", file.data, ("name", "size", "deck"))
    with pytest.raises(ComponentError, match=r"^mine.toml: deck.cards: is not known"):
        file.only_keys("deck", file.get("deck", dict), ("hand",))


def test_a_component_file_without_name_cannot_be_described() -> None:
    nameless = ComponentFile("x.toml", "", {}, shipped=True)
    with pytest.raises(ComponentError, match=r"x.toml: name: is missing"):
        nameless.describe()
