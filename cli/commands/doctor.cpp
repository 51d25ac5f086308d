// `perfscope doctor`: what this machine offers and lacks for recording, each with its remedy.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/report/text_page.h"
#include "cli/command_table.h"
#include "injector/preflight.h"

namespace perfscope::cli {
namespace {

Ink inkOf(CheckStatus status) {
  switch (status) {
    case CheckStatus::Ok:
      return Ink::Green;
    case CheckStatus::Notice:
      return Ink::Cyan;
    case CheckStatus::Warning:
      return Ink::Yellow;
    case CheckStatus::Fatal:
      break;
  }
  return Ink::Red;
}

std::string asText(const std::vector<Check>& checks, const Console& console) {
  Page page({console.columns, console.colorOut(), console.utf8});
  for (const auto& check : checks) {
    std::string status = checkStatusName(check.status);
    status.resize(9, ' ');
    page.line({{status, inkOf(check.status)}, {check.title, Ink::Bold}});
    page.text(9, check.found);
    if (!check.remedy.empty()) page.text(9, "remedy: " + check.remedy, Ink::Yellow, 2);
  }
  return page.text();
}

std::string asJson(const std::vector<Check>& checks, bool ready) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& check : checks) {
    list.push_back({{"id", check.id},
                    {"status", checkStatusName(check.status)},
                    {"title", check.title},
                    {"found", check.found},
                    {"remedy", check.remedy.empty() ? nlohmann::ordered_json(nullptr)
                                                    : nlohmann::ordered_json(check.remedy)}});
  }
  const nlohmann::ordered_json root = {{"ready", ready}, {"checks", list}};
  return root.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int doctor(Console& console, const std::string& program, const std::string& folder, bool json) {
  PreflightInput input;
  if (!program.empty()) input.command = {program};
  input.output_dir = folder;
  const auto checks = preflight(input);
  const bool ready = std::none_of(checks.begin(), checks.end(),
                                  [](const Check& c) { return c.status == CheckStatus::Fatal; });
  console.out << (json ? asJson(checks, ready) : asText(checks, console));
  if (!json)
    console.out << (ready ? "\nReady to record.\n" : "\nNot ready to record: see the checks marked fatal.\n");
  return ready ? 0 : static_cast<int>(ErrorKind::Unavailable);
}

Runner define(CLI::App& app) {
  struct Values {
    std::string program, folder;
    bool json = false;
  };
  auto values = std::make_shared<Values>();
  app.add_option("PROGRAM", values->program, "also look at this program (static, setuid, not found)");
  app.add_option("-o,--output", values->folder, "folder where profiles shall be written (default: this one)")
      ->type_name("DIR");
  app.add_flag("--json", values->json, "for programs");
  return [values](Console& console, const std::vector<std::string>&) {
    return doctor(console, values->program, values->folder, values->json);
  };
}

}  // namespace

Command doctorCommand() {
  return {"doctor",
          "check driver, CUPTI, permissions, other profilers, disk and clock; each with its remedy",
          "[options] [PROGRAM]",
          {{"doctor", "before the first recording on a machine, or when one came out empty"},
           {"doctor ./train -o /scratch", "with the program and the folder of the coming run"},
           {"doctor --json", "for a script; exit code 69 when recording is impossible"}},
          false,
          define};
}

}  // namespace perfscope::cli
