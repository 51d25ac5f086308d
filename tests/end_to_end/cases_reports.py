# What is done with a recorded profile: report, query, and reading while the run goes on.
import json
import time

from cases import procedure
from cases_counts import KERNELS
from harness import at_least, contains, equal, wait_for


def record(bench, victim="nvtx_steps 12 20 10", options=()):
    outcome = bench.run(victim, options)
    equal(outcome.status, 0, "exit status")
    return outcome


@procedure
def summary_after_the_run(bench):
    outcome = record(bench, options=("--label", "gpu=h200"))
    equal(outcome.stdout, b"", "stdout belongs to the target")
    contains(outcome.errors(), "run.perfscope", "summary on stderr")
    equal(bench.query("select value from meta where key = 'label.gpu'"), "h200", "label")
    quiet = bench.run("nvtx_steps 3 5", ("--force", "--quiet"))
    equal((quiet.status, quiet.stderr), (0, b""), "a quiet run says nothing")


@procedure
def report_text(bench):
    record(bench)
    outcome = bench.tool("report", bench.profile)
    equal(outcome.status, 0, "exit status")
    for part in ("NVIDIA H200", "vectorAdd", "240"):
        contains(outcome.text(), part, "report")
    too_long = [line for line in outcome.text().splitlines() if len(line) > 100]
    equal(too_long, [], "lines wider than 100 columns")


@procedure
def report_json(bench):
    record(bench)
    outcome = bench.tool("report", bench.profile, "--format", "json")
    equal(outcome.status, 0, "exit status")
    report = json.loads(outcome.text())
    device = report["devices"][0]
    equal(device["kernel_count"], 240, "kernels")
    equal(report["steps"]["count"], 12, "steps")
    span, busy = bench.query("select max(start_ns + duration_ns) - min(start_ns), sum(duration_ns) from kernel")
    equal((device["span_ns"], device["busy_ns"]), (span, busy), "span and busy time (one stream: no overlap)")


@procedure
def report_other_formats(bench):
    record(bench)
    for name, part in (("markdown", "|"), ("csv", "vectorAdd")):
        outcome = bench.tool("report", bench.profile, "--format", name)
        equal(outcome.status, 0, f"exit status of {name}")
        contains(outcome.text(), part, name)


@procedure
def query_read_only(bench):
    record(bench)
    outcome = bench.tool("query", bench.profile, KERNELS, "--format", "csv")
    equal(outcome.status, 0, "exit status")
    contains(outcome.text(), "240", "query")
    equal(bench.tool("query", bench.profile, "delete from kernel").status, 2, "a statement that writes")
    equal(bench.query(KERNELS), 240, KERNELS)


@procedure
def profile_opens_while_the_run_goes_on(bench):
    child = bench.start(bench.command("endless 4"))

    def growing():
        try:
            return bench.profile.exists() and bench.query(KERNELS) > 500
        except Exception:  # the tables may not be there in the first moments
            return False

    wait_for(growing, "kernels in the live profile", 4)
    assert bench.query("select value from meta where key = 'closed'") in ("0", []), "a live profile says that it is closed"
    # communicate() may not be used twice, so the tool is asked while the run's own pipes wait.
    report = bench.tool("report", bench.profile, "--format", "json")
    equal(report.status, 0, "report on a live profile")
    at_least(json.loads(report.text())["devices"][0]["kernel_count"], 500, "kernels in the live report")
    outcome = bench.finish(child)
    equal(outcome.status, 0, "exit status")
    launched = int(outcome.text().splitlines()[-1].split()[0])
    at_least(bench.query(KERNELS), launched, KERNELS)
    equal(bench.query("select value from meta where key = 'closed'"), "1", "closed at the end")


@procedure
def stop_is_quick(bench):
    outcome = bench.run("launch_storm 200000 2 2", deadline=30)
    equal(outcome.status, 0, "exit status")
    equal(bench.query(KERNELS), 200000, KERNELS)
    ended = bench.query("select max(end_ns) + (select value from meta where key = 'time_base_ns') from process")
    # 2 s + 1 s per 10 M events after the target's end; the machine of the tests may be busy.
    at_least(5.0, time.time() - ended / 1e9, "seconds between the end of the target and the end of the run")


@procedure
def doctor(bench):
    outcome = bench.tool("doctor", "--json")
    checks = json.loads(outcome.text())
    assert checks, "doctor says nothing"
    contains(outcome.text(), "13.0", "driver version of the stand-in")


@procedure
def overhead_measured(bench):
    outcome = bench.run("launch_storm 2000 1 1", ("--measure-overhead", "2"))
    equal(outcome.status, 0, "exit status")
    at_least(bench.query("select count(*) from meta where key like 'overhead.%'"), 3, "overhead in the profile")


@procedure
def repeated_runs(bench):
    outcome = bench.run("launch_storm 100 1 1", ("--repeat", "3"))
    equal(outcome.status, 0, "exit status")
    profiles = sorted(file.name for file in bench.folder.glob("*.perfscope"))
    equal(len(profiles), 3, f"profiles {profiles}")
    for name in profiles:
        equal(bench.query(KERNELS, bench.folder / name), 100, name)
