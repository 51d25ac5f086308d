// The three scripts.
#include "cli/completions.h"

#include <fmt/format.h>

namespace perfscope::cli {
namespace {

std::string allNames(const VerbWords& verb) {
  std::string text;
  for (const auto& option : verb.options) {
    for (const auto& name : option.names) text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

// For a text inside single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + result + "'";
}

// zsh's _arguments gives [ ] and : a meaning of their own.
std::string zshDoc(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string bash(const std::vector<VerbWords>& verbs) {
  std::string names, cases;
  for (const auto& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    cases += fmt::format("    {}) options={} ;;\n", verb.name, quoted(allNames(verb)));
  }
  return fmt::format(
      "# bash completion of perfscope; load it with: source <(perfscope completions bash)\n"
      "_perfscope() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" options=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _perfscope perfscope\n",
      names, cases);
}

std::string zsh(const std::vector<VerbWords>& verbs) {
  std::string names, cases;
  for (const auto& verb : verbs) {
    names += "    " + quoted(verb.name + ":" + zshDoc(verb.summary)) + "\n";
    cases += fmt::format("    {}) _arguments", verb.name);
    for (const auto& option : verb.options) {
      for (const auto& name : option.names) {
        cases += " \\\n      " +
                 quoted(name + "[" + zshDoc(option.doc) + "]" + (option.takes_value ? ":value:_files" : ""));
      }
    }
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(
      "#compdef perfscope\n"
      "# zsh completion of perfscope; save it as _perfscope in a folder of $fpath\n"
      "_perfscope() {{\n"
      "  local -a verbs\n"
      "  verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'verb' verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $verb in\n{}  esac\n"
      "}}\n"
      "compdef _perfscope perfscope\n",
      names, cases);
}

std::string fish(const std::vector<VerbWords>& verbs) {
  std::string text = "# fish completion of perfscope; load it with: perfscope completions fish | source\n";
  for (const auto& verb : verbs) {
    text += fmt::format("complete -c perfscope -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        quoted(verb.summary));
    for (const auto& option : verb.options) {
      text += fmt::format("complete -c perfscope -n '__fish_seen_subcommand_from {}'", verb.name);
      for (const auto& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += fmt::format("{} -d {}\n", option.takes_value ? " -r" : "", quoted(option.doc));
    }
  }
  return text;
}

}  // namespace

std::string completionScript(const std::string& shell, const std::vector<VerbWords>& verbs) {
  return shell == "bash" ? bash(verbs) : shell == "zsh" ? zsh(verbs) : fish(verbs);
}

}  // namespace perfscope::cli
