"""What the GPU scripts share: finding the programs, running them with a deadline, reading what they print."""

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORKLOADS = os.path.join(
    "tests", "gpu", "workloads"
)  # relative: recorded command lines hold no machine's paths
VICTIMS = os.path.join("tests", "victims")


class Finished:
    """How a command ended. `status` is what a shell would report: 128 + signal for a death by signal."""

    def __init__(self, command, status, stdout, stderr, seconds, timed_out):
        self.command, self.stdout, self.stderr = command, stdout, stderr
        self.status, self.seconds, self.timed_out = status, seconds, timed_out

    def json_lines(self, key):
        """The JSON objects among the lines of stdout that have this key, in order."""
        found = []
        for line in self.stdout.splitlines():
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    value = json.loads(line)
                    if key in value:
                        found.append(value)
        return found

    def tail(self, lines=6):
        text = "\n".join((self.stderr.strip() or self.stdout.strip()).splitlines()[-lines:])
        return text[-900:]


def shell_status(return_code):
    return 128 - return_code if return_code < 0 else return_code


class Running:
    """A started command, in a process group of its own; its stdout lines are collected with their arrival times."""

    def __init__(self, command, extra_environment=None):
        self.command, self.begin = command, time.monotonic()
        environment = {**os.environ, **(extra_environment or {})}
        self.process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self.out, self.err = [], []
        self.readers = [
            threading.Thread(target=self._read, args=(pipe, to), daemon=True)
            for pipe, to in ((self.process.stdout, self.out), (self.process.stderr, self.err))
        ]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(pipe, to):
        for line in pipe:
            to.append(line)

    def wait_for_line(self, prefix, seconds):
        """The first stdout line that begins so, or None when it does not come in time or the command ended."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for line in list(self.out):
                if line.startswith(prefix):
                    return line
            if self.process.poll() is not None and not self.readers[0].is_alive():
                return next((line for line in list(self.out) if line.startswith(prefix)), None)
            time.sleep(0.01)
        return None

    def kill_group(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def finish(self, seconds):
        """Waits that long, then kills what is left of the group."""
        timed_out = False
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
            self.kill_group()
            self.process.wait()
        for reader in self.readers:  # a grandchild may hold the pipe; do not wait for it forever
            reader.join(5)
        if any(reader.is_alive() for reader in self.readers):
            self.kill_group()
        return Finished(
            self.command,
            shell_status(self.process.returncode),
            "".join(self.out),
            "".join(self.err),
            time.monotonic() - self.begin,
            timed_out,
        )


def run(command, seconds, extra_environment=None):
    return Running(command, extra_environment).finish(seconds)


def find_perfscope():
    """$PERFSCOPE, else the built one; ends the script with a sentence when there is none."""
    candidates = [os.environ.get("PERFSCOPE", "")]
    candidates += [
        os.path.join(REPOSITORY, "build", preset, "bin", "perfscope") for preset in ("portable", "release")
    ]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    sys.exit(
        "no perfscope found: build it (cmake --preset portable && cmake --build --preset portable) "
        "or name it in $PERFSCOPE"
    )


def find_nsys():
    """The nsys on the PATH, else the newest one inside an Nsight Compute or Nsight Systems installation, else None."""
    on_path = shutil.which("nsys")
    patterns = [
        "/opt/nvidia/nsight-systems/*/target-linux-x64/nsys",
        "/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys",
    ]
    found = sorted(path for pattern in patterns for path in glob.glob(pattern))
    return on_path or (found[-1] if found else None)


def build_gpu_mix(folder):
    """Compiles gpu_mix into the folder unless $GPU_MIX names one; its path, or None with the reason printed."""
    given = os.environ.get("GPU_MIX")
    if given:
        return os.path.abspath(given)
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    target = os.path.join(os.path.abspath(folder), "gpu_mix")
    sources = sorted(glob.glob(os.path.join(REPOSITORY, VICTIMS, "gpu_mix*.cu")))
    if not os.access(nvcc, os.X_OK):
        print("no nvcc found: the gpu_mix cases need it (or a built gpu_mix named in $GPU_MIX)")
        return None
    built = run([nvcc, "-std=c++17", "-O2", "-arch=native", "-o", target, *sources, "-lpthread", "-ldl"], 180)
    if built.status != 0:
        print("gpu_mix did not compile:\n" + built.tail(20))
        return None
    return target


def workload(name, *arguments):
    """The command of a PyTorch workload, to be run from the repository root."""
    return ["python3", os.path.join(WORKLOADS, name), *arguments]


def environment_facts():
    """Driver, GPU, CUDA and PyTorch versions: one line each, 'unknown' where a tool is missing."""
    queries = {
        "gpu": [
            "nvidia-smi",
            "--query-gpu=name,driver_version,clocks.max.sm,power.limit",
            "--format=csv,noheader",
        ],
        "nvcc": [shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "--version"],
        "torch": ["python3", "-c", "import torch; print(torch.__version__, 'CUDA', torch.version.cuda)"],
        "python": ["python3", "--version"],
        "system": ["uname", "-srm"],
    }
    facts = {}
    for name, command in queries.items():
        try:
            answer = run(command, 60)
            facts[name] = answer.stdout.strip().splitlines()[-1] if answer.status == 0 else "unknown"
        except (OSError, IndexError):
            facts[name] = "unknown"
    return facts


def output_folder(argument, default_name):
    """The folder for results: the argument, else $PERFSCOPE_TEST_OUTPUT/NAME, else build/gpu/NAME; made if missing."""
    base = os.environ.get("PERFSCOPE_TEST_OUTPUT") or os.path.join(REPOSITORY, "build", "gpu")
    folder = os.path.abspath(argument or os.path.join(base, default_name))
    os.makedirs(folder, exist_ok=True)
    return folder
