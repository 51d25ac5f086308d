// Makes the recording safe when the process ends: normal exit, and signals whose action is the default
// (death).
#pragma once

namespace perfscope::collector {

class Session;

// Installs a handler for each of SIGTERM, SIGINT, SIGHUP and SIGABRT whose disposition
// is the default now: it flushes with a deadline, restores the default and lets the signal do what it would
// have done, so the process dies of the same signal. A program that installs its own handler later replaces
// ours. Fatal faults (SIGSEGV, SIGBUS, ...) are not watched: at most the last flush period is lost. Once per
// process.
void watchSignals(Session* session);

// In a forked child: handlers that are still ours become the default again.
void unwatchSignalsInChild() noexcept;

}  // namespace perfscope::collector
