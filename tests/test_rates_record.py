"""Rates measured on a user's own machine: read or refused, and what SPLIT makes of them."""

from dataclasses import asdict

import pytest
import yaml
from conftest import program, snakemake

from fusion import records
from fusion.device_rates import rates_for
from fusion.errors import FusionError
from fusion.rates_record import read_rates

DTYPES = ("float16", "bfloat16", "float32")


def write(path, arch="sm_90", table="sm_90", **changes):
    """A record as calibrate_device.py writes it, with the table's numbers but for `changes`."""
    table = asdict(rates_for(table)) | changes
    rates = {
        dtype: {
            "launch_us": table["launch_us"],
            "host_us": table["host_us"],
            "call_us": table["call_us"],
            **{key: table[key][dtype] for key in ("gb_per_s", "element_ps", "operator_ps")},
        }
        for dtype in DTYPES
    }
    device = {"kind": "cuda", "name": "a GPU", "uuid": "GPU-of-this-test"}
    records.write(path, "rates", {"arch": arch, "device": device, "rates": rates})
    return path


def test_a_record_gives_back_what_was_measured(tmp_path):
    found = read_rates(write(tmp_path / "rates.json", host_us=4.5, call_us=1.2), "sm_90")
    table = rates_for("sm_90")
    assert (found.host_us, found.call_us, found.launch_us) == (4.5, 1.2, table.launch_us)
    assert found.gb_per_s == table.gb_per_s and found.operator_ps == table.operator_ps
    assert "GPU-of-this-test" in found.source


@pytest.mark.parametrize(("host_us", "cut"), [(3.5, True), (4.5, False)])
def test_split_goes_by_the_hosts_launches(tmp_path, host_us, cut):
    """16 exp on [256, 1], read by [256, 4096]: on the device two kernels are faster, and a host
    that takes 1 + 2 x 4.5 us for a call loses by the second what the device wins (9.5 us fused).
    """
    rates = write(tmp_path / "rates.json", host_us=host_us, call_us=1.0)
    words = ["--workload", "exp_chain_add", "--dtype", "float16", "--arch", "sm_90"]
    words += [w for s in ("depth=16", "rows=256", "cols=4096") for w in ("--size", s)]
    words += ["--variant", "SPLIT", "--rates", rates, "--out", tmp_path / "out"]
    done = program("compile_variant.py", *words)
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "out/record.json", "compile")
    (decision,) = record["decisions"]
    assert decision["cut"] is cut and "GPU-of-this-test" in decision["rates"]["source"]
    assert record["calls"]["found"] == (2 if cut else 1)


def test_rates_of_another_gpu_are_refused(tmp_path):
    with pytest.raises(FusionError, match=r"expected: rates of sm_86\n  found:    of sm_90"):
        read_rates(write(tmp_path / "rates.json"), "sm_86")


def test_a_record_that_lacks_rates_is_refused(tmp_path):
    """Of an older calibration, or of one with --dtypes or --kinds."""
    body = records.read(write(tmp_path / "rates.json"), "rates")
    body = {key: body[key] for key in ("arch", "device", "rates")}
    del body["rates"]["float16"]["call_us"]
    del body["rates"]["bfloat16"]["operator_ps"]["exp"]
    del body["rates"]["float32"]
    records.write(tmp_path / "part.json", "rates", body)
    wanted = "found:    no call_us of float16, no exp of bfloat16, no float32\n"
    with pytest.raises(FusionError, match=wanted):
        read_rates(tmp_path / "part.json", "sm_90")


def test_a_folder_and_a_cut_file_are_one_message_each(tmp_path):
    with pytest.raises(FusionError, match=r"cannot be read\n.*\n  found:    Is a directory\n"):
        read_rates(tmp_path, "sm_90")
    whole = write(tmp_path / "rates.json").read_text()
    (tmp_path / "cut.json").write_text(whole[:300])
    with pytest.raises(FusionError, match=r"damaged record .*cut.json\n(.*\n)+.*--arch sm_90"):
        read_rates(tmp_path / "cut.json", "sm_90")


def test_the_pipeline_compiles_split_for_them_and_nothing_else_anew(make_checkout):
    folder = make_checkout("own-rates")
    write(folder / "rates.json", arch="sm_86", host_us=0.0, launch_us=0.0)
    own = {"experiment": "own", "cases": {"depth": 8, "rows": 64, "cols": 64}}
    own |= {"variants": ["ON", "SPLIT"], "device": "sm_86"}
    (folder / "own.yaml").write_text(yaml.safe_dump(own))
    words = ["--configfile", "own.yaml", "--config", "rates={}", "--", "compile", "rebuild"]

    def run(rates):
        return snakemake(*(w.format(rates) for w in words), cwd=folder)

    def decision():
        out = folder / "results/own/sm_86/compile/exp_chain_add-depth8-rows64-cols64-float16"
        return records.read(out / "SPLIT/record.json", "compile")["decisions"][0]

    first = run("table")
    assert first.returncode == 0, first.stdout
    assert not decision()["cut"]  # two launches take longer than so small a chain
    second = run("rates.json")
    assert second.returncode == 0, second.stdout
    assert "GPU-of-this-test" in decision()["rates"]["source"]
    assert " SPLIT for sm_86" in second.stdout and " ON for sm_86" not in second.stdout
    missing = run("rate.json")
    assert missing.returncode == 1 and "no rates at rate.json" in missing.stdout
    assert "calibrate_device.py --arch sm_86 --out FILE" in missing.stdout
