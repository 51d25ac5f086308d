// Sorting of the kernel columns.
#include "analysis/trace/kernel_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace perfscope {
namespace {

KernelTable table(const std::vector<std::pair<uint16_t, int64_t>>& rows) {
  KernelTable t;
  t.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    t.device[i] = rows[i].first;
    t.start_ns[i] = rows[i].second;
    t.correlation[i] = static_cast<uint32_t>(i);
  }
  return t;
}

TEST(KernelTable, SortsByDeviceThenStartAndKeepsEqualsInOrder) {
  KernelTable t = table({{1, 5}, {0, 9}, {1, 3}, {0, 2}, {0, 9}, {1, 5}});
  sortByDeviceAndStart(t, 2);
  EXPECT_EQ(t.device, (std::vector<uint16_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(t.start_ns, (std::vector<int64_t>{2, 9, 9, 3, 5, 5}));
  EXPECT_EQ(t.correlation, (std::vector<uint32_t>{3, 1, 4, 2, 0, 5}));
}

TEST(KernelTable, RandomOrderAcrossManyRunsIsSorted) {
  std::mt19937 random(7);
  std::vector<std::pair<uint16_t, int64_t>> rows;
  for (int i = 0; i < 5000; ++i) rows.emplace_back(random() % 3, static_cast<int64_t>(random() % 100000));
  KernelTable t = table(rows);
  sortByDeviceAndStart(t, 3);
  std::stable_sort(rows.begin(), rows.end());
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(t.device[i], rows[i].first);
    ASSERT_EQ(t.start_ns[i], rows[i].second);
  }
}

TEST(KernelTable, MovesTheGraphColumnOnlyWhenThereIsOne) {
  KernelTable t = table({{0, 2}, {0, 1}});
  EXPECT_FALSE(t.inGraph(0));
  t.graph_node = {20, 10};
  sortByDeviceAndStart(t, 1);
  EXPECT_EQ(t.graph_node, (std::vector<int64_t>{10, 20}));
  EXPECT_TRUE(t.inGraph(0));
}

TEST(KernelTable, EmptyTableIsFine) {
  KernelTable t;
  sortByDeviceAndStart(t, 0);
  EXPECT_EQ(t.size(), 0U);
}

}  // namespace
}  // namespace perfscope
