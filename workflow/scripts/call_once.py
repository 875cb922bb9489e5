"""Call one variant once between cuProfilerStart and cuProfilerStop, for Nsight Compute to watch."""

import argparse

from fusion import artifacts, profiling, session
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    profiling.add_arguments(parser)
    session.add_arguments(parser)
    args = parser.parse_args()
    arch = artifacts.arch_of(artifacts.read_artifacts([args.record]))
    session.show_only(session.choose(arch, args.gpu).gpu)

    from cuda.bindings import driver

    from fusion.ready import get_ready

    ready = get_ready(args)
    driver.cuProfilerStart()
    ready.call(1)
    driver.cuProfilerStop()


if __name__ == "__main__":
    run_program(main)
