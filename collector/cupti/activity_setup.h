// Configuration -> what CUPTI shall record: activity kinds, attributes, single API calls, callbacks.
#pragma once

#include <cupti.h>

#include <string>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "schemas/collector_config.h"

namespace perfscope::collector {

enum class ApiFilter { None, PerCall, WholeKinds };

struct ActivityPlan {
  std::vector<CUpti_ActivityKind> kinds;  // in the order to be enabled
  ApiFilter api = ApiFilter::None;
  bool filter_in_decoder = false;  // whole kinds, because this CUPTI cannot enable single calls: costs more
  bool graph_callbacks = false;    // where graph nodes are captured
};

// Pure.
ActivityPlan planActivities(const CollectorConfig& config, const CuptiApi& api);

// What CUPTI refused, for notes in the spool.
struct SetupIssue {
  std::string what;  // kind or call
  CUptiResult code = CUPTI_SUCCESS;
  bool whole_api_kinds = false;
};

// Attributes that must be set before buffers are registered or CUDA begins. Refusals are harmless and
// returned.
void setAttributes(const CuptiApi& api, std::vector<SetupIssue>& issues);

// Before CUDA begins, or while contexts exist: single API calls chosen then give no record in a context that
// was made while none was chosen (CUPTI 13.0 on an H200; the calls say CUPTI_SUCCESS). The whole kinds do
// work then, less the calls that are not wanted: 1,327 calls in 0.85 ms.
enum class Moment { BeforeCuda, Running };

// Turns everything in the plan on or off. Any thread but never from a CUPTI callback. Enabling a kind that
// this CUPTI does not know is an issue, not an error: its records are missing and the ledger says so.
void enableActivities(const CuptiApi& api, const ActivityPlan& plan, Moment moment,
                      std::vector<SetupIssue>& issues);
void disableActivities(const CuptiApi& api, const ActivityPlan& plan);

}  // namespace perfscope::collector
