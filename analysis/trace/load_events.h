// The smaller event tables of a profile -> Trace. Parts of loadTrace(), one function per group of tables.
#pragma once

#include "analysis/trace/id_map.h"
#include "analysis/trace/range_texts.h"
#include "analysis/trace/trace.h"
#include "schemas/trace_reader.h"

namespace perfscope {

struct RowMaps {
  IdMap process, device;
};

// Copies and fills, unsorted; rows that make no sense are counted in trace.rejected_records.
Status loadOps(const TraceReader& reader, const RowMaps& maps, Trace& trace);
// API calls (classified by name) and waits.
Status loadCalls(const TraceReader& reader, const RowMaps& maps, Trace& trace);
// Matrix products; calls nested in another call of the same thread are dropped (one product, two entry
// points).
Status loadGemmCalls(const TraceReader& reader, const RowMaps& maps, Trace& trace);
// Interned texts, and the ranges that are steps or data loading.
Status loadRanges(const TraceReader& reader, const RowMaps& maps, const StepMatcher& steps, Trace& trace);

// What kind of call a CUDA API function is, by its name ("cuGraphLaunch", "cudaMallocAsync_v11020").
ApiKind apiKind(std::string_view function);

}  // namespace perfscope
