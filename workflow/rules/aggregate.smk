rule aggregate:
    """The tables: the issue's, every trial's values, and what they rest on."""
    input:
        program=SCRIPTS / "aggregate_trials.py",
        modules=modules("aggregate_trials.py"),
        trials=rules.time.input,
        verified=rules.verify.input,
        compiled=rules.compile.input,
    output:
        summary="<results>/tables/summary.json",
        csv="<results>/tables/summary.csv",
        trials="<results>/tables/trials.csv",
        markdown="<results>/tables/summary.md",
    log:
        "<logs>/aggregate.log",
    conda:
        TENV
    params:
        experiment=SETTINGS["experiment"],
        folder=subpath(output.summary, parent=True),
        max_cv=SETTINGS["passing"]["max_cv"],
        min_slowdown=SETTINGS["passing"]["min_slowdown"],
    shell:
        "python3 {input.program:q} --experiment {params.experiment} --trials {input.trials:q}"
        " --verified {input.verified:q} --compiled {input.compiled:q} --max-cv {params.max_cv}"
        " --min-slowdown {params.min_slowdown} --out {params.folder:q} 2>&1"
        " | tee {log:q}"
