#include "strobe/serve/bench_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "strobe/base/gzip_pack.h"
#include "strobe/bench/results/run_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/serve/bench_runs.h"

namespace strobe::serve {
namespace {

using bench::Shape;
using ::testing::HasSubstr;

std::string run_text(double fused_us) {
  bench::BenchRun run;
  run.header.device = "Test GPU";
  run.cells = {test::bench_cell("eager", {{128, 128}}, 30),
               test::bench_cell("fused", {{128, 128}}, fused_us)};
  return bench::to_json(run);
}

constexpr std::string_view kGrids =
    "version,device,case,baseline,contender,metric,dim0,dim1,value,status\n"
    "v3,A,softmax,eager,inductor,relative_performance_pct,128,128,150,ok\n"
    "v3,B,softmax,eager,inductor,relative_performance_pct,128,128,90,ok\n";

class BenchShelfTest : public ::testing::Test {
 protected:
  BenchShelfTest() {
    logs_.write_old("run/a.json", run_text(10));
    logs_.write_old("run/packed.json.gz", pack_gzip(run_text(10)));
    logs_.write_old("grids.csv", kGrids);
    logs_.write_old("torn.json", R"({"schema":"strobe.bench/1","header":{},"cells":[{"case":1}]})");
    logs_.write("secret.log", run_text(1));
  }

  Result<BenchShelf::Body> ask(std::string_view route, const Query::Parameters& parameters) {
    auto folder = RunFolder::open({logs_.path().string()});
    folder->scan();
    ShelfView view;
    view.bench_files = folder->bench_files();
    return shelf_.answer(route, Query(parameters), view);
  }

  Query::Parameters pair(const std::string& file) const {
    return {
        {"file", file}, {"case", "pointwise_chain"}, {"baseline", "eager"}, {"contender", "fused"}};
  }

  test::LogFolder logs_;
  BenchShelf shelf_;
};

TEST_F(BenchShelfTest, the_list_has_all_benchmarks_of_the_folder) {
  const auto list = ask("bench", {});
  ASSERT_TRUE(list);
  EXPECT_THAT(**list, HasSubstr(R"("file":"grids.csv")"));
  EXPECT_THAT(**list, HasSubstr(R"("file":"run/a.json")"));
  EXPECT_THAT(**list, HasSubstr(R"("file":"run/packed.json.gz")"));
  EXPECT_THAT(**list, ::testing::Not(HasSubstr("secret")));
}

TEST_F(BenchShelfTest, runs_are_answered_plain_and_packed) {
  for (const std::string file : {"run/a.json", "run/packed.json.gz"}) {
    const auto run = ask("bench", {{"file", file}});
    ASSERT_TRUE(run) << run.error().what;
    EXPECT_THAT(**run, HasSubstr(R"("device":"Test GPU")"));
    const auto table = ask("bench/table", pair(file));
    ASSERT_TRUE(table) << table.error().what;
    EXPECT_THAT(**table, HasSubstr(R"("value":300,)"));
    Query::Parameters cell = pair(file);
    cell.emplace("shape", "128x128");
    ASSERT_TRUE(ask("bench/cell", cell));
    ASSERT_TRUE(ask("bench/points", {{"file", file}, {"case", "pointwise_chain"}}));
  }
}

TEST_F(BenchShelfTest, tables_of_ratios_are_found_by_their_words) {
  EXPECT_THAT(**ask("bench", {{"file", "grids.csv"}}), HasSubstr(R"("kind":"grids","rows":2)"));
  const auto table =
      ask("bench/table", {{"file", "grids.csv"}, {"case", "softmax"}, {"device", "B"}});
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_THAT(**table, HasSubstr(R"("value":90,"gain":0.9,)"));
  EXPECT_EQ(ask("bench/table", {{"file", "grids.csv"}, {"case", "softmax"}, {"device", "C"}})
                .error()
                .code,
            ErrorCode::kNotFound);
  EXPECT_EQ(ask("bench/cell", {{"file", "grids.csv"}, {"case", "softmax"}}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(BenchShelfTest, a_file_that_changed_is_read_again) {
  EXPECT_THAT(**ask("bench/table", pair("run/a.json")), HasSubstr(R"("value":300,)"));
  logs_.write("run/a.json", run_text(15));
  EXPECT_THAT(**ask("bench/table", pair("run/a.json")), HasSubstr(R"("value":200,)"));
}

TEST_F(BenchShelfTest, samples_beside_a_run_are_shown) {
  bench::BenchRun run;
  run.cells = {test::bench_cell("eager", {{128, 128}}, 30),
               test::bench_cell("fused", {{128, 128}}, 10)};
  run.cells[1].times[bench::TimeMode::kDevice].samples_us = {9.5f, 10.5f};
  const auto path = logs_.write("run/s.json", bench::to_json(run));
  ASSERT_TRUE(bench::write_samples(run, bench::samples_path(path)));
  Query::Parameters cell = pair("run/s.json");
  cell.emplace("shape", "128x128");
  const auto answer = ask("bench/cell", cell);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr(R"("samples_us":[9.5,10.5])"));
}

TEST_F(BenchShelfTest, only_names_that_a_scan_found_lead_to_a_file) {
  const std::string absolute = (logs_.path() / "run/a.json").string();
  for (const std::string& name :
       {std::string("secret.log"), std::string("../run/a.json"), std::string("run/../run/a.json"),
        absolute, std::string(""), std::string("run"), std::string("run/a.json\0", 11)}) {
    const auto answer = ask("bench", {{"file", name}});
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound) << name;
  }
}

TEST_F(BenchShelfTest, a_file_that_cannot_be_used_is_named_and_its_path_is_not) {
  const auto answer = ask("bench", {{"file", "torn.json"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().where, "torn.json");
}

TEST_F(BenchShelfTest, wrong_parameters_are_named) {
  const auto with = [&](const std::string& key, const std::string& value) {
    Query::Parameters parameters = pair("run/a.json");
    parameters.erase(key);
    if (!value.empty()) parameters.emplace(key, value);
    return parameters;
  };
  const std::vector<std::tuple<std::string, std::string, std::string, ErrorCode>> wrong = {
      {"bench/table", "case", "", ErrorCode::kInvalidArgument},
      {"bench/table", "case", "unheard_of", ErrorCode::kNotFound},
      {"bench/table", "baseline", "nobody", ErrorCode::kNotFound},
      {"bench/table", "contender", "", ErrorCode::kInvalidArgument},
      {"bench/table", "dtype", "f8", ErrorCode::kInvalidArgument},
      {"bench/table", "time", "sundial", ErrorCode::kInvalidArgument},
      {"bench/cell", "shape", "wide", ErrorCode::kInvalidArgument},
      {"bench/cell", "shape", "7x7", ErrorCode::kNotFound},
      {"bench/points", "file", "", ErrorCode::kInvalidArgument}};
  for (const auto& [route, key, value, code] : wrong) {
    const auto answer = ask(route, with(key, value));
    ASSERT_FALSE(answer) << route << ' ' << key;
    EXPECT_EQ(answer.error().code, code) << route << ' ' << key << ' ' << answer.error().what;
    EXPECT_EQ(answer.error().where, key);
  }
  EXPECT_EQ(ask("bench/heat", {}).error().code, ErrorCode::kNotFound);
}

TEST_F(BenchShelfTest, the_example_is_read_to_its_last_cell) {
  auto folder = RunFolder::open({STROBE_SOURCE_DIR "/examples/bench_h200_quick.json"});
  ASSERT_TRUE(folder);
  folder->scan();
  ShelfView view;
  view.bench_files = folder->bench_files();
  const auto run =
      shelf_.answer("bench", Query(Query::Parameters{{"file", "bench_h200_quick.json"}}), view);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_THAT(**run, HasSubstr(R"("remarks":[])"));
  const Query::Parameters sides = {{"file", "bench_h200_quick.json"},
                                   {"case", "pointwise_chain"},
                                   {"baseline", "torch-inductor"},
                                   {"contender", "cuda-fused"}};
  const auto table = shelf_.answer("bench/table", Query(sides), view);
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_THAT(**table, HasSubstr(R"("cells":19},"alerts":[])"));
}

TEST_F(BenchShelfTest, many_who_ask_at_once_get_the_same) {
  std::vector<std::string> bodies(6);
  std::vector<std::thread> threads;
  for (auto& body : bodies) {
    threads.emplace_back([&] {
      if (const auto answer = ask("bench/table", pair("run/a.json"))) body = **answer;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& body : bodies) EXPECT_EQ(body, bodies[0]);
  EXPECT_THAT(bodies[0], HasSubstr(R"("value":300,)"));
}

}  // namespace
}  // namespace strobe::serve
