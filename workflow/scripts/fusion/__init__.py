"""What the programs of the pipeline share.

Importing this package imports neither TVM nor Snakemake; each module says what it needs. Modules
that a compile, verify or time program reaches import only TVM, NumPy, filelock and nvidia-ml-py.
"""
