// Shell completions from the table of verbs and the options their parsers declare. Pure.
#pragma once

#include <string>
#include <vector>

namespace perfscope::cli {

struct OptionWords {
  std::vector<std::string> names;  // "-o", "--output"
  std::string doc;
  bool takes_value = false;
};

struct VerbWords {
  std::string name, summary;
  std::vector<OptionWords> options;
};

// `shell` is "bash", "zsh" or "fish".
[[nodiscard]] std::string completionScript(const std::string& shell, const std::vector<VerbWords>& verbs);

}  // namespace perfscope::cli
