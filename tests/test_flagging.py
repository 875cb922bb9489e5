"""Which blocks are flagged, and which are not."""

import pytest

from fusion.flagging import flags, power_capped


def mark(others=(), **state):
    """A mark as Session.mark gives it, of a GPU with nothing the matter."""
    healthy = {
        "sm_clock_mhz": 1980,
        "memory_clock_mhz": 2619,
        "temperature_c": 40,
        "reasons": ["idle"],
        "violations": {"power": 0, "thermal": 10, "board_limit": 0, "hw_power_brake": 0},
    }
    return {"state": healthy | state, "others": [{"pid": p, "name": n} for p, n in others]}


def violations(**counters):
    return {"violations": mark()["state"]["violations"] | counters}


def test_a_steady_block_is_not_flagged():
    assert flags(mark(), mark(), set(), 0.0) == []
    faster = mark(sm_clock_mhz=1995, memory_clock_mhz=2700, temperature_c=70)
    assert flags(mark(), faster, set(), 0.0) == []


@pytest.mark.parametrize(
    ("clock", "after", "words"),
    [
        ("sm_clock_mhz", 1965, "SM clock fell from 1980 to 1965 MHz"),
        ("memory_clock_mhz", 1593, "memory clock fell from 2619 to 1593 MHz"),
    ],
)
def test_a_clock_that_fell_is_a_flag(clock, after, words):
    assert flags(mark(), mark(**{clock: after}), set(), 0.0) == [words]


@pytest.mark.parametrize(("after", "count"), [(1900, 0), (1899, 1)])
def test_a_clock_may_fall_by_the_configured_share(after, count):
    before = mark(sm_clock_mhz=2000)
    assert len(flags(before, mark(sm_clock_mhz=after), set(), 0.05)) == count


@pytest.mark.parametrize("ends", [(1980, None), (None, 1980), (None, None)])
def test_a_clock_that_is_not_reported_is_no_flag(ends):
    before, after = (mark(sm_clock_mhz=clock) for clock in ends)
    assert flags(before, after, set(), 0.0) == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("hw_slowdown", "hardware slowdown"),
        ("sw_thermal_slowdown", "thermal slowdown by software"),
        ("hw_thermal_slowdown", "thermal slowdown by hardware"),
        ("hw_power_brake", "power brake"),
    ],
)
@pytest.mark.parametrize("end", ["before", "after", "both"])
def test_a_slowdown_at_either_end_is_one_flag(reason, words, end):
    before, after = (
        mark(reasons=[reason]) if end in (name, "both") else mark() for name in ("before", "after")
    )
    assert flags(before, after, set(), 0.0) == [words]


def test_other_reasons_are_no_flags():
    harmless = ["idle", "applications_clocks", "sync_boost", "display_clock"]
    assert flags(mark(reasons=harmless), mark(reasons=None), set(), 0.0) == []


@pytest.mark.parametrize(
    ("counter", "words"),
    [
        ("thermal", "thermal violation"),
        ("reliability", "reliability violation"),
        ("sw_thermal_slowdown", "thermal slowdown by software"),
        ("hw_thermal_slowdown", "thermal slowdown by hardware"),
        ("hw_power_brake", "power brake"),
    ],
)
def test_a_counter_that_grew_is_a_flag_though_neither_end_shows_it(counter, words):
    before = mark(**violations(**{counter: 500}))
    assert flags(before, mark(**violations(**{counter: 501})), set(), 0.0) == [words]
    assert flags(before, before, set(), 0.0) == []


@pytest.mark.parametrize("ends", [(None, None), (None, 5), (5, None)])
def test_a_counter_that_is_not_reported_is_no_flag(ends):
    before, after = (mark(**violations(thermal=value, power=value)) for value in ends)
    assert flags(before, after, set(), 0.0) == []
    assert not power_capped(before, after)


@pytest.mark.parametrize("state", [{"violations": None}, {"violations": {}}])
def test_a_gpu_without_counters_is_not_flagged(state):
    assert flags(mark(**state), mark(**state), set(), 0.0) == []


def test_a_cpus_marks_are_not_flagged():
    load = {"state": {"load_average_1min": 0.5}, "others": []}
    assert flags(load, load, set(), 0.0) == [] and not power_capped(load, load)


def test_a_process_that_appeared_is_a_flag_and_a_known_one_is_not():
    trainer = mark(others=[(4242, "trainer")])
    assert flags(mark(), trainer, set(), 0.0) == ["process 4242 (trainer) appeared"]
    assert flags(trainer, mark(), set(), 0.0) == ["process 4242 (trainer) appeared"]
    assert flags(trainer, trainer, {4242}, 0.0) == []
    both = mark(others=[(4242, "trainer"), (7, "python")])
    assert flags(trainer, both, {4242}, 0.0) == ["process 7 (python) appeared"]


def test_flags_of_different_kinds_add_up():
    before = mark(**violations(thermal=10))
    after = mark([(7, "python")], sm_clock_mhz=1755, **violations(thermal=11))
    assert flags(before, after, set(), 0.0) == [
        "SM clock fell from 1980 to 1755 MHz",
        "thermal violation",
        "process 7 (python) appeared",
    ]


def test_what_is_both_seen_and_counted_is_said_once():
    hot = mark(reasons=["hw_thermal_slowdown"], **violations(hw_thermal_slowdown=9))
    before = mark(**violations(hw_thermal_slowdown=5))
    assert flags(before, hot, set(), 0.0) == ["thermal slowdown by hardware"]


CAPPED = [
    (mark(reasons=["sw_power_cap"]), mark(sm_clock_mhz=1500)),
    (mark(), mark(sm_clock_mhz=1500, reasons=["sw_power_cap"])),
    (mark(), mark(sm_clock_mhz=1500, **violations(power=9))),
]


@pytest.mark.parametrize(("before", "after"), CAPPED, ids=["before", "after", "counted"])
def test_a_power_cap_and_what_it_does_to_the_clock_are_no_flags(before, after):
    assert power_capped(before, after)
    assert flags(before, after, set(), 0.0) == []
    assert not power_capped(mark(), mark(sm_clock_mhz=1500))


@pytest.mark.parametrize(("before", "after"), CAPPED, ids=["before", "after", "counted"])
def test_a_hardware_slowdown_under_a_power_cap_is_a_flag(before, after):
    reasons = [*after["state"]["reasons"], "hw_slowdown"]
    slowed = {**after, "state": after["state"] | {"reasons": reasons}}
    assert flags(before, slowed, set(), 0.0) == ["hardware slowdown"]
