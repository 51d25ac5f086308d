// Autocorrelation at few lags: a full one is quadratic, and a step shows itself by what occurs once in it.
#include "analysis/steps/periodicity.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/metrics/thresholds.h"

namespace perfscope {
namespace {

constexpr size_t kLeastPeriods = 3;
constexpr size_t kLags = 32;
constexpr size_t kProbe = 1'000'000;  // positions compared for one lag

// The usual distance between two occurrences, for each symbol; symbols that occur rarely (but often enough) first.
std::vector<size_t> candidateLags(const std::vector<uint32_t>& series) {
  struct Symbol {
    size_t count = 0, last = 0;
    std::map<size_t, size_t> distances;
  };
  constexpr size_t kDistances = 64;  // per symbol; a rare one has few
  std::unordered_map<uint32_t, Symbol> symbols;
  for (size_t i = 0; i < series.size(); ++i) {
    Symbol& symbol = symbols[series[i]];
    if (symbol.count > 0 && (symbol.distances.size() < kDistances || symbol.distances.count(i - symbol.last) > 0)) {
      ++symbol.distances[i - symbol.last];
    }
    ++symbol.count;
    symbol.last = i;
  }
  std::vector<std::pair<size_t, size_t>> by_count;  // occurrences, lag
  for (const auto& [id, symbol] : symbols) {
    if (symbol.count < kLeastPeriods) continue;
    const auto usual = std::max_element(symbol.distances.begin(), symbol.distances.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (usual->first * kLeastPeriods <= series.size()) by_count.emplace_back(symbol.count, usual->first);
  }
  std::sort(by_count.begin(), by_count.end());
  std::vector<size_t> lags;
  for (const auto& [count, lag] : by_count) {
    if (lags.size() == kLags) break;
    if (std::find(lags.begin(), lags.end(), lag) == lags.end()) lags.push_back(lag);
  }
  return lags;
}

// Fraction of positions of the second half (start-up left behind) that repeat after `lag`.
double matchAt(const std::vector<uint32_t>& series, size_t lag) {
  const size_t last = series.size() - lag;
  const size_t begin = std::min(last / 3, last > kProbe ? last - kProbe : last / 3);
  size_t equal = 0;
  for (size_t i = begin; i < last; ++i) equal += series[i] == series[i + lag] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(std::max<size_t>(1, last - begin));
}

// The index from which the series repeats: one whole period that equals its successor nearly everywhere.
size_t firstRepeat(const std::vector<uint32_t>& series, size_t lag) {
  size_t equal = 0;
  const auto same = [&](size_t i) { return series[i] == series[i + lag] ? size_t{1} : size_t{0}; };
  const auto needed = static_cast<size_t>(threshold::kPeriodMatch.value * static_cast<double>(lag));
  for (size_t i = 0; i + lag < series.size(); ++i) {
    equal += same(i);
    if (i >= lag) equal -= same(i - lag);
    if (i + 1 >= lag && equal >= std::max<size_t>(1, needed)) {
      size_t begin = i + 1 - lag;
      while (begin < i && same(begin) == 0) ++begin;
      return begin;
    }
  }
  return series.size();
}

}  // namespace

std::optional<Period> findPeriod(const std::vector<uint32_t>& series) {
  Period best;
  std::vector<Period> tried;
  for (const size_t lag : candidateLags(series)) {
    const auto begin = series.end() - static_cast<std::ptrdiff_t>(lag);
    const bool one_symbol = std::all_of(begin, series.end(), [&](uint32_t s) { return s == series.back(); });
    if (lag < 2 || one_symbol) continue;
    tried.push_back({lag, 0, 0, matchAt(series, lag)});
    best.match = std::max(best.match, tried.back().match);
  }
  for (const Period& period : tried) {
    const bool as_good = period.match >= best.match - 0.01;
    if (as_good && (best.length == 0 || period.length < best.length)) best.length = period.length;
  }
  if (best.length == 0 || best.match < threshold::kPeriodMatch.value) return std::nullopt;
  best.first = firstRepeat(series, best.length);
  best.count = (series.size() - std::min(series.size(), best.first)) / best.length;
  if (best.count < kLeastPeriods) return std::nullopt;
  return best;
}

}  // namespace perfscope
