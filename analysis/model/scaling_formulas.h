// Scaling arithmetic: collectives, Amdahl, pipelines, speculation, overlap. Pure functions on doubles.
#pragma once

#include <optional>

namespace perfscope::model {

// Bytes each rank sends in a ring all-reduce, as a multiple of the buffer: 2 (N - 1) / N. NaN below one rank.
// Source: Patarasuk and Yuan 2009; the same factor is nccl-tests' bus bandwidth factor.
[[nodiscard]] double ringAllReduceFactor(double ranks);
// All-gather, reduce-scatter and all-to-all: (N - 1) / N.
[[nodiscard]] double ringGatherFactor(double ranks);

// Seconds of a ring all-reduce: factor x bytes / one-way bandwidth + 2 (N - 1) steps x latency per step.
[[nodiscard]] double ringAllReduceTime(double bytes, double ranks, double bandwidth_bytes_per_s,
                                       double step_latency_s);

// Speed-up when a share of the time becomes `factor` times faster: 1 / (1 - share + share / factor). Source:
// Amdahl 1967.
[[nodiscard]] double amdahlSpeedup(double share, double factor);
// The speed-up that no factor exceeds: 1 / (1 - share); empty when the share is 1.
[[nodiscard]] std::optional<double> amdahlLimit(double share);
// The share that explains an observed speed-up: (1 - 1/S) / (1 - 1/factor).
[[nodiscard]] double shareFromSpeedup(double observed_speedup, double factor);

// Utilisation of a pipeline of p stages fed with m micro-batches: m / (m + p - 1). One micro-batch: 1 / p.
// Source: Huang et al. 2019 (GPipe).
[[nodiscard]] double pipelineUtilisation(double stages, double microbatches);

// Expected tokens of one speculation round with acceptance p and k drafted tokens: (1 - p^(k+1)) / (1 - p), k
// + 1 at p = 1. Source: Leviathan et al. 2023.
[[nodiscard]] double speculativeTokens(double acceptance, double drafted);

}  // namespace perfscope::model
