"""How numbers are put into words."""


def percent(share: float) -> str:
    """A threshold as it stands in the configuration: 0.05 is 5%, 0.005 is 0.5%."""
    return f"{100 * share:.6g}%"
