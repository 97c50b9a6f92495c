#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/query/query.h"
#include "tests/support/sketch.h"
#include "tests/unit/query/asked.h"
#include "tests/unit/query/needs_duckdb.h"

namespace strobe::query {
namespace {

using namespace literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two kernels below two operators:
//
//     thread   |----- linear -----|
//                |-- addmm --|
//                 launch
//     stream                 | gemm |  | relu |
Trace two_kernels() {
  return Sketch()
      .thread(1)
      .slice("linear", kOp, 0_us, 20_us)
      .slice("addmm", kOp, 2_us, 12_us)
      .slice("cudaLaunchKernel", kCall, 3_us, 2_us)
      .correlation(1)
      .slice("cudaLaunchKernel", kCall, 16_us, 2_us)
      .correlation(2)
      .stream(0, 7)
      .slice("gemm", kKernel, 15_us, 5_us)
      .correlation(1)
      .slice("relu", kKernel, 22_us, 3_us)
      .correlation(2)
      .trace();
}

std::vector<Trace> one(Trace trace) {
  std::vector<Trace> traces;
  traces.push_back(std::move(trace));
  return traces;
}

TEST(QueryEngineTest, kernels_are_a_table) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(
      asked.csv("select run, rank, slice_id, name, start, dur, stop, device, stream, operator "
                "from kernels order by start"),
      "run,rank,slice_id,name,start,dur,stop,device,stream,operator\n"
      "first,0,4,gemm,15000,5000,20000,0,7,addmm\n"
      "first,0,5,relu,22000,3000,25000,0,7,linear\n");
}

TEST(QueryEngineTest, operators_have_depth_self_time_and_device_time) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  // linear: 20 us, without addmm (12 us) and its second call (2 us).
  EXPECT_EQ(asked.csv("select name, depth, parent_id, self, device_time, self_device_time "
                      "from operators order by start"),
            "name,depth,parent_id,self,device_time,self_device_time\n"
            "linear,0,,6000,8000,3000\n"
            "addmm,1,0,10000,5000,5000\n");
}

TEST(QueryEngineTest, launches_join_calls_and_work) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select work, call, call_start, delay, operator, outer_operator, evidence "
                      "from launches order by work_start"),
            "work,call,call_start,delay,operator,outer_operator,evidence\n"
            "gemm,cudaLaunchKernel,3000,10000,addmm,linear,correlation\n"
            "relu,cudaLaunchKernel,16000,4000,linear,linear,correlation\n");
}

TEST(QueryEngineTest, names_behave_like_texts) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select name from slices where kind = 'kernel' and name <> 'nothing' "
                      "order by name desc"),
            "name\nrelu\ngemm\n");
  EXPECT_EQ(asked.csv("select count(*) as n from slices where name in ('absent', 'gemm')"),
            "n\n1\n");
  EXPECT_EQ(asked.csv("select upper(name) || '!' as n from kernels where name like 'g%'"),
            "n\nGEMM!\n");
  EXPECT_EQ(asked.csv("select name from kernels union all select 'x' order by all"),
            "name\ngemm\nrelu\nx\n");
}

TEST(QueryEngineTest, the_type_of_names_never_lists_them_all) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select column_type from (describe kernels) where column_name = 'name'"),
            "column_type\nNAME\n");
  EXPECT_THAT(asked.csv("select name + 1 from kernels"), HasSubstr("+(NAME, INTEGER_LITERAL)"));
}

TEST(QueryEngineTest, runs_share_their_names) {
  STROBE_NEEDS_DUCKDB();
  std::vector<Trace> traces;
  traces.push_back(two_kernels());
  traces.push_back(Sketch().stream(0, 7).slice("relu", kKernel, 1_us, 2_us).trace());
  Asked asked(std::move(traces));
  EXPECT_EQ(asked.csv("select name, count(*) as n, count(distinct run) as runs from kernels "
                      "group by name order by name"),
            "name,n,runs\ngemm,1,1\nrelu,2,2\n");
}

TEST(QueryEngineTest, slices_can_be_chosen_by_time_and_by_name) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select name from slices_between(21000, 23000)"), "name\nrelu\n");
  EXPECT_EQ(asked.csv("select start, name from slices_of('cudaLaunchKernel') order by start"),
            "start,name\n3000,cudaLaunchKernel\n16000,cudaLaunchKernel\n");
  EXPECT_EQ(asked.csv("select count(*) as n from slices_of('nothing')"), "n\n0\n");
}

TEST(QueryEngineTest, functions_that_sql_lacks) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select overlap(0, 10, 5, 20) as a, overlap(0, 1, 2, 3) as b, "
                      "overlap(null, 1, 2, 3) as c"),
            "a,b,c\n5,0,\n");
  // linear and addmm overlap; together they are open for 20 us.
  EXPECT_EQ(asked.csv("select busy(start, stop) as b, sum(dur) as s from operators"),
            "b,s\n20000,32000\n");
  EXPECT_EQ(asked.csv("select short_name('void at::native::softmax_kernel<float>(float*)') as s, "
                      "family('softmax_kernel') as f, family(null) as n"),
            "s,f,n\nsoftmax_kernel,softmax,\n");
}

TEST(QueryEngineTest, busy_counts_overlapping_intervals_once) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  // 100,000 intervals of 15 ns that begin every 10 ns, in random order.
  EXPECT_EQ(asked.csv("select busy(i * 10, i * 10 + 15) as b from "
                      "(select range as i from range(100000) order by hash(range))"),
            "b\n1000005\n");
  EXPECT_EQ(asked.csv("select g, busy(i * 10, i * 10 + 5) as b from "
                      "(select range as i, range % 3 as g from range(9)) group by g order by g"),
            "g,b\n0,15\n1,15\n2,15\n");
}

TEST(QueryEngineTest, wide_and_nested_values_are_shown) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select sum(9223372036854775807) as s, 1.50::decimal(9,2) as d, [1, 2] as l "
                      "from range(3)"),
            "s,d,l\n27670116110564327421,1.50,\"[1, 2]\"\n");
  EXPECT_EQ(asked.csv("select -0.05::decimal(4,2) as d"), "d\n-0.05\n");
}

TEST(QueryEngineTest, columns_of_one_name_are_told_apart) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select a.dur, b.dur, 1 as dur_1, 2 as Dur, [3] as dur from kernels a "
                      "join kernels b using (slice_id) order by all limit 1"),
            "dur,dur_1,dur_1_1,Dur_2,dur_3\n3000,3000,1,2,[3]\n");
}

TEST(QueryEngineTest, errors_say_what_and_where) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("selct 1"), "error: syntax error at or near \"selct\"");
  EXPECT_EQ(asked.error().where, "line 1 of the query, column 1");
  EXPECT_EQ(asked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(asked.csv("select\n  namee from kernels"),
            "error: referenced column \"namee\" not found in FROM clause");
  EXPECT_EQ(asked.error().where, "line 2 of the query, column 3");
  EXPECT_THAT(asked.error().hint, HasSubstr("name"));
  EXPECT_EQ(asked.csv("from kernel"), "error: table with name kernel does not exist");
  EXPECT_EQ(asked.csv(" ; "), "error: there is no query");
  EXPECT_THAT(asked.csv("select 1; select 2"), StartsWith("error: there are 2 statements"));
}

TEST(QueryEngineTest, errors_in_long_lines_have_their_place_too) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  std::string names;
  for (int i = 0; i < 40; ++i) names += "name, ";
  EXPECT_THAT(asked.csv("select 1,\n  " + names + "namee from kernels"), StartsWith("error: "));
  EXPECT_EQ(asked.error().where, "line 2 of the query, column 243");
  EXPECT_THAT(asked.csv("select " + names + "namee, " + names + "name from kernels"),
              StartsWith("error: "));
  EXPECT_EQ(asked.error().where, "line 1 of the query, column 248");
}

TEST(QueryEngineTest, an_engine_survives_an_error) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_THAT(asked.csv("select 'x'::int from kernels"), StartsWith("error: could not convert"));
  EXPECT_EQ(asked.csv("select count(*) as n from kernels"), "n\n2\n");
}

TEST(QueryEngineTest, a_limit_cuts_the_answer) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  EXPECT_EQ(asked.csv("select range as i from range(1000000000000)", {.most_rows = 3}),
            "i\n0\n1\n2\n");
}

// What a query must not do, whoever wrote it.
TEST(QueryEngineTest, queries_only_read_and_see_no_files) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  const std::string file = ::testing::TempDir() + "strobe_query_must_not_exist";
  for (const std::string& sql : std::vector<std::string>{
           "attach '" + file + "'",
           "install httpfs",
           "load httpfs",
           "create table t as select 1",
           "set threads = 1",
           "set enable_external_access = true",
           "call pragma_version()",
           "drop view x",
           "prepare x as select 1",
           "checkpoint",
           "vacuum",
           "begin",
           "use memory",
           "detach memory",
           "insert into x values (1)",
           "create macro m() as 1",
           "update extensions",
           "create secret s (type s3)",
           "pragma enable_profiling",
           "set variable x = 1",
           "reset threads",
           "comment on view kernels is 'x'",
           "create or replace view kernels as select 1",
           "create temp table t(i int)",
           "call enable_logging()",
           "explain create table t as select 1",
           "explain analyze create table t as select 1",
           "explain analyze call pragma_version()",
           "explain (analyze, format json) create view kernels as select 1",
           "explain /* select */ analyze -- select\ncreate or replace view kernels as select 1",
           "EXPLAIN ANALYZE VERBOSE drop table if exists t"}) {
    EXPECT_THAT(asked.csv(sql), StartsWith("error: ")) << sql;
  }
  for (const std::string& sql :
       std::vector<std::string>{"copy (select 1) to '" + file + "'",
                                "copy kernels to '" + file + "'",
                                "export database '" + file + "'",
                                "explain analyze copy (select 1) to '" + file + "'",
                                "select * from read_csv('/etc/passwd')",
                                "select * from '/etc/passwd'",
                                "select * from read_text('/etc/passwd')",
                                "select * from read_blob('/etc/passwd')",
                                "select * from glob('/*')",
                                "select * from sniff_csv('/etc/passwd')",
                                "select getenv('HOME')",
                                "import database '/etc'",
                                "select * from query('copy (select 1) to ''" + file + "''')",
                                "explain analyze attach '" + file + "'",
                                "select * from read_parquet('/etc/passwd')",
                                "select * from read_json('/etc/passwd')",
                                "select * from parquet_metadata('/etc/passwd')",
                                "select * from query_table(['/etc/passwd'])",
                                "from 'https://example.com/a.csv'",
                                "from query('from read_text(''/etc/passwd'')')",
                                "from json_execute_serialized_sql(json_serialize_sql('from "
                                "read_text(''/etc/passwd'')'))",
                                "select * from arrow_scan(1, 2, 3)",
                                ".read /etc/passwd",
                                "\\! ls"}) {
    EXPECT_THAT(asked.csv(sql), StartsWith("error: ")) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(asked.csv("select count(*) as n from kernels"), "n\n2\n");
}

// Each of them is a table function, so a select would call it.
TEST(QueryEngineTest, functions_that_change_the_engine_are_refused_however_they_are_called) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  for (const char* sql :
       {"from enable_logging(storage = 'stdout')", "select * from \"Enable_Logging\"()",
        "from system.main.enable_logging()", "with x as (from enable_logging()) from x",
        "select 1 where exists (from enable_logging())",
        "from query('from enable_' || 'logging()')", "explain analyze from enable_logging()",
        "explain (analyze) from enable_logging()", "from disable_logging()",
        "from truncate_duckdb_logs()", "from checkpoint()", "from force_checkpoint()",
        "from json_execute_serialized_sql(json_serialize_sql('from enable_' || 'logging()'))"}) {
    EXPECT_THAT(asked.csv(sql), StartsWith("error: a query may only read: ")) << sql;
  }
  EXPECT_EQ(asked.csv("select 'enable_logging()' as query"), "query\nenable_logging()\n");
  EXPECT_EQ(
      asked.csv("select count(*) as n from kernels where name <> '\"name\": \"CHECKPOINT \"'"),
      "n\n2\n");
  EXPECT_EQ(asked.csv("from query('select count(*) as n from kernels')"), "n\n2\n");
}

TEST(QueryEngineTest, a_query_can_be_explained) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  for (const char* sql :
       {"explain select name from kernels", "explain analyze select name from kernels;",
        "explain (select name from kernels)", "explain (format json) select name from kernels",
        "explain (select name from kernels) union (select name from slices)",
        "explain analyze from kernels"}) {
    EXPECT_THAT(asked.csv(sql), HasSubstr("KERNELS")) << sql;
  }
}

// Neither a deep query nor a long one may end the process.
TEST(QueryEngineTest, deep_and_long_queries_are_answered_or_refused) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  for (const int depth : {100, 5'000}) {
    const std::string close = repeated(")", depth);
    for (const std::string& sql :
         {"select " + repeated("(", depth) + "1" + close, "select " + repeated("1+", depth) + "1",
          "select " + repeated("- ", depth) + "1", "select " + repeated("not ", depth) + "true",
          "select " + repeated("abs(", depth) + "1" + close,
          "select " + repeated("[", depth) + repeated("]", depth),
          "select " + repeated("case when true then ", depth) + "1" + repeated(" end", depth),
          repeated("select 1 union all ", depth) + "select 1",
          "select 1 where true" + repeated(" or true", depth)}) {
      EXPECT_FALSE(asked.csv(sql).empty()) << depth << ": " << sql.substr(0, 40);
    }
  }
  for (const char* open : {"(", "(select ", "abs(", "case when "}) {
    EXPECT_THAT(asked.csv("select " + repeated(open, 200'000)), StartsWith("error: ")) << open;
  }
  EXPECT_EQ(asked.csv("select length('" + repeated("x", 8'000'000) + "') as n"), "n\n8000000\n");
  EXPECT_THAT(asked.csv(repeated("select 1;", 100'000)),
              StartsWith("error: there are 100000 statements"));
  EXPECT_EQ(asked.csv("select count(*) as n from kernels"), "n\n2\n");
}

TEST(QueryEngineTest, unsafe_allows_files) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()), {.threads = 1, .unsafe = true});
  const std::string file = ::testing::TempDir() + "strobe_query_unsafe.csv";
  EXPECT_EQ(asked.csv("copy (select name, dur from kernels) to '" + file + "'"), "Count\n2\n");
  EXPECT_EQ(asked.csv("select sum(dur) as s from '" + file + "'"), "s\n8000\n");
  std::filesystem::remove(file);
}

TEST(QueryEngineTest, endless_queries_end) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()), {.threads = 2, .memory_bytes = std::int64_t{256} << 20});
  const Limits limits{.timeout = std::chrono::milliseconds(300)};
  for (const char* sql : {"with recursive r as (select 1 union all select 1 from r) "
                          "select count(*) from r",
                          "select sum(a.range * b.range) from range(10000000) a, range(10000000) b",
                          "select count(*) from range(1000000000000)"}) {
    EXPECT_EQ(asked.csv(sql, limits), "error: the query took longer than its time limit") << sql;
    EXPECT_EQ(asked.error().code, ErrorCode::kUnsupported);
  }
  EXPECT_EQ(asked.csv("select list(range) from range(1000000000)"),
            "error: the query needs more memory than it may use");
  EXPECT_EQ(asked.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(asked.csv("select count(*) as n from kernels"), "n\n2\n");
}

TEST(QueryEngineTest, a_query_can_be_stopped) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  std::atomic<bool> cancelled{false};
  std::jthread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancelled = true;
  });
  EXPECT_EQ(asked.csv("select count(*) from range(1000000000000)", {.cancelled = &cancelled}),
            "error: interrupted");
  EXPECT_EQ(asked.error().code, ErrorCode::kInterrupted);
}

TEST(QueryEngineTest, show_tables_lists_them) {
  STROBE_NEEDS_DUCKDB();
  Asked asked(one(two_kernels()));
  const std::string tables = asked.csv("show tables");
  EXPECT_THAT(tables, StartsWith("name,meaning\n"));
  for (const SchemaTable& table : schema()) EXPECT_THAT(tables, HasSubstr("\n" + table.name + ","));
}

TEST(QueryEngineTest, every_table_answers_for_an_empty_trace) {
  STROBE_NEEDS_DUCKDB();
  std::vector<Trace> traces;
  traces.emplace_back();
  Asked asked(std::move(traces));
  for (const SchemaTable& table : schema()) {
    EXPECT_THAT(asked.csv("select * from " + table.name), StartsWith("run,rank,")) << table.name;
  }
}

}  // namespace
}  // namespace strobe::query
