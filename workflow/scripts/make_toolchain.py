"""Make a toolchain's virtual environment from its requirements file, and record what is in it.

Uses pip, which goes by its own configuration: where there is no network, PIP_NO_INDEX and
PIP_FIND_LINKS name a folder of wheels. Without --requirements the interpreter that the
configuration names is only looked at. Either way TVM, or the peer's framework, must be there.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from fusion import locks, records, toolchains
from fusion.errors import FusionError, run_program

LOOK = """
import importlib, json, os, platform, sys
name = sys.argv[1]
module = importlib.import_module(name)
found = {"package": name, "version": str(module.__version__), "file": module.__file__,
         "python": platform.python_version()}
if name == "tvm":
    folder = os.path.dirname(module.__file__)
    found["commit"] = dict(module.support.libinfo()).get("GIT_COMMIT_HASH", "")
print(json.dumps(found))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", required=True, help="the toolchain's in the configuration")
    parser.add_argument("--requirements", type=Path, help="a pip requirements file")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    args = parser.parse_args()
    chain = toolchains.find(args.name)
    if args.requirements:
        folder = Path(chain.python).parents[1]
        folder.parent.mkdir(parents=True, exist_ok=True)
        with locks.hold([args.name], folder.parent, "makes it"):
            make(args.name, folder, args.requirements)
    python = chain.interpreter()
    package = args.name if args.name in toolchains.PEER_TOOLCHAINS else "tvm"
    looked = run([python, "-c", LOOK, package], chain, f"{python} cannot import {package}")
    frozen = subprocess.run(
        [python, "-m", "pip", "freeze"], capture_output=True, text=True, env=chain.variables()
    )
    given = args.requirements
    body = {
        "name": args.name,
        "interpreter": python,
        "environment": chain.environment,
        "requirements": given and {"path": str(given), "sha256": records.file_sha256(given)},
        "found": json.loads(looked.splitlines()[-1]),
        "pip_freeze": frozen.stdout.split("\n")[:-1] if frozen.returncode == 0 else None,
    }
    records.write(args.out, "toolchain", body)
    print(f"{args.name}: {package} {body['found']['version']} in {python}")


def make(name: str, folder: Path, requirements: Path) -> None:
    """A fresh virtual environment with these requirements, or none at all."""
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{name}: making {folder}", flush=True)
    own = toolchains.find(None)
    try:
        run([sys.executable, "-m", "venv", str(folder)], own, f"{folder} cannot be made")
        pip = [str(folder / "bin" / "python3"), "-m", "pip", "install", "--quiet"]
        run(
            [*pip, "--disable-pip-version-check", "-r", str(requirements)],
            own,
            f"{requirements} cannot be installed",
            "without a network set PIP_NO_INDEX=1, and PIP_FIND_LINKS to a folder of wheels",
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def run(command: list[str], chain: toolchains.Toolchain, problem: str, do: str = "") -> str:
    """The command's standard output; a failure is a FusionError with its last words."""
    done = subprocess.run(command, capture_output=True, text=True, env=chain.variables())
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise FusionError(
            f"toolchain {chain.name}: {problem}", found="; ".join(said[-3:]) or "nothing", do=do
        )
    return done.stdout


if __name__ == "__main__":
    run_program(main)
