rule aggregate:
    """The tables: the issue's, every trial's values, and what they rest on."""
    input:
        program=SCRIPTS / "aggregate_trials.py",
        lists=[LISTS_MADE[name] for name in ("trials", "verified", "compiled")],
        trials=rules.time.input,
        verified=rules.verify.input,
        compiled=rules.compile.input,
    output:
        summary="<results>/tables/summary.json",
        csv=report(
            "<results>/tables/summary.csv",
            caption="../report/summary_csv.rst",
            category="4 Data",
            labels={"data": "a row a case", "format": "CSV"},
        ),
        trials=report(
            "<results>/tables/trials.csv",
            caption="../report/trials_csv.rst",
            category="4 Data",
            labels={"data": "a row a trial", "format": "CSV"},
        ),
        markdown="<results>/tables/summary.md",
    log:
        "<logs>/aggregate.log",
    conda:
        TENV
    params:
        code=code("aggregate_trials.py"),
        experiment=SETTINGS["experiment"],
        folder=subpath(output.summary, parent=True),
        passing=PLAN.passing,
        judging=PLAN.judging,
    shell:
        "python3 {input.program:q} --experiment {params.experiment:q} --trials @{input.lists[0]:q}"
        " --verified @{input.lists[1]:q} --compiled @{input.lists[2]:q} {params.passing:q}"
        " {params.judging:q} --out {params.folder:q} 2>&1 | tee {log:q}"
