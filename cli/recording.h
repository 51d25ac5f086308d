// Recording as `run` offers it: once, N times, or in alternation with bare runs. Prints nothing on stdout.
#pragma once

#include "cli/console.h"
#include "injector/run_session.h"

namespace perfscope::cli {

struct RecordingOptions {
  RunOptions run;
  bool allow_empty = false;
  bool quiet = false;
  int repeat = 1;  // profiles NAME.1.perfscope, NAME.2.perfscope ...
  int overhead_pairs =
      0;  // bare and profiled runs in alternation; the last profile is kept and holds the medians
};

// Records and prints the summary on console.err. Returns the exit code of `perfscope run`: the target's own
// status when it is not 0; else that of the recording (69 empty, 73 output ...); else 0.
int record(Console& console, const RecordingOptions& options);

}  // namespace perfscope::cli
