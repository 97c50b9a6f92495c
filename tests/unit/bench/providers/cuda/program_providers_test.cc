#include "strobe/bench/providers/cuda/program_providers.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/tune_cache.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/bench/providers/cuda/fake_nvrtc.h"
#include "tests/unit/bench/providers/cuda/scripted_driver.h"
#include "tests/unit/bench/providers/cuda/scripted_program.h"

namespace strobe::bench {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

  PrepareRequest keeping(Cell cell = kSoftmax) const {
    PrepareRequest request = asking_for(std::move(cell));
    request.cache_folder = (folder_ / "cache").string();
    return request;
  }
  static Cell other_shape() { return {"softmax", {{4, 16}}, DType::kF32, "cuda-fused"}; }
  Result<std::unique_ptr<PreparedCell>> prepared_by_a_new_process(Cell cell = kSoftmax) {
    return make_fused_provider(two, open_)->prepare(keeping(std::move(cell)));
  }

  strobe::testing::TemporaryFolder folder_;
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
  EXPECT_EQ(cell.error().code, ErrorCode::kMachineLacks);  // not out of memory
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
    EXPECT_THAT(plan->unsupported,
                AnyOf(HasSubstr("cublaslt, cudnn or a worker"), HasSubstr("no vendor library")));
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
        return Error{
            .code = ErrorCode::kUnsupported, .what = "no schedule fits", .where = "", .hint = ""};
      },
      open_);
  EXPECT_EQ(provider->plan(kSoftmax)->unsupported, "no schedule fits");
}

TEST_F(ProgramProviders, the_fused_one_takes_its_fastest_candidate) {
  const auto provider = make_fused_provider(two, open_);
  const auto cell = provider->prepare(asking_for(kSoftmax));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->config().at("schedule"), "fast");
  EXPECT_THAT((*cell)->config().at("tuned"), ::testing::StartsWith("best of 2, at "));
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
  EXPECT_EQ(script_.count("allocate 8192"), 1u);  // sixteen places of 512
  EXPECT_EQ(script_.count("allocate 512"), 0u);
}

TEST_F(ProgramProviders, a_choice_is_found_again_and_neither_compiled_nor_timed) {
  const auto first = prepared_by_a_new_process();
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_FALSE((*first)->compile_times().is_cached);
  EXPECT_TRUE((*first)->compile_times().nvrtc_ms.has_value());
  const std::size_t compiled = script_.count("compile");
  script_.calls.clear();
  const auto second = prepared_by_a_new_process();
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_GT(compiled, 0u);
  EXPECT_EQ(script_.count("compile"), 0u);  // and nothing that measures was loaded
  EXPECT_EQ(script_.count("launch strobe_slow"), 0u);
  EXPECT_EQ(script_.count("launch strobe_fast"), 1u);
  EXPECT_EQ((*second)->config().at("schedule"), "fast");
  const CompileTimes times = (*second)->compile_times();
  EXPECT_TRUE(times.is_cached);
  EXPECT_TRUE(times.codegen_ms.has_value());
  EXPECT_TRUE(times.load_ms.has_value());
  EXPECT_TRUE(times.first_call_ms.has_value());
  EXPECT_FALSE(times.nvrtc_ms.has_value());
  EXPECT_FALSE(times.autotune_ms.has_value());
}

TEST_F(ProgramProviders, who_finds_everything_does_not_open_the_compiler) {
  ASSERT_TRUE(prepared_by_a_new_process());
  // A library with the right name, but not a compiler if it is opened.
  FakeNvrtc nvrtc("13.0");
  CudaDevice* device = nullptr;
  const auto provider = make_fused_provider(two, [&]() -> Result<std::shared_ptr<CudaSession>> {
    auto opened = CudaDevice::open(script_.api(), RunTimeCompiler::find(13), {});
    device = opened->get();
    return std::make_shared<CudaSession>(std::move(*opened));
  });
  EXPECT_EQ(provider->probe().version, "NVRTC 13.0, driver of CUDA 13.0");
  const auto cell = provider->prepare(keeping());
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_TRUE((*cell)->compile_times().is_cached);
  EXPECT_FALSE(device->is_compiler_open());
}

TEST_F(ProgramProviders, every_cell_has_its_own_choice) {
  ASSERT_TRUE(prepared_by_a_new_process());
  const auto other = prepared_by_a_new_process(other_shape());
  ASSERT_TRUE(other);
  EXPECT_FALSE((*other)->compile_times().is_cached);
  EXPECT_TRUE((*prepared_by_a_new_process())->compile_times().is_cached);
  EXPECT_TRUE((*prepared_by_a_new_process(other_shape()))->compile_times().is_cached);
}

// The winner with a cold cache may lose with a hot one: it is tuned as it is timed.
TEST_F(ProgramProviders, a_hot_cell_is_tuned_hot_and_has_its_own_choice) {
  ASSERT_TRUE(prepared_by_a_new_process());
  const auto flushes = [&] {
    return std::ranges::count(script_.calls, "launch strobe_flush", &ScriptedDriver::Call::what);
  };
  const auto before = flushes();
  EXPECT_GT(before, 0);
  PrepareRequest hot = keeping();
  hot.flush = FlushKind::kHot;
  const auto cell = make_fused_provider(two, open_)->prepare(hot);
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_FALSE((*cell)->compile_times().is_cached);
  EXPECT_TRUE((*cell)->compile_times().autotune_ms);
  EXPECT_LE(flushes(), before + 2);  // the flush's own first launches
  EXPECT_TRUE((*make_fused_provider(two, open_)->prepare(hot))->compile_times().is_cached);
  hot.flush = FlushKind::kRotate;  // as cold as after a flush
  EXPECT_TRUE((*make_fused_provider(two, open_)->prepare(hot))->compile_times().is_cached);
}

TEST_F(ProgramProviders, code_that_the_driver_refuses_is_made_anew_and_written_over) {
  ASSERT_TRUE(prepared_by_a_new_process());
  // Complete, with the right checksum, but for another chip.
  const TuneCache cache(folder_ / "cache");
  std::size_t changed = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "cache")) {
    if (file.path().extension() != ".json") continue;
    const std::string key = file.path().stem().string();
    std::optional<TuneEntry> entry = cache.find(key);
    ASSERT_TRUE(entry.has_value());
    if (entry->label.empty()) continue;
    const std::string foreign = "foreign code";
    entry->image.assign(foreign.begin(), foreign.end());
    ASSERT_TRUE(cache.store(key, *entry));
    ++changed;
  }
  ASSERT_EQ(changed, 1u);
  const auto again = prepared_by_a_new_process();
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_FALSE((*again)->compile_times().is_cached);
  EXPECT_TRUE((*again)->compile_times().autotune_ms.has_value());
  EXPECT_THAT((*again)->notes(),
              Contains(HasSubstr("the cached kernel could not be used: cuModuleLoad")));
  EXPECT_TRUE((*prepared_by_a_new_process())->compile_times().is_cached);
}

TEST_F(ProgramProviders, damaged_files_are_made_anew_and_written_over) {
  ASSERT_TRUE(prepared_by_a_new_process());
  for (const auto& file : std::filesystem::directory_iterator(folder_ / "cache")) {
    std::string bytes = strobe::testing::bytes_of(file.path());
    strobe::testing::put_bytes(file.path(), bytes.substr(0, bytes.size() / 2));
  }
  const auto again = prepared_by_a_new_process();
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_FALSE((*again)->compile_times().is_cached);
  EXPECT_TRUE((*prepared_by_a_new_process())->compile_times().is_cached);
}

TEST_F(ProgramProviders, a_full_disk_is_a_note_and_the_run_goes_on) {
  const auto cell = [&] {
    const strobe::testing::FullDisk full;
    return prepared_by_a_new_process();
  }();
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ((*cell)->config().at("schedule"), "fast");
  EXPECT_THAT((*cell)->notes(), Contains(AllOf(HasSubstr("the choice could not be kept"),
                                               HasSubstr("File too large"))));
  EXPECT_FALSE((*prepared_by_a_new_process())->compile_times().is_cached);
}

TEST_F(ProgramProviders, a_folder_that_cannot_be_written_to_is_a_note) {
  strobe::testing::put_bytes(folder_ / "cache", "a file where a folder should be");
  const auto fused = prepared_by_a_new_process();
  ASSERT_TRUE(fused) << fused.error().what;
  EXPECT_THAT((*fused)->notes(), Contains(HasSubstr("the choice could not be kept for the next "
                                                    "run: " +
                                                    (folder_ / "cache").string())));
  const auto unfused = make_unfused_provider(copy, open_)->prepare(keeping());
  ASSERT_TRUE(unfused) << unfused.error().what;
  EXPECT_THAT((*unfused)->notes(), Contains(HasSubstr("compiled code could not be kept")));
}

// Checking and timing are two preparations, but one program.
TEST_F(ProgramProviders, one_process_stays_with_its_choice_even_if_nothing_is_kept) {
  const auto provider = make_fused_provider(two, open_);
  ASSERT_TRUE(provider->prepare(asking_for(kSoftmax)));
  script_.kernel_us = {{"strobe_slow", 10}, {"strobe_fast", 50}};
  const auto again = provider->prepare(asking_for(kSoftmax));
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->config().at("schedule"), "fast");
}

TEST_F(ProgramProviders, without_tuning_compiled_code_is_kept_all_the_same) {
  PrepareRequest request = keeping();
  request.may_tune = false;
  ASSERT_TRUE(make_fused_provider(two, open_)->prepare(request));
  const auto again = make_fused_provider(two, open_)->prepare(request);
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->compile_times().is_cached);
  EXPECT_EQ((*again)->config().at("schedule"), "slow");
}

TEST_F(ProgramProviders, without_tuning_what_was_tuned_before_is_taken) {
  ASSERT_TRUE(prepared_by_a_new_process());
  PrepareRequest request = keeping();
  request.may_tune = false;
  const auto again = make_fused_provider(two, open_)->prepare(request);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->config().at("schedule"), "fast");
  EXPECT_FALSE((*again)->compile_times().autotune_ms);
}

// Under a profiler, every launch may wait.
TEST_F(ProgramProviders, what_is_prepared_without_a_hold_is_tuned_and_timed_without_one) {
  PrepareRequest request = asking_for(kSoftmax);
  request.hold = false;
  const auto cell = make_fused_provider(two, open_)->prepare(request);
  ASSERT_TRUE(cell) << cell.error().what;
  for (const TimeMode mode : {TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall}) {
    ASSERT_TRUE((*cell)->sample({.mode = mode, .count = 20}));
  }
  EXPECT_EQ((*cell)->config().at("schedule"), "fast");
  EXPECT_EQ(script_.count("launch strobe_hold"), 0u);
}

TEST_F(ProgramProviders, the_unfused_one_finds_its_code_again) {
  play_copies(script_);
  ASSERT_TRUE(make_unfused_provider(copy, open_)->prepare(keeping()));
  script_.calls.clear();
  const auto again = make_unfused_provider(copy, open_)->prepare(keeping());
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->compile_times().is_cached);
  EXPECT_FALSE((*again)->compile_times().nvrtc_ms.has_value());
  EXPECT_EQ(script_.count("compile"), 0u);
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
