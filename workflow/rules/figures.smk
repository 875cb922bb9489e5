FORMATS = ["png", "svg"]
FIGURES = ["ratios_by_depth", "latency_by_depth"]
FIGURES += ["breakdown"] if DEVICE.kind == "cuda" else []


rule figures:
    """Every figure, as PNG and SVG."""
    input:
        expand("<results>/figures/{name}.{format}", name=FIGURES, format=FORMATS),
        expand("<results>/figures/samples/{case}.{format}", case=CASES, format=FORMATS),


rule plot:
    """Draws from kept records alone; needs neither a GPU nor TVM."""
    input:
        program=SCRIPTS / "plot_figures.py",
        modules=modules("plot_figures.py"),
        summary=rules.aggregate.output.summary,
        trials=rules.time.input,
        profiles=PROFILED,
    output:
        rules.figures.input,
    log:
        "<logs>/plot.log",
    conda:
        TENV
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python3 {input.program:q} --summary {input.summary:q} --trials {input.trials:q}"
        " --profiles {input.profiles:q} --out {params.folder:q} 2>&1 | tee {log:q}"
