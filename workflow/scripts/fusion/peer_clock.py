"""How a peer's samples are taken, as close to TVM's evaluator as it goes."""

import time

GROWTH = 1.618  # by which TVM's evaluator, too, lengthens a batch that came out short


def wall_seconds(runner, name: str, times: int) -> float:
    """Seconds on the host's clock for so many calls, from an idle device to an idle device."""
    start = time.perf_counter()
    runner.call(name, times)
    return time.perf_counter() - start


def samples(runner, name: str, number: int, repeat: int, min_repeat_ms: float) -> list[float]:
    """`repeat` samples, in seconds a call: the mean over a batch of calls that follow each other.

    A batch has `number` calls, or more where they last less than min_repeat_ms. The calls are made
    from Python, as a user makes them: their dispatch is inside. One call before the first batch is
    not timed, as in TVM's evaluator: the device comes from another process's work.
    """
    runner.call(name, 1)
    found = []
    for _ in range(repeat):
        while True:
            seconds = runner.seconds(name, number)
            if seconds * 1e3 >= min_repeat_ms:
                break
            needed = number * min_repeat_ms / max(seconds * 1e3, 1e-6)
            number = int(max(number * GROWTH, min(needed, number * 10))) + 1
        found.append(seconds / number)
    return found
