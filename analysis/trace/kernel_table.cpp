// Sorting of the kernel columns: a permutation by natural merge sort, then one column after the other.
#include "analysis/trace/kernel_table.h"

#include <algorithm>
#include <numeric>

namespace perfscope {
namespace {

using Order = std::vector<uint32_t>;

// Merges neighbouring ascending runs of `order` until one is left.
template <class Less>
void naturalMergeSort(Order& order, size_t begin, size_t end, Less less) {
  std::vector<size_t> bounds{begin};
  for (size_t i = begin + 1; i < end; ++i) {
    if (less(order[i], order[i - 1])) bounds.push_back(i);
  }
  bounds.push_back(end);
  Order merged;
  while (bounds.size() > 2) {
    merged.resize(end - begin);
    std::vector<size_t> next{begin};
    for (size_t run = 0; run + 1 < bounds.size(); run += 2) {
      const size_t middle = bounds[run + 1];
      const size_t last = run + 2 < bounds.size() ? bounds[run + 2] : middle;
      const auto at = [&](size_t index) { return order.begin() + static_cast<std::ptrdiff_t>(index); };
      std::merge(at(bounds[run]), at(middle), at(middle), at(last),
                 merged.begin() + static_cast<std::ptrdiff_t>(bounds[run] - begin), less);
      next.push_back(last);
    }
    std::copy(merged.begin(), merged.end(), order.begin() + static_cast<std::ptrdiff_t>(begin));
    bounds = std::move(next);
  }
}

bool isSorted(const KernelTable& kernels) {
  for (size_t i = 1; i < kernels.size(); ++i) {
    const bool device_falls = kernels.device[i] < kernels.device[i - 1];
    const bool start_falls =
        kernels.device[i] == kernels.device[i - 1] && kernels.start_ns[i] < kernels.start_ns[i - 1];
    if (device_falls || start_falls) return false;
  }
  return true;
}

// Rows grouped by device, in their old order within each device; `bounds` gets the begin of every group.
Order groupByDevice(const KernelTable& kernels, size_t device_count, std::vector<size_t>& bounds) {
  bounds.assign(device_count + 1, 0);
  for (const uint16_t device : kernels.device) ++bounds[device + 1U];
  std::partial_sum(bounds.begin(), bounds.end(), bounds.begin());
  Order order(kernels.size());
  std::vector<size_t> place(bounds.begin(), bounds.end() - 1);
  for (size_t i = 0; i < kernels.size(); ++i) order[place[kernels.device[i]]++] = static_cast<uint32_t>(i);
  return order;
}

}  // namespace

void KernelTable::moveDown(size_t from, size_t count, size_t to) {
  if (from == to) return;
  forEachColumn([&](auto& column) {
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(from);
    std::copy(begin, begin + static_cast<std::ptrdiff_t>(count),
              column.begin() + static_cast<std::ptrdiff_t>(to));
  });
}

void sortByDeviceAndStart(KernelTable& kernels, size_t device_count) {
  if (isSorted(kernels)) return;
  std::vector<size_t> bounds;
  Order order = groupByDevice(kernels, device_count, bounds);
  for (size_t device = 0; device < device_count; ++device) {
    naturalMergeSort(order, bounds[device], bounds[device + 1],
                     [&](uint32_t a, uint32_t b) { return kernels.start_ns[a] < kernels.start_ns[b]; });
  }
  kernels.forEachColumn([&order](auto& column) {
    auto sorted = column;
    for (size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column.swap(sorted);
  });
}

}  // namespace perfscope
