// Dispatch. The words behind "--" never reach the parser: they belong to the target.
#include "cli/command_line.h"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/command_table.h"
#include "cli/help.h"
#include "cli/suggest.h"
#include "cli/value_checks.h"

namespace perfscope::cli {
namespace {

constexpr int kUsage = static_cast<int>(ErrorKind::Usage);

const Command* findCommand(const std::string& name) {
  const auto& table = commandTable();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Command& c) { return c.name == name; });
  return found == table.end() ? nullptr : &*found;
}

// Position of the verb: the first word that is no option of the program itself; words.size() when there is
// none.
size_t verbIndex(const std::vector<std::string>& words) {
  size_t at = 0;
  while (at < words.size() && words[at].starts_with("-") && words[at] != "--")
    at += words[at] == "--color" ? 2 : 1;
  return std::min(at, words.size());
}

int usageError(Console& console, const std::string& verb, const std::string& reason) {
  const std::string help = verb.empty() ? "perfscope --help" : "perfscope " + verb + " --help";
  return fail(console, {ErrorKind::Usage, verb, reason, "see `" + help + "`"});
}

int unknownVerb(Console& console, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& command : commandTable()) names.push_back(command.name);
  const std::string close = nearest(word, names);
  const std::string hint = close.empty() ? "" : ", did you mean \"" + close + "\"?";
  return usageError(console, "", "unknown verb \"" + word + "\"" + hint);
}

std::string hintForOption(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string close = nearest(word.substr(0, word.find('=')), names);
  return close.empty() ? "" : ", did you mean " + close + "?";
}

int unexpectedWords(Console& console, const CLI::App& app, const Command& command) {
  const auto extras = app.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-")) {
    return usageError(console, command.name, "unknown option \"" + word + "\"" + hintForOption(app, word));
  }
  if (command.takes_rest) {
    return fail(console, {ErrorKind::Usage, command.name, "\"" + word + "\" is no option",
                          "put -- before the program: `perfscope " + command.name + " [options] -- " + word +
                              " ...`"});
  }
  return usageError(console, command.name, "too many arguments: \"" + word + "\"");
}

// `--hw "$GPU"` with the variable unset: an empty value is a mistake, never "as if not given".
std::string emptyValue(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    for (const auto& value : option->results()) {
      if (value.find_first_not_of(' ') == std::string::npos) return option->get_name();
    }
  }
  return "";
}

int parseAndRun(Parser& parser, std::vector<std::string> words, const std::vector<std::string>& rest,
                const Command& command, Console& console) {
  const CLI::App& sub = *parser.app->get_subcommand(command.name);
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes a vector from its end
    parser.app->parse(words);
  } catch (const CLI::CallForHelp&) {
    const std::string detail = command.detail ? command.detail(sub, console) : "";
    console.out << (detail.empty() ? verbHelp(command, sub, console.columns) : detail);
    return 0;
  } catch (const CLI::ExtrasError&) {
    return unexpectedWords(console, sub, command);
  } catch (const CLI::RequiredError& error) {
    // A mistyped option is the likelier mistake than the missing word.
    const auto extras = sub.remaining(true);
    const bool unknown = !extras.empty() && extras.front().starts_with("-");
    return unknown ? unexpectedWords(console, sub, command) : usageError(console, command.name, error.what());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    return usageError(console, command.name, text.substr(0, text.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    return usageError(console, command.name, error.what());
  }
  if (const std::string name = emptyValue(sub); !name.empty()) {
    return usageError(console, command.name, name + " has an empty value");
  }
  for (const auto& [candidate, runner] : parser.runners) {
    if (candidate == &command) return runner(console, rest);
  }
  return static_cast<int>(ErrorKind::Internal);
}

// Words before the verb that are none of the program's own options, else only the missing verb.
int noVerb(Console& console, const std::vector<std::string>& words, size_t count) {
  static const std::vector<std::string> kOwn = {"--color", "--version", "--help", "-h"};
  for (size_t i = 0; i < count; ++i) {
    if (words[i] == "--color" && i + 1 == words.size())
      return usageError(console, "", "--color needs a value");
    if (words[i] == "--color") {
      ++i;
      continue;
    }
    const std::string name = words[i].substr(0, words[i].find('='));
    if (std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) continue;
    const std::string close = nearest(name, kOwn);
    return usageError(
        console, "",
        "unknown option \"" + words[i] + "\"" + (close.empty() ? "" : ", did you mean " + close + "?"));
  }
  return usageError(console, "", "no verb given");
}

int dispatch(std::vector<std::string> words, Console& console) {
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    if (!words.empty() && words[0] == "help") words.clear();
    words.emplace_back("--help");
  }
  const size_t at = verbIndex(words);
  const bool has_verb = at < words.size() && words[at] != "--";
  const auto before = [&](const char* option) {
    return std::find(words.begin(), words.begin() + static_cast<long>(at), option) !=
           words.begin() + static_cast<long>(at);
  };
  if (before("--version")) {
    console.out << "perfscope " PERFSCOPE_VERSION "\n";
    return 0;
  }
  if (!has_verb || before("--help") || before("-h")) {
    if (words.empty()) {
      console.err << mainHelp(console.err_columns);
      return kUsage;
    }
    if (!before("--help") && !before("-h")) return noVerb(console, words, at);
    console.out << mainHelp(console.columns);
    return 0;
  }
  const Command* command = findCommand(words[at]);
  if (command == nullptr) return unknownVerb(console, words[at]);
  std::vector<std::string> rest;
  if (command->takes_rest) {
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes != words.end()) rest.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  Parser parser = buildParser(console);
  return parseAndRun(parser, std::move(words), rest, *command, console);
}

// True when standard output is a pipe that nobody reads any more (`| head`). Asked only after a failed write.
bool readerIsGone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

// A reader that went away is no error; a full disk is, and it outranks what the verb itself had to say: the
// answer did not arrive. `run` prints nothing on standard output, so the status of its program is safe.
int finish(Console& console, int code) {
  console.out.flush();
  if (console.out.good() || readerIsGone()) return code;
  return fail(console, {ErrorKind::Output, "standard output", "not all of the output could be written",
                        "check the disk behind the redirection, and that the output is not closed"});
}

}  // namespace

Parser buildParser(Console& console) {
  Parser parser;
  parser.app = std::make_unique<CLI::App>("", "perfscope");
  auto& app = *parser.app;
  app.require_subcommand(0, 1);
  static const std::map<std::string, ColorChoice> kChoices = {
      {"auto", ColorChoice::Auto}, {"always", ColorChoice::Always}, {"never", ColorChoice::Never}};
  for (const auto& command : commandTable()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    parser.runners.emplace_back(&command, command.define(*sub));
    sub->add_option_function<std::string>(
           "--color", [&console](const std::string& text) { console.color = kChoices.at(text); },
           "colours: auto (on a terminal, unless NO_COLOR is set), always, never")
        ->check(oneOf({"auto", "always", "never"}))
        ->type_name("WHEN");
    sub->set_help_flag("-h,--help", "this text");
  }
  app.add_option_function<std::string>(
         "--color", [&console](const std::string& text) { console.color = kChoices.at(text); })
      ->check(oneOf({"auto", "always", "never"}));
  return parser;
}

int runCommandLine(const std::vector<std::string>& words, Console& console) {
  try {
    return finish(console, dispatch(words, console));
  } catch (const std::exception& error) {
    return fail(console, {ErrorKind::Internal, "perfscope", std::string("internal error: ") + error.what(),
                          "please report it with the command line"});
  }
}

}  // namespace perfscope::cli
