#include "strobe/fleet/replay/operation_table.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/operation_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::fleet {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OperationSketch;

constexpr std::string_view kHeader =
    "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";

Result<OperationTable> parsed(const std::string& text) {
  const auto stream = open_stream(std::string_view(text)).value();
  return parse_operation_table(*stream, "ops.csv");
}

Error error_of(const std::string& text) {
  const auto table = parsed(text);
  return table ? Error{} : table.error();
}

// Two steps of two data-parallel ranks with one stage; a step begins at 100 s and at 200 s.
OperationSketch small_job() {
  OperationSketch sketch;
  for (const int step : {8, 7}) {
    const double zero_s = step == 7 ? 100 : 200;
    for (const int rank : {1, 0}) {
      sketch.at(step, rank, 0)
          .add("optimizer", 0, zero_s + 2 + rank, zero_s + 3 + rank)
          .forward(0, zero_s + rank, zero_s + rank + 1);
    }
  }
  return sketch;
}

TEST(OperationTableTest, lines_in_any_order_become_columns_without_holes) {
  const OperationTable table = small_job().table();
  EXPECT_THAT(table.steps, ElementsAre(7, 8));
  EXPECT_THAT(table.data_ranks, ElementsAre(0, 1));
  EXPECT_THAT(table.worker_ranks, ElementsAre(0, 1));
  ASSERT_EQ(table.operations.size(), 2u);
  EXPECT_EQ(name_of(table.operations[0]), "forward-compute_0_0");
  EXPECT_EQ(name_of(table.operations[1]), "optimizer_0_0");
  EXPECT_THAT(table.start_s, ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_THAT(table.end_s, ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
  EXPECT_EQ(table.sizes.data_parallel, 2);
  EXPECT_EQ(table.sizes.stages, 1);
  EXPECT_EQ(table.sizes.chunks, 1);
}

TEST(OperationTableTest, columns_are_found_by_name) {
  const auto table = parsed(
      "gmc,mc,seq_id,extra,duration,start_ts,optype,step,rank,stage,dp_rank\n"
      "0,0,0,x,2.5,1,forward-compute,3,4,0,0\n");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_THAT(table->steps, ElementsAre(3));
  EXPECT_THAT(table->worker_ranks, ElementsAre(4));
  EXPECT_THAT(table->end_s, ElementsAre(DoubleEq(2.5)));
}

TEST(OperationTableTest, a_table_is_known_by_its_header) {
  EXPECT_TRUE(is_operation_table(kHeader));
  EXPECT_TRUE(is_operation_table("gmc,mc,seq_id,duration,start_ts,optype,step,rank,stage,dp_rank"));
  EXPECT_TRUE(is_operation_table("dp_rank,stage,rank,step,optype,start_ts,seq_id,mc,gmc\n"));
  EXPECT_FALSE(is_operation_table("dp_rank,stage,rank,step\n1,2,3,4\n"));
  EXPECT_FALSE(is_operation_table("{\"traceEvents\": []}"));
  EXPECT_FALSE(is_operation_table(""));
}

TEST(OperationTableTest, an_absent_column_is_named) {
  const Error error = error_of("dp_rank,stage,rank,step,optype,start_ts,seq_id,mc,gmc\n");
  EXPECT_EQ(error.what, "line 1 has no column 'duration'");
  EXPECT_EQ(error.where, "ops.csv");
  EXPECT_THAT(error.hint, HasSubstr("dp_rank,stage,rank,step,optype,start_ts,duration"));
}

struct Flaw {
  const char* lines;
  const char* what;
};

class FlawTest : public ::testing::TestWithParam<Flaw> {};

TEST_P(FlawTest, a_flaw_is_named_with_its_line) {
  const Error error = error_of(std::string(kHeader) + GetParam().lines);
  EXPECT_EQ(error.what, GetParam().what);
  EXPECT_EQ(error.where, "ops.csv");
  EXPECT_NE(error.hint, "");
}

INSTANTIATE_TEST_SUITE_P(
    , FlawTest,
    ::testing::Values(
        Flaw{"0,0,0,1,gc,0,fast,0,-1,-1,-1\n",
             "line 2: duration is 'fast', which is no number of seconds"},
        Flaw{"0,0,0,1,gc,nan,1,0,-1,-1,-1\n",
             "line 2: start_ts is 'nan', which is no number of seconds"},
        Flaw{"0,0,0,1,gc,1e300,1,0,-1,-1,-1\n", "line 2: start_ts is '1e300', which is too large"},
        Flaw{"0,-1,0,1,gc,0,1,0,-1,-1,-1\n", "line 2: stage is '-1', which is too small"},
        Flaw{"0,0,0,1,gc,0,1,99999999,-1,-1,-1\n",
             "line 2: seq_id is '99999999', which is too large"},
        Flaw{"0,0,0,1,gc,0,1,1e3,-1,-1,-1\n", "line 2: seq_id is '1e3', which is no whole number"},
        Flaw{"0,0,0,1,nap,0,1,0,-1,-1,-1\n",
             "line 2: optype is 'nap', which is no known operation"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n0,0,0,1,gc\n", "line 3: it ends before its last column"},
        Flaw{"0,0,0,1,gc,0,1", "line 2: the table ends inside it"},
        Flaw{"0,0,0,1,\"gc,0,1,0,-1,-1,-1\n", "line 2: a quote is never closed"},
        Flaw{"", "the table has no operations, only the names of its columns"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n0,0,0,1,gc,0,1,0,-1,-1,-1\n",
             "line 3: gc_0_0 occurs twice in step 1, dp_rank 0"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n0,0,0,2,gc,0,1,0,-1,-1,-1\n0,0,0,2,gc,0,1,0,-1,-1,-1\n",
             "line 4: gc_0_0 occurs twice in step 2, dp_rank 0"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n0,0,0,2,gc,0,1,0,-1,-1,-1\n0,0,0,2,gc,0,1,1,-1,-1,-1\n",
             "line 4: gc_1_0 is not among the operations of step 1, dp_rank 0, as which all others "
             "are replayed"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n0,0,0,1,optimizer,0,1,0,-1,-1,-1\n"
             "0,0,0,2,gc,0,1,0,-1,-1,-1\n",
             "step 2, dp_rank 0 has no optimizer_0_0"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n1,0,0,2,gc,0,1,0,-1,-1,-1\n",
             "step 1, dp_rank 1 has no operations"},
        Flaw{"0,0,0,1,gc,0,1,0,-1,-1,-1\n0,2,0,1,gc,0,1,0,-1,-1,-1\n", "stage 1 has no operations"},
        Flaw{"0,0,0,1,forward-compute,0,1,0,0,-1,-1\n",
             "forward-compute_0_0 does not say to which model chunk it belongs"},
        Flaw{"0,0,0,1,forward-compute,0,1,0,4,-1,4\n",
             "mc is 4, but a step of all stages has 1 pass"}));

TEST(OperationTableTest, an_empty_file_is_named) {
  EXPECT_EQ(error_of("").what, "the table is empty");
}

TEST(OperationTableTest, a_study_file_beside_it_adds_sizes) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "ops-J7.csv", small_job().text());
  testing::put_bytes(folder / "meta-J7.yaml",
                     "trial_name: J7\ndp_size: 99\ntp_size: 4\ndsp_size: 2\nworld_size: many\n");
  const auto table = read_operation_table((folder / "ops-J7.csv").string());
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ(table->name, "J7");
  EXPECT_EQ(table->sizes.data_parallel, 2);  // as the table itself says
  EXPECT_EQ(table->sizes.tensor_parallel, 4);
  EXPECT_EQ(table->sizes.sequence_parallel, 2);
  EXPECT_FALSE(table->sizes.devices);
}

TEST(OperationTableTest, a_table_without_a_study_is_called_like_its_file) {
  const testing::TemporaryFolder folder;
  testing::put_bytes(folder / "night.csv", small_job().text());
  const auto table = read_operation_table((folder / "night.csv").string());
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ(table->name, "night");
}

}  // namespace
}  // namespace strobe::fleet
