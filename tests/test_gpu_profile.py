"""Profiles on a GPU. Run on a machine with one: python3 -m pytest -m gpu."""

import pytest
from conftest import compile_case, program

from fusion import records

pytestmark = pytest.mark.gpu

WORDS = ["--seed", 0, "--low", -0.25, "--high", 0.25, "--warmup-calls", 20, "--calls", 50]


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """{variant: (profile record, audit record, what the program printed)} at depth 8, 4096²."""
    from fusion.devices import find_gpus

    folder = tmp_path_factory.mktemp("profile")
    found = {}
    for variant in ("PARTIAL", "ON"):
        sizes = {"rows": 4096, "cols": 4096}
        compiled = compile_case(folder / variant, variant, find_gpus()[0].arch, **sizes)
        out = folder / f"{variant}.json"
        audit = folder / f"{variant}-audit.json"
        done = program("audit_variant.py", "--record", compiled, "--out", audit)
        assert done.returncode == 0, done.stdout
        done = program(
            "profile_variant.py",
            "--record",
            compiled,
            "--out",
            out,
            *WORDS,
            "--lock-folder",
            folder / "locks",
        )
        assert done.returncode == 0, done.stdout
        found[variant] = (records.read(out, "profile"), records.read(audit, "audit"), done.stdout)
    return found


def test_the_trace_adds_up_and_shows_the_launches(profiled):
    for variant, launches in (("PARTIAL", 2), ("ON", 1)):
        trace = profiled[variant][0]["trace"]
        assert len(trace["kernels"]) == launches and trace["calls"] == 49
        parts = trace["kernels_us"] + trace["gaps_us"] + trace["rest_us"]
        assert parts == pytest.approx(trace["period_us"], rel=0.001)
        assert 0.5 < parts / trace["evaluator_us"] < 2


def test_the_trace_and_the_audit_see_the_same_launches(profiled):
    for trace, audit, _ in profiled.values():
        assert [k["grid"][0] for k in trace["trace"]["kernels"]] == [
            kernel["grid"][0] for kernel in audit["kernels"]
        ]


def test_the_counters_agree_with_the_static_audit(profiled):
    """XU instructions of warps, times 32, are the executed EX2; or the record says why not."""
    for trace, audit, printed in profiled.values():
        counters = trace["counters"]
        if "not_run" in counters:
            assert f"counters not run: {counters['not_run']}" in printed
            continue
        counted = 32 * sum(kernel["xu_instructions"] for kernel in counters["kernels"])
        assert counted == audit["totals"]["mufu_executed"]["EX2"]
        assert all(kernel["duration_us"] > 0 for kernel in counters["kernels"])
        assert counters["tool"].startswith("ncu ")
