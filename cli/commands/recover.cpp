// `perfscope recover DIR`: what a killed recorder left -> a profile.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <memory>

#include "analysis/report/format.h"
#include "cli/command_table.h"
#include "injector/run_session.h"

namespace perfscope::cli {
namespace {

struct Values {
  std::string folder, output;
  bool force = false;
};

int recover(Console& console, const Values& values) {
  const auto outcome = recoverSession(values.folder, values.output, values.force);
  if (!outcome) return fail(console, outcome.error());
  for (const auto& warning : outcome->warnings) warn(console, warning);
  console.err << fmt::format("perfscope: wrote {}: {} of {}\n  next: perfscope report {}\n",
                             outcome->profile_path, format::counted(outcome->gpu_records, "GPU record"),
                             format::counted(outcome->processes, "process"), outcome->profile_path);
  return 0;
}

Runner define(CLI::App& app) {
  auto values = std::make_shared<Values>();
  app.add_option("DIR", values->folder, "the session folder (NAME.perfscope.session)")->required();
  app.add_option("-o,--output", values->output,
                 "the profile to write (default: the folder's name without .session)")
      ->type_name("FILE");
  app.add_flag("--force", values->force, "replace an existing file");
  return [values](Console& console, const std::vector<std::string>&) { return recover(console, *values); };
}

}  // namespace

Command recoverCommand() {
  return {
      "recover",
      "turn the session folder of a recorder that was killed into a profile",
      "[options] DIR",
      {{"recover train.perfscope.session", "writes train.perfscope and removes the folder once all is in it"},
       {"recover /scratch/x.session -o x.perfscope", "under another name"}},
      false,
      define};
}

}  // namespace perfscope::cli
