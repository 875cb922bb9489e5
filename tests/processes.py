"""Running pipelines as a user's machine sees them: processes to kill, records to watch."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from fusion import records

WITHIN = 120  # seconds for anything that is waited for


class Background:
    """Snakemake, or any command, started in a folder; what it prints goes to a file."""

    def __init__(self, folder: Path, *words: str, name: str = "run"):
        self.said = folder / f"{name}.said"
        with self.said.open("w") as stream:
            self.process = subprocess.Popen(
                list(words) or [sys.executable, "-m", "snakemake", "--cores", "1"],
                cwd=folder,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def text(self) -> str:
        return self.said.read_text()

    def job(self, program: str, *words: str) -> psutil.Process:
        """The process of a job of this run: a program of the pipeline, with these words."""

        def running():
            assert self.process.poll() is None, f"ended before {program} began\n{self.text}"
            with contextlib.suppress(psutil.Error):
                for child in psutil.Process(self.process.pid).children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        line = child.cmdline()
                        if is_program(line, program) and all(w in " ".join(line) for w in words):
                            return child
            return None

        return wait_for(running, f"{program} {' '.join(words)}")

    def end(self) -> int:
        """The exit code, once it has ended."""
        return self.process.wait(WITHIN)


def is_program(line: list[str], name: str) -> bool:
    """Whether a command line is Python running that program, and not the shell around it."""
    return len(line) > 1 and "python" in Path(line[0]).name and line[1].endswith(f"/{name}")


def wait_for(found, what: str):
    """What a function returns as soon as that is true."""
    end = time.monotonic() + WITHIN
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {WITHIN} s for {what}")


def stop_when(job: psutil.Process, ready) -> None:
    """Suspend a process at a moment when ready() is true, looking twenty times a second."""
    end = time.monotonic() + WITHIN
    while time.monotonic() < end:
        job.suspend()
        if ready():
            return
        job.resume()
        time.sleep(0.05)
    raise AssertionError(f"waited {WITHIN} s for {job}")


def holder(locks: Path) -> dict | None:
    """Who holds the device's lock, as its note says; None where nobody does."""
    for note in locks.glob("[!.]*.json"):
        with contextlib.suppress(OSError, ValueError):
            return json.loads(note.read_text())
    return None


def trial_held(locks: Path) -> int | None:
    """The number of the trial that holds the device."""
    found = re.match(r"trial (\d+) of ", (holder(locks) or {}).get("purpose", ""))
    return found and int(found[1])


def second_trial(run: Background, results: Path, locks: Path) -> tuple[int, int, psutil.Process]:
    """Wait until one trial is done and another holds the device: their numbers, and its process."""
    first = wait_for(lambda: list(results.glob("time/*/trial-*.json")), "the first trial")
    done = int(first[0].stem.removeprefix("trial-"))
    trial = wait_for(
        lambda: trial_held(locks) not in (None, done) and trial_held(locks), "the second trial"
    )
    return done, trial, run.job("time_trial.py", f"--trial {trial}")


def gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def stamps(results: Path) -> dict[str, tuple[int, str]]:
    """When each file of the stages' folders was written, and its SHA-256."""
    found = {}
    for path in sorted(results.rglob("*")):
        inner = path.relative_to(results)
        kept = inner.parts[0] in ("compile", "verify", "time", "audit", "rebuild")
        passing = path.name in ("build.lock", "build.json") or ".building" in str(inner)
        if kept and path.is_file() and not passing:
            found[str(inner)] = (path.stat().st_mtime_ns, records.file_sha256(path))
    return found


class Watcher(threading.Thread):
    """Reads every record as soon as it lies there, all the time, as another program might."""

    def __init__(self, results: Path):
        super().__init__(daemon=True)
        self.results, self.damaged, self.seen = results, [], {}
        self._ending = threading.Event()

    def run(self) -> None:
        while not self._ending.is_set():
            for kind in ("compile", "verify", "time"):
                for folder, inner, names in os.walk(self.results / kind):
                    inner[:] = [name for name in inner if not name.startswith(".building")]
                    for name in names:
                        if name.endswith(".json") and not name.startswith((".", "build.")):
                            self._look(Path(folder, name))
            time.sleep(0.01)

    def _look(self, path: Path) -> None:
        with contextlib.suppress(FileNotFoundError):
            known = self.seen.setdefault(path, {})
            stat = path.stat()
            if (stat.st_ino, stat.st_mtime_ns) in known:
                return
            data = path.read_bytes()
            try:
                record = json.loads(data)
                assert record["digest"] == records._digest(record)
                known[stat.st_ino, stat.st_mtime_ns] = record
            except (ValueError, KeyError, AssertionError):
                self.damaged.append((path, data))

    def versions(self, name: str) -> list[dict]:
        """Every version that was seen of a record, by its path in the results."""
        found = self.seen.get(self.results / name, {}).values()
        return list({record["digest"]: record for record in found}.values())

    def stop(self) -> None:
        self._ending.set()
        self.join(10)


@contextlib.contextmanager
def watching(results: Path) -> Iterator[Watcher]:
    watcher = Watcher(results)
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.stop()


def spans(versions: list[dict]) -> list[tuple[float, float]]:
    """From when to when each of these time records held the device."""
    return sorted((r["started"], r["started"] + r["held_s"]) for r in versions)


def path_with_python() -> dict[str, str]:
    """The environment in which `snakemake` is this interpreter's."""
    beside = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"}
