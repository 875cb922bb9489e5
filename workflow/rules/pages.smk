# The report's pages: where each stands in it, and the Markdown that it shows. Those of records that
# lie here but were measured elsewhere are the ones whose Markdown lies here too.
PAGES = {
    "overview": ("1 Verdicts", "overview", ["<results>/issue.md"]),
    "verdicts": ("1 Verdicts", "verdicts", ["<results>/tables/summary.md"]),
    "toolchains": ("1 Verdicts", "versions of TVM side by side", TOOLCHAIN_TABLE[:1]),
    "crossings": ("1 Verdicts", "where fusing stops paying", CROSSINGS[:1]),
    "audit": ("3 Evidence", "the compiled code", ["<results>/tables/audit.md"]),
    "decisions": ("3 Evidence", "what SPLIT and STAGED decided", ["<results>/tables/decisions.md"]),
    "profile": (
        "3 Evidence",
        "where the time goes",
        ["<results>/tables/profile.md"] if PROFILED else [],
    ),
}
COMPILED_PAGES = ["audit", "decisions"]  # what there is without a device
KEPT = not DEVICE.can_run and Path(f"{OUT}/tables/summary.json").is_file()
# Snakemake has a number of jobs beside the cores where they go to other machines.
CAN_BE_RUN = DEVICE.can_run or workflow.resource_settings.nodes is not None

PAGES = {name: page for name, page in PAGES.items() if has_page(name)}
MEASURED = CAN_BE_RUN or KEPT


rule pages:
    """What the HTML report shows besides figures: tables that can be sorted, and data to load."""
    input:
        expand("<results>/report/{page}.html", page=PAGES),
        [rules.aggregate.output.csv, rules.aggregate.output.trials] if MEASURED else [],


rule render_pages:
    """Markdown tables as HTML pages of their own; needs neither a device nor a network."""
    input:
        program=SCRIPTS / "render_pages.py",
        looks=[SCRIPTS / "fusion" / name for name in ("page.css", "page.js")],
        markdown=[table for _, _, tables in PAGES.values() for table in tables],
    output:
        [
            report(
                f"<results>/report/{name}.html",
                caption=f"../report/{name}.rst",
                category=category,
                labels={"table": table},
            )
            for name, (category, table, _) in PAGES.items()
        ],
    log:
        "<logs>/pages.log",
    conda:
        TENV
    params:
        code=code("render_pages.py"),
        names=list(PAGES),
        folder=subpath(output[0], parent=True),
    shell:
        "python3 {input.program:q} --names {params.names:q} --markdown {input.markdown:q}"
        " --out {params.folder:q} 2>&1 | tee {log:q}"
