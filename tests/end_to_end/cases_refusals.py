# What cannot be done is said in a sentence with a remedy and a documented status; the target is unharmed.
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

from cases import Case, procedure, table
from cases_counts import KERNELS
from harness import Skip, at_least, contains, equal, wait_for

table(
    Case("no_cuda", "no_cuda", status=69, stdout="to stdout\n", stderr=("to stderr", "CUDA", "--allow-empty"), sql={KERNELS: 0}),
    Case("no_cuda_allowed", "no_cuda", options=("--allow-empty",), stdout="to stdout\n", sql={KERNELS: 0}),
    Case("static_program", "no_cuda_static", status=69, stdout="to stdout\n", stderr=("static",), sql={KERNELS: 0}),
    Case("slot_taken", "launch_storm 100 1 1", env={"STANDIN_CUPTI_SLOT_TAKEN": "Nsight Systems"}, status=69,
         stdout="launched 100\n", stderr=("Nsight Systems",), lossless=False,
         sql={KERNELS: 0, "select severity from ledger where name = 'slot_taken'": "error"}),
    Case("cupti_too_old", "launch_storm 100 1 1", env={"STANDIN_CUPTI_VERSION": 14}, status=69, stdout="launched 100\n",
         stderr=("older than CUDA 12.0",), lossless=False, sql={KERNELS: 0}),
    Case("cupti_missing", "launch_storm 100 1 1", env={"PERFSCOPE_CUPTI": "/nonexistent/libcupti.so.13"}, status=69,
         stdout="launched 100\n", stderr=("libcupti", "/nonexistent/libcupti.so.13"), lossless=False, sql={KERNELS: 0}),
    # The target's own failure is the status, also when nothing was recorded.
    Case("own_status_wins", "endings return 100", env={"STANDIN_CUPTI_SLOT_TAKEN": "ncu"}, status=7, lossless=False,
         sql={KERNELS: 0}),
)


@procedure
def slot_taken_is_left_alone(bench):
    bench.run("launch_storm 100 1 1", env={"STANDIN_CUPTI_SLOT_TAKEN": "ncu"})
    calls = bench.cupti_calls()
    assert calls and set(calls) <= {"cuptiSubscribe", "cuptiSubscribe_v2"}, f"CUPTI was called after the refusal: {calls}"


@procedure
def program_not_found(bench):
    outcome = bench.call(bench.run_command(["/nonexistent/program"]))
    equal(outcome.status, 66, "exit status")
    contains(outcome.errors(), "/nonexistent/program", "stderr")
    assert not bench.profile.exists(), "a refused run left an output file"


@procedure
def program_not_executable(bench):
    plain = bench.folder / "plain"
    plain.write_text("no program\n")
    outcome = bench.call(bench.run_command([str(plain)]))
    equal(outcome.status, 66, "exit status")
    contains(outcome.errors(), "execut", "stderr")


@procedure
def output_exists(bench):
    bench.profile.write_text("precious")
    outcome = bench.run("launch_storm 100 1 1")
    equal(outcome.status, 73, "exit status")
    contains(outcome.errors(), "--force", "stderr")
    equal(outcome.stdout, b"", "the target was not started")
    equal(bench.profile.read_text(), "precious", "the existing file")
    equal(bench.run("launch_storm 100 1 1", ("--force",)).status, 0, "exit status with --force")
    equal(bench.query(KERNELS), 100, KERNELS)


def as_nobody():
    os.setgid(65534)
    os.setuid(65534)


@procedure
def no_permission_to_write(bench):
    if os.geteuid() != 0:
        folder, drop = Path("/"), None
    else:
        bench.folder.chmod(0o755)
        folder, drop = bench.folder, as_nobody
        reachable = subprocess.run([str(bench.perfscope), "--version"], preexec_fn=drop, capture_output=True, check=False)
        if reachable.returncode != 0:
            raise Skip("the build folder cannot be read by another user")
    target = bench.command("launch_storm 100 1 1", profile=folder / "out.perfscope")
    outcome = bench.call(target, {"STANDIN_CUPTI_LOG": None}, preexec_fn=drop)
    equal(outcome.status, 73, "exit status")
    contains(outcome.errors(), str(folder), "stderr")
    equal(outcome.stdout, b"", "the target was not started")


@contextmanager
def small_disk(bench, megabytes):
    if os.geteuid() != 0:
        raise Skip("mounting a small tmpfs needs root")
    small = bench.folder / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(small)], capture_output=True,
                             check=False)
    if mounted.returncode != 0:
        raise Skip(f"no tmpfs can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield small
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


@procedure
def disk_full(bench):
    with small_disk(bench, 12) as small:
        outcome = bench.call(bench.command("launch_storm 400000 2 2", profile=small / "run.perfscope"))
        equal(outcome.text(), "launched 400000\n", "the target ran to its end")
        equal(outcome.status, 73, "exit status")
        for part in ("MiB are free at", f"free disk space at {small}", "missing"):
            contains(outcome.errors(), part, "stderr")


@procedure
def disk_too_small_for_a_segment(bench):
    with small_disk(bench, 2) as small:
        outcome = bench.call(bench.command("launch_storm 1000 1 1", profile=small / "run.perfscope"))
        equal(outcome.text(), "launched 1000\n", "the target ran to its end")
        equal(outcome.status, 73, "exit status")
        for part in ("only 2 MiB are free", f"free disk space at {small}", "kernels, copies, calls", "missing from the profile"):
            contains(outcome.errors(), part, "stderr")
        assert "--allow-empty" not in outcome.errors(), "a full disk is no empty program"


@procedure
def full_disk_stops_the_collector(bench):
    with small_disk(bench, 24) as small:
        profile = small / "run.perfscope"
        child = bench.start(bench.command("endless 6", profile=profile))
        wait_for(lambda: list(small.glob("run.perfscope.session/*/seg-*")), "the first segment")
        with open(small / "ballast", "wb") as ballast:  # leaves nothing for the profile; the open segment has its room
            try:
                while True:
                    ballast.write(bytes(1 << 16))
                    ballast.flush()
            except OSError:
                pass
        outcome = bench.finish(child)
        equal(outcome.status, 73, "exit status")
        session = small / "run.perfscope.session"
        contains(outcome.errors(), f"perfscope recover {session}", "stderr")
        (small / "ballast").unlink()
        equal(bench.tool("recover", session).status, 0, "recover once there is room")
        equal(bench.query("select count(*) from ledger where name = 'recorder_stopped'", profile), 1, "ledger")
        at_least(bench.query(KERNELS, profile), 1, "kernels of the time before")


@procedure
def secrets_stay_outside(bench):
    secret = "hunter2-correct-horse"
    outcome = bench.run("launch_storm 1000 2 2", env={"SECRET_TEST": secret, "AWS_SECRET_ACCESS_KEY": secret,
                                                      "NCCL_DEBUG": "WARN", "CUDA_VISIBLE_DEVICES": "0"})
    equal(outcome.status, 0, "exit status")
    for file in bench.folder.rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), f"the secret is in {file.name}"
    for text in (outcome.stdout, outcome.stderr, bench.tool("report", bench.profile, "--format", "json").stdout):
        assert secret.encode() not in text, "the secret was printed"
    environment = bench.query("select environment from process")
    contains(environment, "NCCL_DEBUG=WARN", "allow-listed environment")
    contains(environment, "CUDA_VISIBLE_DEVICES=0", "allow-listed environment")
    assert "SECRET" not in environment, environment


@procedure
def arguments_can_be_left_out(bench):
    equal(bench.run("launch_storm 123 1 1", ("--no-args",)).status, 0, "exit status")
    assert bench.query("select command from process") in (None, ""), "the arguments are in the profile"
    bench.profile.unlink()
    equal(bench.run("launch_storm 123 1 1").status, 0, "exit status")
    contains(bench.query("select command from process"), "123 1 1", "command")


@procedure
def outputs_of_the_target_are_untouched(bench):
    data = bytes(range(256)) * 4000
    outcome = bench.run("no_cuda cat", ("--allow-empty",), stdin=data)
    equal(outcome.status, 0, "exit status")
    assert outcome.stdout == data, "stdin to stdout is not byte for byte"


@procedure
def environment_of_the_user_is_kept(bench):
    other = bench.folder / "libother.so"
    shutil.copy(bench.standins / "libnccl.so.2", other)  # any library will do
    for name, value in (("LD_PRELOAD", str(other)), ("MY_OWN", "a b=c;d")):
        outcome = bench.run(f"no_cuda env {name}", ("--allow-empty", "--force"), env={name: value})
        equal(outcome.status, 0, "exit status")
        contains(outcome.text(), value, f"{name} as the target sees it")
    outcome = bench.run("no_cuda env PATH", ("--allow-empty", "--force"))
    equal(outcome.text().strip(), os.environ["PATH"], "PATH")


@procedure
def other_injection_is_chained(bench):
    # Some images point NVTX_INJECTION64_PATH at libcupti, which then holds the only slot: reported, never silent.
    cupti = str(bench.standins / "libcupti.so.13")
    outcome = bench.run("nvtx_steps 3 5", env={"NVTX_INJECTION64_PATH": cupti})
    equal(outcome.status, 0, "exit status")
    equal(bench.query(KERNELS), 15, KERNELS)
    contains(outcome.errors(), "NVTX_INJECTION64_PATH", "stderr")
    at_least(bench.query("select count(*) from ledger where text like '%NVTX_INJECTION64_PATH%' or detail like '%libcupti%'"),
             1, "ledger")


@procedure
def cuda_injection_is_chained(bench):
    outcome = bench.run("launch_storm 500 1 1", env={"CUDA_INJECTION64_PATH": bench.victim("other_injection.so")})
    equal(outcome.status, 0, "exit status")
    equal(bench.query(KERNELS), 500, KERNELS)
    equal(outcome.errors().count("other injection, call"), 1, "calls of the other library")


@procedure
def output_folder_missing(bench):
    outcome = bench.call(bench.command("launch_storm 100 1 1", profile=bench.folder / "nowhere" / "out.perfscope"))
    equal(outcome.status, 73, "exit status")
    contains(outcome.errors(), "nowhere", "stderr")
    equal(outcome.stdout, b"", "the target was not started")


@procedure
def collector_missing(bench):
    outcome = bench.run("launch_storm 100 1 1", env={"PERFSCOPE_COLLECTOR": "/nonexistent/collector.so"})
    equal(outcome.status, 69, "exit status")
    contains(outcome.errors(), "PERFSCOPE_COLLECTOR", "stderr")
    equal(outcome.stdout, b"", "the target was not started")
