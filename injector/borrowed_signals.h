// Signals while a session is open: they must neither end us with half a session on the disk nor be lost for
// the target.
#pragma once

#include <sys/types.h>

namespace perfscope {

// As long as one of these lives, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1/2, SIGWINCH and SIGCONT come to
// us. With a child they are passed on to it when they were sent to us alone (a terminal's Ctrl-C reaches the
// child by itself); before there is one, those that would have ended us are remembered. May be nested; the
// last one gives the dispositions back. One thread makes and destroys them. No errors.
class BorrowedSignals {
 public:
  BorrowedSignals();
  ~BorrowedSignals();
  BorrowedSignals(const BorrowedSignals&) = delete;
  BorrowedSignals& operator=(const BorrowedSignals&) = delete;

  // The first ending signal that came while there was no child yet, 0 = none.
  [[nodiscard]] static int interruptedBy();
};

// Who gets the signals from now on; 0 = nobody (the child was reaped: its number may belong to someone else).
void passSignalsTo(pid_t child);
// Signals that came since the mask was set are the child's, whoever they were sent to: it may not have
// existed yet. Restores `mask` (a sigset_t) and delivers them.
void unblockSignalsForChild(const void* mask);

}  // namespace perfscope
