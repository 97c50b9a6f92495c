#include "strobe/bench/results/run_file.h"

#include <cmath>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "strobe/base/json_text.h"
#include "tests/support/bench_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using strobe::testing::TemporaryFolder;
using ::testing::ElementsAre;

// Of a run with this one cell.
Result<CellRecord> read_cell(const std::string& json) {
  STROBE_TRY(BenchRun run, parse_run(R"({"schema":"strobe.bench/1","cells":[)" + json + "]}", "x"));
  return std::move(run.cells.at(0));
}

Result<CellRecord> written_and_read(const CellRecord& record) {
  STROBE_TRY(BenchRun run, parse_run(to_json(BenchRun{.header = {}, .cells = {record}}), "x"));
  return std::move(run.cells.at(0));
}

// No member has its default.
CellRecord full_record() {
  CellRecord record = sketched_cell("softmax", {{4096, 2048}}, "cuda-fused", 57.92);
  record.cell.dtype = DType::kBf16;
  record.reason = "a \"reason\"\nwith a line";
  record.times[TimeMode::kDevice].set_aside = 3;
  record.times[TimeMode::kCall] = sketched_time(70.5);
  record.burst_us = 57.5;
  record.sustained_us = 60.25;
  record.bytes = {.min = 33554432, .unfused = 33554432.5, .resident = 1 << 30, .peak = 1e11};
  record.flops = 83886080;
  record.counters = sketched_counters(2, {{&CellCounters::l1_load_bytes, 33554432},
                                          {&CellCounters::l1_load_hit_bytes, 1024},
                                          {&CellCounters::l1_store_bytes, 33554432},
                                          {&CellCounters::l1_store_hit_bytes, 33000000},
                                          {&CellCounters::l1_reduction_bytes, 64},
                                          {&CellCounters::l1_reduction_hit_bytes, 32},
                                          {&CellCounters::l2_read_bytes, 33554464},
                                          {&CellCounters::l2_write_bytes, 33554496},
                                          {&CellCounters::dram_read_bytes, 33600000},
                                          {&CellCounters::dram_write_bytes, 0},
                                          {&CellCounters::instructions, 12345678},
                                          {&CellCounters::matrix_flops, 4096},
                                          {&CellCounters::flops, 83886081.5}});
  record.kernels = {{.name = "void k<float>(int)",
                     .grid = {4096, 2, 1},
                     .block = {256, 1, 1},
                     .duration_us = 56.1,
                     .registers = 40,
                     .shared_bytes = 1024},
                    {.name = "plain"}};
  record.signature = "k 4096x2x1 256x1x1";
  record.api = {{"cudaStreamIsCapturing", 3, 0.75}, {"cuLaunchKernel", 1, 4.5}};
  record.compile = {.codegen_ms = 1,
                    .nvrtc_ms = 210.5,
                    .load_ms = 2,
                    .autotune_ms = 900,
                    .first_call_ms = 1113.5,
                    .is_cached = true};
  record.config = {{"schedule", "row-cluster"}, {"threads \"x\"", "512"}};
  record.accuracy = Accuracy{.max_abs = 1e-7,
                             .max_rel = 2e-6,
                             .norm_rel = 3e-7,
                             .checked = 8388608,
                             .mismatches = 5,
                             .worst_index = 77,
                             .atol = 1e-6,
                             .rtol = 1e-5};
  record.clocks = {.sm_mhz = 1980,
                   .memory_mhz = 3201,
                   .power_w = 512.5,
                   .temperature_c = 61,
                   .reasons = {"power cap"}};
  record.flags = {CellFlag::kNoisy, CellFlag::kHostBound};
  record.lacks = {{Lack::kApi, "CUPTI is not there"}};
  record.notes = {"recompiles:0"};
  return record;
}

BenchRun full_run() {
  BenchRun run;
  run.header = {.run = "r1",
                .strobe_version = "0.1.0",
                .device = "NVIDIA H200",
                .driver = "580.95",
                .libraries = {{"nvrtc", "13.0"}},
                .floors = {1.28, 2.75, 1.31, 0.54, 0.71, 4.0, 0.16},
                .roofs = {4300, 4460, 4100, 790, false},
                .method = {.flush = "hot",
                           .stop = "samples:100",
                           .modes = {TimeMode::kDevice, TimeMode::kCall},
                           .seed = 7,
                           .hold = Hold::kNone},
                .command_line = "strobe bench run --case softmax",
                .started = "2026-01-02T03:04:05Z",
                .device_facts = {{"l2_bytes", 62914560}, {"sm_count", 132}}};
  run.cells = {full_record(), sketched_gap("softmax", {{65536, 65536}}, "cuda-fused",
                                           CellStatus::kOomPredicted, "needs 17 GB")};
  return run;
}

TEST(RunFile, a_run_reads_back_as_it_was_written) {
  const BenchRun run = full_run();
  const std::string json = to_json(run);
  const auto read = parse_run(json, "run.json");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read), json);
  EXPECT_TRUE(read->remarks.empty());
  EXPECT_EQ(read->header.method, run.header.method);
  EXPECT_EQ(read->cells[0].cell, run.cells[0].cell);
  EXPECT_EQ(read->cells[0].accuracy->mismatches, 5u);
  EXPECT_EQ(read->cells[0].times.at(TimeMode::kDevice).ci95,
            run.cells[0].times.at(TimeMode::kDevice).ci95);
  EXPECT_EQ(read->cells[0].config, run.cells[0].config);
  EXPECT_EQ(read->cells[0].api, run.cells[0].api);
  EXPECT_EQ(read->cells[0].counters, run.cells[0].counters);
  EXPECT_EQ(read->cells[1].counters, std::nullopt);
  EXPECT_EQ(read->cells[1].status, CellStatus::kOomPredicted);
  EXPECT_EQ(read->cells[1].reason, "needs 17 GB");
}

// Checked with an independent parser.
TEST(RunFile, a_record_has_the_keys_of_the_format) {
  simdjson::dom::parser parser;
  const simdjson::padded_string json = simdjson::padded_string(to_json(full_run()));
  simdjson::dom::element run = parser.parse(json);
  EXPECT_EQ(std::string_view(run["schema"]), "strobe.bench/1");
  simdjson::dom::element cell = run["cells"].at(0);
  std::vector<std::string> keys;
  for (const auto member : simdjson::dom::object(cell)) keys.emplace_back(member.key);
  EXPECT_THAT(keys,
              ElementsAre("schema", "run", "case", "shape", "dtype", "provider", "status", "time",
                          "reason", "burst_us", "sustained_us", "bytes", "flops", "counters",
                          "kernels", "signature", "api", "compile", "config", "accuracy", "clocks",
                          "flags", "lacks", "notes", "rates", "n_kernels"));
  EXPECT_DOUBLE_EQ(double(cell["time"]["device"]["p50"]), 57.92);
  EXPECT_NEAR(double(cell["rates"]["gbps"]), 33554432 / 57.92e-6 / 1e9, 1e-9);
  EXPECT_NEAR(double(cell["rates"]["tflops"]), 83886080 / 57.92e-6 / 1e12, 1e-9);
  EXPECT_NEAR(double(cell["rates"]["copy_roof_pct"]), 100.0 * 33554432 / 57.92e-6 / 4300e9, 1e-9);
  EXPECT_EQ(std::int64_t(cell["kernels"].at(0)["shared_bytes"]), 1024);
  EXPECT_EQ(std::int64_t(cell["n_kernels"]), 2);
  EXPECT_EQ(std::int64_t(cell["counters"]["l1_load_bytes"]), 33554432);
  EXPECT_EQ(std::int64_t(cell["counters"]["dram_write_bytes"]), 0);
  EXPECT_EQ(std::int64_t(cell["counters"]["instructions"]), 12345678);
  EXPECT_EQ(std::string_view(cell["api"].at(0)["name"]), "cudaStreamIsCapturing");
  EXPECT_EQ(std::int64_t(cell["api"].at(0)["count"]), 3);
  EXPECT_EQ(double(cell["api"].at(0)["us"]), 0.75);
  EXPECT_EQ(std::string_view(run["header"]["method"]["hold"]), "none");
}

TEST(RunFile, an_older_run_that_says_nothing_of_its_queue_had_calls_behind_each_other) {
  BenchRun run = full_run();
  for (const auto& [hold, text] : {std::pair{Hold::kCall, "\"hold\":\"call\""},
                                   {Hold::kNone, "\"hold\":\"none\""},
                                   {Hold::kCalls, "\"seed\""}}) {
    run.header.method.hold = hold;
    const std::string json = to_json(run);
    EXPECT_NE(json.find(text), std::string::npos) << text;
    EXPECT_EQ(json.find("\"hold\"") == std::string::npos, hold == Hold::kCalls);
    EXPECT_EQ(parse_run(json, "run.json")->header.method.hold, hold);
  }
}

TEST(RunFile, api_calls_without_a_name_or_a_count_are_left_out) {
  const auto record = read_cell(
      R"({"case":"softmax","shape":[8,8],"provider":"p","status":"ok","time":{},"api":[{"count":1},
          7,{"name":"a","count":-1},{"name":"b","count":2,"us":null},{"name":"c","count":1,"us":1.5}]})");
  ASSERT_TRUE(record) << record.error().what;
  EXPECT_THAT(record->api, ElementsAre(ApiCall{"b", 2, 0}, ApiCall{"c", 1, 1.5}));
}

// As strobe 0.1.0 wrote it.
TEST(RunFile, a_file_in_older_words_says_the_same) {
  const auto record = read_cell(
      R"({"schema":"strobe.bench/1","run":"r","case":"softmax","shape":[4096,4096],"dtype":"f32",)"
      R"("provider":"cuda-fused","status":"ok","time":{"device":{"p50":36.1,"p20":35.9,"p80":36.4,)"
      R"("min":35.7,"mad":0.2,"n":120,"ci95":[36.0,36.2],"set_aside":2}},"flops":67108864,)"
      R"("traffic":{"measured_l1":{"load":1,"load_hit":2,"store":3,"store_hit":4,"reduction":5,)"
      R"("reduction_hit":6},"measured_l2":{"read":7,"write":8},"measured_dram":{"read":9,)"
      R"("write":10}},"inst":11,"counted_flops":12,"counted_matrix_flops":13,)"
      R"("counted_launches":14,"kernels":[{"name":"k","grid":[4096,1,1],"block":[256,1,1],)"
      R"("us":34.2,"regs":40,"smem":1024}],"n_kernels":1,"compile":{"nvrtc_ms":212.5,)"
      R"("cached":true},"clock":{"sm_mhz":1980,"mem_mhz":3201,"power_w":512.5,)"
      R"("temperature_c":-4,"reasons":["power cap"]},"flags":["noisy"]})");
  ASSERT_TRUE(record) << record.error().what;
  EXPECT_EQ(record->counters, (sketched_counters(14, {{&CellCounters::l1_load_bytes, 1},
                                                      {&CellCounters::l1_load_hit_bytes, 2},
                                                      {&CellCounters::l1_store_bytes, 3},
                                                      {&CellCounters::l1_store_hit_bytes, 4},
                                                      {&CellCounters::l1_reduction_bytes, 5},
                                                      {&CellCounters::l1_reduction_hit_bytes, 6},
                                                      {&CellCounters::l2_read_bytes, 7},
                                                      {&CellCounters::l2_write_bytes, 8},
                                                      {&CellCounters::dram_read_bytes, 9},
                                                      {&CellCounters::dram_write_bytes, 10},
                                                      {&CellCounters::instructions, 11},
                                                      {&CellCounters::flops, 12},
                                                      {&CellCounters::matrix_flops, 13}})));
  ASSERT_EQ(record->kernels.size(), 1u);
  EXPECT_EQ(record->kernels[0].registers, 40);
  EXPECT_EQ(record->kernels[0].shared_bytes, 1024);
  EXPECT_TRUE(record->compile.is_cached);
  EXPECT_EQ(record->clocks.sm_mhz, 1980);
  EXPECT_EQ(record->clocks.memory_mhz, 3201);
  EXPECT_EQ(record->clocks.temperature_c, -4);
  EXPECT_THAT(record->clocks.reasons, ElementsAre("power cap"));
  EXPECT_EQ(record->headline()->set_aside, 2u);
  // It is written in today's form.
  const std::string json = to_json(BenchRun{.header = {}, .cells = {*record}});
  for (const char* old : {"traffic", "inst\"", "counted", "regs", "smem", "mem_mhz", "\"cached"}) {
    EXPECT_EQ(json.find(old), std::string::npos) << old;
  }
}

TEST(RunFile, unknown_keys_are_passed_over) {
  const auto run = parse_run(
      R"({"schema":"strobe.bench/1","weather":{"rain":[1,{}]},"cells":[{"case":"softmax",
          "shape":[8,8],"dtype":"f16","provider":"p","status":"ok","moon":"full",
          "time":{"device":{"p50":2,"p99":3},"lunar":{"p50":"x"}}}]})",
      "x");
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_EQ(run->cells.size(), 1u);
  EXPECT_EQ(run->cells[0].headline()->p50, 2);
  EXPECT_EQ(run->cells[0].times.size(), 1u);
}

std::vector<std::string> remarks_of(const std::string& broken_record) {
  const auto run = parse_run(
      R"({"schema":"strobe.bench/1","cells":[{"case":"c","shape":[8,8],"provider":"p","status":"ok"},)" +
          broken_record + "]}",
      "x");
  EXPECT_TRUE(run);
  if (!run) return {};
  EXPECT_EQ(run->cells.size(), 1u);
  return run->remarks;
}

TEST(RunFile, a_record_that_cannot_be_used_is_named_by_its_place) {
  EXPECT_THAT(remarks_of("17"), ElementsAre("cells[1]: it is not an object; left out"));
  EXPECT_THAT(remarks_of(R"({"shape":[8],"provider":"p","status":"ok"})"),
              ElementsAre("cells[1]: 'case' is missing; left out"));
  EXPECT_THAT(remarks_of(R"({"case":"c","shape":[8],"status":"ok"})"),
              ElementsAre("cells[1]: 'provider' is missing; left out"));
  EXPECT_THAT(remarks_of(R"({"case":"c","shape":[8,-1],"provider":"p","status":"ok"})"),
              ElementsAre("cells[1]: 'shape' is not a list of sizes; left out"));
  EXPECT_THAT(remarks_of(R"({"case":"c","shape":[8],"dtype":"f64","provider":"p","status":"ok"})"),
              ElementsAre("cells[1]: 'dtype' says 'f64', which is not a data type; left out"));
  EXPECT_THAT(remarks_of(R"({"case":"c","shape":[8],"provider":"p","status":"fine"})"),
              ElementsAre("cells[1]: 'fine' is not a status of a cell; left out"));
  EXPECT_THAT(
      remarks_of(
          R"({"case":"c","shape":[8],"provider":"p","status":"ok","time":{"device":{"p50":-1}}})"),
      ElementsAre("cells[1]: 'time.device.p50' is not a time in microseconds; left out"));
}

TEST(RunFile, a_file_of_which_nothing_can_be_used_is_an_error) {
  const auto run = parse_run(R"({"schema":"strobe.bench/1","cells":[1,2]})", "run.json");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().what,
            "none of its 2 records can be used: cells[0]: it is not an object; left out");
  EXPECT_EQ(run.error().where, "run.json");
}

TEST(RunFile, a_run_without_cells_is_a_run) {
  const auto run = parse_run(R"({"schema":"strobe.bench/1","cells":[]})", "x");
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->cells.empty());
}

TEST(RunFile, a_byte_order_mark_is_skipped) {
  const std::string text = "\xEF\xBB\xBF\n" + to_json(BenchRun());
  EXPECT_TRUE(looks_like_json(text));
  EXPECT_TRUE(looks_like_run(text));
  EXPECT_TRUE(parse_run(text, "run.json"));
  EXPECT_TRUE(looks_like_json(R"({"schema":"strobe.kernels"})"));
  EXPECT_FALSE(looks_like_run(R"({"schema":"strobe.kernels"})"));
  EXPECT_FALSE(looks_like_json("version,device\n"));
}

TEST(RunFile, another_schema_and_no_json_at_all_are_told_apart) {
  EXPECT_THAT(parse_run(R"({"schema":"strobe.bench/2"})", "x").error().what,
              "its schema is 'strobe.bench/2', and strobe reads 'strobe.bench/1'");
  for (const char* text : {"", "hello", "[]", "{\"cells\":[]}", "{\"schema\""}) {
    EXPECT_EQ(parse_run(text, "x").error().what, "this is not a benchmark run: it has no schema")
        << text;
  }
}

TEST(RunFile, a_schema_that_is_no_text_is_told_as_text) {
  const auto run = parse_run("{\"schema\":\"strobe\xff\"}", "run.json");
  ASSERT_FALSE(run);
  EXPECT_TRUE(is_valid_utf8(run.error().what)) << run.error().what;
}

TEST(RunFile, of_a_file_cut_anywhere_the_whole_records_are_kept) {
  const std::string json = to_json(full_run());
  const std::size_t first_end = json.find("\n{", json.find("\"cells\"") + 10);
  for (std::size_t cut = first_end; cut < json.size() - 4; cut += 7) {
    const auto run = parse_run(json.substr(0, cut), "x");
    ASSERT_TRUE(run) << cut;
    EXPECT_GE(run->cells.size(), 1u) << cut;
    EXPECT_EQ(run->remarks.size(), 1u) << cut;
  }
}

TEST(RunFile, what_is_no_number_is_written_as_null_and_reads_back_as_no_small_error) {
  CellRecord record = full_record();
  record.accuracy->max_rel = std::numeric_limits<double>::quiet_NaN();
  const auto read = written_and_read(record);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::isinf(read->accuracy->max_rel));
}

TEST(RunFile, counters_of_a_chip_that_has_few_of_them_stay_few) {
  CellRecord record = full_record();
  record.counters = sketched_counters(1, {{&CellCounters::dram_read_bytes, 5}});
  const auto read = written_and_read(record);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->counters, record.counters);
  // An impossible number is not counted.
  const auto odd = read_cell(
      R"({"case":"softmax","shape":[4,4],"status":"ok","provider":"x","time":{},"inst":-3,)"
      R"("traffic":{"measured_l1":7,"measured_dram":{"read":"many","write":8},"tomorrow":{"x":1}}})");
  ASSERT_TRUE(odd) << odd.error().what;
  EXPECT_EQ(odd->counters, (sketched_counters(0, {{&CellCounters::dram_write_bytes, 8}})));
}

TEST(RunFile, samples_lie_beside_the_run_and_come_back_with_it) {
  const TemporaryFolder folder;
  BenchRun run = full_run();
  run.cells[0].times[TimeMode::kDevice].samples_us = {57.5f, 58.0f, 57.75f};
  run.cells[0].times[TimeMode::kCall].samples_us = {70.0f};
  run.cells[1] = sketched_cell("softmax", {{8, 8}}, "cuda-fused", 3);
  run.cells[1].times[TimeMode::kDevice].samples_us = {3.0f, 3.5f};
  const auto path = folder.path() / "run.json";
  std::ofstream(path) << to_json(run);
  EXPECT_TRUE(read_run(path)->cells[0].headline()->samples_us.empty());  // absent, and not required
  ASSERT_TRUE(write_samples(run, samples_path(path)));
  EXPECT_EQ(std::filesystem::file_size(samples_path(path)), 6 * sizeof(float));
  const auto read = read_run(path);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->remarks.empty());
  EXPECT_THAT(read->cells[0].time(TimeMode::kDevice)->samples_us,
              ElementsAre(57.5f, 58.0f, 57.75f));
  EXPECT_THAT(read->cells[0].time(TimeMode::kCall)->samples_us, ElementsAre(70.0f));
  EXPECT_THAT(read->cells[1].headline()->samples_us, ElementsAre(3.0f, 3.5f));
}

TEST(RunFile, samples_of_another_run_are_left_out_and_said_so) {
  const TemporaryFolder folder;
  BenchRun run = full_run();
  run.cells[0].times[TimeMode::kDevice].samples_us = {57.5f, 58.0f};
  const auto path = folder.path() / "run.json";
  std::ofstream(path) << to_json(run);
  std::ofstream(samples_path(path)) << "abc";
  const auto read = read_run(path);
  ASSERT_TRUE(read);
  EXPECT_THAT(read->remarks, ElementsAre("run.json.samples does not belong to this run: it should "
                                         "hold 2 samples; left out"));
}

TEST(RunFile, more_samples_than_there_can_be_are_not_believed) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.json";
  std::ofstream(path)
      << R"({"schema":"strobe.bench/1","cells":[{"case":"c","shape":[8],"provider":"p",
      "status":"ok","time":{"cpu":{"p50":1,"samples":{"at":0,"n":4611686018427387904}}}}]})";
  std::ofstream(samples_path(path)) << "";
  const auto read = read_run(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->remarks.size(), 1u);
  EXPECT_TRUE(read->cells[0].headline()->samples_us.empty());
}

TEST(RunFile, a_packed_run_has_its_samples_under_the_plain_name) {
  EXPECT_EQ(samples_path("a/run.json.gz"), "a/run.json.samples");
  EXPECT_EQ(samples_path("a/run.json.zst"), "a/run.json.samples");
  EXPECT_EQ(samples_path("run.json"), "run.json.samples");
}

TEST(RunFile, samples_that_cannot_be_written_are_an_error_and_leave_nothing) {
  const TemporaryFolder folder;
  const auto written = write_samples(full_run(), folder.path() / "no" / "run.samples");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kCannotWrite);
}

}  // namespace
}  // namespace strobe::bench
