#include "strobe/bench/providers/cuda/program_cell.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/reference/dropout.h"
#include "tests/unit/bench/providers/cuda/scripted_cupti.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"
#include "tests/unit/bench/providers/cuda/scripted_program.h"

namespace strobe::bench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class ProgramCellTest : public ::testing::Test {
 protected:
  void SetUp() override {
    play_copies(script_);
    auto device = script_.device();
    ASSERT_NE(device, nullptr);
    session_ = std::make_shared<CudaSession>(std::move(device));
    request_.cell = {"softmax", {{4, 8}}, DType::kF32, "cuda-fused"};
  }

  Result<std::unique_ptr<ProgramCell>> make(const KernelProgram& program) {
    return ProgramCell::make(session_, *find_case("softmax"), request_, program,
                             code_in(session_->device(), ""),
                             {.codegen_ms = 1.5,
                              .find_ms = 0,
                              .nvrtc_ms = {},
                              .autotune_ms = {},
                              .peak_bytes = 0,
                              .config = {},
                              .notes = {}});
  }

  ScriptedDriver script_;
  std::shared_ptr<CudaSession> session_;
  PrepareRequest request_;
};

TEST_F(ProgramCellTest, of_blocks_that_stay_only_those_are_launched_that_run_at_once) {
  KernelProgram program = copy_program();
  GeneratedKernel& kernel = program.kernels.front();
  kernel.grid = {264, 1, 1};
  kernel.cluster = 8;
  kernel.stays = true;
  script_.clusters_at_once = 30;
  auto cell = make(program);
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->kernels().front().grid[0], 240);
  script_.clusters_at_once = 34;
  cell = make(program);
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->kernels().front().grid[0], 264);
  script_.clusters_at_once = 30;
  kernel.stays = false;
  cell = make(program);
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->kernels().front().grid[0], 264);
}

TEST_F(ProgramCellTest, what_reads_a_row_again_says_what_that_costs) {
  KernelProgram program = copy_program();
  program.moved_bytes = 1.5 * 2 * 4 * 8 * 4;
  const auto cell = make(program);
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->config().at("moves"), "1.50 times the least bytes");
}

TEST_F(ProgramCellTest, is_filled_compiled_loaded_and_run_once) {
  const auto cell = make(copy_program());
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ(script_.count("launch strobe_fill"), 1u);
  EXPECT_EQ(script_.count("launch strobe_case"), 1u);
  EXPECT_EQ((*cell)->compile_times().codegen_ms, 1.5);
  EXPECT_TRUE((*cell)->compile_times().nvrtc_ms.has_value());
  EXPECT_TRUE((*cell)->compile_times().load_ms.has_value());
  EXPECT_TRUE((*cell)->compile_times().first_call_ms.has_value());
  EXPECT_FALSE((*cell)->compile_times().is_cached);
  EXPECT_EQ((*cell)->config().at("schedule"), "a copy");
  EXPECT_FALSE((*cell)->config().contains("moves"));
  EXPECT_EQ((*cell)->resident_bytes(), 2 * 4 * 8 * 4);
  EXPECT_EQ((*cell)->peak_bytes(), 512);  // two tensors, aligned to 256
}

TEST_F(ProgramCellTest, its_kernels_have_durations_once_they_were_recorded) {
  ScriptedCupti cupti;
  cupti.listen_to(script_);
  script_.open_cupti = [&]() -> Result<CuptiApi> { return cupti.api(); };
  script_.kernel_us["strobe_case"] = 12;
  session_ = std::make_shared<CudaSession>(script_.device());
  const auto cell = make(copy_program());
  ASSERT_TRUE(cell) << cell.error().what;
  ASSERT_TRUE((*cell)->sample({.mode = TimeMode::kDevice, .count = 1}));
  EXPECT_FALSE((*cell)->kernels().at(0).duration_us.has_value());
  ASSERT_TRUE((*cell)->sample({.mode = TimeMode::kActivity, .count = 3}));
  ASSERT_EQ((*cell)->kernels().size(), 1u);
  EXPECT_NEAR(*(*cell)->kernels().at(0).duration_us, 12, 2e-3);
  EXPECT_TRUE((*cell)->kernels().at(0).registers.has_value());
}

TEST_F(ProgramCellTest, tells_its_kernels_as_they_are_launched) {
  KernelProgram program = copy_program();
  program.kernels[0].grid = {7, 1, 1};
  program.kernels[0].block = {256, 1, 1};
  program.kernels[0].shared_bytes = 1024;
  const auto cell = make(program);
  ASSERT_TRUE(cell);
  const auto kernels = (*cell)->kernels();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "strobe_case");
  EXPECT_EQ(kernels[0].grid[0], 7);
  EXPECT_EQ(kernels[0].block[0], 256);
  EXPECT_EQ(kernels[0].registers, 32);
  EXPECT_EQ(kernels[0].shared_bytes, 1024);
}

TEST_F(ProgramCellTest, gives_the_rows_asked_for_after_a_run_on_poisoned_outputs) {
  const auto cell = make(copy_program());
  ASSERT_TRUE(cell);
  const std::vector<std::int64_t> asked = {0, 2, 3};
  const auto rows = (*cell)->output_rows(0, asked);
  ASSERT_TRUE(rows) << rows.error().what;
  // The scripted kernel writes the index of each value: row 2 starts at 16.
  ASSERT_EQ(rows->size(), 24u);
  EXPECT_EQ((*rows)[0], 0);
  EXPECT_EQ((*rows)[7], 7);
  EXPECT_EQ((*rows)[8], 16);
  EXPECT_EQ((*rows)[23], 31);
  EXPECT_EQ(script_.count("to host 32"), 1u);  // row 0
  EXPECT_EQ(script_.count("to host 64"), 1u);  // rows 2 and 3 together
}

TEST_F(ProgramCellTest, what_a_kernel_does_not_write_is_not_a_number) {
  const auto cell = make(copy_program());
  ASSERT_TRUE(cell);
  script_.on_run = nullptr;
  const std::vector<std::int64_t> asked = {1};
  const auto rows = (*cell)->output_rows(0, asked);
  ASSERT_TRUE(rows);
  for (const float value : *rows) EXPECT_TRUE(std::isnan(value));
}

TEST_F(ProgramCellTest, halves_come_back_as_floats) {
  for (const DType dtype : {DType::kF16, DType::kBf16}) {
    request_.cell.dtype = dtype;
    const auto cell = make(copy_program());
    ASSERT_TRUE(cell);
    // 1.0, -2.0 and the smallest positive number of each type, as bits.
    script_.on_run = [dtype](const std::string& name, const std::vector<std::uint64_t>& arguments) {
      if (name != "strobe_case") return;
      auto* const out = reinterpret_cast<std::uint16_t*>(arguments[1]);
      out[0] = dtype == DType::kF16 ? 0x3C00 : 0x3F80;
      out[1] = 0xC000;
      out[2] = 0x0001;
      out[3] = dtype == DType::kF16 ? 0x7C00 : 0x7F80;
    };
    const std::vector<std::int64_t> asked = {0};
    const auto rows = (*cell)->output_rows(0, asked);
    ASSERT_TRUE(rows);
    EXPECT_EQ((*rows)[0], 1.0f);
    EXPECT_EQ((*rows)[1], -2.0f);
    EXPECT_EQ((*rows)[2], dtype == DType::kF16 ? 0x1p-24f : 0x1p-133f);
    EXPECT_EQ((*rows)[3], INFINITY);
    EXPECT_TRUE(std::isnan((*rows)[4]));
  }
}

TEST_F(ProgramCellTest, rows_beyond_the_output_are_refused) {
  const auto cell = make(copy_program());
  ASSERT_TRUE(cell);
  const std::vector<std::int64_t> asked = {4};
  EXPECT_FALSE((*cell)->output_rows(0, asked));
}

TEST_F(ProgramCellTest, what_does_not_fit_is_out_of_memory) {
  ASSERT_TRUE(session_->clock());  // its buffers are there
  script_.free_bytes = 100;
  const auto cell = make(copy_program());
  ASSERT_FALSE(cell);
  EXPECT_EQ(cell.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(cell.error().what,
              HasSubstr("no room for 512 bytes of tensors (100 bytes are free)"));
}

TEST_F(ProgramCellTest, a_crash_ends_the_cell_and_every_later_one_of_the_process) {
  const auto cell = make(copy_program());
  ASSERT_TRUE(cell);
  script_.failures["synchronize"] = cu::kIllegalAddress;
  ASSERT_FALSE((*cell)->run());
  script_.failures.clear();
  const auto sampled = (*cell)->sample({.mode = TimeMode::kDevice, .count = 1});
  ASSERT_FALSE(sampled);
  EXPECT_THAT(sampled.error().what, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  const auto next = make(copy_program());
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().code, ErrorCode::kOutOfMemory);
}

TEST_F(ProgramCellTest, a_tensor_that_does_not_exist_is_named) {
  KernelProgram program = copy_program();
  program.kernels[0].arguments[0].tensor = "w";
  const auto cell = make(program);
  ASSERT_FALSE(cell);
  EXPECT_THAT(cell.error().what, HasSubstr("strobe_case needs a tensor 'w' that does not exist"));
}

TEST_F(ProgramCellTest, what_drops_elements_gets_the_key_of_its_seed) {
  KernelProgram program = copy_program();
  program.kernels[0].arguments[2] = {.kind = KernelArgument::Kind::kDropoutKey, .tensor = ""};
  std::vector<std::uint64_t> keys;
  script_.on_run = [&](const std::string& name, const std::vector<std::uint64_t>& arguments) {
    if (name == "strobe_case") keys.push_back(arguments.at(2));
  };
  for (const std::uint64_t seed : {1ull, 12345678901ull}) {
    request_.seed = seed;
    ASSERT_TRUE(make(program));
    ASSERT_FALSE(keys.empty());
    EXPECT_EQ(static_cast<std::uint32_t>(keys.back()), dropout_key(seed));
  }
  EXPECT_NE(keys.front(), keys.back());
}

// Law 2 is 0.5 + U(0, 2): the inputs of a mask that can be seen.
TEST_F(ProgramCellTest, inputs_that_may_be_dropped_are_far_from_zero) {
  request_.cell.case_id = "bias_dropout_add_train";
  KernelProgram program = copy_program();
  program.kernels[0].arguments[0].tensor = "inp";
  script_.argument_counts["strobe_fill"] = 5;
  script_.argument_bytes["strobe_fill"] = {8, 8, 8, 4, 4};
  std::vector<std::pair<unsigned, int>> laws;
  script_.on_run = [&](const std::string& name, const std::vector<std::uint64_t>& arguments) {
    if (name != "strobe_fill") return;
    laws.emplace_back(static_cast<unsigned>(arguments.at(3)), static_cast<int>(arguments.at(4)));
  };
  const auto cell = ProgramCell::make(session_, *find_case("bias_dropout_add_train"), request_,
                                      program, code_in(session_->device(), ""), {});
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ(laws, (std::vector<std::pair<unsigned, int>>{{0, 2}, {1, 2}, {2, 0}}));
}

TEST_F(ProgramCellTest, what_lies_between_two_kernels_is_another_tensor) {
  KernelProgram program = copy_program();
  program.kernels.push_back(program.kernels[0]);
  program.kernels[0].arguments[1].tensor = "between";
  program.kernels[1].arguments[0].tensor = "between";
  program.between = {{{.name = "between"}, 32}};
  const auto cell = make(program);
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ(script_.count("launch strobe_case"), 2u);
  EXPECT_EQ((*cell)->resident_bytes(), 3 * 4 * 8 * 4);
  EXPECT_EQ((*cell)->kernels().size(), 2u);
}

TEST_F(ProgramCellTest, a_graph_writes_all_of_its_rotated_sets) {
  request_.cell.shape = {{64, 1024}};  // 256 KiB a tensor: four sets cover twice the scripted cache
  KernelProgram program = copy_program();
  program.kernels[0].arguments[2].integer = 64 * 1024;
  const auto cell = make(program);
  ASSERT_TRUE(cell);
  const auto block = (*cell)->sample({.mode = TimeMode::kGraph, .count = 2});
  ASSERT_TRUE(block) << block.error().what;
  EXPECT_EQ(block->samples_us.size(), 2u);
  EXPECT_THAT((*cell)->notes(), Contains(HasSubstr("graph: 20 calls on 4 sets of buffers, all "
                                                   "written by a replay, 2.1 MB in all")));
}

TEST_F(ProgramCellTest, a_second_cell_takes_the_memory_of_the_first) {
  ASSERT_TRUE(make(copy_program()));
  const std::size_t before = script_.count("allocate 512");
  EXPECT_EQ(before, 1u);
  ASSERT_TRUE(make(copy_program()));
  EXPECT_EQ(script_.count("allocate 512"), before);
}

}  // namespace
}  // namespace strobe::bench
