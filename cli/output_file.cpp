// Write, then rename.
#include "cli/output_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace perfscope::cli {

namespace fs = std::filesystem;

Status writeOutputFile(const std::string& path, std::string_view text, bool force) {
  std::error_code error;
  if (!force && fs::exists(path, error))
    return failure(ErrorKind::Output, path, "exists", "name another file, or add --force");
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  const bool written = file.good();
  if (written) fs::rename(part, path, error);
  if (written && !error) return {};
  std::error_code ignored;
  fs::remove(part, ignored);
  return failure(ErrorKind::Output, path, error ? error.message() : "cannot be written",
                 "check that the folder exists, is yours and has room");
}

}  // namespace perfscope::cli
