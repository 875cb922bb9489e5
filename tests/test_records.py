"""Records: whole or not there, and told apart from damaged and foreign ones."""

import json

import pytest

from fusion import records
from fusion.errors import FusionError


def test_a_record_reads_back_as_it_was_written(tmp_path):
    records.write(tmp_path / "r.json", "verify", {"passed": True, "value": 0.1})
    read = records.read(tmp_path / "r.json", "verify")
    assert read["passed"] is True
    assert read["value"] == 0.1
    assert read["schema"] == "fuse-or-not/verify/1"
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize("keep", [0, 1, 40, -2])
def test_a_truncated_record_is_named_damaged(tmp_path, keep):
    path = tmp_path / "r.json"
    records.write(path, "time", {"blocks": [1, 2, 3]})
    path.write_text(path.read_text()[:keep])
    with pytest.raises(FusionError, match=r"damaged record .*r\.json"):
        records.read(path, "time")


def test_a_changed_number_is_named_damaged(tmp_path):
    path = tmp_path / "r.json"
    records.write(path, "time", {"median_us": {"ON": 140.2}})
    path.write_text(path.read_text().replace("140.2", "104.2"))
    with pytest.raises(FusionError, match="damaged record"):
        records.read(path, "time")


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema": "other/1"}', "3"])
def test_a_foreign_record_is_named_foreign(tmp_path, text):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(FusionError, match="foreign record"):
        records.read(tmp_path / "r.json", "time")


def test_a_record_of_another_stage_or_version_is_foreign(tmp_path):
    path = tmp_path / "r.json"
    records.write(path, "time", {})
    with pytest.raises(FusionError, match="fuse-or-not/verify/1"):
        records.read(path, "verify")
    newer = json.loads(path.read_text()) | {"schema": "fuse-or-not/time/99"}
    path.write_text(json.dumps(newer))
    with pytest.raises(FusionError, match="time/99"):
        records.read(path, "time")


def test_a_missing_record_names_the_stage_to_run(tmp_path):
    with pytest.raises(FusionError, match="run the time stage first"):
        records.read(tmp_path / "none.json", "time")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "r.json"
    records.write_text(path, "old")
    with pytest.raises(TypeError):
        records.write_bytes(path, "not bytes")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]
