// Agglomeration on the covariance of sums.
#include "analysis/counters/separability.h"

#include <algorithm>
#include <cmath>

namespace perfscope {
namespace {

constexpr double kOpposed = -0.6;     // correlation of two that share what is uncertain
constexpr double kMustShrink = 0.75;  // standard deviation of the sum, against the more uncertain part

class Agglomeration {
 public:
  explicit Agglomeration(const SeparabilityInput& input)
      : m_input(input), m_total(input.total), m_floor(input.floor), m_covariance(input.covariance) {
    for (size_t i = 0; i < input.size(); ++i) m_members.push_back({static_cast<uint32_t>(i)});
    m_alive.assign(input.size(), 1);
    m_settled.assign(input.size(), 0);
  }

  // One step; false when nothing is left to do.
  bool step() {
    const size_t worst = mostUncertain();
    if (worst == m_input.size()) return false;
    const size_t partner = bestPartner(worst);
    if (partner == m_input.size()) {
      m_settled[worst] = 1;
    } else {
      merge(worst, partner);
    }
    return true;
  }

  [[nodiscard]] std::vector<std::vector<uint32_t>> groups() const {
    std::vector<std::vector<uint32_t>> result;
    for (size_t i = 0; i < m_members.size(); ++i) {
      if (m_alive[i] == 0 || m_members[i].size() < 2) continue;
      result.push_back(m_members[i]);
      std::sort(result.back().begin(), result.back().end());
    }
    return result;
  }

 private:
  [[nodiscard]] double at(size_t i, size_t j) const { return m_covariance[i * m_input.size() + j]; }
  [[nodiscard]] double deviation(size_t i) const { return std::sqrt(std::max(0.0, at(i, i))); }
  [[nodiscard]] double width(size_t i) const {
    const double reference = std::max(m_total[i], m_floor[i]);
    return reference > 0 ? kHalfInterval * deviation(i) / reference : 0;
  }

  [[nodiscard]] size_t mostUncertain() const {
    size_t worst = m_input.size();
    double widest = m_input.widest;
    for (size_t i = 0; i < m_input.size(); ++i) {
      if (m_alive[i] == 0 || m_settled[i] != 0 || width(i) <= widest) continue;
      widest = width(i);
      worst = i;
    }
    return worst;
  }

  [[nodiscard]] size_t bestPartner(size_t i) const {
    size_t best = m_input.size();
    double least = kMustShrink * deviation(i);
    for (size_t j = 0; j < m_input.size(); ++j) {
      if (j == i || m_alive[j] == 0 || at(i, j) > kOpposed * deviation(i) * deviation(j)) continue;
      const double together = std::sqrt(std::max(0.0, at(i, i) + at(j, j) + 2 * at(i, j)));
      if (together < least) least = together, best = j;
    }
    return best;
  }

  void merge(size_t into, size_t from) {
    m_total[into] += m_total[from];
    m_floor[into] += m_floor[from];
    const size_t n = m_input.size();
    for (size_t j = 0; j < n; ++j) m_covariance[into * n + j] += m_covariance[from * n + j];
    for (size_t j = 0; j < n; ++j) m_covariance[j * n + into] += m_covariance[j * n + from];
    m_members[into].insert(m_members[into].end(), m_members[from].begin(), m_members[from].end());
    m_alive[from] = 0;
    m_settled[into] = 0;
  }

  const SeparabilityInput& m_input;
  std::vector<double> m_total, m_floor, m_covariance;
  std::vector<std::vector<uint32_t>> m_members;
  std::vector<uint8_t> m_alive, m_settled;
};

}  // namespace

std::vector<std::vector<uint32_t>> inseparableGroups(const SeparabilityInput& input) {
  Agglomeration agglomeration(input);
  while (agglomeration.step()) {
  }
  return agglomeration.groups();
}

}  // namespace perfscope
