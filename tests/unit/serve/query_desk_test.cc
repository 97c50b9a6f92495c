#include "strobe/serve/query_desk.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/json_value.h"
#include "strobe/query/query.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/query/needs_duckdb.h"
#include "tests/unit/serve/running_trace_server.h"

namespace strobe::serve {
namespace {

using std::chrono::milliseconds;
using test::get;
using test::get_text;
using test::HttpAnswer;
using test::HttpClient;
using test::LogFolder;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

// Two kernels, of 5 and 3 us, and the call of one.
constexpr std::string_view kTwoKernels = R"({"traceEvents": [
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 1, "dur": 2, "pid": 1, "tid": 1,
   "args": {"correlation": 1}},
  {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 4, "dur": 5, "pid": 0, "tid": 7,
   "args": {"correlation": 1, "device": 0, "stream": 7}},
  {"ph": "X", "cat": "kernel", "name": "relu", "ts": 10, "dur": 3, "pid": 0, "tid": 7,
   "args": {"correlation": 2, "device": 0, "stream": 7}}]})";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return out;
}

class QueryDeskTest : public ::testing::Test {
 protected:
  QueryDeskTest() {
    logs_.write_old("run/rank0.json", kTwoKernels);
    logs_.write_old("run/rank1.json", kTwoKernels);
    server_.emplace(logs_.path());
    server_->wait_until_loaded();
  }

  std::string target(std::string_view sql, std::string_view more = "&trace=run/rank0.json") const {
    return fmt::format("/api/v1/query?sql={}{}", escaped(sql), more);
  }
  HttpAnswer ask(std::string_view sql, std::string_view more = "&trace=run/rank0.json") const {
    return get(server_->port(), target(sql, more));
  }

  LogFolder logs_;
  std::optional<RunningTraceServer> server_;
};

TEST_F(QueryDeskTest, rows_come_with_types_units_and_traces) {
  STROBE_NEEDS_DUCKDB();
  const HttpAnswer answer = ask(
      "select slice_id, name, dur, dur / 2 as half, dur > 4000 as long, 9007199254740993 as big "
      "from kernels order by dur desc");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body,
              HasSubstr(R"({"traces":[{"trace":"run/rank0.json","run":"run","rank":0}],"columns":[)"
                        R"({"name":"slice_id","type":"whole","unit":null},)"
                        R"({"name":"name","type":"text","unit":null},)"
                        R"({"name":"dur","type":"whole","unit":"ns"},)"
                        R"({"name":"half","type":"real","unit":null},)"
                        R"({"name":"long","type":"bool","unit":null},)"
                        R"({"name":"big","type":"whole","unit":null}],)"
                        R"("rows":[[1,"gemm",5000,2500,true,"9007199254740993"],)"
                        R"([2,"relu",3000,1500,false,"9007199254740993"]],"is_cut":false,)"));
}

TEST_F(QueryDeskTest, several_traces_are_one_question) {
  STROBE_NEEDS_DUCKDB();
  const HttpAnswer answer =
      ask("select run, rank, count(*) as n from kernels group by all order by all",
          "&trace=run/rank0.json&trace=run/rank1.json");
  EXPECT_EQ(answer.status, 200) << answer.body;
  // Two traces of one folder without rank numbers are told apart by their names.
  EXPECT_THAT(answer.body, HasSubstr("run/rank0.json"));
  EXPECT_THAT(answer.body, HasSubstr("run/rank1.json"));
  EXPECT_EQ(ask("select 1", "&trace=run/none.json").status, 404);
  EXPECT_EQ(ask("select 1", "").status, 400);
  EXPECT_EQ(get(server_->port(), "/api/v1/query?trace=run/rank0.json").status, 400);
}

TEST_F(QueryDeskTest, errors_have_their_place) {
  STROBE_NEEDS_DUCKDB();
  const HttpAnswer answer = ask("select name,\n  namee\nfrom kernels");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr(R"("where":"line 2 of the query, column 3")"));
  EXPECT_THAT(ask("from kernel").body, Not(HasSubstr("--")));
}

TEST_F(QueryDeskTest, long_answers_are_cut) {
  STROBE_NEEDS_DUCKDB();
  EXPECT_THAT(ask("from range(100000)").body, HasSubstr(R"("is_cut":true)"));
  EXPECT_THAT(ask("from range(3)", "&trace=run/rank0.json&limit=2").body,
              HasSubstr(R"("rows":[[0],[1]],"is_cut":true)"));
  EXPECT_EQ(ask("from range(3)", "&trace=run/rank0.json&limit=0").status, 400);
  EXPECT_THAT(ask("select repeat('x', 10000000) as x").body.size(), ::testing::Lt(10'000u));
}

TEST_F(QueryDeskTest, the_schema_lists_tables_and_questions_without_a_trace) {
  const HttpAnswer answer = get(server_->port(), "/api/v1/query/schema");
  EXPECT_EQ(answer.status, 200);
  const JsonValue tables = find(answer.body, "tables");
  std::size_t count = 0;
  EXPECT_TRUE(for_each_element(tables.text, [&](const JsonValue& table) {
    ++count;
    EXPECT_TRUE(find(table.text, "columns").present());
  }));
  EXPECT_EQ(count, query::schema().size());
  const bool has_engine = query::engine_facts().has_value();
  EXPECT_EQ(find(answer.body, "engine").type == JsonType::kNull, !has_engine);
  EXPECT_EQ(find(answer.body, "missing").type == JsonType::kNull, has_engine);
}

// Whoever wrote it: it is refused, or ends, and the server goes on.
TEST_F(QueryDeskTest, hostile_queries_are_refused) {
  STROBE_NEEDS_DUCKDB();
  const std::string file = (logs_.path() / "must_not_exist").string();
  for (const std::string& sql :
       std::vector<std::string>{"attach '" + file + "'",
                                "copy kernels to '" + file + "'",
                                "install httpfs",
                                "load '/tmp/x.so'",
                                "set memory_limit = '1TB'",
                                "set enable_external_access = true",
                                "create table t as select 1",
                                "select * from read_text('/etc/passwd')",
                                "select * from '/etc/passwd'",
                                "select * from glob('/**')",
                                "select getenv('HOME')",
                                "export database '" + file + "'",
                                "pragma memory_limit = '1TB'",
                                "select 1; select 2",
                                "",
                                ";",
                                std::string(8'000, '('),
                                std::string(20'000, '('),
                                std::string("select '\0'", 10),
                                "select * from query('copy (select 1) to ''" + file + "''')"}) {
    const HttpAnswer answer = ask(sql);
    EXPECT_THAT(answer.status, AnyOf(400, 414, 422))
        << sql.substr(0, 80) << ": " << answer.status << answer.body.substr(0, 200);
    EXPECT_THAT(answer.body, Not(HasSubstr("root:"))) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THAT(ask("select count(*) as n from kernels").body, HasSubstr("[[2]]"));
}

// The same without HTTP, with tighter bounds.
class BoundedDeskTest : public QueryDeskTest {
 protected:
  Result<QueryDesk::Body> asked(QueryDesk& desk, std::string sql,
                                const std::function<bool()>& is_gone = nullptr) const {
    const Query query({{"sql", std::move(sql)}, {"trace", "rank0.json"}});
    return desk.answer("query", query, RunFolder::open({(logs_.path() / "run").string()})->scan(),
                       lookup(), is_gone);
  }
  TraceLookup lookup() const {
    return [this](std::string_view name) -> Result<std::shared_ptr<const OpenTrace>> {
      STROBE_TRY(readers::LoadedTrace loaded,
                 readers::read_trace(logs_.path() / "run" / std::string(name)));
      return std::make_shared<const OpenTrace>(std::string(name), std::move(loaded));
    };
  }
};

TEST_F(BoundedDeskTest, endless_and_greedy_queries_end) {
  STROBE_NEEDS_DUCKDB();
  QueryDesk desk(4, {.timeout = milliseconds(200), .memory_bytes = std::int64_t{256} << 20});
  for (const char* sql :
       {"with recursive r as (select 1 union all select 1 from r) select count(*) from r",
        "select sum(a.range * b.range) from range(10000000) a, range(10000000) b",
        "select list(range) from range(1000000000)", "select repeat('x', 4000000000)",
        "select sum(length(repeat('x', 1000000000))) from range(100)",
        "select levenshtein(repeat('ab', 500000), repeat('ba', 500000))",
        "select count(*) from range(100000) a join range(100000) b on a.range <> b.range"}) {
    const auto answer = asked(desk, sql);
    ASSERT_FALSE(answer) << sql << **answer;
    EXPECT_TRUE(answer.error().code == ErrorCode::kUnsupported ||
                answer.error().code == ErrorCode::kOutOfMemory)
        << sql << ": " << answer.error().what;
  }
  QueryDesk patient(4);
  EXPECT_TRUE(asked(patient, "select count(*) from kernels"));
}

TEST_F(BoundedDeskTest, too_many_at_once_are_refused) {
  QueryDesk desk(0);
  const auto answer = asked(desk, "select 1");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(answer.error().what, "0 queries are running already");
}

constexpr std::string_view kEndless =
    "with recursive r as (select 1 union all select 1 from r) select count(*) from r";

TEST_F(QueryDeskTest,
       other_requests_are_answered_meanwhile_and_a_client_that_leaves_ends_its_query) {
  STROBE_NEEDS_DUCKDB();
  Clock::time_point left;
  {
    HttpClient client(server_->port());
    ASSERT_TRUE(client.send(get_text(target(kEndless))));
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(get(server_->port(), "/api/v1/summary?trace=run/rank0.json").status, 200);
    EXPECT_EQ(ask("select 1").status, 200);
    left = Clock::now();
  }                 // it leaves
  server_.reset();  // waits for the answers in progress: the query has ended with its client
  EXPECT_LT(Clock::now() - left, std::chrono::seconds(6)) << "a query may take ten";
}

}  // namespace
}  // namespace strobe::serve
