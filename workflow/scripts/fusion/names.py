"""Function names as a person can read them: fused ones reach thousands of characters."""


def shorten(name: str, width: int = 60) -> str:
    """The name cut to a width in its middle; what fused functions differ in is often the end."""
    if len(name) <= width:
        return name
    head = 2 * width // 3
    return f"{name[:head]}…{name[head + 1 - width :]}"
