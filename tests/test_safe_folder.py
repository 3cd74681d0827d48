import contextlib
from pathlib import Path

import pytest

from errors import UserError
from safe_folder import free_folder, new_folder


def test_new_folder_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "results"
    with new_folder(target) as aside:
        (aside / "a").write_text("first")
        assert not target.exists()
    with contextlib.suppress(RuntimeError), new_folder(target) as aside:
        (aside / "a").write_text("second")
        raise RuntimeError
    assert (target / "a").read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_old_folder_comes_back_when_the_new_one_cannot_be_moved(tmp_path, monkeypatch):
    target = tmp_path / "results"
    target.mkdir()
    (target / "old").write_text("")
    replace = Path.replace

    def fail_for_new(path, destination):
        if path.name.endswith(".new"):
            raise OSError(28, "No space left on device")
        return replace(path, destination)

    monkeypatch.setattr(Path, "replace", fail_for_new)
    with contextlib.ExitStack() as stack:
        stack.enter_context(pytest.raises(UserError, match="No space left"))
        stack.enter_context(new_folder(target))
    assert (target / "old").is_file()
    assert list(tmp_path.iterdir()) == [target]


def test_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write to"):
        new_folder(tmp_path / "file" / "run").__enter__()


def test_free_folder_is_the_first_that_holds_nothing(tmp_path):
    assert free_folder(tmp_path / "run") == tmp_path / "run"
    (tmp_path / "run").mkdir()
    assert free_folder(tmp_path / "run") == tmp_path / "run"
    for name in ("run", "run-2"):
        (tmp_path / name / "work").mkdir(parents=True)
    assert free_folder(tmp_path / "run") == tmp_path / "run-3"
