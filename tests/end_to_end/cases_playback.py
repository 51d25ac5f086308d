# Raw CUPTI buffers, captured by the collector and played back: the same profile comes out.
from pathlib import Path

from cases import procedure
from harness import Skip, at_least, contains, equal

FACTS = (
    "select count(*), sum(duration_ns), count(distinct name_id), count(distinct shape_id), count(distinct stream) from kernel",
    "select count(*), sum(bytes), sum(duration_ns) from memcpy",
    "select count(*), sum(bytes) from memset",
    "select count(*) from synchronization",
    "select count(*) from kernel where launch_start_ns is not null",
    "select name, sm_count, l2_bytes from device",
)
REAL = Path(__file__).resolve().parent.parent / "data"


def play(bench, files, env=None):
    outcome = bench.run(["play_back", *files], ("--force",), env=env)
    equal(outcome.status, 0, "exit status")
    return sum(int(line.split()[0]) for line in outcome.text().splitlines())


@procedure
def playback_of_own_capture(bench):
    for victim in ("launch_storm 2000 2 2", "copies", "graph_storm 50 20"):
        folder = bench.folder / victim.split()[0]
        folder.mkdir()
        recorded = bench.run(victim, ("--force",), env={"PERFSCOPE_CAPTURE_BUFFERS": folder})
        equal(recorded.status, 0, "exit status")
        wanted = [bench.query(fact) for fact in FACTS]
        at_least(play(bench, list(folder.glob("*.cuptibuf"))), 10, "records played")
        for fact, value in zip(FACTS, wanted):
            equal(bench.query(fact), value, f"{victim}: {fact}")


@procedure
def playback_of_a_real_gpu(bench):
    files = sorted(REAL.glob("**/*.cuptibuf"))
    if not files:
        raise Skip("tests/data holds no captured CUPTI buffers")
    for file in files:
        version = int.from_bytes(file.read_bytes()[8:12], "little")
        at_least(play(bench, [file], {"STANDIN_CUPTI_VERSION": version}), 10, f"records of {file.name}")
        at_least(bench.query("select count(*) from v_gpu_record"), 1, "GPU records in the profile")


@procedure
def playback_of_rubbish(bench):
    rubbish = bench.folder / "rubbish.cuptibuf"
    rubbish.write_bytes(b"PSCUPTI1" + bytes(4000))
    outcome = bench.run(["play_back", rubbish], ("--force",))
    equal(outcome.status, 1, "exit status")
    contains(outcome.errors(), "cannot be played back", "stderr")
