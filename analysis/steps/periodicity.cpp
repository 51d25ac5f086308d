// Autocorrelation at few lags (a full one is quadratic): recurring words of the series vote for which.
#include "analysis/steps/periodicity.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/metrics/thresholds.h"

namespace perfscope {
namespace {

constexpr size_t kLeastPeriods = 3;
constexpr size_t kProbe = 1'000'000;  // positions compared for one lag
constexpr size_t kSample = 200'000;   // positions that vote for lags
constexpr size_t kLagsPerLength = 8;  // lags taken over from the vote of one word length
// Words of these many symbols vote: single kernels show short periods, long words hold what tells one layer
// or one step from the next and so recur only with the true period.
constexpr std::array<size_t, 4> kWordLengths = {1, 4, 16, 128};

// Every word votes for its distance to its last occurrence; the lags with most votes, most first.
std::vector<size_t> lagsByVote(const std::vector<uint32_t>& series, size_t begin, size_t end, size_t word) {
  constexpr uint64_t kBase = 0x9e3779b97f4a7c15U;  // odd, spreads small ids over all bits
  uint64_t power = 1;  // kBase ^ word: takes the oldest symbol out of the rolling hash
  for (size_t i = 0; i < word; ++i) power *= kBase;
  std::unordered_map<uint64_t, size_t> last;
  std::unordered_map<size_t, size_t> votes;
  uint64_t hash = 0;
  for (size_t i = begin; i < end; ++i) {
    hash = hash * kBase + series[i] + 1;
    if (i >= begin + word) hash -= power * (uint64_t{series[i - word]} + 1);
    if (i + 1 < begin + word) continue;
    auto [seen, fresh] = last.try_emplace(hash, i);
    if (!fresh) ++votes[i - seen->second];
    seen->second = i;
  }
  std::vector<std::pair<size_t, size_t>> ranking;  // votes, lag
  for (const auto& [lag, count] : votes) {
    if (lag * kLeastPeriods <= series.size()) ranking.emplace_back(count, lag);
  }
  std::sort(ranking.begin(), ranking.end(), [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  std::vector<size_t> lags;
  for (size_t i = 0; i < ranking.size() && i < kLagsPerLength; ++i) lags.push_back(ranking[i].second);
  return lags;
}

std::vector<size_t> candidateLags(const std::vector<uint32_t>& series) {
  const size_t length = std::min(series.size(), kSample);
  const size_t begin = (series.size() - length) / 2;
  std::set<size_t> lags;
  for (const size_t word : kWordLengths) {
    for (const size_t lag : lagsByVote(series, begin, begin + length, word)) lags.insert(lag);
  }
  return {lags.begin(), lags.end()};
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
