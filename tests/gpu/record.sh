#!/usr/bin/env bash
# Makes the recordings of tests/data on a machine with a GPU: one NAME.perfscope a workload, each with NAME.how.txt that
# holds the exact command, the versions and what the program itself counted.
# Usage: tests/gpu/record.sh [FOLDER]     perfscope: $PERFSCOPE, else build/portable/bin/perfscope
# FOLDER: the argument, else $PERFSCOPE_TEST_OUTPUT/record, else build/gpu/record. Also packs all into recordings.tar.gz.
set -u
cd "$(dirname "$0")/../.." || exit 70

out=${1:-${PERFSCOPE_TEST_OUTPUT:-build/gpu}/record}
perfscope=${PERFSCOPE:-build/portable/bin/perfscope}
mkdir -p "$out" || exit 73
if [ ! -x "$perfscope" ]; then
  echo "no perfscope at $perfscope: build it (cmake --preset portable && cmake --build --preset portable) or set PERFSCOPE" >&2
  exit 69
fi

gpu_mix=${GPU_MIX:-$out/gpu_mix}
if [ ! -x "$gpu_mix" ]; then
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  timeout 180 "$nvcc" -std=c++17 -O2 -arch=native -o "$gpu_mix" tests/victims/gpu_mix*.cu -lpthread -ldl || exit 69
fi

environment() {
  echo "date: $(date -u +%Y-%m-%d)"
  echo "perfscope: $("$perfscope" --version 2>/dev/null | head -1)"
  echo "GPU, driver: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | paste -sd';')"
  echo "CUDA compiler: $("${nvcc:-nvcc}" --version 2>/dev/null | sed -n 's/.*release/release/p')"
  echo "PyTorch: $(timeout 90 python3 -c 'import torch; print(torch.__version__, "CUDA", torch.version.cuda)' 2>/dev/null || echo none)"
}
facts=$(environment)
failed=0

# record NAME COMMAND...
record() {
  local name=$1 file=$out/$1.perfscope status
  shift
  rm -f "$file" "$file"-wal "$file"-shm
  timeout -k 10 180 "$perfscope" run --quiet --force -o "$file" -- "$@" >"$out/$name.stdout" 2>"$out/$name.stderr" </dev/null
  status=$?
  if [ $status -ne 0 ] || [ ! -s "$file" ]; then
    echo "FAILED $name: status $status: $(tail -3 "$out/$name.stderr" | tr '\n' ' ')"
    rm -f "$file" "$file"-wal "$file"-shm
    failed=1
    return
  fi
  {
    echo "command: perfscope run -o $name.perfscope -- ${*/#$gpu_mix/gpu_mix}"
    echo "gpu_mix is built by: nvcc -std=c++17 -O2 -arch=native -o gpu_mix tests/victims/gpu_mix*.cu -lpthread -ldl"
    echo "$facts"
    echo "tidied by: tests/gpu/tidy_recording.py (host names, folders and GPU ids replaced; event tables untouched)"
    echo "what the program itself printed:"
    cat "$out/$name.stdout"
  } >"$out/$name.how.txt"
  python3 tests/gpu/tidy_recording.py "$file" || failed=1
  timeout 30 "$perfscope" report "$file" >"$out/$name.report.txt" 2>&1 || { echo "FAILED report of $name"; failed=1; }
}

record mix "$gpu_mix" mix
record roofline "$gpu_mix" roofline
record sleepgap "$gpu_mix" sleepgap
record train python3 tests/gpu/workloads/train.py --warmup 2 --steps 5
record decode python3 tests/gpu/workloads/decode.py --warmup 5 --steps 100
record decode_graph python3 tests/gpu/workloads/decode.py --graph --warmup 5 --steps 100
record multi_process python3 tests/gpu/workloads/mp.py --method spawn --workers 2 --kernels 500

(cd "$out" && tar czf recordings.tar.gz -- *.perfscope *.how.txt *.report.txt) || failed=1
(cd "$out" && du -b -- *)
exit $failed
