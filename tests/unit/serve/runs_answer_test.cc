#include "strobe/serve/runs_answer.h"

#include <gtest/gtest.h>

#include "strobe/base/version.h"

namespace strobe::serve {
namespace {

TEST(RunsAnswerTest, traces_are_listed_by_run_with_what_is_known_of_them) {
  ShelvedTrace ready;
  ready.found = {.name = "r/w.pt.trace.json",
                 .path = "/x",
                 .run = "r",
                 .worker = "w",
                 .span = "1",
                 .is_profile = true,
                 .stamp = {.bytes = 123}};
  ready.state = TraceState::kReady;
  ready.progress = 1;
  ready.facts = TraceFacts{
      .dialect = "d", .device = "D", .rank = 3, .slices = 7, .span_ns = 9, .import_warning = ""};
  ShelvedTrace failed;
  failed.found.name = "a.json";
  failed.found.run = "top";
  failed.found.worker = "a";
  failed.found.span = "default";
  failed.state = TraceState::kFailed;
  failed.error = Error{ErrorCode::kMalformed, "broken", "a.json", "fix it"};
  const std::string text =
      runs_answer("logs", {.generation = 5, .is_loading = true, .traces = {failed, ready}});
  EXPECT_EQ(text,
            R"({"strobe":")" + std::string(kVersion) +
                R"(","folder":"logs","generation":5,"loading":true,"runs":[{"name":"r","traces":[)"
                R"({"trace":"r/w.pt.trace.json","worker":"w","span":"1","state":"ready",)"
                R"("progress":1,"error":null,"file_bytes":123,"dialect":"d","device":"D","rank":3,)"
                R"("slices":7,"span_ns":9,"import_warning":null}]},{"name":"top","traces":[)"
                R"({"trace":"a.json","worker":"a","span":"default","state":"failed","progress":0,)"
                R"("error":{"code":"unreadable","what":"broken","where":"a.json","hint":"fix it"},)"
                R"("file_bytes":0,"dialect":null,"device":null,"rank":null,"slices":null,)"
                R"("span_ns":null,"import_warning":null}]}],"kernel_files":[],)"
                R"("bench_files":[]})");
}

TEST(RunsAnswerTest, an_empty_folder_has_no_runs) {
  EXPECT_NE(runs_answer("x", {}).find(R"("loading":false,"runs":[])"), std::string::npos);
}

TEST(RunsAnswerTest, lists_of_kernels_stand_beside_the_runs) {
  ShelfView view;
  view.kernel_files = {{.name = "r/k.csv", .path = "/x", .stamp = {.bytes = 7}}};
  EXPECT_NE(runs_answer("x", view).find(R"("runs":[],"kernel_files":[{"file":"r/k.csv",)"
                                        R"("file_bytes":7}],"bench_files":[]})"),
            std::string::npos);
}

}  // namespace
}  // namespace strobe::serve
