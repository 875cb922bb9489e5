# The paths of an experiment's records, one a line, for programs that read all of them: a command
# with the paths of a large sweep in it would be longer than Linux allows (128 KiB a word).
LISTS = {
    "compiled": expand(
        f"{OUT}/compile/{{case}}/{{variant}}/record.json", case=CASES, variant=VARIANTS
    ),
    "verified": expand(f"{OUT}/verify/{{case}}.json", case=CASES),
    "trials": expand(f"{OUT}/time/{{case}}/trial-{{trial}}.json", case=CASES, trial=TRIALS),
    "audited": expand(f"{OUT}/audit/{{case}}/{{variant}}.json", case=CASES, variant=VARIANTS),
    "profiled": [path.replace("<results>", OUT) for path in PROFILED],
}


rule list_records:
    """The paths of the records of every kind, as the configuration has them."""
    output:
        **LISTS_MADE,
    log:
        "<logs>/lists.log",
    conda:
        TENV
    params:
        lists=LISTS,
    script:
        "list_records.py"
