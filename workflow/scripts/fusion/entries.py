"""Names of what is compiled and timed: ON, or ON@tvm-0.26 where several TVMs are compared."""

AT = "@"


def entry(variant: str, toolchain: str | None) -> str:
    """The name of a variant under a toolchain; None: the only one."""
    return variant if toolchain is None else f"{variant}{AT}{toolchain}"


def variant_of(name: str) -> str:
    return name.partition(AT)[0]


def toolchain_of(name: str) -> str | None:
    return name.partition(AT)[2] or None


def toolchains_of(names: list[str]) -> list[str | None]:
    """The toolchains of these names, in their order."""
    return list(dict.fromkeys(map(toolchain_of, names)))


def under(names: list[str], toolchain: str | None) -> list[str]:
    """Those of the names that are of this toolchain."""
    return [name for name in names if toolchain_of(name) == toolchain]
