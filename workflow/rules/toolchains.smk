rule toolchain:
    """A toolchain of the configuration: its virtual environment, made once, and what is in it."""
    input:
        program=SCRIPTS / "make_toolchain.py",
        requirements=requirements_of,
    output:
        "<toolchains>/{toolchain}.json",
    log:
        "<toolchains>/{toolchain}.log",
    priority: 5  # what compiles waits for it
    conda:
        TENV
    params:
        code=code("make_toolchain.py"),
        requirements=requirements_words,
    shell:
        "python3 {input.program:q} --name {wildcards.toolchain:q} {params.requirements:q}"
        " --out {output:q} 2>&1 | tee {log:q}"
