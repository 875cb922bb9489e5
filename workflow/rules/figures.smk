FORMATS = ["png", "svg", "csv"]
FIGURES = PLAN.figures


rule figures:
    """Every figure that this experiment has, as PNG and SVG, and what it plots as CSV."""
    input:
        expand("<results>/figures/{name}.{format}", name=FIGURES, format=FORMATS),


rule plot:
    """Draws from kept records alone; needs neither a GPU nor TVM."""
    input:
        program=SCRIPTS / "plot_figures.py",
        summary=rules.aggregate.output.summary,
        lists=[LISTS_MADE[name] for name in ("trials", "profiled")],
        trials=rules.time.input,
        profiles=PROFILED if "breakdown" in FIGURES else [],
    output:
        # The report has the PNG: it needs no font of the reader's.
        [
            report(
                f"<results>/figures/{name}.png",
                caption=f"../report/{kind}.rst",
                category="2 Figures",
                subcategory="2 Every sample" if case else "1 Over all cases",
                labels={"case": case, "figure": words} if case else {"figure": words},
            )
            for name, kind, case, words in figure_names.in_report(FIGURES)
        ],
        expand("<results>/figures/{name}.{format}", name=FIGURES, format=["svg", "csv"]),
    log:
        "<logs>/plot.log",
    conda:
        TENV
    params:
        code=code("plot_figures.py"),
        figures=FIGURES,
        profiles=["--profiles", f"@{LISTS_MADE['profiled']}"] if "breakdown" in FIGURES else [],
        folder=subpath(output[0], parent=True),
    shell:
        "python3 {input.program:q} --summary {input.summary:q} --trials @{input.lists[0]:q}"
        " {params.profiles:q} --figures {params.figures:q} --out {params.folder:q} 2>&1"
        " | tee {log:q}"
