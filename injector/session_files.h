// The files of a session outside the spool itself: the output's name, the session folder, and the small file
// of facts that lets `recover` go on where a killed recorder stopped.
#pragma once

#include <cstdint>
#include <string>

#include "injector/recorder/recorder.h"
#include "schemas/result.h"

namespace perfscope {

struct SessionPaths {
  std::string output;       // absolute
  std::string session_dir;  // absolute: <output>.session
};

int64_t realtimeNowNs();

// Pure: "<program>-<YYYYmmdd-HHMMSS>.perfscope", local time.
std::string defaultOutputName(const std::string& program, int64_t unix_ns);

// Chooses and checks both paths and makes the session folder; `output` empty = defaultOutputName, with -2, -3
// ... when it is taken. Errors: Output (exists without force, folder missing or not writable, another run is
// using it). With force an existing output is removed only after all checks.
Result<SessionPaths> prepareSession(const std::string& output, const std::string& program, bool force);

// Removes an existing output (with its -wal and -shm) when forced; Output error when it exists otherwise.
Status clearOutput(const std::string& output, bool force);
// Undoes prepareSession: removes the folder and the begun profile.
void discardSession(const SessionPaths& paths);
void removeSessionDir(const std::string& session_dir);

// The profile a session folder belongs to, by its name.
std::string recoveredName(const std::string& session_dir);

// Also says who records: this process.
void writeSessionFacts(const RecorderOptions& options);
// Facts file missing: a recorder's folder all the same when process folders are in it (time base = the
// earliest of them), or when it is an empty NAME.session (killed at once; time base = now). Errors:
// InputMissing, InputRefused, Unavailable (its recorder still runs).
Result<RecorderOptions> readSessionFacts(const std::string& session_dir);

}  // namespace perfscope
