rule rebuild:
    """Every case and variant built a second time, with both hashes in a record."""
    input:
        expand("<results>/rebuild/{case}/{variant}.json", case=CASES, variant=VARIANTS),


rule rebuild_variant:
    """The same input gives the same machine code, or the job fails."""
    input:
        program=SCRIPTS / "rebuild_variant.py",
        record=rules.compile_variant.output.record,
        rates=rates_of,
    output:
        "<results>/rebuild/{case}/{variant}.json",
    log:
        "<logs>/rebuild/{case}/{variant}.log",
    conda:
        TENV
    params:
        code=code("rebuild_variant.py", "build_variant.py"),
        rates=rates_words,
        toolchain=toolchain_words,
    shell:
        "python3 {input.program:q} --record {input.record:q} {params.rates:q} {params.toolchain:q} --out {output:q} 2>&1"
        " | tee {log:q}"
