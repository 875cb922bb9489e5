"""Peers on a GPU. Run on a machine with one and the frameworks: python3 -m pytest -m gpu."""

import json
import sys

import numpy as np
import pytest
from conftest import case_words, program

from fusion import peer_process, records, toolchains
from fusion.cases import make_case
from fusion.inputs import draw
from fusion.peers import PEERS
from fusion.references import by_numpy

pytestmark = pytest.mark.gpu

SIZES = {"depth": 8, "rows": 4096, "cols": 4096}
DRAWN = (0, -0.25, 0.25)


@pytest.fixture(autouse=True)
def this_interpreter(monkeypatch):
    known = {name: {"python": sys.executable, "environment": {}} for name in ("torch", "jax")}
    monkeypatch.setenv(toolchains.VARIABLE, json.dumps(known))


def arch():
    from fusion.devices import find_gpus

    return find_gpus()[0].arch


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_peer_computes_the_workload_for_each_draw(dtype):
    """A CUDA graph must see the second draw: it reads the memory that it was captured with."""
    case = make_case("exp_chain_add", {**SIZES, "rows": 256, "cols": 512}, dtype)
    other = draw(case.inputs, 1, -0.25, 0.25)
    with peer_process.serving(list(PEERS), case, arch(), *DRAWN) as serving:
        for arrays in (draw(case.inputs, *DRAWN), other):
            for process in set(serving.values()):
                process.set_inputs(arrays)
            wanted = by_numpy(case, arrays)[0][0].astype(np.float64)
            for name, process in serving.items():
                found = process.outputs(name)[0].astype(np.float64)
                assert np.allclose(found, wanted, rtol=0.02, atol=0.002), name


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_is_profiled(peer, tmp_path):
    words = ["--peer", peer, "--arch", arch(), "--calls", 50, "--warmup-calls", 20]
    words += ["--seed", 0, "--low", -0.25, "--high", 0.25, "--out", tmp_path / "p.json"]
    done = program(
        "profile_peer.py", *case_words(**SIZES), *words, "--lock-folder", tmp_path / "locks"
    )
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "p.json", "profile")
    assert record["code_sha256"] is None
    for what in ("trace", "counters"):
        if "not_run" in record[what]:
            assert f"{what} not run" in done.stdout
    if "not_run" not in record["trace"] and peer.startswith("EAGER"):
        # 3 operators a step and the Add, each a kernel of its own
        assert len(record["trace"]["kernels"]) == 3 * 8 + 1
    if "not_run" in record["counters"]:
        assert record["producer"]["verdict"] == "unknown"
    elif peer.startswith("EAGER"):
        assert record["producer"]["verdict"] == "materialised"
