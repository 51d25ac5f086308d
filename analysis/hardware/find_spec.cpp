// What a human types ("H200", "a100 pcie 80") -> one row of the catalogue, or the candidates.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "analysis/hardware/catalogue.h"

namespace perfscope::hardware {
namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// "NVIDIA A100-SXM4-80GB" -> {"nvidia", "a100", "sxm4", "80gb"}
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  std::string word;
  for (const char c : text) {
    if (isWordCharacter(c)) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      found.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) found.push_back(std::move(word));
  return found;
}

std::string normalised(std::string_view text) {
  return fmt::format("{}", fmt::join(words(text), " "));
}

bool isCalled(const HardwareSpec& spec, const std::string& query) {
  if (query == normalised(spec.id) || query == normalised(spec.name)) return true;
  const auto same = [&](const std::string& name) { return query == normalised(name); };
  return std::any_of(spec.match_names.begin(), spec.match_names.end(), same) ||
         std::any_of(spec.aliases.begin(), spec.aliases.end(), same);
}

bool hasAllWords(const HardwareSpec& spec, const std::vector<std::string>& query) {
  std::set<std::string> own;
  for (const std::string& text : {spec.name, spec.vendor, spec.form_factor}) {
    for (std::string& word : words(text)) own.insert(std::move(word));
  }
  return std::all_of(query.begin(), query.end(), [&](const std::string& word) {
    return own.count(word) != 0 || own.count(word + "gb") != 0;  // "80" for "80GB"
  });
}

// For the error message: products that share the first characters of a word.
std::vector<std::string> nearest(const std::vector<HardwareSpec>& specs,
                                 const std::vector<std::string>& query) {
  std::vector<std::string> ids;
  for (const HardwareSpec& spec : specs) {
    const auto own = words(spec.name);
    const bool near = std::any_of(query.begin(), query.end(), [&](const std::string& word) {
      const std::string start = word.substr(0, 2);
      return word.size() >= 2 && std::any_of(own.begin(), own.end(), [&](const std::string& other) {
               return other.compare(0, start.size(), start) == 0;
             });
    });
    if (near) ids.push_back(spec.id);
  }
  return ids;
}

tl::unexpected<Error> notOne(std::string_view query, const std::vector<const HardwareSpec*>& candidates) {
  std::vector<std::string> ids;
  ids.reserve(candidates.size());
  for (const HardwareSpec* spec : candidates) ids.push_back(spec->id);
  return failure(ErrorKind::Usage, fmt::format("hardware '{}'", query),
                 fmt::format("fits {} products: {}", ids.size(), fmt::join(ids, ", ")), "name one of them");
}

}  // namespace

Result<const HardwareSpec*> findSpec(const std::vector<HardwareSpec>& specs, std::string_view query) {
  const auto query_words = words(query);
  const std::string wanted = normalised(query);
  std::vector<const HardwareSpec*> candidates;
  if (!wanted.empty()) {
    for (const HardwareSpec& spec : specs) {
      if (isCalled(spec, wanted)) candidates.push_back(&spec);
    }
    if (candidates.empty()) {
      for (const HardwareSpec& spec : specs) {
        if (hasAllWords(spec, query_words)) candidates.push_back(&spec);
      }
    }
  }
  if (candidates.size() == 1) return candidates.front();
  if (candidates.size() > 1) return notOne(query, candidates);
  const auto near = nearest(specs, query_words);
  return failure(ErrorKind::Usage, fmt::format("hardware '{}'", query), "no such product in the catalogue",
                 near.empty()
                     ? "see 'perfscope hardware list'"
                     : fmt::format("did you mean {}? See 'perfscope hardware list'", fmt::join(near, ", ")));
}

Result<const HardwareSpec*> findSpec(std::string_view query) {
  const auto& specs = catalogue();
  if (!specs) return tl::unexpected<Error>(specs.error());
  return findSpec(*specs, query);
}

}  // namespace perfscope::hardware
