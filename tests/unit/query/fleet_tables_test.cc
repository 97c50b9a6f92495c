#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/fleet/waits/make_job.h"
#include "strobe/query/questions.h"
#include "strobe/readers/run_reader.h"
#include "tests/support/needs_shared.h"
#include "tests/support/sketch.h"
#include "tests/unit/query/asked.h"
#include "tests/unit/query/needs_duckdb.h"
#include "tests/unit/query/opened_tables.h"

namespace strobe::query {
namespace {

using namespace literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kSleepingRank = STROBE_SOURCE_DIR "/tests/data/ranks/rank_5_sleeps";
const std::filesystem::path kEqualRanks = STROBE_SOURCE_DIR "/tests/data/ranks/equal";
const std::filesystem::path kTensorParallel = STROBE_SOURCE_DIR "/../shared/traces/megatron_tp8";

std::vector<TraceInput> ranks_of(const Run& run, const std::string& label = "run") {
  std::vector<TraceInput> inputs;
  for (const RankCapture& rank : run.ranks) {
    inputs.push_back({.run = label,
                      .rank = rank.rank,
                      .path = rank.path,
                      .trace = rank.trace.get(),
                      .import = &rank.import});
  }
  return inputs;
}

// The tables of a run, column by column.
class TablesOfRun {
 public:
  explicit TablesOfRun(const std::filesystem::path& folder)
      : run_(std::make_shared<const Run>(readers::read_run(folder, {}, {}).value())),
        tables_(ranks_of(*run_), run_) {}

  const Run& run() const { return *run_; }

  std::vector<std::int64_t> whole(std::string_view table, std::string_view name) const {
    const FilledColumnPtr column = find(table, name);
    if (column->type == ColumnType::kNarrow) {
      const auto narrow = values_of<std::int32_t>(*column);
      return {narrow.begin(), narrow.end()};
    }
    return values_of<std::int64_t>(*column);
  }
  std::vector<std::string> texts(std::string_view table, std::string_view name) const {
    const FilledColumnPtr column = find(table, name);
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < column->rows; ++row) texts.emplace_back(column->texts[row]);
    return texts;
  }
  FilledColumnPtr find(std::string_view table, std::string_view name) const {
    const Table& all = *std::ranges::find(tables_.tables(), table, &Table::name);
    return tables_.column(all, *std::ranges::find(all.columns, name, &Column::name));
  }

 private:
  std::shared_ptr<const Run> run_;
  FilledTables tables_;
};

fleet::Job job_of(const Run& run) {
  std::vector<fleet::RankDigest> digests;
  for (const RankCapture& rank : run.ranks) {
    digests.push_back(fleet::make_rank_digest(*rank.trace, rank.rank, {rank.path, "", ""}));
  }
  return fleet::make_job(digests, {.with_exchanges = true});
}

// A column of `ranks` holds what the job says of each rank and step.
void expect_steps(const TablesOfRun& tables, const fleet::Job& job, std::string_view column,
                  const auto& value) {
  std::vector<std::int64_t> expected;
  for (const fleet::RankOfJob& rank : job.ranks) {
    for (const fleet::RankStep& step : rank.steps) {
      expected.push_back(static_cast<std::int64_t>(value(step)));
    }
  }
  EXPECT_EQ(tables.whole("ranks", column), expected) << column;
}

void expect_ranks_of_job(const TablesOfRun& tables, const fleet::Job& job) {
  using fleet::RankStep;
  const auto member = [](auto RankStep::*value) {
    return [value](const RankStep& step) { return step.*value; };
  };
  expect_steps(tables, job, "common_start", member(&RankStep::start_ns));
  expect_steps(tables, job, "common_stop", member(&RankStep::end_ns));
  expect_steps(tables, job, "dur",
               [](const RankStep& step) { return step.end_ns - step.start_ns; });
  expect_steps(tables, job, "own", [](const RankStep& step) { return step.own_ns(); });
  expect_steps(tables, job, "compute", member(&RankStep::compute_ns));
  expect_steps(tables, job, "copy", member(&RankStep::copy_ns));
  expect_steps(tables, job, "input", member(&RankStep::input_ns));
  expect_steps(tables, job, "host", member(&RankStep::host_ns));
  expect_steps(tables, job, "wait", member(&RankStep::wait_ns));
  expect_steps(tables, job, "transfer", member(&RankStep::transfer_ns));
  expect_steps(tables, job, "in_operators", member(&RankStep::in_operators_ns));
  expect_steps(tables, job, "longest_host_gap", member(&RankStep::longest_host_gap_ns));
  expect_steps(tables, job, "host_gaps", member(&RankStep::host_gaps));
  expect_steps(tables, job, "kernels", member(&RankStep::kernels));
  expect_steps(tables, job, "collectives", member(&RankStep::collectives));
  expect_steps(tables, job, "last", member(&RankStep::last));
  expect_steps(tables, job, "lateness", member(&RankStep::lateness_ns));
  expect_steps(tables, job, "caused_wait", member(&RankStep::caused_wait_ns));
  const auto durations = tables.whole("ranks", "dur");
  std::vector<std::int64_t> sums(durations.size());
  for (const char* part : {"compute", "copy", "input", "host", "wait", "transfer"}) {
    const auto values = tables.whole("ranks", part);
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += values[row];
  }
  EXPECT_EQ(sums, durations);
}

// Each exchange is in one row, and its sums are those of its arrivals.
void expect_exchanges_of_job(const TablesOfRun& tables, const fleet::Job& job) {
  auto numbers = tables.whole("collectives", "exchange");
  const auto waits = tables.whole("collectives", "wait");
  const auto transfers = tables.whole("collectives", "transfer");
  const auto ranks = tables.whole("collectives", "ranks");
  const auto homes = tables.whole("collectives", "rank");
  ASSERT_EQ(numbers.size(), job.exchanges.size());
  struct Sums {
    std::int64_t wait_ns = 0;
    std::int64_t transfer_ns = 0;
    std::int64_t ranks = 0;
    std::int64_t first_rank = INT64_MAX;
    bool operator==(const Sums&) const = default;
  };
  std::map<std::int64_t, Sums> by_exchange;
  const auto of_arrivals = tables.whole("arrivals", "exchange");
  ASSERT_EQ(of_arrivals.size(), job.arrivals.size());
  const auto waited = tables.whole("arrivals", "wait");
  const auto moved = tables.whole("arrivals", "transfer");
  const auto durations = tables.whole("arrivals", "dur");
  const auto who = tables.whole("arrivals", "rank");
  for (std::size_t row = 0; row < of_arrivals.size(); ++row) {
    EXPECT_EQ(waited[row] + moved[row], durations[row]) << row;
    Sums& sums = by_exchange[of_arrivals[row]];
    sums.wait_ns += waited[row];
    sums.transfer_ns += moved[row];
    ++sums.ranks;
    sums.first_rank = std::min(sums.first_rank, who[row]);
  }
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    EXPECT_EQ(by_exchange[numbers[row]], (Sums{waits[row], transfers[row], ranks[row], homes[row]}))
        << "exchange " << numbers[row];
  }
  std::ranges::sort(numbers);
  std::vector<std::int64_t> all(job.exchanges.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(numbers, all);
  std::int64_t wait_ns = 0;
  std::int64_t transfer_ns = 0;
  for (const fleet::CollectiveRow& row : job.collectives) {
    wait_ns += row.wait_ns;
    transfer_ns += row.transfer_ns;
  }
  EXPECT_EQ(std::accumulate(waits.begin(), waits.end(), std::int64_t{0}), wait_ns);
  EXPECT_EQ(std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0}), transfer_ns);
}

// The slice of an arrival begins and ends with it.
void expect_slices_of_arrivals(const TablesOfRun& tables) {
  const auto slices = tables.whole("arrivals", "slice_id");
  const auto ranks = tables.whole("arrivals", "rank");
  const auto starts = tables.whole("arrivals", "start");
  const auto stops = tables.whole("arrivals", "stop");
  for (std::size_t row = 0; row < slices.size(); ++row) {
    const auto rank = std::ranges::find(tables.run().ranks, ranks[row], &RankCapture::rank);
    ASSERT_NE(rank, tables.run().ranks.end());
    const SliceId slice(static_cast<std::size_t>(slices[row]));
    EXPECT_EQ(rank->trace->interval(slice), (Interval{starts[row], stops[row]})) << row;
  }
}

TEST(FleetTablesTest, a_job_over_gloo_has_the_numbers_of_its_job) {
  for (const auto& folder : {kSleepingRank, kEqualRanks}) {
    const TablesOfRun tables(folder);
    const fleet::Job job = job_of(tables.run());
    EXPECT_EQ(tables.whole("ranks", "rank").size(), 8u * 16);
    EXPECT_EQ(tables.whole("arrivals", "rank").size(), 8u * 16);
    expect_ranks_of_job(tables, job);
    expect_exchanges_of_job(tables, job);
    expect_slices_of_arrivals(tables);
  }
}

TEST(FleetTablesTest, a_tensor_parallel_job_has_the_numbers_of_its_job) {
  STROBE_NEEDS_SHARED();
  const TablesOfRun tables(kTensorParallel);
  const fleet::Job job = job_of(tables.run());
  EXPECT_EQ(tables.whole("collectives", "rank").size(), 84u);
  EXPECT_EQ(tables.whole("arrivals", "rank").size(), 84u * 8);
  expect_ranks_of_job(tables, job);
  expect_exchanges_of_job(tables, job);
  expect_slices_of_arrivals(tables);
  EXPECT_THAT(tables.texts("collectives", "kind"), Each("all_reduce"));
  EXPECT_THAT(tables.texts("collectives", "group_name"), Each("8 ranks"));
  EXPECT_THAT(tables.texts("ranks", "name"), Each("ProfilerStep#3"));
}

// Two ranks of a pipeline that reduce 4,000 bytes on their devices, then one sends to the other.
Trace rank_of_pair(std::int32_t rank, std::int64_t base_ns) {
  const bool is_first = rank == 0;
  Sketch sketch;
  sketch.metadata().base_time_ns = base_ns;
  sketch.metadata().members.emplace_back("hostname", "\"node1\"");
  const auto at = [&](std::int64_t wall_clock_ns) { return wall_clock_ns - base_ns; };
  sketch.thread(1)
      .slice("ProfilerStep#0", SliceKind::kStep, at(0_us), 50_us)
      .slice("ProfilerStep#1", SliceKind::kStep, at(100_us), 900_us);
  sketch.stream(0, 7)
      .slice("gemm", kKernel, at(200_us), is_first ? 100_us : 300_us)
      .stream(0, 20)
      .slice("ncclDevKernel_AllReduce", kKernel, is_first ? at(300_us) : at(500_us),
             is_first ? 400_us : 200_us)
      .flags(kCommunicates)
      .args(R"({"Collective name": "allreduce", "In msg nelems": 1000, "Group size": 2,
                "dtype": "Float", "Process Group Name": "0", "Seq": 7,
                "Process Group Ranks": "[0, 1]"})")
      .slice("ncclDevKernel_SendRecv", kKernel, is_first ? at(800_us) : at(750_us),
             is_first ? 50_us : 100_us)
      .flags(kCommunicates)
      .args(is_first
                ? R"({"Collective name": "send", "Process Group Ranks": "[0, 1]", "Dst Rank": 1,
                      "Process Group Description": "PIPELINE_MODEL_PARALLEL_GROUP"})"
                : R"({"Collective name": "recv", "Process Group Ranks": "[0, 1]", "Src Rank": 0,
                      "Process Group Description": "PIPELINE_MODEL_PARALLEL_GROUP"})");
  return sketch.trace();
}

// What an engine says about traces, each a rank of the run that is named with it.
class AskedRanks {
 public:
  void add(std::string run, std::int32_t rank, Trace trace) {
    traces_.push_back(std::move(trace));
    inputs_.push_back({.run = std::move(run),
                       .rank = rank,
                       .path = fmt::format("rank{}.json", rank),
                       .trace = &traces_.back(),
                       .import = &report_});
  }
  std::string csv(std::string_view sql) {
    if (!engine_) engine_ = std::make_unique<Engine>(Engine::open(inputs_).value());
    return csv_of(*engine_, sql);
  }

 private:
  std::deque<Trace> traces_;
  ImportReport report_;
  std::vector<TraceInput> inputs_;
  std::unique_ptr<Engine> engine_;
};

TEST(FleetTablesTest, rows_of_a_small_job_are_what_its_traces_say) {
  STROBE_NEEDS_DUCKDB();
  AskedRanks pair;
  pair.add("run", 0, rank_of_pair(0, 0));
  pair.add("run", 1, rank_of_pair(1, 40_us));
  EXPECT_EQ(pair.csv("select rank, step, job_step, name, start, stop, common_start, dur, own, "
                     "compute, host, wait, transfer from ranks order by rank, job_step"),
            "rank,step,job_step,name,start,stop,common_start,dur,own,compute,host,wait,transfer\n"
            "0,0,0,ProfilerStep#0,0,50000,0,50000,50000,0,50000,0,0\n"
            "0,1,1,ProfilerStep#1,100000,1000000,100000,900000,450000,100000,350000,200000,250000\n"
            "1,0,0,ProfilerStep#0,-40000,10000,0,50000,50000,0,50000,0,0\n"
            "1,1,1,ProfilerStep#1,60000,960000,100000,900000,600000,300000,300000,50000,250000\n");
  EXPECT_EQ(pair.csv("select rank, kernels, collectives, last, lateness, caused_wait, host_name, "
                     "stage, file from ranks order by rank, job_step"),
            "rank,kernels,collectives,last,lateness,caused_wait,host_name,stage,file\n"
            "0,0,0,0,,0,node1,0,rank0.json\n"
            "0,1,1,0,-200000,0,node1,0,rank0.json\n"
            "1,0,0,0,,0,node1,1,rank1.json\n"
            "1,1,1,1,200000,200000,node1,1,rank1.json\n");
  EXPECT_EQ(pair.csv("select rank, exchange, kind, bytes, ranks, sequence, on_host, job_step, "
                     "first_arrival, last_arrival, common_stop, last_rank, wait, transfer, "
                     "median_transfer, algorithm_gb_per_s, bus_gb_per_s "
                     "from collectives order by first_arrival"),
            "rank,exchange,kind,bytes,ranks,sequence,on_host,job_step,first_arrival,last_arrival,"
            "common_stop,last_rank,wait,transfer,median_transfer,algorithm_gb_per_s,bus_gb_per_s\n"
            "0,1,all_reduce,4000,2,7,false,1,300000,500000,700000,1,200000,400000,200000,0.02,"
            "0.02\n"
            "0,0,send,,2,,false,1,750000,800000,850000,0,50000,100000,50000,,\n");
  EXPECT_EQ(pair.csv("select rank, kind, name, a.step, a.job_step, a.start, a.stop, common_start, "
                     "common_stop, a.dur, wait, transfer, last from arrivals a "
                     "join slices using (run, rank, slice_id) order by rank, a.start"),
            "rank,kind,name,step,job_step,start,stop,common_start,common_stop,dur,wait,transfer,"
            "last\n"
            "0,kernel,ncclDevKernel_AllReduce,1,1,300000,700000,300000,700000,400000,200000,200000,"
            "false\n"
            "0,kernel,ncclDevKernel_SendRecv,1,1,800000,850000,800000,850000,50000,0,50000,true\n"
            "1,kernel,ncclDevKernel_AllReduce,1,1,460000,660000,500000,700000,200000,0,200000,"
            "true\n"
            "1,kernel,ncclDevKernel_SendRecv,1,1,710000,810000,750000,850000,100000,50000,50000,"
            "false\n");
}

TEST(FleetTablesTest, each_run_is_a_job_of_its_own) {
  STROBE_NEEDS_DUCKDB();
  AskedRanks runs;
  runs.add("first", 0, rank_of_pair(0, 0));
  runs.add("second", 0, rank_of_pair(0, 0));
  runs.add("first", 1, rank_of_pair(1, 0));
  runs.add("second", 1, rank_of_pair(1, 0));
  runs.add("alone", 0, rank_of_pair(0, 0));
  EXPECT_EQ(runs.csv("select run, count(*) as steps, sum(wait) as wait from ranks group by run "
                     "order by run"),
            "run,steps,wait\nalone,2,0\nfirst,4,250000\nsecond,4,250000\n");
  EXPECT_EQ(runs.csv("select run, c.exchange, count(*) as ranks from collectives c join arrivals a "
                     "using (run, exchange) group by all order by all"),
            "run,exchange,ranks\nfirst,0,2\nfirst,1,2\nsecond,0,2\nsecond,1,2\n");
}

TEST(FleetTablesTest, without_ranks_there_are_no_rows_and_no_error) {
  STROBE_NEEDS_DUCKDB();
  AskedRanks none;
  none.add("counters", 0, Trace());
  EXPECT_EQ(none.csv("select (select count(*) from ranks) as ranks, (select count(*) from "
                     "collectives) as collectives, (select count(*) from arrivals) as arrivals"),
            "ranks,collectives,arrivals\n0,0,0\n");
  AskedRanks no_step;
  no_step.add("run", 0, Sketch().stream(0, 7).slice("gemm", kKernel, 10_us, 20_us).trace());
  EXPECT_EQ(no_step.csv("select step, name, dur, compute, wait from ranks"),
            "step,name,dur,compute,wait\n,whole trace,20000,20000,0\n");
  AskedRanks twice;
  twice.add("run", 3, rank_of_pair(0, 0));
  twice.add("run", 3, rank_of_pair(1, 0));
  EXPECT_EQ(twice.csv("select rank, count(*) as steps, (select count(*) from arrivals) as arrivals "
                      "from ranks group by rank"),
            "rank,steps,arrivals\n3,4,0\n");
}

class RecordedRanks {
 public:
  explicit RecordedRanks(const std::filesystem::path& folder, unsigned threads)
      : run_(readers::read_run(folder, {}, {}).value()),
        engine_(Engine::open(ranks_of(run_), {.threads = threads}).value()) {}
  std::string csv(std::string_view sql) { return csv_of(engine_, sql); }

 private:
  Run run_;
  Engine engine_;
};

TEST(FleetTablesTest, joins_meet_and_threads_change_nothing) {
  STROBE_NEEDS_DUCKDB();
  RecordedRanks one(kSleepingRank, 1);
  RecordedRanks two(kSleepingRank, 2);
  for (const char* table : {"ranks", "collectives", "arrivals"}) {
    const std::string rows = one.csv(fmt::format("from {} order by all", table));
    EXPECT_EQ(two.csv(fmt::format("from {} order by all", table)), rows);
    EXPECT_GE(std::ranges::count(rows, '\n'), 17) << table;
  }
  EXPECT_EQ(two.csv("select count(*) as steps, bool_and(r.start = s.start and r.stop = s.stop and "
                    "r.name = s.name) as same from ranks r join steps s using (run, rank, step)"),
            "steps,same\n128,true\n");
  EXPECT_EQ(two.csv("with counted as (select run, last_rank as rank, job_step, count(*) as last "
                    "from collectives where kind not in ('send', 'receive', 'send_receive') "
                    "group by all) select count(*) as steps, bool_and(r.last = "
                    "coalesce(c.last, 0)) as same from ranks r left join counted c "
                    "using (run, rank, job_step)"),
            "steps,same\n128,true\n");
  EXPECT_EQ(two.csv("select bool_and(a.start = s.start and a.stop = s.stop and "
                    "a.step is not distinct from s.step) as same, count(*) as rows "
                    "from arrivals a join slices s using (run, rank, slice_id)"),
            "same,rows\ntrue,128\n");
}

TEST(FleetTablesTest, the_questions_name_the_rank_that_sleeps) {
  STROBE_NEEDS_DUCKDB();
  RecordedRanks ranks(kSleepingRank, 2);
  const auto question = [&](std::string_view name) {
    return ranks.csv(fmt::format("select * from ({}) limit 1", find_question(name)->sql));
  };
  EXPECT_THAT(question("stragglers"), HasSubstr("\nrun,5,"));
  EXPECT_THAT(ranks.csv(fmt::format("select for_rank, count(*) as n from ({}) group by all "
                                    "order by n desc limit 1",
                                    find_question("who-waits")->sql)),
              HasSubstr("\n5,7\n"));
  EXPECT_THAT(ranks.csv(fmt::format("select last_rank, count(*) >= 15 as most from ({}) group by "
                                    "last_rank order by count(*) desc limit 1",
                                    find_question("slowest-collectives")->sql)),
              HasSubstr("\n5,true\n"));
}

}  // namespace
}  // namespace strobe::query
