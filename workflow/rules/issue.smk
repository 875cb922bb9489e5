import json

from fusion import issue_reproduction

ISSUE_LISTS = ("compiled", "verified", "trials", "audited", "profiled")
ADDRESS = issue_reproduction.address(Path(workflow.basedir))


rule issue:
    """The run as a bug report that can be pasted; of kept records too, without a device."""
    input:
        "<results>/issue.md",


rule write_issue:
    """Workload, results, environment, reproduction and evidence, from the records alone."""
    input:
        program=SCRIPTS / "write_issue.py",
        summary=rules.aggregate.output.summary,
        lists=[LISTS_MADE[name] for name in ISSUE_LISTS],
        compiled=rules.compile.input,
        verified=rules.verify.input,
        trials=rules.time.input,
        audits=LISTS["audited"],
        profiles=PROFILED if "breakdown" in FIGURES else [],
    output:
        "<results>/issue.md",
    log:
        "<logs>/issue.log",
    conda:
        TENV
    params:
        code=code("write_issue.py"),
        address=["--address", ADDRESS] if ADDRESS else [],
        overlay=json.dumps(issue_reproduction.overlay(PLAN.checked, DEVICE.kind)),
    shell:
        "python3 {input.program:q} --summary {input.summary:q} --compiled @{input.lists[0]:q}"
        " --verified @{input.lists[1]:q} --trials @{input.lists[2]:q}"
        " --audits @{input.lists[3]:q} --profiles @{input.lists[4]:q}"
        " --overlay {params.overlay:q} {params.address:q} --out {output:q} 2>&1 | tee {log:q}"
