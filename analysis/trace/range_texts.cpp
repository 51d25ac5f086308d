// Recognition of NVTX texts by name.
#include "analysis/trace/range_texts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace perfscope {
namespace {

constexpr std::array<std::string_view, 3> kStepPrefixes = {"step ", "step#", "profilerstep#"};

// Lower-case fragments. Sources: PyTorch's own record_function names of the data loader, PyTorch Lightning's
// and DeepSpeed's range names, and the usual words of hand-written loops.
constexpr std::array<std::string_view, 12> kInputWords = {
    "dataloader", "data_load",  "data load",   "dataload",        "load_batch", "load batch",
    "get_batch",  "next_batch", "fetch_batch", "batch_generator", "data_fetch", "input pipeline"};
constexpr std::array<std::string_view, 4> kInputWhole = {"data", "input", "fetch", "next batch"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

std::optional<int64_t> stepNumber(std::string_view text) {
  const std::string folded = lower(text);
  for (const auto prefix : kStepPrefixes) {
    if (folded.rfind(prefix, 0) != 0) continue;
    int64_t number = 0;
    const char* end = folded.data() + folded.size();
    const auto parsed = std::from_chars(folded.data() + prefix.size(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number >= 0) return number;
  }
  return std::nullopt;
}

bool isDataLoading(std::string_view text) {
  const std::string folded = lower(text);
  const auto inside = [&](std::string_view word) { return folded.find(word) != std::string::npos; };
  const auto equals = [&](std::string_view word) { return folded == word; };
  return std::any_of(kInputWords.begin(), kInputWords.end(), inside) ||
         std::any_of(kInputWhole.begin(), kInputWhole.end(), equals);
}

Result<StepMatcher> StepMatcher::make(const std::string& expression) {
  StepMatcher matcher;
  try {
    if (!expression.empty()) matcher.m_expression.emplace(expression, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    return failure(ErrorKind::Usage, "--step-marker " + expression, error.what(),
                   "give an ECMAScript regular expression such as 'train_step.*'");
  }
  return matcher;
}

bool StepMatcher::matches(const std::string& text) const {
  if (!m_expression) return stepNumber(text).has_value();
  constexpr size_t kLongest =
      4096;  // std::regex recurses by length: a hostile text must not exhaust the stack
  if (text.size() > kLongest) return false;
  try {
    return std::regex_search(text, *m_expression);
  } catch (const std::regex_error&) {
    return false;  // too complex for this text: no match rather than the end of the report
  }
}

}  // namespace perfscope
