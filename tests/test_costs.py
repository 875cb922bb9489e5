"""The estimates against hand-computed numbers, and where rates come from."""

from dataclasses import replace

import pytest

from fusion.costs import Choice, Kernel, Rates
from fusion.device_rates import SHEETS, rates_for

RATES = Rates(
    name="made up",
    source="this test",
    gb_per_s={"float32": 1000.0},
    launch_us=5.0,
    host_us=3.0,
    call_us=0.5,
    element_ps={"float32": 1.0},
    operator_ps={"float32": {"add": 0.5, "exp": 10.0, "other": 20.0}},
)
ROWS, ELEMENTS = 1000, 1_000_000


def choice(operations: dict) -> Choice:
    """A chain on 1,000 elements, read 1,000 times each by an addition of float32."""
    add = {("add", "float32"): float(ELEMENTS)}
    producer = {(kind, "float32"): float(n * ROWS) for kind, n in operations.items()}
    anew = {key: n * 1000 + add.get(key, 0.0) for key, n in producer.items()}
    return Choice(
        fused=Kernel({**add, **anew}, ELEMENTS, "float32", 8_004_000),
        producer=Kernel(producer, ROWS, "float32", 8_000),
        consumer=Kernel(add, ELEMENTS, "float32", 8_004_000),
        values=1,
        rates=RATES,
    )


def test_an_expensive_chain_is_cut():
    found = choice({"exp": 2})
    # 1e6 x (2 x 10 + 0.5 + 1) ps = 21.5 us; 8.004 MB at 1 TB/s = 8.004 us; (8.004/21.5)^6 = 0.00267
    assert found.fused_us == pytest.approx(21.5 * 1.00267 ** (1 / 6), rel=1e-5)
    # of 1e3 x 21 ps and 8 kB, and of 1.5 us and 8.004 us, the longer, hardly more; and a launch
    assert found.materialised_us == pytest.approx(0.021 + 8.004 + 5.0, rel=1e-5)
    assert found.cut
    assert found.as_record() == {
        "fused_us": 21.51,
        "fused_terms": {"compute_us": 21.5, "memory_us": 8.004, "host_us": 3.5},
        "materialised_us": 13.025,
        "materialised_terms": {
            "producer": {"compute_us": 0.021, "memory_us": 0.008},
            "consumer": {"compute_us": 1.5, "memory_us": 8.004},
            "launch_us": 5.0,
            "host_us": 6.5,
        },
    }


def test_a_cheap_operation_hides_behind_memory():
    found = choice({"add": 1})
    # arithmetic is 1e6 x (0.5 + 0.5 + 1) ps = 2 us, and (2/8.004)^6 = 0.00024
    assert found.fused_us == pytest.approx(8.004 * 1.00024 ** (1 / 6), rel=1e-5)
    assert found.materialised_us == pytest.approx(0.008 + 8.004 + 5.0, rel=1e-5)
    assert not found.cut


def test_many_cheap_operations_do_not():
    assert choice({"add": 240}).fused_us == pytest.approx(121.5)  # memory's 8 us are hidden


def test_two_terms_that_are_equal_do_not_hide_each_other_wholly():
    """1e6 x (10 + 0.5 + 1) ps are 11.5 us, and so are 11.5 MB at 1 TB/s: 2^(1/6) times as long."""
    kernel = Kernel(
        {("exp", "float32"): 1e6, ("add", "float32"): 1e6}, 10**6, "float32", 11_500_000
    )
    assert kernel.us(RATES) == pytest.approx(11.5 * 1.122462, rel=1e-6)


def test_240_cheap_operations_are_cut():
    found = choice({"add": 240})
    assert found.cut


def test_where_the_host_is_slower_than_the_device_fusing_saves_its_launches():
    """Two launches of 6 us each, and 1 us for the call, are the longest of all."""
    slow = replace(RATES, launch_us=1.0, host_us=6.0, call_us=1.0)
    found = replace(choice({"exp": 2}), rates=slow)
    assert found.fused_us == pytest.approx(21.5, rel=1e-3) and found.cut
    # 1e6 x (14 x 0.5 + 1) ps = 8 us of arithmetic, and 8 of memory
    short = replace(choice({"add": 13}), rates=slow)
    assert short.fused_us == pytest.approx(8.0 * 2 ** (1 / 6), rel=1e-3)
    assert short.materialised_us == 13.0 and not short.cut


def test_what_was_not_measured_has_a_price():
    assert RATES.operation_ps("exp", "float16") == 10.0  # float32 stands for it
    assert RATES.operation_ps("pow", "float32") == 20.0
    assert RATES.operation_ps("cast", "float32") == 0.5  # as an addition


@pytest.mark.parametrize("arch", SHEETS)
def test_data_sheet_rates_say_so(arch):
    rates = rates_for(arch)
    assert rates.source and rates.name
    for dtype in ("float16", "bfloat16", "float32"):
        table = rates.operator_ps[dtype]
        assert 0 < table["add"] < table["exp"] <= table["other"]


def test_the_h200s_rates_give_about_what_was_measured():
    """float16 at 4096 x 4096: ON takes 81.42 us at depth 8 and 140.05 at 16 (results/published),
    PARTIAL 58.74 and 59.67, of which a launch and the chain are a few. The rates are of chains of
    one operator each, which a compiler cannot join as it does multiply and subtract here.
    """
    rates = rates_for("sm_90")
    for depth, measured in [(8, 81.42), (16, 140.05)]:
        operations = {(k, "float16"): depth * 4096.0**2 for k in ("exp", "multiply", "subtract")}
        operations["add", "float16"] = 4096.0**2
        kernel = Kernel(operations, 4096**2, "float16", 4 * 4096**2 + 8192)
        assert kernel.us(rates) == pytest.approx(measured, rel=0.10)
        assert kernel.memory_us(rates) == pytest.approx(58.74, rel=0.05)


def test_an_unknown_gpu_has_the_defaults_and_the_record_says_whose():
    assert rates_for("sm_75").name == "RTX A6000"
    assert rates_for("sm_75").source.startswith("no rates for sm_75")
    assert "not measured" in rates_for("llvm").source
