rule verify:
    """Every case's variants compared with NumPy and with each other, on the device."""
    input:
        expand("<results>/verify/{case}.json", case=CASES),


rule verify_case:
    """Three draws, poisoned outputs; a variant that fails stops the run."""
    input:
        program=SCRIPTS / "verify_case.py",
        device=on_device,
        workload=file_of_case,
        toolchains=ALL_TOOLCHAINS,
        records=expand("<results>/compile/{{case}}/{variant}/record.json", variant=VARIANTS),
        compiled=expand("<results>/compile/{{case}}/{variant}/module.so", variant=VARIANTS),
    output:
        "<results>/verify/{case}.json",
    log:
        "<logs>/verify/{case}.log",
    benchmark:
        "<benchmarks>/verify/{case}.tsv"
    priority: 3  # all cases before the first trial, so that a failure shows before time is spent
    conda:
        TENV
    resources:
        gpu=1,
    params:
        code=code("verify_case.py", "serve_variants.py", "run_reference.py", *SERVERS),
        peers=WITH_PEERS,
        seeds=SETTINGS["verify"]["seeds"],
        tolerance=PLAN.tolerance,
        inputs=PLAN.inputs,
    shell:
        "python3 {input.program:q} --records {input.records:q} --out {output:q}"
        " --seeds {params.seeds:q} {params.inputs:q} {params.tolerance:q} {params.peers:q} 2>&1 | tee {log:q}"
