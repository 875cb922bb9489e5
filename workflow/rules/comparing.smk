TOOLCHAIN_TABLE = (
    ["<results>/tables/toolchains.md", "<results>/tables/toolchains.csv"] if len(TVMS) > 1 else []
)
# The folder of a comparison says what was compared.
COMPARED = f"{SETTINGS['results']}/compare/" + (
    "--".join(re.sub(r"[^\w.-]+", "_", f.strip("./")) for f in SETTINGS["compare"]) or "nothing"
)
COMPARISON = [f"{COMPARED}/comparison.md"] if SETTINGS["compare"] else []


rule toolchains:
    """What several TVMs make of each case, side by side; for one TVM there is nothing."""
    input:
        TOOLCHAIN_TABLE,


rule toolchain_table:
    """Each TVM's latency over the first one's, and what changed in the code."""
    input:
        program=SCRIPTS / "toolchain_table.py",
        summary=rules.aggregate.output.summary,
        list=LISTS_MADE["audited"],
        audits=LISTS["audited"],
    output:
        markdown="<results>/tables/toolchains.md",
        csv="<results>/tables/toolchains.csv",
    log:
        "<logs>/toolchains.log",
    conda:
        TENV
    params:
        code=code("toolchain_table.py"),
        folder=subpath(output.markdown, parent=True),
    shell:
        "python3 {input.program:q} --summary {input.summary:q} --audits @{input.list:q}"
        " --out {params.folder:q} 2>&1 | tee {log:q}"


rule compare:
    """Two runs of one configuration, from their results folders; needs no device."""
    input:
        COMPARISON,
        given=two_runs,


rule compare_runs:
    """What got slower or faster between them, and what changed in the code."""
    input:
        program=SCRIPTS / "compare_runs.py",
        summaries=[f"{folder}/tables/summary.json" for folder in SETTINGS["compare"]],
    output:
        markdown=f"{COMPARED}/comparison.md",
        csv=f"{COMPARED}/comparison.csv",
    log:
        f"{COMPARED}/comparison.log",
    conda:
        TENV
    params:
        code=code("compare_runs.py"),
        folders=SETTINGS["compare"],
        out=subpath(output.markdown, parent=True),
    shell:
        "python3 {input.program:q} {params.folders:q} --out {params.out:q} 2>&1 | tee {log:q}"
