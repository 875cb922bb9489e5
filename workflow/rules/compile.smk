rule compile:
    """Every case and variant, compiled for the device's architecture."""
    input:
        expand("<results>/compile/{case}/{variant}/record.json", case=CASES, variant=VARIANTS),


rule compile_variant:
    """Graph to machine code, with the IR after every pass and each schedule; holds no GPU."""
    input:
        program=SCRIPTS / "compile_variant.py",
        modules=modules("compile_variant.py"),
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
    conda:
        TENV
    params:
        case=case_arguments,
        arch=ARCH,
        folder=subpath(output.record, parent=True),
        rates=rates_words,
    shell:
        "python3 {input.program:q} {params.case:q} --variant {wildcards.variant}"
        " --arch {params.arch} {params.rates} --out {params.folder:q} 2>&1 | tee {log:q}"
