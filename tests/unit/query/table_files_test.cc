#include "strobe/query/table_files.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/run_reader.h"
#include "tests/support/needs_shared.h"
#include "tests/support/sketch.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/query/asked.h"
#include "tests/unit/query/needs_duckdb.h"

namespace strobe::query {
namespace {

using namespace literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A digest of each column: its values in their order.
std::string digest_of(Engine& engine, const std::string& table) {
  return csv_of(engine,
                "select count(*) as rows, sum(hash(coalesce(columns(* exclude position)::varchar, "
                "'null') || position)) from (select row_number() over () as position, * from " +
                    table + ")");
}

// The tables of `inputs` as files.
void write_folder(std::vector<TraceInput> inputs, const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder);
  EngineOptions options{.threads = 2};
  for (const SchemaTable& table : schema()) {
    options.outputs.push_back((folder / table_file(table.name)).string());
  }
  Engine engine = Engine::open(std::move(inputs), options).value();
  for (const SchemaTable& table : schema()) {
    const Result<void> written =
        engine.write_parquet("from " + table.name, (folder / table_file(table.name)).string());
    ASSERT_TRUE(written) << table.name << ": " << written.error().what;
  }
}

std::vector<TraceInput> inputs_of(const Run& run) {
  std::vector<TraceInput> inputs;
  for (const RankCapture& rank : run.ranks) {
    inputs.push_back({.run = run.label,
                      .rank = rank.rank,
                      .path = rank.path,
                      .trace = rank.trace.get(),
                      .import = &rank.import,
                      .metrics = &rank.metrics});
  }
  return inputs;
}

// The same rows in the same order, column by column.
void expect_same_tables(const std::filesystem::path& trace) {
  const Result<Run> run = readers::read_run(trace, {}, {});
  ASSERT_TRUE(run) << trace;
  const testing::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary / "it's [a] folder.parquet";
  write_folder(inputs_of(*run), folder);
  ASSERT_TRUE(is_table_folder(folder));
  Engine from_trace = Engine::open(inputs_of(*run), {.threads = 2}).value();
  Engine from_files = Engine::open_folders({folder.string()}, {.threads = 2}).value();
  for (const SchemaTable& table : schema()) {
    const std::string expected = digest_of(from_trace, table.name);
    EXPECT_EQ(digest_of(from_files, table.name), expected) << trace << ": " << table.name;
    EXPECT_THAT(expected, StartsWith("rows,")) << table.name;
  }
}

TEST(TableFilesTest, files_hold_what_the_trace_does) {
  STROBE_NEEDS_DUCKDB();
  for (const char* name :
       {"gpt_inference_compiled.json.gz", "paddle_attention.json.gz", "serving/gpu_contention"}) {
    expect_same_tables(std::filesystem::path(STROBE_SOURCE_DIR "/examples") / name);
  }
}

TEST(TableFilesTest, files_hold_what_ranks_exchanged) {
  STROBE_NEEDS_DUCKDB();
  expect_same_tables(STROBE_SOURCE_DIR "/tests/data/ranks/rank_5_sleeps");
}

TEST(TableFilesTest, files_hold_what_a_trace_with_stacks_does) {
  STROBE_NEEDS_DUCKDB();
  STROBE_NEEDS_SHARED();
  expect_same_tables(STROBE_SOURCE_DIR "/../shared/traces/h200_gpt_train_stack.json.gz");
}

Trace kernel_named(const std::string& name) {
  return Sketch().stream(0, 7).slice(name, kKernel, 1_us, 2_us).trace();
}

class FolderOf {
 public:
  FolderOf(const std::string& kernel, const std::filesystem::path& folder) {
    const Trace trace = kernel_named(kernel);
    const ImportReport report;
    write_folder({{.run = "run", .path = "trace.json", .trace = &trace, .import = &report}},
                 folder);
  }
};

TEST(TableFilesTest, runs_of_one_name_are_told_apart_by_their_folders) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const FolderOf first("gemm", temporary / "a");
  const FolderOf second("relu", temporary / "b");
  Engine engine =
      Engine::open_folders({(temporary / "a").string(), (temporary / "b").string()}).value();
  EXPECT_EQ(csv_of(engine, "select run, name from kernels order by name"),
            fmt::format("run,name\nrun,gemm\n{},relu\n", (temporary / "b").string()));
  EXPECT_EQ(csv_of(engine, "select name from slices_between(2000, 2500) order by name"),
            "name\ngemm\nrelu\n");
  EXPECT_EQ(csv_of(engine, "select count(*) as n from slices_of('relu')"), "n\n1\n");
}

TEST(TableFilesTest, a_query_of_files_sees_no_others) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const FolderOf tables("gemm", temporary / "a");
  testing::put_bytes(temporary / "a/secret.csv", "x\n1\n");
  Engine engine = Engine::open_folders({(temporary / "a").string()}).value();
  for (const std::string& sql : std::vector<std::string>{
           fmt::format("from '{}'", (temporary / "a/secret.csv").string()),
           "from read_text('/etc/passwd')", "set enable_external_access = true",
           "set allowed_paths = ['/etc/passwd']", "create view v as select 1",
           fmt::format("copy (select 1) to '{}'", (temporary / "a/kernels.parquet").string()),
           fmt::format("copy (select 1) to '{}'", (temporary / "a/new.csv").string()),
           "drop view kernels"}) {
    EXPECT_THAT(csv_of(engine, sql), StartsWith("error: ")) << sql;
  }
  EXPECT_EQ(csv_of(engine, "select name from kernels"), "name\ngemm\n");
  EXPECT_FALSE(std::filesystem::exists(temporary / "a/new.csv"));
}

TEST(TableFilesTest, other_readers_open_them_compressed_and_in_row_groups) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string file = (temporary / "numbers.parquet").string();
  Engine writer = Engine::open({}, {.threads = 2, .outputs = {file}}).value();
  ASSERT_TRUE(
      writer.write_parquet("select range as number, 'a' as word, sum(1) over () as total "
                           "from range(300000);  -- all",
                           file));
  Engine reader = Engine::open({}, {.unsafe = true}).value();
  EXPECT_EQ(csv_of(reader, fmt::format("select count(*) as n, sum(number) as s, max(total) as t, "
                                       "typeof(max(total)) as type from '{}'",
                                       file)),
            "n,s,t,type\n300000,44999850000,300000,BIGINT\n");
  EXPECT_EQ(
      csv_of(reader, fmt::format("select distinct compression from parquet_metadata('{}')", file)),
      "compression\nZSTD\n");
  EXPECT_EQ(csv_of(reader, fmt::format("select count(distinct row_group_id) > 1 as several from "
                                       "parquet_metadata('{}')",
                                       file)),
            "several\ntrue\n");
}

TEST(TableFilesTest, only_the_file_that_was_named_is_written) {
  STROBE_NEEDS_DUCKDB();
  const testing::TemporaryFolder temporary;
  const std::string file = (temporary / "a.parquet").string();
  Engine engine = Engine::open({}, {.outputs = {file}}).value();
  EXPECT_FALSE(engine.write_parquet("select 1", (temporary / "b.parquet").string()));
  EXPECT_FALSE(engine.write_parquet("select 1) to '/tmp/x' --", file));
  EXPECT_FALSE(engine.write_parquet("set threads = 1", file));
  const Result<void> too_wide =
      engine.write_parquet("select sum(9223372036854775807) as s from range(3)", file);
  ASSERT_FALSE(too_wide);
  EXPECT_THAT(too_wide.error().what, HasSubstr("out of range"));
  ASSERT_TRUE(engine.write_parquet("describe select 1 as a", file));
  ASSERT_TRUE(engine.write_parquet("select range as i from range(10)", file, {.most_rows = 3}));
  EXPECT_EQ(csv_of(engine, fmt::format("select count(*) as n from '{}'", file)), "n\n3\n");
}

}  // namespace
}  // namespace strobe::query
