rule compile:
    """Every case and variant, compiled for the device's architecture."""
    input:
        expand("<results>/compile/{case}/{variant}/record.json", case=CASES, variant=VARIANTS),


rule compile_variant:
    """Graph to machine code, with the IR after every pass and each schedule; holds no GPU."""
    input:
        program=SCRIPTS / "compile_variant.py",
        device=by_name,
        workload=file_of_case,
        toolchain=toolchain_of_variant,
        rates=rates_of,
    output:
        record="<results>/compile/{case}/{variant}/record.json",
        module="<results>/compile/{case}/{variant}/module.so",
        kernels=expand("<results>/compile/{{case}}/{{variant}}/{name}", name=KERNELS[DEVICE.kind]),
        ir=directory("<results>/compile/{case}/{variant}/ir"),
        schedules=directory("<results>/compile/{case}/{variant}/schedules"),
    log:
        "<logs>/compile/{case}/{variant}.log",
    benchmark:
        "<benchmarks>/compile/{case}/{variant}.tsv"
    priority: 4  # before all that takes the device
    conda:
        TENV
    params:
        code=code("compile_variant.py", "build_variant.py"),
        case=case_arguments,
        variant=variant_words,
        arch=ARCH,
        folder=subpath(output.record, parent=True),
        rates=rates_words,
    shell:
        "python3 {input.program:q} {params.case:q} {params.variant:q}"
        " --arch {params.arch:q} {params.rates:q} --out {params.folder:q} 2>&1 | tee {log:q}"
