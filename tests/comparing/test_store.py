"""A finished training is read back as it was, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riata.comparing.run import ENDING, Store
from riata.errors import SettingError

RESULT = {"score": 93.15, "counts": [[1, 2], [3, 4]], "peak": None, "name": "größer"}


def test_what_was_put_in_comes_out(tmp_path):
    store = Store(tmp_path / "a" / "b")
    assert store.get("k") is None
    store.put("k", RESULT)
    assert Store(tmp_path / "a" / "b").get("k") == RESULT
    assert [path.name for path in store.folder.iterdir()] == [f"k{ENDING}"]
    store.forget(["k", "never there"])
    assert store.get("k") is None and not store.damaged


@given(st.data())
def test_a_damaged_file_counts_as_not_there(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("store")
    Store(folder).put("k", RESULT)
    path = folder / f"k{ENDING}"
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    cut = data.draw(st.booleans())
    changed = bytes([content[at] ^ data.draw(st.integers(1, 255))])
    path.write_bytes(content[:at] if cut else content[:at] + changed + content[at + 1 :])
    store = Store(folder)
    assert store.get("k") is None
    assert store.damaged == [path.name]


def test_a_folder_that_is_none_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(SettingError, match="no folder") as error:
            Store(place)
        assert "--work" in str(error.value)


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(SettingError, match="may not be written to"):
        Store(tmp_path)
