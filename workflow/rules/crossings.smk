CROSSINGS = (
    ["<results>/tables/crossings.md", "<results>/tables/crossings.csv"]
    if PLAN.has_crossings
    else []
)


rule crossings:
    """Where fusing stops paying; only for experiments along depth with ON and PARTIAL."""
    input:
        CROSSINGS,


rule crossing_table:
    """The depth at which ON/PARTIAL crosses 1, for each workload and size."""
    input:
        program=SCRIPTS / "crossing_table.py",
        summary=rules.aggregate.output.summary,
    output:
        markdown="<results>/tables/crossings.md",
        csv="<results>/tables/crossings.csv",
    log:
        "<logs>/crossings.log",
    conda:
        TENV
    params:
        code=code("crossing_table.py"),
        folder=subpath(output.markdown, parent=True),
    shell:
        "python3 {input.program:q} --summary {input.summary:q} --out {params.folder:q} 2>&1"
        " | tee {log:q}"
