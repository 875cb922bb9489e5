"""Write lists of paths, one a line: run by Snakemake alone, whose rule names lists and files.

Not a program of its own, since the lists of a large sweep do not fit into a command.
"""

import sys
from pathlib import Path

for name, paths in snakemake.params.lists.items():  # noqa: F821 - Snakemake puts it here
    try:
        Path(snakemake.output[name]).write_text("".join(f"{path}\n" for path in paths))  # noqa: F821
    except OSError as error:
        sys.exit(f"error: {snakemake.output[name]} cannot be written: {error.strerror}")  # noqa: F821
