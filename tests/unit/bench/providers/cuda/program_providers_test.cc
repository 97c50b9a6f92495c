#include "strobe/bench/providers/cuda/program_providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_driver.h"
#include "scripted_program.h"
#include "strobe/bench/cases/case_info.h"

namespace strobe::bench {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PrepareRequest asking_for(Cell cell, bool may_tune = true) {
  PrepareRequest request;
  request.cell = std::move(cell);
  request.may_tune = may_tune;
  return request;
}

const Cell kSoftmax = {"softmax", {{4, 8}}, DType::kF32, "cuda-fused"};

class ProgramProviders : public ::testing::Test {
 protected:
  void SetUp() override {
    play_copies(script_, "strobe_slow");
    play_copies(script_, "strobe_fast");
    script_.argument_counts["strobe_case"] = 3;
    script_.kernel_us = {{"strobe_slow", 50}, {"strobe_fast", 10}};
    open_ = [this]() -> Result<std::shared_ptr<CudaSession>> {
      auto device = CudaDevice::open(script_.api(), script_.nvrtc(), {});
      if (!device) return device.error();
      return std::make_shared<CudaSession>(std::move(*device));
    };
  }

  static Result<KernelProgram> copy(const CaseInfo&, const Shape&, DType, const ChipFacts&) {
    return copy_program();
  }
  static Result<std::vector<KernelProgram>> two(const CaseInfo&, const Shape&, DType,
                                                const ChipFacts&) {
    return std::vector<KernelProgram>{copy_program("slow", "strobe_slow"),
                                      copy_program("fast", "strobe_fast")};
  }

  ScriptedDriver script_;
  OpenSession open_;
};

TEST_F(ProgramProviders, tell_what_they_stand_on) {
  const ProviderInfo info = make_unfused_provider(copy, open_)->probe();
  EXPECT_TRUE(info.is_available());
  EXPECT_EQ(info.name, "cuda-unfused");
  EXPECT_EQ(info.device, "Scripted GPU");
  EXPECT_EQ(info.version, "NVRTC 13.0, driver of CUDA 13.0");
  const auto fused = make_fused_provider(two, open_);
  EXPECT_EQ(fused->probe().name, "cuda-fused");
  EXPECT_THAT(fused->modes(), ElementsAre(TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall,
                                          TimeMode::kActivity));
  EXPECT_EQ(fused->device_facts().at("l2_bytes"), 1 << 20);
  EXPECT_EQ(fused->free_bytes(), static_cast<double>(std::size_t{1} << 30));
}

TEST_F(ProgramProviders, without_a_gpu_they_say_why_and_what_to_do) {
  script_.failures["count"] = cu::kNoDevice;
  const auto provider = make_fused_provider(two, open_);
  const ProviderInfo info = provider->probe();
  EXPECT_FALSE(info.is_available());
  EXPECT_THAT(info.obstacle, HasSubstr("the CUDA driver sees no GPU; check `nvidia-smi`"));
  const auto cell = provider->prepare(asking_for(kSoftmax));
  ASSERT_FALSE(cell);
  EXPECT_EQ(cell.error().code, ErrorCode::kNotFound);  // not out of memory
}

TEST_F(ProgramProviders, without_a_compiler_they_say_so_and_name_the_gpu) {
  const OpenSession open = [this]() -> Result<std::shared_ptr<CudaSession>> {
    const Error missing = {.code = ErrorCode::kMachineLacks,
                           .what = "libnvrtc is missing",
                           .where = "",
                           .hint = "install it"};
    auto device = CudaDevice::open(script_.api(), missing, {});
    return std::make_shared<CudaSession>(std::move(*device));
  };
  const ProviderInfo info = make_unfused_provider(copy, open)->probe();
  EXPECT_EQ(info.device, "Scripted GPU");
  EXPECT_EQ(info.obstacle, "libnvrtc is missing; install it");
}

TEST_F(ProgramProviders, a_plan_counts_bytes_and_kernels_and_allocates_nothing) {
  const auto provider = make_unfused_provider(copy, open_);
  const auto plan = provider->plan(kSoftmax);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->unsupported, "");
  EXPECT_EQ(plan->resident_bytes, 512);
  EXPECT_EQ(plan->kernels, 1);
  EXPECT_EQ(script_.free_bytes, std::size_t{1} << 30);
}

TEST_F(ProgramProviders, cases_that_are_not_over_rows_are_unsupported_with_a_way_out) {
  for (const auto& provider :
       {make_unfused_provider(copy, open_), make_fused_provider(two, open_)}) {
    const auto plan = provider->plan({"matmul_add", {{64, 64, 64}}, DType::kF32, ""});
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->unsupported, AnyOf(HasSubstr("cublaslt, cudnn or a worker"),
                                         HasSubstr("no library of the vendor")));
    EXPECT_FALSE(provider->prepare(asking_for({"matmul_add", {{64, 64, 64}}, DType::kF32, ""})));
    EXPECT_EQ(provider->plan({"nonsense", {{4, 8}}, DType::kF32, ""})->unsupported,
              "there is no case 'nonsense'");
    EXPECT_EQ(provider->plan({"softmax", {{4}}, DType::kF32, ""})->unsupported,
              "softmax takes rows and columns, not 4");
  }
}

TEST_F(ProgramProviders, what_the_generator_cannot_do_is_unsupported) {
  const auto provider = make_unfused_provider(
      [](const CaseInfo&, const Shape&, DType, const ChipFacts&) -> Result<KernelProgram> {
        return Error{.code = ErrorCode::kBadCommandLine,
                     .what = "no schedule fits",
                     .where = "",
                     .hint = ""};
      },
      open_);
  EXPECT_EQ(provider->plan(kSoftmax)->unsupported, "no schedule fits");
}

TEST_F(ProgramProviders, the_fused_one_takes_its_fastest_candidate) {
  const auto provider = make_fused_provider(two, open_);
  const auto cell = provider->prepare(asking_for(kSoftmax));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->config().at("schedule"), "fast");
  EXPECT_EQ((*cell)->config().at("tuned"), "best of 2");
  EXPECT_TRUE((*cell)->compile_times().autotune_ms.has_value());
  const auto block = (*cell)->sample({.mode = TimeMode::kDevice, .count = 2});
  ASSERT_TRUE(block);
  EXPECT_NEAR(block->samples_us[0], 11, 1e-3);
  const std::vector<std::int64_t> asked = {1};
  EXPECT_EQ((*cell)->output_rows(0, asked)->front(), 8);
}

TEST_F(ProgramProviders, without_tuning_the_generators_first_is_taken) {
  const auto provider = make_fused_provider(two, open_);
  const auto cell = provider->prepare(asking_for(kSoftmax, false));
  ASSERT_TRUE(cell);
  EXPECT_EQ((*cell)->config().at("schedule"), "slow");
  EXPECT_FALSE((*cell)->compile_times().autotune_ms.has_value());
  EXPECT_EQ(script_.count("launch strobe_fast"), 0u);
}

TEST_F(ProgramProviders, a_candidate_that_cannot_be_launched_is_left_out_with_a_note) {
  script_.failures["launch strobe_fast"] = cu::kLaunchOutOfResources;
  const auto provider = make_fused_provider(two, open_);
  const auto cell = provider->prepare(asking_for(kSoftmax));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->config().at("schedule"), "slow");
  EXPECT_THAT((*cell)->notes(), Contains(HasSubstr("left out while tuning: fast: cuLaunchKernel")));
}

TEST_F(ProgramProviders, candidates_share_one_piece_of_memory) {
  const auto provider = make_fused_provider(two, open_);
  ASSERT_TRUE(provider->prepare(asking_for(kSoftmax)));
  EXPECT_EQ(script_.count("allocate 512"), 1u);
}

TEST_F(ProgramProviders, the_unfused_one_runs_what_it_was_given) {
  play_copies(script_);
  const auto provider = make_unfused_provider(copy, open_);
  const auto cell = provider->prepare(asking_for(kSoftmax));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_TRUE((*cell)->compile_times().codegen_ms.has_value());
  EXPECT_TRUE((*cell)->run());
  script_.free_bytes = std::size_t{48} << 20;  // for small roofs
  EXPECT_TRUE(provider->measure_floors());
  EXPECT_TRUE(provider->measure_roofs());
}

}  // namespace
}  // namespace strobe::bench
