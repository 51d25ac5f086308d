// Edit distance with three rows.
#include "cli/suggest.h"

#include <algorithm>
#include <numeric>

namespace perfscope::cli {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_up(b.size() + 1), up(b.size() + 1), row(b.size() + 1);
  std::iota(up.begin(), up.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + cost});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_up[j - 2] + 1);
    }
    std::swap(two_up, up);
    std::swap(up, row);
  }
  return up[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > 64) return {};
  const size_t limit = std::max<size_t>((word.size() + 1) / 4, 1);
  std::string best;
  size_t best_distance = limit + 1;
  for (const auto& name : names) {
    const size_t distance = editDistance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace perfscope::cli
