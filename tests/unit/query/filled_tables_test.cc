#include "strobe/query/filled_tables.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "tests/unit/query/opened_tables.h"

namespace strobe::query {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_in(const FilledColumn& column) {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < column.rows; ++row) {
    const auto code =
        static_cast<std::size_t>(static_cast<const std::int32_t*>(column.values)[row]);
    names.emplace_back(column.has(row) ? column.texts[code] : "-");
  }
  return names;
}

TEST(FilledTablesTest, times_of_slices_are_those_in_the_memory_of_the_trace) {
  const Opened run = opened();
  EXPECT_EQ(run.column("slices", "start")->values,
            run.trace().slices().starts_ns.unpacked().data());
  EXPECT_EQ(run.column("slices", "dur")->values,
            run.trace().slices().durations_ns.unpacked().data());
  EXPECT_EQ(run.column("slices", "dur")->rows, run.trace().slice_count());
}

TEST(FilledTablesTest, a_column_is_filled_once) {
  const Opened run = opened();
  EXPECT_EQ(run.column("kernels", "dur"), run.column("kernels", "dur"));
  EXPECT_THAT(values_of<std::int64_t>(*run.column("kernels", "dur")), ElementsAre(30'000, 10'000));
}

TEST(FilledTablesTest, a_dictionary_holds_the_names_of_its_column_in_their_order) {
  const Opened run = opened();
  const FilledColumnPtr names = run.column("kernels", "name");
  ASSERT_EQ(names->texts.size(), 2u);
  EXPECT_EQ(names->texts[0], "add");
  EXPECT_EQ(names->texts[1], "zgemm");
  EXPECT_THAT(names_in(*names), ElementsAre("zgemm", "add"));
}

TEST(FilledTablesTest, absent_values_are_marked_and_zero) {
  const Opened run = opened();
  const FilledColumnPtr operators = run.column("kernels", "operator");
  EXPECT_THAT(names_in(*operators), ElementsAre("mm", "-"));
  EXPECT_EQ(operators->absent, 1u);
  const FilledColumnPtr correlations = run.column("kernels", "correlation");
  EXPECT_THAT(values_of<std::int64_t>(*correlations), ElementsAre(1, 0));
  EXPECT_TRUE(correlations->has(0));
  EXPECT_FALSE(correlations->has(1));
}

TEST(FilledTablesTest, the_rows_of_all_ranks_follow_each_other) {
  const Opened run = opened(2);
  EXPECT_THAT(values_of<std::int32_t>(*run.column("kernels", "rank")), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(names_in(*run.column("kernels", "operator")), ElementsAre("mm", "-", "mm", "-"));
  EXPECT_EQ(run.tables().rows(run.table("kernels")), 4u);
}

TEST(FilledTablesTest, every_column_has_all_rows_of_its_table) {
  const Opened run = opened(2);
  for (const Table& table : run.tables().tables()) {
    for (const Column& column : table.columns) {
      const FilledColumnPtr filled = run.tables().column(table, column);
      EXPECT_EQ(filled->rows, run.tables().rows(table)) << table.name << "." << column.name;
      EXPECT_EQ(filled->type, column.type) << table.name << "." << column.name;
      if (column.type == ColumnType::kText) {
        EXPECT_EQ(filled->texts.size(), filled->rows) << table.name << "." << column.name;
      }
    }
  }
}

TEST(FilledTablesTest, threads_that_ask_at_once_get_the_same_column) {
  const Opened run = opened();
  std::vector<FilledColumnPtr> found(8);
  {
    std::vector<std::jthread> threads;
    for (FilledColumnPtr& one : found) {
      threads.emplace_back([&] { one = run.column("kernels", "operator"); });
    }
  }
  for (const FilledColumnPtr& one : found) EXPECT_EQ(one, found.front());
}

// An answer as an engine gives it.
class ScriptedAnswer final : public Answer {
 public:
  ScriptedAnswer(std::vector<AnswerColumn> columns, std::vector<Rows> pieces)
      : columns_(std::move(columns)), pieces_(std::move(pieces)) {}
  const std::vector<AnswerColumn>& columns() const override { return columns_; }
  Result<Rows> next() override { return next_ < pieces_.size() ? pieces_[next_++] : Rows{}; }
  bool is_cut() const override { return false; }

 private:
  std::vector<AnswerColumn> columns_;
  std::vector<Rows> pieces_;
  std::size_t next_ = 0;
};

TEST(FilledTablesTest, an_answer_becomes_columns) {
  ScriptedAnswer answer(
      {{"calls", ValueType::kWhole},
       {"share", ValueType::kReal},
       {"is_big", ValueType::kBool},
       {"name", ValueType::kText}},
      {{.count = 1, .columns = {{std::int64_t{7}}, {0.5}, {true}, {Null{}}}},
       {.count = 1, .columns = {{Null{}}, {Digits{"2.25"}}, {false}, {std::string("b")}}}});
  const auto columns = fill_answer(answer);
  ASSERT_TRUE(columns);
  EXPECT_EQ((*columns)[0].name, "calls");
  EXPECT_THAT(values_of<std::int64_t>(*(*columns)[0].column), ElementsAre(7, 0));
  EXPECT_FALSE((*columns)[0].column->has(1));
  EXPECT_THAT(values_of<double>(*(*columns)[1].column), ElementsAre(0.5, 2.25));
  EXPECT_THAT(values_of<bool>(*(*columns)[2].column), ElementsAre(true, false));
  EXPECT_FALSE((*columns)[3].column->has(0));
  EXPECT_EQ((*columns)[3].column->texts[1], "b");
}

TEST(FilledTablesTest, numbers_beyond_64_bits_keep_their_digits_as_text) {
  const std::string huge = "170141183460469231731687303715884105727";
  ScriptedAnswer answer({{"sum", ValueType::kWhole}},
                        {{.count = 2, .columns = {{std::int64_t{7}, Digits{huge}}}}});
  const auto columns = fill_answer(answer);
  ASSERT_TRUE(columns);
  EXPECT_EQ((*columns)[0].column->type, ColumnType::kText);
  EXPECT_EQ((*columns)[0].column->texts[0], "7");
  EXPECT_EQ((*columns)[0].column->texts[1], huge);
}

}  // namespace
}  // namespace strobe::query
