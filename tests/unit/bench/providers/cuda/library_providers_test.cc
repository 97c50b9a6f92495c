#include "strobe/bench/providers/cuda/library_providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/providers/cuda/program_providers.h"
#include "tests/unit/bench/providers/cuda/scripted_cublaslt.h"
#include "tests/unit/bench/providers/cuda/scripted_cudnn.h"
#include "tests/unit/bench/providers/cuda/scripted_program.h"

namespace strobe::bench {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<KernelLaunch>& launches) {
  std::vector<std::string> names;
  for (const KernelLaunch& launch : launches) names.push_back(launch.name);
  return names;
}

class LibraryProviders : public ::testing::Test {
 protected:
  Result<std::shared_ptr<CudaSession>> open() {
    return std::make_shared<CudaSession>(script_.device());
  }
  std::unique_ptr<Provider> cublaslt() {
    return make_cublaslt_provider([this] { return open(); }, openers_);
  }
  std::unique_ptr<Provider> cudnn() {
    return make_cudnn_provider([this] { return open(); }, openers_);
  }
  std::unique_ptr<Provider> unfused() {
    return make_unfused_provider(
        [](const CaseInfo&, const Shape&, DType, const ChipFacts&) -> Result<KernelProgram> {
          return KernelProgram{};
        },
        [this] { return open(); }, openers_);
  }

  ScriptedDriver script_;
  ScriptedCublasLt lt_{script_.api()};
  ScriptedCudnn dnn_{script_.api()};
  LibraryOpeners openers_ = {.cublaslt = [this](int) -> Result<CublasLtApi> { return lt_.api(); },
                             .cudnn = [this]() -> Result<CudnnApi> { return dnn_.api(); }};
};

const Cell kAdd = {"matmul_add", {{64, 32, 16}}, DType::kBf16, "cublaslt"};

TEST_F(LibraryProviders, the_fastest_proposal_is_kept_and_not_the_first) {
  script_.kernel_us = {{"gemm_11", 30}, {"gemm_12", 20}, {"gemm_13", 25}};
  const auto provider = cublaslt();
  const auto cell = provider->prepare(asking_for(kAdd));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_THAT((*cell)->config().at("schedule"), HasSubstr("algorithm 12"));
  const auto sampled = (*cell)->sample({.mode = TimeMode::kDevice, .count = 3});
  ASSERT_TRUE(sampled) << sampled.error().what;
  EXPECT_THAT(sampled->samples_us, Contains(::testing::DoubleNear(21, 0.01)));
  EXPECT_EQ(lt_.products.back().algorithm, 12u);
}

TEST_F(LibraryProviders, a_proposal_that_is_refused_at_run_time_is_passed_over_and_noted) {
  script_.kernel_us = {{"gemm_11", 10}, {"gemm_12", 20}, {"gemm_13", 25}};
  lt_.refusals[11] = lt::kNotSupported;
  const auto cell = cublaslt()->prepare(asking_for(kAdd));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ(lt_.products.back().algorithm, 12u);
  EXPECT_THAT((*cell)->notes(),
              Contains(HasSubstr("1 algorithms for step 1 that it then refused to run")));
}

TEST_F(LibraryProviders, without_tuning_the_first_that_runs_is_taken) {
  script_.kernel_us = {{"gemm_11", 30}, {"gemm_12", 20}};
  PrepareRequest request = asking_for(kAdd);
  request.may_tune = false;
  ASSERT_TRUE(cublaslt()->prepare(request));
  EXPECT_EQ(lt_.products.back().algorithm, 11u);
}

TEST_F(LibraryProviders, memory_that_runs_out_in_the_library_ends_the_cell_as_such) {
  lt_.refusals[11] = lt::kAllocationFailed;
  const auto cell = cublaslt()->prepare(asking_for(kAdd));
  ASSERT_FALSE(cell);
  EXPECT_EQ(cell.error().code, ErrorCode::kOutOfMemory);
}

TEST_F(LibraryProviders, the_sum_is_written_out_of_place_with_one_kernel) {
  const auto provider = cublaslt();
  const auto plan = provider->plan(kAdd);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->unsupported, "");
  EXPECT_EQ(plan->kernels, 1);
  // A 64x16, B 16x32, D and out 64x32, two bytes each, and the largest workspace.
  EXPECT_EQ(plan->resident_bytes, 2 * (1024 + 512 + 2048 + 2048) + 13 * 1024);
  const auto cell = provider->prepare(asking_for(kAdd));
  ASSERT_TRUE(cell);
  EXPECT_EQ((*cell)->resident_bytes(), plan->resident_bytes);
  const auto& product = lt_.products.back();
  EXPECT_EQ(product.beta, 1);
  EXPECT_NE(product.at_c, product.at_d);
  EXPECT_EQ(script_.count("copy"), 0u);
}

TEST_F(LibraryProviders, what_the_library_does_not_do_is_unsupported_in_its_own_words) {
  lt_.heuristics_status = lt::kNotSupported;
  const auto plan = cublaslt()->plan(kAdd);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->unsupported, HasSubstr("CUBLAS_STATUS_NOT_SUPPORTED (15: scripted)"));
  EXPECT_THAT(cublaslt()->plan({"softmax", {{4, 8}}, DType::kF32, ""})->unsupported,
              HasSubstr("multiplies matrices"));
  EXPECT_THAT(cudnn()->plan(kAdd)->unsupported, HasSubstr("convolutions and attention"));
  EXPECT_THAT(cudnn()->plan({"attention", {{1, 128, 2, 64}}, DType::kF32, ""})->unsupported,
              HasSubstr("f16 and bf16, not f32"));
  EXPECT_THAT(cublaslt()->plan({"matmul_add", {{4, 8}}, DType::kF32, ""})->unsupported,
              HasSubstr("takes 3 sizes, not 4x8"));
}

TEST_F(LibraryProviders, an_absent_library_is_an_obstacle_with_what_to_do) {
  const auto absent = [] {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "there is none",
                 .where = "",
                 .hint = "install it"};
  };
  openers_.cublaslt = [&](int) -> Result<CublasLtApi> { return absent(); };
  openers_.cudnn = [&]() -> Result<CudnnApi> { return absent(); };
  EXPECT_EQ(cublaslt()->probe().obstacle, "there is none; install it");
  EXPECT_EQ(cudnn()->probe().obstacle, "there is none; install it");
  EXPECT_EQ(cublaslt()->plan(kAdd)->unsupported, "there is none; install it");
  // A missing library does not mean out of memory.
  EXPECT_EQ(cublaslt()->prepare(asking_for(kAdd)).error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(unfused()->plan(kAdd)->unsupported, "there is none; install it");
}

TEST_F(LibraryProviders, a_library_that_does_not_start_says_why) {
  lt_.create_status = 1;
  EXPECT_THAT(cublaslt()->probe().obstacle, HasSubstr("cublasLtCreate gives"));
}

TEST_F(LibraryProviders, a_probe_names_the_librarys_version_first) {
  EXPECT_TRUE(cublaslt()->probe().version.starts_with("cuBLASLt 13.1.0, NVRTC 13.0"));
  EXPECT_TRUE(cudnn()->probe().version.starts_with("cuDNN 9.14.0, "));
}

TEST_F(LibraryProviders, unfused_products_have_one_kernel_an_operator) {
  const auto cell =
      unfused()->prepare(asking_for({"matmul_add_relu", {{64, 32, 16}}, DType::kF32, ""}));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_THAT(names((*cell)->kernels()),
              ElementsAre("cublasLtMatmul", "strobe_add", "strobe_relu"));
  EXPECT_EQ(lt_.products.back().epilogue, lt::kEpilogueDefault);
  EXPECT_EQ(lt_.products.back().beta, 0);
}

TEST_F(LibraryProviders, unfused_attention_is_two_products_and_what_an_eager_framework_does) {
  const auto cell =
      unfused()->prepare(asking_for({"attention", {{2, 128, 4, 64}}, DType::kF16, ""}));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_THAT(names((*cell)->kernels()),
              ElementsAre("strobe_heads_first", "strobe_heads_first", "strobe_heads_first",
                          "cublasLtMatmul", "strobe_scale", "strobe_add_mask", "strobe_softmax",
                          "cublasLtMatmul"));
  EXPECT_EQ(script_.count("launch strobe_causal_mask"), 1u);  // prepared, not timed
  EXPECT_EQ(lt_.products.back().d.batch, 8);
}

TEST_F(LibraryProviders, two_products_are_two_calls) {
  const auto cell =
      cublaslt()->prepare(asking_for({"matmul_matmul", {{64, 32, 16}}, DType::kF32, ""}));
  ASSERT_TRUE(cell);
  // (A B) W is [64,16]: in columns 16 by 64.
  EXPECT_EQ(lt_.products.back().d.rows, 16u);
  EXPECT_EQ(lt_.products.back().d.columns, 64u);
  const std::vector<std::int64_t> rows = {0, 63};
  const auto values = (*cell)->output_rows(0, rows);
  ASSERT_TRUE(values);
  EXPECT_EQ(values->size(), 32u);
  const std::vector<std::int64_t> beyond = {64};
  EXPECT_FALSE((*cell)->output_rows(0, beyond));
}

TEST_F(LibraryProviders, a_norm_is_folded_once_and_never_inside_a_call) {
  const Cell norm = {"conv_bn", {{2, 8, 8, 16, 32, 3, 1}}, DType::kF16, "cudnn"};
  const auto cell = cudnn()->prepare(asking_for(norm));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_EQ(script_.count("launch strobe_folded_filters"), 1u);
  EXPECT_EQ(script_.count("launch strobe_folded_bias"), 1u);
  ASSERT_TRUE((*cell)->run());
  EXPECT_EQ(script_.count("launch strobe_folded_filters"), 1u);
  EXPECT_EQ(dnn_.stream, reinterpret_cast<CuStream>(1));  // the device's own
  EXPECT_THAT(names(unfused()->prepare(asking_for(norm)).value()->kernels()),
              ElementsAre("cudnnBackendExecute", "strobe_batch_norm"));
}

TEST_F(LibraryProviders, both_graphs_of_a_convolution_compete) {
  dnn_.engines = {{.index = 1}, {.index = 2}};
  script_.kernel_us = {{"dnn_1", 30}, {"dnn_2", 20}};
  const auto cell =
      cudnn()->prepare(asking_for({"conv_relu", {{2, 8, 8, 16, 32, 3, 1}}, DType::kF16, ""}));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_THAT((*cell)->config().at("schedule"), HasSubstr("engine 2 of 2 operations, 2 of 4"));
}

// Another stack may use that engine, and then be faster.
TEST_F(LibraryProviders, an_engine_that_is_left_out_for_its_precision_is_told) {
  dnn_.engines = {{.index = 1, .notes = {dnn::kReducedPrecisionReduction}}, {.index = 2}};
  const auto norm =
      cudnn()->prepare(asking_for({"conv_bn", {{2, 8, 8, 16, 32, 3, 1}}, DType::kF16, ""}));
  ASSERT_TRUE(norm) << norm.error().what;
  EXPECT_THAT((*norm)->notes(),
              Contains("1 of the library's choices for step 1 was not tried: sums in less than "
                       "f32, or other bits each time"));
}

TEST_F(LibraryProviders, fused_attention_is_one_call) {
  const auto cell = cudnn()->prepare(asking_for({"attention", {{2, 128, 4, 64}}, DType::kF16, ""}));
  ASSERT_TRUE(cell) << cell.error().what;
  EXPECT_THAT(names((*cell)->kernels()), ElementsAre("cudnnBackendExecute"));
  // q, k, v, out, and the two numbers.
  EXPECT_EQ(dnn_.calls.back().places.size(), 6u);
}

TEST_F(LibraryProviders, everything_is_given_back_with_the_provider) {
  {
    const auto lt = cublaslt();
    const auto dnn = cudnn();
    ASSERT_TRUE(lt->prepare(asking_for(kAdd)));
    ASSERT_TRUE(dnn->plan({"conv_relu", {{2, 8, 8, 16, 32, 3, 1}}, DType::kF16, ""}));
  }
  EXPECT_EQ(lt_.alive, 0);
  EXPECT_EQ(dnn_.alive, 0);
}

}  // namespace
}  // namespace strobe::bench
