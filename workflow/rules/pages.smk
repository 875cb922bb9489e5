from fusion import report_pages

# Snakemake has a number of jobs beside the cores where they go to other machines.
CAN_BE_RUN = DEVICE.can_run or workflow.resource_settings.nodes is not None
PAGES = report_pages.pages_of(
    OUT,
    CAN_BE_RUN,
    without={
        *([] if len(TVMS) > 1 else ["toolchains"]),
        *([] if CROSSINGS else ["crossings"]),
        *([] if PROFILED else ["profile"]),
    },
)
HAS_TRIALS = CAN_BE_RUN or report_pages.measured_elsewhere(OUT, CAN_BE_RUN)


rule pages:
    """What the HTML report shows besides figures: tables that can be sorted, and data to load."""
    input:
        [f"<results>/report/{page.name}.html" for page in PAGES],
        [rules.aggregate.output.csv, rules.aggregate.output.trials] if HAS_TRIALS else [],


rule render_pages:
    """Markdown tables as HTML pages of their own; needs neither a device nor a network."""
    input:
        program=SCRIPTS / "render_pages.py",
        looks=[SCRIPTS / "fusion" / name for name in ("page.css", "page.js")],
        markdown=[f"<results>/{page.markdown}" for page in PAGES],
    output:
        [
            report(
                f"<results>/report/{page.name}.html",
                caption=f"../report/{page.name}.rst",
                category=page.category,
                labels={"table": page.label},
            )
            for page in PAGES
        ],
    log:
        "<logs>/pages.log",
    conda:
        TENV
    params:
        code=code("render_pages.py"),
        names=[page.name for page in PAGES],
        folder=subpath(output[0], parent=True),
    shell:
        "python3 {input.program:q} --names {params.names:q} --markdown {input.markdown:q}"
        " --out {params.folder:q} 2>&1 | tee {log:q}"
