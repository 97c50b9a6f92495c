#include "strobe/serve/fleet_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "strobe/base/json_value.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/run_folder.h"
#include "tests/support/loop_trace.h"
#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

namespace fs = std::filesystem;
using test::LogFolder;
using ::testing::HasSubstr;

const fs::path kRanks = STROBE_SOURCE_DIR "/tests/data/ranks/rank_5_sleeps";

class FleetShelfTest : public ::testing::Test {
 protected:
  // Eight ranks over gloo, of which rank 5 sleeps.
  FleetShelfTest() {
    for (const std::string& name : names()) {
      logs_.write_old("run/" + name, testing::bytes_of(kRanks / name));
    }
  }

  static std::vector<std::string> names(int count = 8) {
    std::vector<std::string> names;
    for (int rank = 0; rank < count; ++rank) {
      names.push_back("rank" + std::to_string(rank) + ".json.gz");
    }
    return names;
  }
  static Query::Parameters all_of(const std::string& folder, int count = 8) {
    Query::Parameters parameters;
    for (const std::string& name : names(count)) parameters.emplace("trace", folder + "/" + name);
    return parameters;
  }
  static Query::Parameters with(Query::Parameters parameters, std::string name, std::string value) {
    parameters.emplace(std::move(name), std::move(value));
    return parameters;
  }

  Result<FleetShelf::Body> ask(const Query::Parameters& parameters,
                               std::string_view route = "fleet") {
    auto folder = RunFolder::open({logs_.path().string()});
    ShelfView view;
    view.recorded = recorded_;
    for (FoundTrace& found : folder->scan()) view.traces.emplace_back().found = std::move(found);
    return shelf_.answer(route, Query(parameters), view,
                         [this](std::string_view name) { return open(name); });
  }

  Result<std::shared_ptr<const OpenTrace>> open(std::string_view name) {
    ++lookups_;
    if (!loading_.empty() && name.ends_with(loading_)) {
      return Error{ErrorCode::kTooLittleData, "it is being loaded", "trace", ""};
    }
    if (!fs::exists(logs_.path() / name)) {
      return Error{ErrorCode::kNotFound, "no trace is called so", "trace", ""};
    }
    STROBE_TRY(readers::LoadedTrace loaded, readers::read_trace(logs_.path() / std::string(name)));
    return std::make_shared<const OpenTrace>(std::string(name), std::move(loaded));
  }

  // What the document says that it is about.
  static std::string run_in(const std::string& answer) {
    const JsonValue facts = find(find(answer, "document").text, "facts");
    return find(facts.text, "run").as_string();
  }

  void expect_error(const Query::Parameters& parameters, ErrorCode code, const std::string& where,
                    const std::string& what) {
    const auto answer = ask(parameters);
    ASSERT_FALSE(answer) << what;
    EXPECT_EQ(answer.error().code, code);
    EXPECT_EQ(answer.error().where, where);
    EXPECT_THAT(answer.error().what, HasSubstr(what));
  }

  LogFolder logs_;
  FleetShelf shelf_;
  std::atomic<int> lookups_ = 0;
  std::string loading_;  // the end of a trace's name
  RunsByName recorded_;
};

TEST_F(FleetShelfTest, the_rank_that_sleeps_is_found) {
  const auto answer = ask(all_of("run"));
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr("Rank 5 holds the others up: 27.2 ms later"));
  EXPECT_EQ(run_in(**answer), "run");
  EXPECT_THAT(**answer, HasSubstr(R"({"rank":3,"trace":"run/rank3.json.gz",)"));
}

// Steps of the timeline, by the clock of the answer, are steps of the job.
TEST_F(FleetShelfTest, a_time_of_a_trace_can_be_placed_in_the_job) {
  const auto answer = ask(all_of("run"));
  ASSERT_TRUE(answer);
  int ranks = 0;
  for_each_element(find(**answer, "ranks").text, [&](const JsonValue& rank) {
    ++ranks;
    const auto open = *this->open(find(rank.text, "trace").as_string());
    const JsonValue clock = find(rank.text, "clock");
    const auto of_clock = [&](const char* key) { return *find(clock.text, key).as_double(); };
    std::vector<double> in_job_ns;
    for_each_element(find(rank.text, "steps").text,
                     [&](const JsonValue& time) { in_job_ns.push_back(*time.as_double()); });
    ASSERT_EQ(in_job_ns.size(), 2 * open->steps().size());
    for (std::size_t i = 0; i < open->steps().size(); ++i) {
      const Interval step = open->steps()[i].interval;
      const auto placed = [&](std::int64_t time_ns) {
        const auto t_ns = static_cast<double>(time_ns - open->timeline().extent().start_ns);
        return of_clock("job_ns") +
               (t_ns - of_clock("trace_ns")) * (1 - of_clock("gains_ppm") / 1e6);
      };
      EXPECT_NEAR(placed(step.start_ns), in_job_ns[2 * i], 2);
      EXPECT_NEAR(placed(step.end_ns), in_job_ns[2 * i + 1], 2);
    }
  });
  EXPECT_EQ(ranks, 8);
}

TEST_F(FleetShelfTest, the_order_of_the_traces_changes_nothing_and_a_run_has_a_name) {
  Query::Parameters backwards;
  for (int rank = 7; rank >= 0; --rank) {
    backwards.emplace("trace", "run/rank" + std::to_string(rank) + ".json.gz");
  }
  const auto answer = ask(all_of("run"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(*ask(backwards), *answer);
  EXPECT_EQ(*ask({{"run", "run"}}), *answer);
  for (const std::string& name : names(2)) {
    logs_.write_old("deep/" + name.substr(0, 5) + "/t.json.gz", testing::bytes_of(kRanks / name));
  }
  const auto below = ask({{"run", "deep"}});
  ASSERT_TRUE(below) << below.error().what;
  EXPECT_EQ(run_in(**below), "deep");
  EXPECT_EQ(*ask({{"trace", "deep/rank0/t.json.gz"}, {"trace", "deep/rank1/t.json.gz"}}), *below);
}

TEST_F(FleetShelfTest, traces_beside_each_other_are_called_as_their_folder) {
  for (const std::string& name : names(2)) {
    logs_.write_old(name, testing::bytes_of(kRanks / name));
  }
  const auto answer = ask({{"trace", "rank0.json.gz"}, {"trace", "rank1.json.gz"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(run_in(**answer), logs_.path().filename().string());
}

TEST_F(FleetShelfTest, traces_are_reduced_once_and_jobs_are_kept) {
  const auto first = ask(all_of("run"));
  ASSERT_TRUE(first);
  EXPECT_EQ(lookups_, 8);
  EXPECT_EQ(*ask(all_of("run")), *first) << "the same body";
  const auto as_recorded = ask(with(all_of("run"), "align", "0"));
  const auto fewer = ask(all_of("run", 4));
  ASSERT_TRUE(as_recorded && fewer);
  EXPECT_EQ(lookups_, 8);
  EXPECT_NE(find(**as_recorded, "generation").text, find(**first, "generation").text);

  logs_.write("run/rank3.json.gz", testing::bytes_of(kRanks / "rank2.json.gz"));
  const auto changed = ask(all_of("run"));
  ASSERT_TRUE(changed);
  EXPECT_EQ(lookups_, 9) << "only the trace that is another one";
  EXPECT_NE(find(**changed, "generation").text, find(**first, "generation").text);
  EXPECT_NE(find(**changed, "ranks").text, find(**first, "ranks").text);
}

TEST_F(FleetShelfTest, what_is_loaded_is_reduced_while_others_load) {
  loading_ = "rank6.json.gz";
  expect_error(all_of("run"), ErrorCode::kTooLittleData, "trace", "it is being loaded");
  EXPECT_EQ(lookups_, 8) << "all are asked for, so that all begin to load";
  loading_.clear();
  EXPECT_TRUE(ask(all_of("run")));
  EXPECT_EQ(lookups_, 9);
}

TEST_F(FleetShelfTest, exchanges_are_those_of_the_same_job) {
  const auto job = ask(all_of("run"));
  const auto exchanges = ask(
      with(with(with(all_of("run"), "start_ns", "0"), "end_ns", "1000000000"), "columns", "1000"),
      "fleet/exchanges");
  ASSERT_TRUE(job && exchanges) << exchanges.error().what;
  EXPECT_EQ(find(**exchanges, "generation").text, find(**job, "generation").text);
  EXPECT_THAT(**exchanges, HasSubstr(R"("kind":"all_reduce")"));
  EXPECT_EQ(ask(all_of("run"), "fleet/exchanges").error().where, "start_ns");
  EXPECT_EQ(ask(all_of("run"), "fleet/other").error().code, ErrorCode::kNotFound);
}

TEST_F(FleetShelfTest, many_who_ask_at_once_get_one_job) {
  std::vector<FleetShelf::Body> bodies(6);
  std::vector<std::thread> threads;
  for (auto& body : bodies) {
    threads.emplace_back([&] {
      if (const auto answer = ask(all_of("run"))) body = *answer;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(bodies[0], nullptr);
  for (const auto& body : bodies) EXPECT_EQ(body, bodies[0]);
}

TEST_F(FleetShelfTest, what_is_no_job_is_told) {
  expect_error({}, ErrorCode::kInvalidArgument, "trace", "'trace' is missing");
  expect_error({{"trace", "run/rank0.json.gz"}, {"trace", "absent"}}, ErrorCode::kNotFound, "trace",
               "no trace is called so");
  expect_error({{"run", "absent"}}, ErrorCode::kNotFound, "run", "no run or trace");
  expect_error(all_of("run", 1), ErrorCode::kTooLittleData, "run/rank0.json.gz",
               "there is one rank");
  expect_error(with(all_of("run"), "align", "2"), ErrorCode::kInvalidArgument, "align", "align");
  logs_.write_old("again/rank5.json.gz", testing::bytes_of(kRanks / "rank5.json.gz"));
  expect_error(with(all_of("run"), "trace", "again/rank5.json.gz"), ErrorCode::kMalformed,
               logs_.path().filename().string(), "two traces are of rank 5");
  expect_error(with(all_of("run", 1), "trace", "run/rank0.json.gz"), ErrorCode::kMalformed, "run",
               "two traces are of rank 0");
}

TEST_F(FleetShelfTest, traces_that_cannot_be_ranks_are_named) {
  logs_.write_old("odd/rank0.json", test::LoopTrace{}.json());
  logs_.write_old("odd/rank1.json", R"({"traceEvents":[]})");
  expect_error({{"run", "odd"}}, ErrorCode::kTooLittleData, "odd/rank1.json", "no events");
  logs_.write_old("nameless/a.json", test::LoopTrace{}.json());
  logs_.write_old("nameless/b.json", test::LoopTrace{}.json());
  expect_error({{"run", "nameless"}}, ErrorCode::kMalformed, "nameless/a.json", "says its rank");
  const fs::path snapshot = STROBE_SOURCE_DIR "/tests/golden/api/snapshot.pickle";
  logs_.write_old("mixed/rank0.json", test::LoopTrace{}.json());
  logs_.write_old("mixed/rank1.pickle", testing::bytes_of(snapshot));
  expect_error({{"trace", "mixed/rank0.json"}, {"trace", "mixed/rank1.pickle"}},
               ErrorCode::kInvalidArgument, "mixed/rank1.pickle", "snapshot");
}

TEST_F(FleetShelfTest, processes_of_a_recorded_run_that_are_no_ranks_come_by_their_start) {
  for (const auto& [id, start_ns] : {std::pair{4, 900u}, std::pair{5, 200u}}) {
    test::RunFileSketch file(logs_.path() / fmt::format("recorded/process-{}.strobe", id));
    file.process(id).work(file.kernel_shape("gemm"), start_ns, 50);
  }
  recorded_["recorded"] = std::make_shared<const RecordedRun>();
  const auto answer = ask({{"run", "recorded"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr(R"({"rank":0,"trace":"recorded/process-5.strobe",)"));
  EXPECT_THAT(**answer, HasSubstr(R"({"rank":1,"trace":"recorded/process-4.strobe",)"));
}

TEST_F(FleetShelfTest, ranks_that_share_no_step_or_exchange_have_an_answer) {
  logs_.write_old("apart/rank0.json", test::LoopTrace{}.json());
  logs_.write_old("apart/rank1.json",
                  std::string(R"({"traceEvents":[{"ph":"X","cat":"user_annotation",)") +
                      R"("name":"ProfilerStep#99","ts":1,"dur":2,"pid":1,"tid":1}]})");
  const auto answer = ask({{"run", "apart"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(find(**answer, "step_names").text, "[]");
  const auto exchanges =
      ask({{"run", "apart"}, {"start_ns", "0"}, {"end_ns", "1000"}, {"columns", "10"}},
          "fleet/exchanges");
  ASSERT_TRUE(exchanges);
  EXPECT_EQ(find(**exchanges, "exchanges").text, "[]");
}

}  // namespace
}  // namespace strobe::serve
