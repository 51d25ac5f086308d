// Sentences of the ledger lines that the collector writes by id (spool::NoteId), so that the target carries
// no prose.
#pragma once

#include <array>
#include <string_view>

#include "schemas/loss_counters.h"
#include "schemas/spool_format.h"

namespace perfscope {

struct NoteInfo {
  spool::NoteId id;
  std::string_view name;
  Severity severity;
  std::string_view sentence;
};

inline constexpr std::array<NoteInfo, static_cast<size_t>(spool::NoteId::kCount)> kNotes = {{
    {spool::NoteId::None, "none", Severity::Info, ""},
    {spool::NoteId::SlotTaken, "slot_taken", Severity::Error,
     "another tool holds CUPTI in this process (nsys, ncu, cuda-gdb, compute-sanitizer, torch.profiler ...): "
     "nothing was recorded; "
     "run without it"},
    {spool::NoteId::CuptiMissing, "cupti_missing", Severity::Error,
     "no libcupti could be loaded; install the CUDA toolkit's extras/CUPTI or `pip install "
     "nvidia-cuda-cupti`, or set "
     "PERFSCOPE_CUPTI to its path"},
    {spool::NoteId::CuptiTooOld, "cupti_too_old", Severity::Error,
     "the libcupti found is older than CUDA 12.0; install one that matches the driver"},
    {spool::NoteId::CuptiCallFailed, "cupti_call_failed", Severity::Error, "a CUPTI call failed"},
    {spool::NoteId::KnownBadVersion, "known_bad_version", Severity::Notice,
     "this CUPTI version has a known defect"},
    {spool::NoteId::OtherProfilerInside, "other_profiler_inside", Severity::Notice,
     "the program carries a profiler of its own (torch.profiler / Kineto); its trace has no GPU rows while "
     "PerfScope records"},
    {spool::NoteId::KindUnavailable, "kind_unavailable", Severity::Notice,
     "CUPTI refused an activity kind; its records are missing"},
    {spool::NoteId::GemmHooksAbsent, "gemm_hooks_absent", Severity::Info,
     "no cuBLAS call passed through the preload door (statically linked or not used): GEMM shapes are not "
     "captured"},
    {spool::NoteId::NcclHooksAbsent, "nccl_hooks_absent", Severity::Info,
     "no NCCL call passed through the preload door"},
    {spool::NoteId::DrainStopped, "drain_stopped", Severity::Error,
     "collection stopped early because the drain thread fell behind"},
    {spool::NoteId::GraphLevelTracing, "graph_level_tracing", Severity::Notice,
     "CUDA graphs were traced as a whole: their kernels are hidden, idle time and utilisation inside them "
     "are unknown"},
    {spool::NoteId::ForkedChild, "forked_child", Severity::Info,
     "a child forked after CUDA was initialised; it is not recorded"},
    {spool::NoteId::RecorderStopped, "recorder_stopped", Severity::Error,
     "the profile could not be written any more (disk full?): recording of this process ended here"},
    {spool::NoteId::CountersUnavailable, "counters_unavailable", Severity::Notice,
     "hardware counters could not be sampled; FLOPs and bytes come from call shapes where they are known"},
    {spool::NoteId::CounterMetricsLeftOut, "counter_metrics_left_out", Severity::Info,
     "some counters were not sampled: the chip does not offer them, or they do not fit beside the others in "
     "one pass"},
    {spool::NoteId::CounterIntervalRaised, "counter_interval_raised", Severity::Info,
     "the sampling interval was raised so that evaluation keeps up"},
    {spool::NoteId::CounterSamplesLost, "counter_samples_lost", Severity::Notice,
     "time without samples of the counters, because they came faster than they were evaluated"},
    {spool::NoteId::CounterCost, "counter_cost", Severity::Info,
     "a thread of ours evaluated counters inside the program, beside its own threads"},
    {spool::NoteId::CountersBusy, "counters_busy", Severity::Notice,
     "the GPU's counters are held by another process (another profiler, DCGM or a second perfscope): "
     "sampling is "
     "off; stop the other one, e.g. `dcgmi profpause`"},
    {spool::NoteId::CountersNoPermission, "counters_no_permission", Severity::Notice,
     "the driver allows counters to administrators only: sampling is off; set "
     "NVreg_RestrictProfilingToAdminUsers=0 "
     "for the nvidia module, or give the container CAP_SYS_ADMIN"},
    {spool::NoteId::ReplayCost, "replay_cost", Severity::Notice,
     "launches were run several times to count exactly: the program stood still meanwhile, and times around "
     "them are "
     "not its own"},
    {spool::NoteId::ReplayStopped, "replay_stopped", Severity::Notice,
     "replay of representative launches ended before every kind of launch was counted"},
}};

}  // namespace perfscope
