#include "strobe/analysis/tables/table_order.h"

#include <gmock/gmock.h>

namespace strobe::analysis {
namespace {

using ::testing::ElementsAre;

TimeStat stat(std::initializer_list<std::int64_t> durations_ns) {
  TimeStat stat;
  for (const std::int64_t duration_ns : durations_ns) stat.add(duration_ns);
  return stat;
}

UserRangeRow named_range(std::string name, TimeStat host, TimeStat device = stat({0})) {
  return {std::move(name), host, device, host.total_ns / 10};
}

template <class Row>
std::vector<std::string> names(const ShownRows<Row>& shown) {
  std::vector<std::string> names;
  for (const Row* row : shown.rows) names.push_back(row->name);
  return names;
}

TableOptions sorted_by(SortKey key) {
  TableOptions options;
  options.sort = key;
  return options;
}

TEST(TableOrderTest, totals_averages_and_maxima_go_down_and_minima_go_up) {
  const std::vector<UserRangeRow> rows = {
      named_range("even", stat({30, 30, 30}), stat({7, 7})),  // total 90, average 30
      named_range("spiky", stat({5, 75}), stat({1, 1, 1})),   // total 80, average 40
      named_range("single", stat({50}), stat({20})),          // total 50, average 50
  };
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kHostTotal))),
              ElementsAre("even", "spiky", "single"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kHostAverage))),
              ElementsAre("single", "spiky", "even"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kHostMax))),
              ElementsAre("spiky", "single", "even"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kHostMin))),
              ElementsAre("spiky", "even", "single"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kDeviceTotal))),
              ElementsAre("single", "even", "spiky"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kDeviceMin))),
              ElementsAre("spiky", "even", "single"));
}

TEST(TableOrderTest, equal_keys_keep_the_order_they_came_in) {
  const std::vector<UserRangeRow> rows = {named_range("c", stat({5})), named_range("a", stat({9})),
                                          named_range("b", stat({5})), named_range("d", stat({5}))};
  EXPECT_THAT(names(shown_rows(rows, {})), ElementsAre("a", "c", "b", "d"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kDeviceTotal))),
              ElementsAre("c", "a", "b", "d"));
}

TEST(TableOrderTest, kernels_sort_by_device_total_whatever_host_key_is_asked) {
  std::vector<KernelRow> rows(2);
  rows[0].name = "often";
  rows[0].device = stat({10, 10, 10});
  rows[1].name = "long";
  rows[1].device = stat({20});
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kHostMin))), ElementsAre("often", "long"));
  EXPECT_THAT(names(shown_rows(rows, sorted_by(SortKey::kDeviceMax))),
              ElementsAre("long", "often"));
}

TEST(TableOrderTest, what_is_cut_and_what_is_filtered_is_counted_apart) {
  const std::vector<UserRangeRow> rows = {
      named_range("a", stat({50}), stat({1})), named_range("b", stat({40}), stat({2})),
      named_range("c", stat({30}), stat({3})), named_range("x", stat({99}), stat({4}))};
  TableOptions options;
  options.top = 1;
  options.keeps_name = [](std::string_view name) { return name != "x"; };
  const auto shown = shown_rows(rows, options);
  EXPECT_THAT(names(shown), ElementsAre("a"));
  EXPECT_EQ(shown.cut.rows, 2u);
  EXPECT_EQ(shown.cut.host_ns, 70);
  EXPECT_EQ(shown.cut.device_ns, 5);
  EXPECT_EQ(shown.cut.self_host_ns, 7);
  EXPECT_EQ(shown.filtered.rows, 1u);
  EXPECT_EQ(shown.filtered.host_ns, 99);
}

TEST(TableOrderTest, memory_rows_go_by_what_they_kept) {
  const std::vector<MemoryRow> rows = {
      {"frees", 1, 2, 10, 30}, {"keeps", 2, 1, 40, 10}, {"even", 1, 1, 99, 99}};
  EXPECT_THAT(names(shown_rows_by_increase(rows, {})), ElementsAre("keeps", "even", "frees"));
}

}  // namespace
}  // namespace strobe::analysis
