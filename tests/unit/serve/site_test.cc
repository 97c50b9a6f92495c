#include "strobe/serve/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <fmt/format.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/base/hash.h"
#include "strobe/base/version.h"
#include "strobe/report/render/page.h"
#include "strobe/serve/http_server.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::kOneSlice;
using test::LogFolder;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr std::string_view kPage =
    "<html><style>b{}</style><body><script type=\"module\">a()</script><script>c()</script></html>";

HttpRequest with_header(std::string name, std::string value) {
  HttpRequest request;
  request.headers.emplace(std::move(name), std::move(value));
  return request;
}

TEST(PageAnswerTest, the_policy_names_every_script_and_style_and_nothing_else) {
  const std::string policy = content_policy(kPage);
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'sha256-" + sha256_base64("a()") + "' 'sha256-" +
                                sha256_base64("c()") + "'; "));
  EXPECT_THAT(policy, HasSubstr("style-src 'sha256-" + sha256_base64("b{}") + "'; "));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(content_policy("<p>"), HasSubstr("script-src 'none'; style-src 'none'"));
}

// The bundle contains the hashes of its script and style, computed by other code.
TEST(PageAnswerTest, the_policy_of_the_real_page_agrees_with_its_own) {
  const std::string_view page = report::page_html();
  const std::string policy = content_policy(page);
  const std::string_view own =
      page.substr(page.find("Content-Security-Policy"), page.find("<title>"));
  int hashes = 0;
  for (std::size_t at = 0; (at = own.find("'sha256-", at)) != std::string_view::npos; ++at) {
    const std::string hash(own.substr(at, own.find('\'', at + 1) - at + 1));
    EXPECT_THAT(policy, HasSubstr(hash));
    ++hashes;
  }
  EXPECT_GE(hashes, 2);
}

TEST(PageAnswerTest, the_page_is_packed_for_those_who_can_unpack_it) {
  const PageAnswer page(kPage);
  EXPECT_EQ(page.answer({}).text(), kPage);
  const HttpResponse packed = page.answer(with_header("accept-encoding", "br, gzip;q=0.5"));
  EXPECT_THAT(packed.headers, ::testing::Contains(Pair("Content-Encoding", "gzip")));
  EXPECT_EQ(packed.text(), pack_gzip(kPage));
}

TEST(PageAnswerTest, who_has_the_page_already_is_told_so) {
  const PageAnswer page(kPage);
  const HttpResponse first = page.answer({});
  std::string tag;
  for (const auto& [name, value] : first.headers) {
    if (name == "ETag") tag = value;
  }
  EXPECT_EQ(page.answer(with_header("if-none-match", tag)).status, 304);
  EXPECT_EQ(page.answer(with_header("if-none-match", "\"other\"")).status, 200);
}

TEST(PageAnswerTest, gzip_is_used_only_where_it_is_wanted) {
  EXPECT_TRUE(accepts_gzip(with_header("accept-encoding", "gzip, deflate, br")));
  EXPECT_TRUE(accepts_gzip(with_header("accept-encoding", "deflate,gzip")));
  EXPECT_TRUE(accepts_gzip(with_header("accept-encoding", "*")));
  EXPECT_FALSE(accepts_gzip(with_header("accept-encoding", "gzip;q=0")));
  EXPECT_FALSE(accepts_gzip(with_header("accept-encoding", "x-gzip2, br")));
  EXPECT_FALSE(accepts_gzip({}));
}

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
  ready.edition = {.generation = 4, .is_recording = true};
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
  EXPECT_EQ(
      text,
      R"({"strobe":")" + std::string(kVersion) +
          R"(","folder":"logs","generation":5,"loading":true,"runs":[{"name":"r","recorded":null,)"
          R"("traces":[)"
          R"({"trace":"r/w.pt.trace.json","worker":"w","span":"1","state":"ready",)"
          R"("progress":1,"error":null,"file_bytes":123,"dialect":"d","device":"D","rank":3,)"
          R"("slices":7,"span_ns":9,"import_warning":null,"kind":"trace","generation":4,"is_recording":true}]},)"
          R"({"name":"top","recorded":null,"traces":[)"
          R"({"trace":"a.json","worker":"a","span":"default","state":"failed","progress":0,)"
          R"("error":{"code":"unreadable","what":"broken","where":"a.json","hint":"fix it"},)"
          R"("file_bytes":0,"dialect":null,"device":null,"rank":null,"slices":null,)"
          R"("span_ns":null,"import_warning":null,"kind":null,"generation":0,"is_recording":false}]}],)"
          R"("kernel_files":[],)"
          R"("bench_files":[]})");
}

TEST(RunsAnswerTest, a_recorded_run_says_what_was_recorded) {
  ShelfView view;
  view.traces.emplace_back().found.run = "r";
  view.recorded["r"] = std::make_shared<const RecordedRun>(*parse_recorded_run(
      R"({"strobe_run":1,"recordings":[{"state":"finished","command":["true"],"exit_code":0}]})"));
  EXPECT_NE(runs_answer("x", view).find(
                R"({"name":"r","recorded":{"state":"finished","command":"true","exit_code":0,)"),
            std::string::npos);
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

Result<std::string> fake_api(std::string_view route, const Query& query,
                             const TraceLookup& traces) {
  if (route == "big") return std::string(5000, 'x');
  if (route != "name") return Error{ErrorCode::kNotFound, "no such route", "", ""};
  STROBE_TRY(const std::string name, query.text("trace"));
  STROBE_TRY(const auto trace, traces(name));
  return "\"" + trace->name() + "\"";
}

tensorboard::Answer fake_plugin(std::string_view route, const tensorboard::Parameters& parameters,
                                const tensorboard::RunLookup& runs) {
  const auto run = parameters.find("run");
  if (run == parameters.end()) return {400, "text/html", false, "<p>no run"};
  if (runs(run->second) == nullptr) return {404, "text/html", false, "<p>what run?"};
  return {200, "application/json", route == "trace", std::string(route)};
}

Result<std::shared_ptr<const std::string>> fake_compare(const Query& query,
                                                        const std::vector<FoundTrace>& files,
                                                        const TraceLookup& traces) {
  STROBE_TRY(const std::string normal, query.text("normal"));
  STROBE_TRY(const auto trace, traces(normal));
  return std::make_shared<const std::string>(fmt::format("{} of {}", trace->name(), files.size()));
}

Result<std::shared_ptr<const std::string>> fake_kernels(const Query& query, const ShelfView& view,
                                                        const TraceLookup& traces) {
  if (const auto trace = query.optional_text("trace")) STROBE_TRY_VOID(traces(*trace));
  return std::make_shared<const std::string>(
      fmt::format("{} of {}", view.kernel_files.at(0).name, view.traces.size()));
}

Result<std::shared_ptr<const std::string>> fake_bench(std::string_view route, const Query& query,
                                                      const ShelfView& view) {
  if (route == "bench/odd") return Error{ErrorCode::kNotFound, "no such route", "", ""};
  return std::make_shared<const std::string>(fmt::format(
      "{} {} of {}", route, query.optional_text("file").value_or("-"), view.bench_files.size()));
}

Result<std::shared_ptr<const std::string>> fake_fleet(std::string_view route, const Query& query,
                                                      const ShelfView& view,
                                                      const TraceLookup& traces) {
  if (const auto trace = query.optional_text("trace")) STROBE_TRY_VOID(traces(*trace));
  return std::make_shared<const std::string>(fmt::format("{} of {}", route, view.traces.size()));
}

// "limit" and "lacks" are the errors of a desk.
Result<std::shared_ptr<const std::string>> fake_query(std::string_view route, const Query& query,
                                                      const std::vector<FoundTrace>& files,
                                                      const TraceLookup& traces,
                                                      const std::function<bool()>&) {
  const std::string sql = query.optional_text("sql").value_or("-");
  if (sql == "limit") return Error{ErrorCode::kUnsupported, "it takes too long", "", ""};
  if (sql == "lacks") return Error{ErrorCode::kMachineLacks, "there is no engine", "", "get it"};
  if (const auto trace = query.optional_text("trace")) STROBE_TRY_VOID(traces(*trace));
  return std::make_shared<const std::string>(fmt::format("{} {} of {}", route, sql, files.size()));
}

class SiteTest : public ::testing::Test {
 protected:
  SiteTest() {
    logs_.write_old("run/w.1.pt.trace.json", kOneSlice);
    logs_.write_old("run/bad.pt.trace.json", "broken");
    logs_.write_old("other/a.json", kOneSlice);
    logs_.write_old("other/b.json", R"({"schema":"strobe.bench/1","cells":[]})");
    logs_.write_old("other/k.txt", "Kernel Latency Tensor DRAM\n");
    make("");
  }

  void make(const std::string& prefix, bool is_loopback = true) {
    site_.reset();
    traces_.reset();
    traces_.emplace(std::move(*RunFolder::open({logs_.path().string()})),
                    ShelfOptions{.load = [this](auto& found, auto& options) {
                      while (is_held_ && !*options.cancelled) std::this_thread::yield();
                      return readers::read_trace(found.path, options);
                    }});
    site_.emplace(SiteSources{fake_api, fake_plugin, fake_compare, fake_kernels, fake_bench,
                              fake_fleet, fake_query, "<html></html>"},
                  HostGuard("127.0.0.1", is_loopback, {}), prefix, *traces_, profiles_);
  }

  void wait_for_traces() const {
    while (traces_->view().is_loading) std::this_thread::yield();
  }

  HttpResponse ask(std::string_view target, std::string_view method = "GET",
                   std::string_view headers = "") const {
    const auto parsed =
        parse_request(std::string(method) + " " + std::string(target) +
                      " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n");
    return site_->answer(std::get<HttpRequest>(parsed));
  }

  static std::string header(const HttpResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }

  LogFolder logs_;
  std::atomic<bool> is_held_ = false;
  ProfileShelf profiles_{1 << 20, [](std::string_view) {
                           return Result<std::shared_ptr<const tensorboard::Profile>>(nullptr);
                         }};
  std::optional<TraceShelf> traces_;
  std::optional<Site> site_;
};

TEST_F(SiteTest, the_page_is_at_the_root) {
  for (const char* target : {"/", "/index.html", "/?anything=1"}) {
    const HttpResponse response = ask(target);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.text(), "<html></html>");
    EXPECT_THAT(response.content_type, StartsWith("text/html"));
    EXPECT_THAT(header(response, "Content-Security-Policy"), StartsWith("default-src 'none'"));
  }
}

TEST_F(SiteTest, queries_have_their_own_errors) {
  wait_for_traces();
  EXPECT_EQ(ask("/api/v1/query?sql=select+1").text(), "query select 1 of 3");
  EXPECT_EQ(ask("/api/v1/query/schema").text(), "query/schema - of 3");
  EXPECT_EQ(ask("/api/v1/query?sql=limit").status, 422);
  EXPECT_THAT(ask("/api/v1/query?sql=limit").text(), HasSubstr(R"("code":"limit")"));
  EXPECT_EQ(ask("/api/v1/query?sql=lacks").status, 503);
  EXPECT_THAT(ask("/api/v1/query?sql=lacks").text(), HasSubstr(R"("code":"unavailable")"));
  EXPECT_EQ(ask("/api/v1/query?trace=none&sql=x").status, 404);
  EXPECT_EQ(ask("/api/v1/queryx").status, 404);
  make("", false);
  EXPECT_EQ(ask("/api/v1/query?sql=select+1").status, 403);
}

TEST_F(SiteTest, every_answer_forbids_guessing_its_type) {
  for (const char* target :
       {"/", "/api/v1/runs", "/nothing", "/data/plugin/pytorch_profiler/runs"}) {
    EXPECT_EQ(header(ask(target), "X-Content-Type-Options"), "nosniff") << target;
  }
}

TEST_F(SiteTest, the_api_answers_and_its_errors_have_a_type) {
  wait_for_traces();
  EXPECT_EQ(ask("/api/v1/name?trace=other/a.json&unknown=1").text(), "\"other/a.json\"");
  EXPECT_EQ(ask("/api/v1/name?trace=other%2Fa.json").text(), "\"other/a.json\"");
  const HttpResponse missing = ask("/api/v1/name");
  EXPECT_EQ(missing.status, 400);
  EXPECT_THAT(missing.text(), StartsWith(R"({"error":{"code":"bad_request")"));
  const HttpResponse unknown = ask("/api/v1/name?trace=b.json");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.text(),
              HasSubstr(R"("code":"not_found","what":"no trace is called 'b.json')"));
  const HttpResponse bad = ask("/api/v1/name?trace=run/bad.pt.trace.json");
  EXPECT_EQ(bad.status, 422);
  EXPECT_THAT(bad.text(), HasSubstr(R"("code":"unreadable")"));
  EXPECT_EQ(ask("/api/v1/nothing").status, 404);
  EXPECT_EQ(ask("/api/v1/").status, 404);
  EXPECT_EQ(header(ask("/api/v1/runs"), "Cache-Control"), "no-store");
}

TEST_F(SiteTest, a_trace_on_its_way_is_409_with_a_time_to_ask_again) {
  is_held_ = true;
  make("");
  const HttpResponse response = ask("/api/v1/name?trace=other/a.json");
  EXPECT_EQ(response.status, 409);
  EXPECT_THAT(response.text(), HasSubstr(R"("code":"loading")"));
  EXPECT_THAT(response.text(), HasSubstr(R"("retry_ms":)"));
  EXPECT_THAT(std::string(ask("/api/v1/runs").text()), HasSubstr(R"("loading":true)"));
  is_held_ = false;
}

TEST_F(SiteTest, a_comparison_is_asked_of_all_files_and_of_loaded_traces) {
  wait_for_traces();
  EXPECT_EQ(ask("/api/v1/compare?normal=other/a.json").text(), "other/a.json of 3");
  EXPECT_EQ(ask("/api/v1/compare").status, 400);
  is_held_ = true;
  make("");
  EXPECT_EQ(ask("/api/v1/compare?normal=other/a.json").status, 409);
  is_held_ = false;
}

TEST_F(SiteTest, everything_below_bench_is_asked_of_the_benchmarks) {
  EXPECT_EQ(ask("/api/v1/bench").text(), "bench - of 1");
  EXPECT_EQ(ask("/api/v1/bench/table?file=other/b.json").text(), "bench/table other/b.json of 1");
  EXPECT_EQ(ask("/api/v1/bench/odd").status, 404);
  EXPECT_EQ(ask("/api/v1/benches").status, 404);
}

TEST_F(SiteTest, kernels_are_asked_of_all_files_and_of_loaded_traces) {
  wait_for_traces();
  EXPECT_EQ(ask("/api/v1/kernels?file=other/k.txt").text(), "other/k.txt of 3");
  EXPECT_THAT(std::string(ask("/api/v1/runs").text()), HasSubstr(R"({"file":"other/k.txt",)"));
  is_held_ = true;
  make("");
  EXPECT_EQ(ask("/api/v1/kernels?trace=other/a.json").status, 409);
  is_held_ = false;
}

TEST_F(SiteTest, everything_below_fleet_is_asked_of_the_jobs) {
  wait_for_traces();
  EXPECT_EQ(ask("/api/v1/fleet?trace=other/a.json").text(), "fleet of 3");
  EXPECT_EQ(ask("/api/v1/fleet/exchanges").text(), "fleet/exchanges of 3");
  EXPECT_EQ(ask("/api/v1/fleets").status, 404);
  is_held_ = true;
  make("");
  EXPECT_EQ(ask("/api/v1/fleet?trace=other/a.json").status, 409);
  is_held_ = false;
}

TEST_F(SiteTest, the_plugins_client_sees_profiles_only) {
  EXPECT_EQ(ask("/data/plugin/pytorch_profiler/runs").text(),
            R"({"runs":["run"],"loading":false})");
  EXPECT_EQ(ask("/data/plugin/pytorch_profiler/kernel/table?run=run").text(), "kernel/table");
  const HttpResponse unknown = ask("/data/plugin/pytorch_profiler/overview?run=other");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.content_type, "text/html");
  EXPECT_EQ(ask("/data/plugin/pytorch_profiler/overview").status, 400);
}

TEST_F(SiteTest, some_answers_of_the_plugin_are_packed_whether_asked_for_or_not) {
  const HttpResponse packed = ask("/data/plugin/pytorch_profiler/trace?run=run");
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(packed.text(), pack_gzip("trace"));
}

TEST_F(SiteTest, long_answers_are_packed_for_those_who_accept_it) {
  EXPECT_EQ(ask("/api/v1/big").text().size(), 5000u);
  const HttpResponse packed = ask("/api/v1/big", "GET", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(packed.text(), pack_gzip(std::string(5000, 'x')));
  EXPECT_EQ(header(ask("/api/v1/runs?", "GET"), "Content-Encoding"), "");
}

TEST_F(SiteTest, only_questions_are_answered) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"}) {
    const HttpResponse response = ask("/api/v1/runs", method);
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_EQ(header(response, "Allow"), "GET, HEAD");
  }
  EXPECT_EQ(ask("/api/v1/runs", "HEAD").status, 200);
  EXPECT_EQ(ask("/api/v1/runs", "GET", "Content-Length: 3\r\n").status, 413);
}

TEST_F(SiteTest, strangers_are_refused_before_anything_else) {
  const auto parsed = parse_request("GET /api/v1/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(site_->answer(std::get<HttpRequest>(parsed)).status, 403);
  const HttpResponse foreign = ask("/api/v1/runs", "GET", "Origin: https://evil.example\r\n");
  EXPECT_EQ(foreign.status, 403);
  EXPECT_EQ(header(foreign, "Access-Control-Allow-Origin"), "");
}

TEST_F(SiteTest, no_path_leads_to_the_disk) {
  wait_for_traces();
  const std::string absolute = (logs_.path() / "other/a.json").string();
  for (const std::string& target :
       {std::string("/../../etc/passwd"), std::string("/%2e%2e/%2e%2e/etc/passwd"),
        std::string("/%252e%252e%252fetc/passwd"), std::string("/api/v1/../../etc/passwd"),
        std::string("/other/a.json"), absolute, std::string("/data/plugin/pytorch_profiler"),
        std::string("/.."), std::string("//etc/passwd"), std::string("/..%5c..%5cetc")}) {
    EXPECT_EQ(ask(target).status, 404) << target;
  }
  for (const std::string& trace :
       {std::string("../../etc/passwd"), std::string("%2e%2e%2fetc/passwd"), absolute,
        std::string("other/../other/a.json"), std::string("other%252fa.json"),
        std::string("other/a.json%00"), std::string("./other/a.json"),
        std::string("/other/a.json")}) {
    EXPECT_EQ(ask("/api/v1/name?trace=" + trace).status, 404) << trace;
  }
  for (const char* run : {"..", "../", "/", "%2e%2e", "run/", "./run", "run%00"}) {
    EXPECT_EQ(ask(std::string("/data/plugin/pytorch_profiler/overview?run=") + run).status, 404)
        << run;
  }
}

TEST_F(SiteTest, a_prefix_moves_everything_below_it) {
  make("/tools/strobe");
  EXPECT_EQ(ask("/tools/strobe/").status, 200);
  EXPECT_EQ(ask("/tools/strobe/api/v1/runs").status, 200);
  EXPECT_EQ(ask("/tools/strobe/data/plugin/pytorch_profiler/runs").status, 200);
  const HttpResponse bare = ask("/tools/strobe");
  EXPECT_EQ(bare.status, 308);
  EXPECT_EQ(header(bare, "Location"), "/tools/strobe/");
  for (const char* target : {"/", "/api/v1/runs", "/tools/strobers/", "/tools/"}) {
    EXPECT_EQ(ask(target).status, 404) << target;
  }
  EXPECT_THAT(std::string(ask("/").text()), HasSubstr("the page is at /tools/strobe/"));
}

}  // namespace
}  // namespace strobe::serve
