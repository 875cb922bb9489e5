LISTING = {"llvm": "s", "cuda": "sass"}[DEVICE.kind]


rule audit:
    """Static evidence from every case's and variant's compiled code; needs no GPU."""
    input:
        expand("<results>/audit/{case}/{variant}.json", case=CASES, variant=VARIANTS),
        "<results>/tables/audit.md",
        "<results>/tables/audit.csv",
        "<results>/tables/audit_totals.csv",
        "<results>/tables/decisions.md",
        "<results>/tables/decisions.csv",


rule audit_variant:
    """One variant's kernels: registers, spills, opcodes, launches, executed operations."""
    input:
        program=SCRIPTS / "audit_variant.py",
        record=rules.compile_variant.output.record,
        module=rules.compile_variant.output.module,
        kernels=rules.compile_variant.output.kernels,
    output:
        record="<results>/audit/{case}/{variant}.json",
        listing=f"<results>/audit/{{case}}/{{variant}}.{LISTING}",
    log:
        "<logs>/audit/{case}/{variant}.log",
    conda:
        TENV
    params:
        code=code("audit_variant.py"),
    shell:
        "python3 {input.program:q} --record {input.record:q} --out {output.record:q}"
        " --listing {output.listing:q} 2>&1 | tee {log:q}"


rule audit_table:
    """Variants side by side, as Markdown and CSV."""
    input:
        program=SCRIPTS / "audit_table.py",
        list=LISTS_MADE["audited"],
        records=expand("<results>/audit/{case}/{variant}.json", case=CASES, variant=VARIANTS),
    output:
        markdown="<results>/tables/audit.md",
        csv="<results>/tables/audit.csv",
        totals="<results>/tables/audit_totals.csv",
    log:
        "<logs>/audit/table.log",
    conda:
        TENV
    params:
        code=code("audit_table.py"),
        folder=subpath(output.markdown, parent=True),
    shell:
        "python3 {input.program:q} --records @{input.list:q} --out {params.folder:q} 2>&1"
        " | tee {log:q}"


rule decision_table:
    """What the remedies decided while they compiled, with both estimates and the reason."""
    input:
        program=SCRIPTS / "decision_table.py",
        list=LISTS_MADE["compiled"],
        records=rules.compile.input,
    output:
        markdown="<results>/tables/decisions.md",
        csv="<results>/tables/decisions.csv",
    log:
        "<logs>/audit/decisions.log",
    conda:
        TENV
    params:
        code=code("decision_table.py"),
        folder=subpath(output.markdown, parent=True),
    shell:
        "python3 {input.program:q} --records @{input.list:q} --out {params.folder:q} 2>&1"
        " | tee {log:q}"
