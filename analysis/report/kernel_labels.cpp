// Kernels of one short name are compared by their full names: what they share at both ends is cut off.
#include "analysis/report/kernel_labels.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace perfscope {
namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

const std::string& shortName(const KernelReport& kernel) {
  return kernel.short_name.empty() ? kernel.name : kernel.short_name;
}

// The part behind the last "::", or all of it when nothing stands there.
std::string_view withoutNamespaces(std::string_view name) {
  const size_t at = name.rfind("::");
  return at == std::string_view::npos || at + 2 == name.size() ? name : name.substr(at + 2);
}

struct Ends {
  size_t front = 0, back = 0;  // bytes all names share
};

Ends commonEnds(const std::vector<const KernelReport*>& group) {
  const std::string& model = group.front()->name;
  Ends ends{model.size(), model.size()};
  for (const auto* kernel : group) {
    const std::string& name = kernel->name;
    const size_t shorter = std::min(model.size(), name.size());
    size_t front = 0;
    while (front < shorter && name[front] == model[front]) ++front;
    size_t back = 0;
    while (back < shorter && name[name.size() - 1 - back] == model[model.size() - 1 - back]) ++back;
    ends.front = std::min(ends.front, front);
    ends.back = std::min(ends.back, back);
  }
  // Not in the middle of a word: "<4, float" and "<4, foo" differ in a whole word.
  while (ends.front > 0 && isWord(model[ends.front - 1])) --ends.front;
  while (ends.back > 0 && isWord(model[model.size() - ends.back])) --ends.back;
  return ends;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ',')) text.remove_suffix(1);
  return text;
}

// The one argument in which the names begin to differ: from `front` to the comma or bracket that ends it.
std::string_view firstArgument(std::string_view name, size_t front) {
  int depth = 0;
  size_t end = front;
  for (; end < name.size(); ++end) {
    const char c = name[end];
    if (depth == 0 && (c == ',' || c == '>' || c == ')')) break;
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
  }
  return trimmed(name.substr(front, end - front));
}

std::string_view difference(std::string_view name, const Ends& ends) {
  return ends.front + ends.back >= name.size()
             ? std::string_view("...")  // the one that the others extend
             : trimmed(name.substr(ends.front, name.size() - ends.front - ends.back));
}

// "at::native::Add<c10::Half>" -> "Add<Half>".
std::string withoutAnyNamespace(std::string_view text) {
  std::string result;
  size_t word = 0;  // where the word being read begins in the result
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "::") {
      result.resize(word);
      ++i;
      continue;
    }
    if (!isWord(text[i])) word = result.size() + 1;
    result += text[i];
  }
  return result;
}

// Short where one argument tells all of them apart, else everything that differs.
std::vector<std::string> labelsOf(const std::string& short_name,
                                  const std::vector<const KernelReport*>& group) {
  const Ends ends = commonEnds(group);
  const std::string base(withoutNamespaces(short_name));
  std::vector<std::string> brief, whole;
  for (const auto* kernel : group) {
    brief.push_back(withoutAnyNamespace(firstArgument(kernel->name, ends.front)) + " in " + base);
    whole.push_back(withoutAnyNamespace(difference(kernel->name, ends)) + " in " + base);
  }
  const std::set<std::string> distinct(brief.begin(), brief.end());
  return distinct.size() == group.size() ? brief : whole;
}

bool allNamedAlike(const std::vector<const KernelReport*>& group) {
  return std::all_of(group.begin(), group.end(),
                     [&](const KernelReport* k) { return k->name == group.front()->name; });
}

}  // namespace

std::vector<std::string> kernelLabels(const std::vector<KernelReport>& kernels) {
  std::map<std::pair<int64_t, std::string>, std::vector<const KernelReport*>> groups;
  for (const auto& kernel : kernels) groups[{kernel.device, shortName(kernel)}].push_back(&kernel);
  std::map<const KernelReport*, std::string> labels;
  for (const auto& [key, group] : groups) {
    const bool plain = allNamedAlike(group);
    const auto texts =
        plain ? std::vector<std::string>(group.size(), key.second) : labelsOf(key.second, group);
    for (size_t i = 0; i < group.size(); ++i) labels[group[i]] = texts[i];
  }
  std::vector<std::string> list;
  list.reserve(kernels.size());
  for (const auto& kernel : kernels) list.push_back(labels[&kernel].empty() ? "(no name)" : labels[&kernel]);
  return list;
}

}  // namespace perfscope
