#include "strobe/serve/kernel_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <fmt/format.h>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/base/json_value.h"
#include "strobe/serve/open_trace.h"
#include "tests/support/loop_trace.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::LogFolder;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kGemm =
    "ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2f_stages_32x5_tn";
constexpr std::string_view kScale = "scale_kernel";

struct Counted {
  std::optional<double> tensor_percent;
  std::optional<double> dram_percent;
};

void launch(KernelTable& table, std::string_view name, std::int64_t ns, const Counted& counted) {
  const std::size_t row = table.size();
  table.names.push_back(table.strings.intern(name));
  table.durations_ns.push_back(ns);
  table.ids.push_back(static_cast<std::uint32_t>(row));
  table.grids.emplace_back();
  table.blocks.emplace_back();
  const auto& [tensor, dram] = counted;
  if (tensor) table.set(KernelMetric::kTensorPercent, row, *tensor);
  if (dram) table.set(KernelMetric::kDramPercent, row, *dram);
}

KernelTable counted_table() {
  KernelTable table;
  table.source = KernelSource::kWideCsv;
  table.clock_policy = ClockPolicy::kFree;
  table.remarks = {"row 7 was left out"};
  launch(table, kGemm, 60'000, {75, 20});
  launch(table, kScale, 30'000, {0, 45});
  launch(table, kScale, 10'000, {0, 45});
  return table;
}

std::string answer_of(const KernelTable& table, const analysis::StudyOptions& options = {}) {
  std::string text = kernel_answer("a/k.csv", analysis::study_kernels(table, options));
  EXPECT_TRUE(for_each_member(text, [](auto, auto) {})) << text;
  return text;
}

TEST(KernelAnswerTest, kernels_come_by_their_time_with_their_shares) {
  const std::string text = answer_of(counted_table());
  EXPECT_THAT(text, HasSubstr(R"({"source":{"name":"a/k.csv","kind":)"));
  EXPECT_THAT(text, HasSubstr(R"("clock":"free"},"device":null,"chip":null,"chips":[")"));
  EXPECT_THAT(text, HasSubstr(R"("achievable":{"tensor":0.9,"dram":0.9},)"
                              R"("totals":{"launches":3,"latency_ns":100000,"share":1,)"));
  EXPECT_THAT(text, HasSubstr(R"("family":"gemm","bound":"tensor-bound","launches":1,)"
                              R"("latency_ns":60000,"share":0.6,"mean_ns":60000,"least_ns":60000,)"
                              R"("most_ns":60000,"tensor_share":0.75,"dram_share":0.2,)"
                              R"("headroom_ns":15000,)"));
  EXPECT_THAT(text, HasSubstr(R"("full_name":"scale_kernel","family":"other",)"
                              R"("bound":"dram-leaning","launches":2,"latency_ns":40000,)"
                              R"("share":0.4,"mean_ns":20000,"least_ns":10000,"most_ns":30000,)"
                              R"("tensor_share":0,"dram_share":0.45,"headroom_ns":22000,)"
                              R"("achievable_headroom_ns":20000})"));
  EXPECT_THAT(text, HasSubstr(R"("remarks":["row 7 was left out"])"));
}

TEST(KernelAnswerTest, the_device_is_told_as_far_as_it_is_known) {
  KernelTable table = counted_table();
  table.devices = {{.index = 0, .name = "", .capability = "9.0", .sm_count = 0}};
  EXPECT_THAT(answer_of(table), HasSubstr(R"("device":{"name":null,"capability":"9.0",)"
                                          R"("sm_count":null})"));
  table.devices[0].name = "NVIDIA H200";
  table.devices[0].sm_count = 132;
  EXPECT_THAT(answer_of(table), HasSubstr(R"("device":{"name":"NVIDIA H200","capability":"9.0",)"
                                          R"("sm_count":132},"chip":{"name":"H200 SXM",)"));
}

TEST(KernelAnswerTest, points_refer_to_the_kernels_and_know_their_roofs) {
  analysis::StudyOptions options;
  options.flops = 2e14;
  options.dram_bytes_per_s = 1e12;
  const std::string fractions = answer_of(counted_table());
  EXPECT_THAT(fractions, HasSubstr(R"("roofline":{"compute":[],"memory":[],)"
                                   R"("ridge_flop_per_byte":null,"points":[{"kernel":0,)"
                                   R"("launches":1,"latency_ns":60000,"tensor_share":0.75,)"
                                   R"("dram_share":0.2,"flop_per_s":null,)"));
  const std::string measured = answer_of(counted_table(), options);
  EXPECT_THAT(measured, HasSubstr(R"("memory":[{"name":"DRAM","value":1e+12,)"
                                  R"("source":"measured"}],"ridge_flop_per_byte":200,)"));
  EXPECT_THAT(measured, HasSubstr(R"({"kernel":1,"launches":2,"latency_ns":40000,)"));
}

TEST(KernelAnswerTest, what_was_not_counted_is_null_and_never_zero) {
  KernelTable table;
  table.source = KernelSource::kTrace;
  launch(table, kGemm, 60'000, {});
  const std::string text = answer_of(table);
  EXPECT_THAT(text, HasSubstr(R"("bound":"unknown","launches":1,"latency_ns":60000,"share":1,)"
                              R"("mean_ns":60000,"least_ns":60000,"most_ns":60000,)"
                              R"("tensor_share":null,"dram_share":null,"headroom_ns":null,)"
                              R"("achievable_headroom_ns":null})"));
}

TEST(KernelAnswerTest, layers_and_neighbours_to_fuse_come_with_their_times) {
  KernelTable table;
  launch(table, "start", 1'000, {0, 10});
  for (int layer = 0; layer < 3; ++layer) {
    launch(table, "layer_norm", 5'000, {0, 10});
    launch(table, "mask", 20'000, {0, 40});
    launch(table, kGemm, 60'000, {75, 20});
  }
  const std::string text = answer_of(table);
  EXPECT_THAT(text, HasSubstr(R"("layers":{"prologue_launches":1,"layers":3,)"
                              R"("launches_per_layer":3,"epilogue_launches":0,)"));
  EXPECT_THAT(text, HasSubstr(R"("layer_ns":[85000,85000,85000],"odd_layers":[])"));
  EXPECT_THAT(text, HasSubstr(R"("launches_per_run":2,"first_launch":4,"latency_ns":50000,)"
                              R"("saved_ns":10000,)"));
  EXPECT_THAT(text, HasSubstr(R"("names":["layer_norm","mask"],"names_left_out":0)"));
  EXPECT_THAT(answer_of(counted_table()), HasSubstr(R"("layers":null)"));
}

TEST(KernelAnswerTest, long_lists_are_cut_and_say_so) {
  KernelTable table;
  for (int i = 0; i < 5003; ++i) launch(table, "kernel_" + std::to_string(i), 10'000 - i, {});
  const std::string text = answer_of(table);
  EXPECT_THAT(text, HasSubstr(R"("kernels_left_out":3,)"));
  EXPECT_THAT(text, Not(HasSubstr(R"("full_name":"kernel_5000")")));
  EXPECT_THAT(text, Not(HasSubstr(R"("kernel":5000,)")));
  EXPECT_THAT(text, HasSubstr(R"("names_left_out":4939)"));
}

const std::string kHeader =
    "Kernel                                                 Latency Tensor   DRAM\n";

std::string table_of(int ns) {
  return kHeader +
         fmt::format("{:<50}|{:>11}{:>7}{:>7}\n", "softmax_warp_forward", ns, "0.02", "0.43");
}

class KernelShelfTest : public ::testing::Test {
 protected:
  KernelShelfTest() {
    logs_.write_old("run/k.txt", table_of(5000));
    logs_.write_old("run/trace.json", test::LoopTrace{.kernel_us = 200, .step_us = 1000}.json());
    logs_.write_old("run/empty.txt", kHeader);
    logs_.write("secret.log", table_of(1));
  }

  Result<KernelShelf::Body> ask(const Query::Parameters& parameters) {
    auto folder = RunFolder::open({logs_.path().string()});
    ShelfView view;
    for (const FoundTrace& found : folder->scan()) {
      view.traces.emplace_back();
      view.traces.back().found = found;
    }
    view.kernel_files = folder->kernel_files();
    const TraceLookup lookup = [this](std::string_view name) { return open(name); };
    return shelf_.answer(Query(parameters), view, lookup);
  }

  Result<std::shared_ptr<const OpenTrace>> open(std::string_view name) {
    ++lookups_;
    if (is_loading_) return Error{ErrorCode::kTooLittleData, "it is being loaded", "trace", ""};
    STROBE_TRY(readers::LoadedTrace loaded, readers::read_trace(logs_.path() / std::string(name)));
    return std::make_shared<const OpenTrace>(std::string(name), std::move(loaded));
  }

  LogFolder logs_;
  KernelShelf shelf_;
  std::atomic<int> lookups_ = 0;
  bool is_loading_ = false;
};

TEST_F(KernelShelfTest, a_file_is_read_when_it_is_asked_for) {
  const auto answer = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr(R"({"source":{"name":"run/k.txt",)"));
  EXPECT_THAT(**answer, HasSubstr(R"("latency_ns":5000,)"));
  EXPECT_EQ(lookups_, 0);
}

TEST_F(KernelShelfTest, the_kernels_of_a_trace_have_times_and_no_counters) {
  const auto answer = ask({{"trace", "run/trace.json"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr(R"("bound":"unknown")"));
  EXPECT_THAT(**answer, HasSubstr(R"("tensor_share":null)"));
  EXPECT_EQ(lookups_, 1);
  EXPECT_EQ(*ask({{"trace", "run/trace.json"}}), *answer);
  EXPECT_EQ(lookups_, 1);
}

TEST_F(KernelShelfTest, an_answer_is_kept_until_its_file_changes) {
  const auto first = ask({{"file", "run/k.txt"}});
  const auto again = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  const auto of_chip = ask({{"file", "run/k.txt"}, {"chip", "a100"}});
  ASSERT_TRUE(of_chip) << of_chip.error().what;
  EXPECT_NE(**of_chip, **first);
  const auto lower = ask({{"file", "run/k.txt"}, {"dram_roof", "0.5"}});
  ASSERT_TRUE(lower);
  EXPECT_THAT(**lower, HasSubstr(R"("achievable":{"tensor":0.9,"dram":0.5})"));
  logs_.write("run/k.txt", table_of(7000));
  const auto changed = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(changed);
  EXPECT_THAT(**changed, HasSubstr(R"("latency_ns":7000,)"));
}

TEST_F(KernelShelfTest, old_answers_make_room_for_new_ones) {
  const auto first = ask({{"file", "run/k.txt"}});
  for (int i = 1; i <= 8; ++i) {
    ASSERT_TRUE(ask({{"file", "run/k.txt"}, {"dram_roof", fmt::format("0.{}", i)}}));
  }
  const auto again = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(first && again);
  EXPECT_NE(*first, *again);
  EXPECT_EQ(**first, **again);
}

TEST_F(KernelShelfTest, many_who_ask_at_once_get_one_study) {
  std::vector<KernelShelf::Body> bodies(6);
  std::vector<std::thread> threads;
  for (auto& body : bodies) {
    threads.emplace_back([&] {
      if (const auto answer = ask({{"file", "run/k.txt"}})) body = *answer;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(bodies[0], nullptr);
  for (const auto& body : bodies) EXPECT_EQ(body, bodies[0]);
}

TEST_F(KernelShelfTest, while_a_trace_loads_nothing_is_kept) {
  is_loading_ = true;
  const auto loading = ask({{"trace", "run/trace.json"}});
  ASSERT_FALSE(loading);
  EXPECT_EQ(loading.error().what, "it is being loaded");
  is_loading_ = false;
  EXPECT_TRUE(ask({{"trace", "run/trace.json"}}));
}

TEST_F(KernelShelfTest, only_names_that_a_scan_found_lead_to_a_file) {
  const std::string absolute = (logs_.path() / "run/k.txt").string();
  for (const std::string& name :
       {std::string("secret.log"), std::string("../run/k.txt"), std::string("run/../run/k.txt"),
        absolute, std::string(""), std::string("run"), std::string("run/trace.json"),
        std::string("run/k.txt\0", 10)}) {
    const auto answer = ask({{"file", name}});
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound) << name;
    EXPECT_EQ(answer.error().where, "file");
  }
  EXPECT_EQ(ask({{"trace", "run/k.txt"}}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(lookups_, 0);
}

TEST_F(KernelShelfTest, a_file_without_kernels_says_so_by_its_name) {
  const auto answer = ask({{"file", "run/empty.txt"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(answer.error().where, "run/empty.txt");
}

TEST_F(KernelShelfTest, wrong_parameters_are_named) {
  const std::vector<std::pair<Query::Parameters, std::string>> wrong = {
      {{}, "file"},
      {{{"file", "run/k.txt"}, {"chip", "abacus"}}, "chip"},
      {{{"file", "run/k.txt"}, {"tensor_roof", "1.5"}}, "tensor_roof"},
      {{{"file", "run/k.txt"}, {"dram_roof", "0"}}, "dram_roof"},
      {{{"file", "run/k.txt"}, {"flop_per_s", "fast"}}, "flop_per_s"},
      {{{"file", "run/k.txt"}, {"dram_bytes_per_s", "-1"}}, "dram_bytes_per_s"},
      {{{"file", "run/k.txt"}, {"l2_bytes_per_s", "nan"}}, "l2_bytes_per_s"}};
  for (const auto& [parameters, expected] : wrong) {
    const auto answer = ask(parameters);
    ASSERT_FALSE(answer) << expected;
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument) << answer.error().what;
    EXPECT_EQ(answer.error().where, expected);
  }
}

}  // namespace
}  // namespace strobe::serve
