"""JSON records: who wrote them, whole or not there at all, and never another program's.

A record is one JSON object. `schema` names its kind and version, `digest` is the SHA-256 of the
rest, so that a truncated, hand-edited or foreign file is told from a good one.
"""

import hashlib
import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from . import disks, record_text
from .errors import FusionError

VERSIONS = {
    "compile": 2,
    "rebuild": 1,
    "verify": 1,
    "time": 2,
    "summary": 2,
    "audit": 1,
    "rates": 1,
    "profile": 1,
    "toolchain": 1,
    "comparison": 1,
}


class Found(dict):
    """An object of a record that was read; a key that it lacks is a FusionError."""

    def __init__(self, values: dict, path: Path | str):
        super().__init__(values)
        self.path = path

    def __missing__(self, key):
        raise FusionError(
            f"foreign record {self.path}",
            expected="what this release's programs write",
            found=f"no {key!r} where one is needed",
            do="if a run wrote it, delete it and run again",
        )


def sha256(data: bytes) -> str:
    """Hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def file_sha256(path: Path | str) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_bytes(path: Path | str, data: bytes) -> None:
    """Write beside the path, flush to the disk, then rename: readers see all of it or none."""
    path = Path(path)
    with disks.writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def write_text(path: Path | str, text: str) -> None:
    """As write_bytes, in UTF-8."""
    write_bytes(path, text.encode())


def write(path: Path | str, kind: str, body: dict) -> None:
    """Write a record of one of the kinds in VERSIONS, with the time of writing (UTC)."""
    record = {
        "schema": f"fuse-or-not/{kind}/{VERSIONS[kind]}",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        **body,
    }
    record["digest"] = _digest(record)
    write_text(path, json.dumps(record, indent=1) + "\n")


def read(path: Path | str, kind: str) -> dict:
    """Read a record of this kind; anything else is a FusionError that names the file."""
    wanted = f"fuse-or-not/{kind}/{VERSIONS[kind]}"
    name = Path(path).name
    do = f"if a run wrote it, delete it and run again; only what made {name} is repeated"
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise FusionError(f"no record at {path}", do=f"run the {kind} stage first") from None
    except OSError as error:
        raise FusionError(
            f"the record at {path} cannot be read",
            expected=wanted,
            found=str(error.strerror),
            do=do,
        ) from None
    try:
        record = json.loads(data, object_hook=lambda found: Found(found, path))
    except (ValueError, RecursionError) as error:
        raise FusionError(
            f"damaged record {path}",
            expected=f"a whole JSON object, {wanted}",
            found=f"{len(data)} bytes that end or break too early ({error})",
            do=do,
        ) from None
    found = record.get("schema") if isinstance(record, dict) else type(record).__name__
    if found != wanted:
        raise FusionError(
            f"foreign record {path}", expected=f"schema {wanted}", found=str(found), do=do
        )
    if record.get("digest") != _digest(record):
        raise FusionError(
            f"damaged record {path}",
            expected="contents that match the record's own digest",
            found="contents that were changed after they were written",
            do=do,
        )
    wrong = record_text.wrong_in(record, kind)
    if wrong:
        expected = "what this release's programs write, without markup in it"
        raise FusionError(f"foreign record {path}", expected=expected, found=wrong, do=do)
    return record


def _digest(record: dict) -> str:
    body = {key: value for key, value in record.items() if key != "digest"}
    return sha256(json.dumps(body, sort_keys=True).encode())
