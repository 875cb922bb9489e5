PROFILED = expand(
    "<results>/profile/{case}/{variant}.json",
    case=CASES if DEVICE.kind == "cuda" and len(TVMS) == 1 else [],
    variant=[*VARIANTS, *PEERS],
)


rule profile:
    """Every case's and variant's kernels on the GPU; on a CPU there is nothing to profile."""
    input:
        PROFILED,
        gpu=on_gpu,


rule profile_variant:
    """Kernels and gaps by CUPTI, counters by Nsight Compute, as far as they can be had."""
    input:
        program=SCRIPTS / "profile_variant.py",
        record=rules.compile_variant.output.record,
        compiled=rules.compile_variant.output.module,
        verified=ancient("<results>/verify/{case}.json"),
    output:
        "<results>/profile/{case}/{variant}.json",
    log:
        "<logs>/profile/{case}/{variant}.log",
    conda:
        TENV
    threads: trial_threads
    resources:
        gpu=1,
    params:
        code=code("profile_variant.py", "trace_calls.py", "call_once.py"),
        profile=PLAN.profile,
        toolchain=toolchain_words,
        seed=SETTINGS["timing"]["seed"],
        inputs=PLAN.inputs,
    shell:
        "python3 {input.program:q} --record {input.record:q} --out {output:q} {params.profile:q}"
        " --verified {input.verified:q} {params.toolchain:q} --seed {params.seed:q} {params.inputs:q} 2>&1 | tee {log:q}"


rule profile_peer:
    """The same of a peer, under its own interpreter; and what became of the producer."""
    input:
        program=SCRIPTS / "profile_peer.py",
        verified=ancient("<results>/verify/{case}.json"),
    output:
        "<results>/profile/{case}/{peer}.json",
    log:
        "<logs>/profile/{case}/{peer}.log",
    conda:
        TENV
    threads: trial_threads
    resources:
        gpu=1,
    params:
        code=code("profile_peer.py", *SERVERS),
        case=case_arguments,
        arch=ARCH,
        profile=PLAN.profile,
        seed=SETTINGS["timing"]["seed"],
        inputs=PLAN.inputs,
    shell:
        "python3 {input.program:q} {params.case:q} --peer {wildcards.peer:q} --arch {params.arch:q}"
        " --out {output:q} {params.profile:q} --seed {params.seed:q} {params.inputs:q} 2>&1 | tee {log:q}"


rule profile_table:
    """Profiles beside what was timed."""
    input:
        program=SCRIPTS / "profile_table.py",
        list=LISTS_MADE["profiled"],
        profiles=PROFILED,
        summary=rules.aggregate.output.summary,
    output:
        markdown="<results>/tables/profile.md",
        calls="<results>/tables/breakdown.csv",
        kernels="<results>/tables/profile_kernels.csv",
    log:
        "<logs>/profile/table.log",
    conda:
        TENV
    params:
        code=code("profile_table.py"),
        folder=subpath(output.markdown, parent=True),
    shell:
        "python3 {input.program:q} --profiles @{input.list:q} --summary {input.summary:q}"
        " --out {params.folder:q} 2>&1 | tee {log:q}"
