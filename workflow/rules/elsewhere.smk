# Jobs that run on other machines than this one, through a cluster's executor (profiles/slurm). There
# Snakemake reads this workflow again, so whether a device can run is asked where it is.


from fusion import elsewhere as jobs_elsewhere


# Light work on kept records stays here, and what needs the network.
localrules:
    toolchain,
    list_records,
    audit_table,
    decision_table,
    aggregate,
    crossing_table,
    profile_table,
    plot,
    write_issue,
    render_pages,
    toolchain_table,
    compare_runs,


def elsewhere():
    """Whether the jobs run on other machines. Known when jobs are planned, not while rules are read.

    In a dry run Snakemake's executor is the one that runs nothing; what it keeps of the one asked for
    is that it would use threads.
    """
    would = workflow.dryrun and workflow.execution_settings.use_threads
    return workflow.non_local_exec or would


def runs_somewhere(wildcards):
    """Whether a machine is meant that runs what is compiled; says so where none is."""
    somewhere = DEVICE.can_run or elsewhere()
    if not somewhere:
        say(jobs_elsewhere.NOT_RUN)
    return somewhere


def by_name(wildcards):
    """No file; an error before any job starts, if a machine elsewhere would resolve `device` anew."""
    if elsewhere() and workflow.is_main_process:
        try:
            jobs_elsewhere.require_name(str(SETTINGS["device"]))
        except FusionError as error:
            raise WorkflowError(str(error))
        say(jobs_elsewhere.ELSEWHERE)
    return []


@functools.cache
def say(line):
    """Once a run, also where many jobs ask."""
    if workflow.is_main_process:
        print(f"fuse-or-not: {line}", file=sys.stderr, flush=True)


def trial_threads(wildcards):
    """The cores of a trial: all of the run's, shared by as many trials as there are GPUs to run them.

    Elsewhere, `all` is what the profile's set-threads says, else one.
    """
    asked = SETTINGS["timing"]["threads"]
    if asked == "all":
        return 1 if elsewhere() else max(1, (workflow.resource_settings.cores or 1) // AT_ONCE)
    return asked
