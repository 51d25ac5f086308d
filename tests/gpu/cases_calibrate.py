"""Cases: `perfscope calibrate` measures this machine, agrees with itself and with what is known of an H200."""

import json
import os
import shutil
import signal
import time

import harness
from cases import Checks, Skip, check_end

# What needs only the driver and NVRTC. Matrix peaks need cuBLASLt, NVLink needs a second GPU.
KERNEL_VALUES = (
    "launch_host launch_start_to_start launch_round_trip dram_read dram_write dram_copy l2_read shared_read "
    "fp64 fp32 fp16 int32 h2d_pinned d2h_pinned h2d_pageable d2h_pageable"
).split()
MATRIX_VALUES = "fp64_tensor tf32_tensor fp16_tensor bf16_tensor fp8_tensor int8_tensor".split()

# NVIDIA H200 SXM, 3 % around the best known: 4.3 TB/s copied (both directions counted), 760 to 800 TFLOP/s of bf16 on
# random data; vector peaks by 132 SMs x rate x 1980 MHz, of which chains of multiply-adds reach nine tenths.
KNOWN = {
    "NVIDIA H200": {
        "dram_copy": (4.17e12, 4.8e12),
        "dram_read": (4.1e12, 4.8e12),
        "bf16_tensor": (737e12, 824e12),
        "fp32": (60e12, 67.5e12),
        "fp64": (30e12, 34e12),
        "fp16": (120e12, 135e12),
        "shared_read": (30e12, 33.6e12),
    }
}


def calibration_folder(machine, name):
    folder = os.path.join(machine.folder, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def stored(folder):
    found = {}
    place = os.path.join(folder, "calibration")
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
        with open(os.path.join(place, name), encoding="utf-8") as file:
            found[name] = json.load(file)
    return found


def check_values(checks, calibration):
    values = {value["id"]: value for value in calibration["values"]}
    for name in KERNEL_VALUES + MATRIX_VALUES:
        if not checks.true(f"{name} is listed", name in values):
            continue
        value = values[name]
        checks.true(f"{name}: a number or a reason", (value["value"] is None) != (value["value_why"] is None))
        if value["value"] is None:
            checks.true(f"{name} was measured", name in MATRIX_VALUES, value["value_why"])
            checks.note(f"{name}: {value['value_why'][:120]}")
            continue
        checks.true(f"{name}: at least 5 repetitions", value["repetitions"] >= 5)
        checks.true(f"{name}: a repetition takes 0.1 ms or more", value["repetition_s"] >= 1e-4)
        slower = value["value"] / value["median"] if value["unit"] != "s" else value["median"] / value["value"]
        limit = 1.25 if value["unit"] == "s" or "pageable" in name else 1.06
        checks.true(f"{name}: median close to the best", slower <= limit, f"(ratio {slower:.3f})")
    return values


def calibrate(machine):
    """All values of every GPU, within 45 s each; on an H200 compared with the best known figures."""
    checks = Checks()
    folder = calibration_folder(machine, "calibrate")
    environment = {"PERFSCOPE_DATA": folder}
    begin = time.monotonic()
    finished = harness.run([machine.perfscope, "calibrate"], 300, environment)
    seconds = time.monotonic() - begin
    if finished.status == 69 and "no NVIDIA driver" in finished.stderr:
        raise Skip("no NVIDIA driver")
    check_end(checks, finished, 0)
    with open(os.path.join(folder, "calibrate.txt"), "w", encoding="utf-8") as file:
        file.write(finished.stdout + finished.stderr)
    found = stored(folder)
    checks.true("a file for each GPU", found, finished.tail())
    checks.true("within 45 s a GPU", seconds <= 45 * max(1, len(found)), f"({seconds:.0f} s)")
    for calibration in found.values():
        values = check_values(checks, calibration)
        for name, (low, high) in KNOWN.get(calibration["device"]["name"], {}).items():
            value = values.get(name, {}).get("value")
            if value is not None:
                checks.true(f"{name} as known", low <= value <= high, f"is {value:.4g}, expected {low:.4g} to {high:.4g}")
        for name in ("dram_copy", "bf16_tensor", "fp32", "launch_host"):
            if values.get(name, {}).get("value"):
                checks.note(f"{name} {values[name]['value']:.4g} at {values[name]['sm_clock_mhz']} MHz")
    shown = harness.run([machine.perfscope, "calibrate", "--show"], 30, environment)
    check_end(checks, shown, 0)
    checks.true("--show prints the table", "DRAM copy" in shown.stdout and "data sheet" in shown.stdout)
    return checks


def calibrate_quick(machine):
    """--quick takes less than 15 s a GPU and agrees with the full one within 10 %."""
    checks = Checks()
    full = stored(os.path.join(machine.folder, "calibrate"))
    if not full:
        raise Skip("needs the case calibrate before it")
    folder = calibration_folder(machine, "calibrate_quick")
    finished = harness.run([machine.perfscope, "calibrate", "--quick"], 120, {"PERFSCOPE_DATA": folder})
    check_end(checks, finished, 0)
    checks.true("quick", finished.seconds <= 15 * len(full), f"({finished.seconds:.0f} s)")
    for name, calibration in stored(folder).items():
        before = {value["id"]: value["value"] for value in full[name]["values"]}
        for value in calibration["values"]:
            if value["unit"] == "s" or "pageable" in value["id"] or not value["value"] or not before.get(value["id"]):
                continue
            ratio = value["value"] / before[value["id"]]
            checks.true(f"{value['id']} agrees with the full run", 0.9 <= ratio <= 1.1, f"(ratio {ratio:.3f})")
    return checks


def calibrate_interrupted(machine):
    """Ctrl-C in the middle leaves nothing behind."""
    checks = Checks()
    folder = calibration_folder(machine, "calibrate_interrupted")
    running = harness.Running([machine.perfscope, "calibrate"], {"PERFSCOPE_DATA": folder})
    time.sleep(3)
    running.process.send_signal(signal.SIGINT)
    finished = running.finish(30)
    checks.equal("status", finished.status, 130)
    left = [name for _, _, names in os.walk(folder) for name in names]
    checks.equal("files left", left, [])
    return checks


CASES = {
    "calibrate": calibrate,
    "calibrate_quick": calibrate_quick,
    "calibrate_stop": calibrate_interrupted,
}
