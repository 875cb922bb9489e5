PROTOCOL = as_options(SETTINGS["timing"], without=("trials", "threads"))
THREADS = SETTINGS["timing"]["threads"]
THREADS = (workflow.resource_settings.cores or 1) if THREADS == "all" else THREADS


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
    threads: THREADS
    resources:
        gpu=1,
    params:
        code=code("time_trial.py", "serve_variants.py", *SERVERS),
        protocol=PROTOCOL,
        control=SETTINGS["control"],
        floor=SETTINGS["floor"],
        peers=WITH_PEERS,
        inputs=INPUTS,
    shell:
        "python3 {input.program:q} --records {input.records:q} --verified {input.verified:q}"
        " --out {output:q} --trial {wildcards.trial} --control {params.control}"
        " --floor {params.floor} {params.peers} {params.protocol} {params.inputs} 2>&1"
        " | tee {log:q}"
