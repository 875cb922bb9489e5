"""fuse-or-not: does operator fusion pay for this graph, on this device, in this TVM?"""

from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


# The default experiment; --configfile overlays it.
configfile: Path(workflow.basedir) / "config" / "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/elsewhere.smk"
include: "workflow/rules/toolchains.smk"
include: "workflow/rules/compile.smk"
include: "workflow/rules/rebuild.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/time.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/crossings.smk"
include: "workflow/rules/profile.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/lists.smk"
include: "workflow/rules/issue.smk"
include: "workflow/rules/comparing.smk"
include: "workflow/rules/pages.smk"


rule all:
    default_target: True
    input:
        rules.compile.input,
        rules.rebuild.input,
        rules.audit.input,
        rules.pages.input,
        branch(
            runs_somewhere,
            then=rules.verify.input
            + rules.time.input
            + rules.aggregate.output
            + rules.crossings.input
            + rules.toolchains.input
            + (PROFILED + rules.profile_table.output if PROFILED else [])
            + rules.figures.input
            + rules.issue.input,
            otherwise=[],
        ),
