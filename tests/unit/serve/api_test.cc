#include "strobe/serve/api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/serve/bench_shelf.h"
#include "strobe/serve/fleet_shelf.h"
#include "strobe/serve/kernel_shelf.h"
#include "strobe/serve/open_trace.h"
#include "tests/support/needs_shared.h"

namespace strobe::serve {
namespace {

const std::string kFolder = STROBE_SOURCE_DIR "/tests/golden/api/";
const std::string kSharedTraces = STROBE_SOURCE_DIR "/../shared/traces/";

// A name that begins with "shared/" is that of a trace beside the repository.
constexpr std::string_view kShared = "shared/";

std::string path_of(std::string_view trace) {
  const bool is_shared = trace.starts_with(kShared);
  return is_shared ? kSharedTraces + std::string(trace.substr(kShared.size()))
                   : kFolder + std::string(trace);
}

// The folder as a server: each trace is read when first requested.
class Folder {
 public:
  Result<std::shared_ptr<const OpenTrace>> open(std::string_view trace) {
    auto& known = traces_[std::string(trace)];
    if (!known) {
      STROBE_TRY(readers::LoadedTrace loaded, readers::read_trace(path_of(trace)));
      known = std::make_shared<const OpenTrace>(std::string(trace), std::move(loaded));
    }
    return known;
  }
  TraceLookup lookup() {
    return [this](std::string_view trace) { return open(trace); };
  }

 private:
  std::map<std::string, std::shared_ptr<const OpenTrace>> traces_;
};

Result<std::string> kernels_of_folder(Folder& folder, const Query& query) {
  STROBE_TRY(RunFolder files, RunFolder::open({kFolder}));
  ShelfView view;
  for (const FoundTrace& found : files.scan()) view.traces.push_back({.found = found});
  view.kernel_files = files.kernel_files();
  STROBE_TRY(const KernelShelf::Body body, KernelShelf().answer(query, view, folder.lookup()));
  return *body;
}

Result<std::string> benchmarks_of_folder(const std::string& route, const Query& query) {
  STROBE_TRY(RunFolder files, RunFolder::open({kFolder}));
  files.scan();
  ShelfView view;
  view.bench_files = files.bench_files();
  STROBE_TRY(const BenchShelf::Body body, BenchShelf().answer(route, query, view));
  return *body;
}

Result<std::string> job_of_folder(Folder& folder, const std::string& route, const Query& query) {
  STROBE_TRY(RunFolder files, RunFolder::open({kFolder}));
  ShelfView view;
  for (const FoundTrace& found : files.scan()) view.traces.push_back({.found = found});
  STROBE_TRY(const FleetShelf::Body body, FleetShelf().answer(route, query, view, folder.lookup()));
  return *body;
}

Result<std::string> ask(Folder& folder, const std::string& request) {
  const std::size_t mark = request.find('?');
  Query::Parameters parameters;
  std::istringstream pairs(mark == std::string::npos ? "" : request.substr(mark + 1));
  for (std::string pair; std::getline(pairs, pair, '&');) {
    const std::size_t equals = pair.find('=');
    parameters.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  const Query query(std::move(parameters));
  const std::string route = request.substr(0, mark);
  if (route == "kernels") return kernels_of_folder(folder, query);
  if (route.starts_with("fleet")) return job_of_folder(folder, route, query);
  if (route.starts_with("bench")) return benchmarks_of_folder(route, query);
  return api_answer(route, query, folder.lookup());
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// One value per line, so that a difference is a line.
std::string pretty(std::string_view json_text) {
  std::string out;
  JsonWriter json(out, JsonLayout::kPretty);
  copy_json(parse_value(json_text), json);
  return out + "\n";
}

struct GoldenRequest {
  std::string file;
  std::string request;
};

std::vector<GoldenRequest> golden_requests() {
  std::vector<GoldenRequest> requests;
  std::ifstream list(kFolder + "requests.txt");
  for (std::string line; std::getline(list, line);) {
    GoldenRequest golden;
    if (line.starts_with('#')) continue;
    std::istringstream(line) >> golden.file >> golden.request;
    requests.push_back(golden);
  }
  return requests;
}

class ApiGoldenTest : public ::testing::TestWithParam<GoldenRequest> {};
INSTANTIATE_TEST_SUITE_P(Answers, ApiGoldenTest, ::testing::ValuesIn(golden_requests()),
                         [](const auto& answer) {
                           return answer.param.file.substr(0, answer.param.file.find('.'));
                         });

TEST_P(ApiGoldenTest, answers_as_the_contract_says) {
  if (GetParam().request.find(kShared) != std::string::npos) STROBE_NEEDS_SHARED();
  Folder folder;
  const auto answer = ask(folder, GetParam().request);
  ASSERT_TRUE(answer) << answer.error().what;
  const std::string path = kFolder + GetParam().file;
  const std::string actual = pretty(*answer);
  if (std::getenv("STROBE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
  }
  EXPECT_EQ(actual, text_of(path)) << "`ninja update-golden` rewrites it";
}

TEST(ApiTest, unknown_routes_traces_slices_tracks_and_counters_are_not_found) {
  Folder folder;
  for (const char* request :
       {"nothing", "runs", "timeline?trace=absent.json", "slice?trace=train.json&slice=100000",
        "tile?trace=train.json&start_ns=0&end_ns=1&columns=1&tracks=0,99",
        "selection?trace=train.json&start_ns=0&end_ns=1&slices=100000",
        "counter?trace=train.json&counter=99&start_ns=0&end_ns=1&columns=1",
        "diff?base=train.json&other=absent.json"}) {
    const auto answer = ask(folder, request);
    ASSERT_FALSE(answer) << request;
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound) << request;
    EXPECT_FALSE(answer.error().what.empty());
  }
}

TEST(ApiTest, a_recording_tells_how_far_its_loaded_content_reaches) {
  auto loaded = readers::read_trace_bytes(
      R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}])", "a.json");
  ASSERT_TRUE(loaded);
  const auto open = std::make_shared<const OpenTrace>(
      "a.json", std::move(*loaded), TraceEdition{.generation = 9, .is_recording = true});
  const TraceLookup lookup = [&](std::string_view) -> Result<std::shared_ptr<const OpenTrace>> {
    return open;
  };
  const auto answer =
      api_answer("recording", Query(Query::Parameters{{"trace", "a.json"}}), lookup);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, R"({"traces":[{"trace":"a.json","generation":9,"is_recording":true,)"
                     R"("reach_ns":2000}]})");
  EXPECT_FALSE(api_answer("recording", Query(Query::Parameters{}), lookup));
}

TEST(ApiTest, wrong_parameters_are_named) {
  Folder folder;
  const std::map<std::string, std::string> culprits = {
      {"timeline", "trace"},
      {"summary?trace=train.json&steps=x", "steps"},
      {"summary?trace=train.json&steps=9:9", "steps"},
      {"tile?trace=train.json&start_ns=0&end_ns=10", "columns"},
      {"tile?trace=train.json&start_ns=0&end_ns=10&columns=0", "columns"},
      {"tile?trace=train.json&start_ns=0&end_ns=10&columns=8193", "columns"},
      {"tile?trace=train.json&start_ns=10&end_ns=10&columns=5", "end_ns"},
      {"tile?trace=train.json&start_ns=x&end_ns=10&columns=5", "start_ns"},
      {"tile?trace=train.json&start_ns=0&end_ns=99999999999999999&columns=5", "end_ns"},
      {"tile?trace=train.json&start_ns=0&end_ns=10&columns=5&tracks=a", "tracks"},
      {"slice?trace=train.json&slice=-1", "slice"},
      {"search?trace=train.json", "q"},
      {"search?trace=train.json&q=", "q"},
      {"search?trace=train.json&q=(&regex=1", "q"},
      {"search?trace=train.json&q=x&limit=-1", "limit"},
      {"selection?trace=train.json&start_ns=5", "end_ns"},
      {"memory?trace=train.json&columns=no", "columns"},
      {"diff?base=train.json", "other"}};
  for (const auto& [request, culprit] : culprits) {
    const auto answer = ask(folder, request);
    ASSERT_FALSE(answer) << request;
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument) << request;
    EXPECT_EQ(answer.error().where, culprit) << request;
  }
}

TEST(ApiTest, a_snapshot_of_an_allocator_is_summarised_by_itself) {
  Folder folder;
  const auto answer = ask(folder, "summary?trace=train.json&trace=snapshot.pickle");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(answer.error().where, "snapshot.pickle");
  EXPECT_FALSE(answer.error().hint.empty());
}

TEST(ApiTest, the_other_answers_about_a_snapshot_are_those_of_a_trace_without_slices) {
  Folder folder;
  EXPECT_TRUE(ask(folder, "timeline?trace=snapshot.pickle"));
  EXPECT_TRUE(ask(folder, "modules?trace=snapshot.pickle"));
  const auto none = ask(folder, "memory?trace=snapshot.pickle&columns=no");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().where, "columns");
}

TEST(ApiTest, windows_far_beside_the_trace_answer_with_nothing) {
  Folder folder;
  for (const char* window : {"start_ns=-9007199254740992&end_ns=-9007199254740991",
                             "start_ns=9007199254740991&end_ns=9007199254740992"}) {
    const auto tile = ask(folder, std::string("tile?trace=train.json&columns=8192&") + window);
    ASSERT_TRUE(tile);
    EXPECT_TRUE(tile->ends_with("\"names\":[],\"rows\":[]}")) << *tile;
    EXPECT_TRUE(ask(folder, std::string("selection?trace=train.json&") + window));
    EXPECT_TRUE(ask(folder, std::string("counter?counter=1&trace=train.json&columns=9&") + window));
  }
}

TEST(ApiTest, a_trace_without_anything_answers_with_empty_lists) {
  auto loaded = readers::read_trace_bytes(R"({"traceEvents":[]})", "empty.json");
  ASSERT_TRUE(loaded);
  const auto open = std::make_shared<const OpenTrace>("empty.json", std::move(*loaded));
  const TraceLookup lookup = [&](std::string_view) -> Result<std::shared_ptr<const OpenTrace>> {
    return open;
  };
  const Query query({{"trace", "empty.json"},
                     {"base", "e"},
                     {"other", "e"},
                     {"q", "x"},
                     {"start_ns", "0"},
                     {"end_ns", "1"},
                     {"columns", "100"}});
  for (const char* route :
       {"timeline", "tile", "search", "selection", "memory", "modules", "diff"}) {
    EXPECT_TRUE(api_answer(route, query, lookup)) << route;
  }
  const auto summary = api_answer("summary", query, lookup);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, ErrorCode::kTooLittleData);
}

TEST(ApiTest, many_threads_may_ask_one_trace_for_everything_at_once) {
  Folder folder;
  const auto open = folder.open("train.json");
  ASSERT_TRUE(open);
  const TraceLookup lookup = [&](std::string_view) -> Result<std::shared_ptr<const OpenTrace>> {
    return *open;
  };
  const Query query({{"trace", "train.json"},
                     {"base", "b"},
                     {"other", "o"},
                     {"q", "gemm"},
                     {"start_ns", "0"},
                     {"end_ns", "2000000"},
                     {"columns", "100"},
                     {"slice", "3"},
                     {"counter", "0"}});
  const std::vector<std::string> routes = {"slice",     "timeline", "tile",   "search",  "summary",
                                           "selection", "counter",  "memory", "modules", "diff"};
  constexpr std::size_t kThreads = 8;
  std::vector<std::vector<std::string>> answers(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t k = 0; k < routes.size(); ++k) {
        const auto answer = api_answer(routes[(i + k) % routes.size()], query, lookup);
        answers[i].push_back(answer ? *answer : answer.error().what);
      }
      std::rotate(answers[i].begin(),
                  answers[i].end() - static_cast<std::ptrdiff_t>(i % routes.size()),
                  answers[i].end());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 1; i < kThreads; ++i) EXPECT_EQ(answers[i], answers[0]);
}

}  // namespace
}  // namespace strobe::serve
