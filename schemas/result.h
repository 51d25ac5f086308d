// The one error type of all cold code: an error is a value that names what failed, where, why and the remedy.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace perfscope {

// Each kind is one exit code of the command line (the values are the contract of the CLI).
enum class ErrorKind : int {
  Breach = 1,         // a `check` budget was broken
  Usage = 2,          // wrong option, wrong SQL, unknown name
  InputRefused = 65,  // a file that is not what it claims
  InputMissing = 66,  // missing or unreadable input
  Unavailable = 69,   // a needed part is missing (no GPU, no CUPTI, slot taken)
  Internal = 70,      // a bug of ours
  Output = 73,        // output cannot be written, or exists
  Permission = 77,    // counters, ptrace, ...
};

struct Error {
  ErrorKind kind = ErrorKind::Internal;
  std::string where;   // file, record, query, API call
  std::string reason;  // what went wrong there
  std::string remedy;  // what the reader can do; empty when nothing helps

  // "where: reason; remedy", the sentence shown to the user.
  [[nodiscard]] std::string sentence() const {
    std::string text = where.empty() ? reason : where + ": " + reason;
    if (!remedy.empty()) text += " (remedy: " + remedy + ")";
    return text;
  }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> failure(ErrorKind kind, std::string where, std::string reason,
                                     std::string remedy = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(where), std::move(reason), std::move(remedy)});
}

}  // namespace perfscope
