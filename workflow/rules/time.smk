rule time:
    """Every trial of every case."""
    input:
        expand("<results>/time/{case}/trial-{trial}.json", case=CASES, trial=TRIALS),


rule time_trial:
    """One trial of a case's variants, once that case is verified."""
    input:
        program=SCRIPTS / "time_trial.py",
        records=expand("<results>/compile/{{case}}/{variant}/record.json", variant=VARIANTS),
        compiled=expand("<results>/compile/{{case}}/{variant}/module.so", variant=VARIANTS),
        # A gate and not a source: what was timed stays, though the same code is verified anew.
        verified=ancient("<results>/verify/{case}.json"),
        toolchains=ALL_TOOLCHAINS,
    output:
        "<results>/time/{case}/trial-{trial}.json",
    log:
        "<logs>/time/{case}/trial-{trial}.log",
    benchmark:
        "<benchmarks>/time/{case}/trial-{trial}.tsv"
    priority: 2  # before profiles
    conda:
        TENV
    threads: trial_threads
    resources:
        gpu=1,
    params:
        code=code("time_trial.py", "serve_variants.py", *SERVERS),
        protocol=PLAN.protocol,
        control=SETTINGS["control"],
        floor=SETTINGS["floor"],
        peers=WITH_PEERS,
        inputs=PLAN.inputs,
    shell:
        "python3 {input.program:q} --records {input.records:q} --verified {input.verified:q}"
        " --out {output:q} --trial {wildcards.trial:q} --control {params.control:q}"
        " --floor {params.floor:q} {params.peers:q} {params.protocol:q} {params.inputs:q} 2>&1"
        " | tee {log:q}"
