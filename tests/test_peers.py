"""Peers and the floor. XLA runs here, on a CPU; PyTorch's peers are tested on a GPU."""

import json
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import ROOT, SCRIPTS, compile_case, program, run, snakemake

from fusion import peer_process, peers, records, reductions, telemetry, toolchains
from fusion.artifacts import Signature
from fusion.cases import expand, make_case
from fusion.comparing import compare
from fusion.errors import FusionError
from fusion.inputs import draw, numpy_dtype
from fusion.references import by_numpy
from fusion.workloads import WORKLOADS, Input
from fusion.workloads.chain_add import CHAINS

SIZES = {"depth": 3, "rows": 64, "cols": 32}
DRAWN = (0, -0.25, 0.25)
DRAW_WORDS = ["--low", -0.25, "--high", 0.25]
VERIFY = ["--seeds", 0, 1, 2, *DRAW_WORDS, "--rtol", 0.02, "--atol", 0.004]
TRIAL = ["--trial", 1, "--seed", 0, *DRAW_WORDS, "--number", 3, "--repeat", 2]
TRIAL += ["--blocks", 3, "--min-repeat-ms", 2, "--warmup-calls", 3, "--warmup-seconds", 0.05]
TRIAL += ["--headroom", 0.02]
# Units in the last place of 1: what a function and 2 operators a step may differ by is a few.
EPSILON = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23}


@pytest.fixture(autouse=True)
def this_interpreter(monkeypatch):
    point_at(monkeypatch, sys.executable)


def point_at(monkeypatch, python):
    known = {name: {"python": str(python), "environment": {}} for name in ("torch", "jax")}
    monkeypatch.setenv(toolchains.VARIABLE, json.dumps(known))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    return [compile_case(folder / v, v, "llvm", depth=3) for v in ("OFF", "ON")]


def verify(built, folder, *names):
    out = folder / "verify.json"
    words = ["--records", *built, "--out", out, *VERIFY, "--lock-folder", folder / "locks"]
    return program("verify_case.py", *words, "--peers", *names), out


def trial(built, verified, folder, *words):
    out = folder / "trial.json"
    given = ["--records", *built, "--verified", verified, "--out", out, *TRIAL, *words]
    return program("time_trial.py", *given, "--lock-folder", folder / "locks"), out


@pytest.mark.parametrize("workload", sorted(set(WORKLOADS) - {c.name for c in CHAINS}))
def test_xla_reads_every_other_workload_as_numpy_does(workload):
    (case, *_) = expand(workload, {}, small=True)
    with peer_process.serving(["XLA"], case, "llvm", *DRAWN) as serving:
        found = serving["XLA"].outputs("XLA")
    wanted, noted = by_numpy(case, draw(case.inputs, *DRAWN))
    rtol, atol = reductions.growth(noted)
    for output, reference in zip(found, wanted, strict=True):
        assert output.dtype == reference.dtype
        assert compare(output, reference, rtol + 0.01, atol + 0.002).passed


@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("workload", [chain.name for chain in CHAINS])
def test_xla_reads_every_chain_as_numpy_does(workload, dtype):
    case = make_case(workload, SIZES, dtype)
    with peer_process.serving(["XLA"], case, "llvm", *DRAWN) as serving:
        first = serving["XLA"].outputs("XLA")[0]
        other = draw(case.inputs, 1, -0.25, 0.25)
        serving["XLA"].set_inputs(other)
        second = serving["XLA"].outputs("XLA")[0]
    for found, arrays in ((first, draw(case.inputs, *DRAWN)), (second, other)):
        wanted = by_numpy(case, arrays)[0][0]
        assert found.dtype == numpy_dtype(dtype) and found.shape == (64, 32)
        error = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
        assert error.max() <= 4 * EPSILON[dtype]


def test_a_peer_stands_in_the_verify_record_and_is_timed_in_every_block(built, tmp_path):
    done, verified = verify(built, tmp_path, "XLA")
    assert done.returncode == 0, done.stdout
    record = records.read(verified, "verify")
    # 3 draws x (OFF, ON and XLA against NumPy, and OFF against ON)
    assert len(record["comparisons"]) == 12
    assert [c["against"] for c in record["comparisons"] if c["variant"] == "XLA"] == (
        ["reference"] * 3
    )
    assert set(record["modules"]) == {"OFF", "ON"} and set(record["peers"]) == {"XLA"}
    assert record["peers"]["XLA"]["how"] == "jax.jit"

    done, out = trial(built, verified, tmp_path, "--peers", "XLA", "--floor", "COPY")
    assert done.returncode == 0, done.stdout
    record = records.read(out, "time")
    # x and b of [64, 1] and [64, 32], y of [64, 32], 2 bytes each; a copy reads half and writes
    # half: 4160 bytes, in pages of 4096.
    assert record["floor"] == {"name": "COPY", "bytes": 8192}
    assert record["peers"]["XLA"]["jax"] and record["peers"]["XLA"]["how"] == "jax.jit"
    assert record["variants"] == ["OFF", "ON"] and set(record["ratios"]) == {"ON/OFF"}
    names = {"OFF", "ON", "COPY", "XLA"}
    assert set(record["median_us"]) == set(record["cv"]) == names
    for block in record["blocks"]:
        assert set(block["order"]) == names
        assert all(len(block["samples_us"][n]) == 2 for n in names)
        for name in names:  # planned to last 2 ms at the fastest pace before
            assert block["calls"][name] >= 3


def test_a_peer_that_was_not_verified_is_not_timed(built, tmp_path):
    done, verified = verify(built, tmp_path)
    assert done.returncode == 0, done.stdout
    done, out = trial(built, verified, tmp_path, "--peers", "XLA")
    assert done.returncode == 1 and not out.exists()
    assert "the peer XLA was not verified" in done.stdout and "Traceback" not in done.stdout


def test_a_peer_that_computes_something_else_stops_the_run_like_a_variant(built, tmp_path):
    """The programs with an exp that is 5 % off in JAX's reading alone."""
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    namespace = tmp_path / "scripts/fusion/namespace_jax.py"
    text = namespace.read_text()
    assert "staticmethod(jnp.exp)" in text
    wrong = "staticmethod(lambda array: jnp.exp(array) * 1.05)"
    namespace.write_text(text.replace("staticmethod(jnp.exp)", wrong))
    out = tmp_path / "verify.json"
    words = ["--records", *built, "--out", out, *VERIFY, "--lock-folder", tmp_path]
    done = run(sys.executable, tmp_path / "scripts/verify_case.py", *words, "--peers", "XLA")
    assert done.returncode == 1 and not out.exists()
    assert "XLA against reference" in done.stdout and "Traceback" not in done.stdout
    failed = records.read(tmp_path / "verify.failed.json", "verify")
    assert {c["variant"] for c in failed["comparisons"] if not c["passed"]} == {"XLA"}


def test_the_floor_copies_its_argument():
    """TVM's own copy, through the virtual machine, byte for byte and in whole pages."""
    from fusion import floor

    case = make_case("exp_chain_add", {"depth": 1, "rows": 3, "cols": 5}, "float16")
    wanted = Signature(case.inputs, (Input((3, 5), "float16"),))
    copy, (source,) = floor.copy_of(wanted, "llvm")
    assert copy.bytes == 4096  # half of 2 x (3 + 15 + 15), rounded up
    wanted = np.arange(4096).astype(np.int8)
    source.copyfrom(wanted)
    assert np.array_equal(copy.vm["main"](source).numpy(), wanted)


def test_a_missing_framework_is_named_with_its_interpreter_and_the_way_out(tmp_path, monkeypatch):
    """An interpreter without site-packages has none."""
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    bare.chmod(0o755)
    point_at(monkeypatch, bare)
    with pytest.raises(FusionError) as error:
        peers.require_installed("jax")
    said = str(error.value)
    assert str(bare) in said and "found:    no jax numpy ml_dtypes" in said
    assert "envs/peers.txt" in said and (ROOT / "envs/peers.txt").exists()
    point_at(monkeypatch, tmp_path / "none")
    with pytest.raises(FusionError, match="interpreter of jax is not there"):
        peers.require_installed("jax")


def test_what_a_framework_prints_does_not_break_the_answers(tmp_path, monkeypatch):
    """A sitecustomize that prints stands in for a framework that does."""
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, threading\n"
        "def talk():\n    print('a framework says hello', flush=True)\n"
        "import builtins; real = builtins.__import__\n"
        "def loud(name, *rest):\n"
        "    if name == 'fusion.peer_jax': talk()\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = loud\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    case = make_case("exp_chain_add", SIZES, "float32")
    with peer_process.serving(["XLA"], case, "llvm", *DRAWN) as serving:
        assert serving["XLA"].ready()["jax"]


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("import time; time.sleep(60)", "to start"),
        ("import time; print('{\"ready\": {}}', flush=True); time.sleep(60)", "output"),
    ],
)
def test_a_peer_that_hangs_is_ended_and_named(tmp_path, monkeypatch, script, what):
    """A script that sleeps stands in for a framework that hangs, at its start or later."""
    fake = tmp_path / "python"
    (tmp_path / "script.py").write_text(script)
    fake.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path / 'script.py'}\n")
    fake.chmod(0o755)
    point_at(monkeypatch, fake)
    process = peer_process.PeerProcess("jax", [], tmp_path, patience=2)
    began = time.monotonic()
    with pytest.raises(FusionError, match=rf"peers of jax fails \({what}\)") as error:
        process.outputs("XLA")
    process.close()
    assert "no answer within 2 s" in str(error.value)
    assert time.monotonic() - began < 10  # ended, and not waited for


def test_the_server_ends_with_its_input():
    case = make_case("exp_chain_add", SIZES, "float32")
    words = peer_process.command("jax", peer_process.words(["XLA"], case, "llvm", *DRAWN))
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode == 0


def test_a_server_imports_no_tvm():
    block = "import sys; sys.modules['tvm'] = None; sys.modules['tvm_ffi'] = None; "
    code = block + f"sys.path.insert(0, {str(SCRIPTS)!r}); import serve_peer, fusion.peer_jax"
    done = run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stdout


def test_peers_are_not_other_processes():
    """Known by their own numbers, or in a container as those that appeared meanwhile."""
    me, peer, stranger = (telemetry.Process(n, "python", 1) for n in (10, 11, 12))
    seen = [me, peer, stranger]
    assert telemetry.other_processes(seen, [], [me, peer], own={10, 11}) == [stranger]
    assert telemetry.other_processes(seen, [stranger], seen, own={1, 2}) == [stranger]


def test_through_the_pipeline_to_the_tables(make_checkout):
    case = {"depth": 2, "rows": 64, "cols": 32}
    llvm = {"cases": case, "variants": ["OFF", "ON"], "peers": ["XLA"], "floor": "COPY"}
    folder = make_checkout("peers", llvm=llvm)
    ran = snakemake("--configfile", "tiny.yaml", "--", "aggregate", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    out = folder / "results/tiny/llvm/tables"
    summary = records.read(out / "summary.json", "summary")
    assert summary["floor"] == "COPY" and set(summary["peers"]) == {"XLA"}
    (found,) = summary["cases"]
    assert set(found["over_floor"]) == {"OFF", "ON", "XLA"}
    assert set(found["median_us"]) == {*found["over_floor"], "COPY"}
    assert set(found["regret"]) == {"OFF", "ON"}
    over = found["over_floor"]["XLA"]
    ratios = [t["median_us"]["XLA"] / t["median_us"]["COPY"] for t in found["trials"]]
    assert over["values"] == pytest.approx(ratios, rel=1e-3)
    assert over["interval"]["n"] == 2
    text = (out / "summary.md").read_text()
    assert "## Latency over the floor" in text and "XLA" in text
    (versions,) = [line.split("Versions: ")[1] for line in text.splitlines() if "Versions:" in line]
    assert "jaxlib" in versions and "how" not in versions and "jax.jit" not in versions


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"peers": ["XLL"]}, "unknown peer 'XLL'"),
        ({"peers": ["EAGER_GRAPH"]}, "peer 'EAGER_GRAPH' is not for llvm"),
        ({"floor": "MOVE"}, "the value of 'llvm.floor'"),
    ],
)
def test_a_wrong_peer_or_floor_is_one_message_before_any_job(make_checkout, words, said):
    folder = make_checkout("wrong", llvm=words)
    ran = snakemake("-n", "--configfile", "tiny.yaml", cwd=folder)
    assert ran.returncode == 1
    assert said in ran.stdout and "Traceback" not in ran.stdout
