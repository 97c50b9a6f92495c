#include "strobe/bench/providers/cpu/cpu_provider.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "strobe/bench/reference/mask_check.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

PrepareRequest request_of(std::string_view id, Shape shape, DType dtype = DType::kF32) {
  PrepareRequest request;
  request.cell = {std::string(id), std::move(shape), dtype, "cpu"};
  request.flush = FlushKind::kHot;
  request.law =
      find_case(id)->has_affine_accuracy_inputs ? InputLaw::kConditioned : InputLaw::kNormal;
  return request;
}

// Every output of a cell against the reference.
void expect_right(Provider& provider, const PrepareRequest& request, const std::string& whose) {
  const CaseInfo& info = *find_case(request.cell.case_id);
  auto cell = provider.prepare(request);
  ASSERT_TRUE(cell) << cell.error().what;
  const auto layouts = output_layouts(info, request.cell.shape);
  ASSERT_EQ((*cell)->output_count(), layouts.size());
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const auto rows = rows_to_check(layouts[i], 1);
    const auto actual = (*cell)->output_rows(i, rows);
    ASSERT_TRUE(actual);
    const auto expected = reference_rows(info, request, i, rows);
    ASSERT_EQ(actual->size(), expected.size());
    const Accuracy accuracy = compare_values(
        *actual, expected, tolerance_of(info, request.cell.shape, request.cell.dtype));
    EXPECT_EQ(accuracy.mismatches, 0u)
        << whose << ": " << cell_text(request.cell) << " output " << i << ", "
        << equality_line(accuracy) << ", worst at " << accuracy.worst_index << ": "
        << (*actual)[static_cast<std::size_t>(accuracy.worst_index)] << " for "
        << expected[static_cast<std::size_t>(accuracy.worst_index)];
    EXPECT_EQ(check_mask(info, request, rows, *actual).differences, 0u)
        << whose << ": " << cell_text(request.cell);
  }
}

std::vector<Shape> small_shapes(CaseKind kind) {
  switch (kind) {
    case CaseKind::kRows:
      return {{{1, 1}}, {{3, 2}}, {{2, 131}}, {{67, 33}}, {{129, 127}}, {{5, 4099}}, {{1, 20001}}};
    case CaseKind::kMatmul:
      return {{{1, 1, 1}}, {{3, 5, 2}}, {{131, 61, 127}}, {{17, 129, 530}}};
    case CaseKind::kConvolution:
      return {{{1, 1, 1, 1, 1, 1, 1}},
              {{2, 7, 5, 3, 4, 3, 1}},
              {{1, 9, 8, 3, 17, 5, 2}},
              {{1, 6, 6, 40, 33, 3, 1}}};
    case CaseKind::kAttention:
      return {{{1, 1, 1, 4}}, {{2, 9, 3, 8}}, {{1, 131, 2, 64}}, {{1, 70, 1, 20}}};
  }
  return {};
}

class CpuCases : public ::testing::TestWithParam<std::string> {};

TEST_P(CpuCases, are_right_in_every_type_and_instruction_set) {
  const CaseInfo& info = *find_case(GetParam());
  for (const KernelSet* set : kernel_sets()) {
    for (const bool is_fused : {true, false}) {
      CpuProvider provider(is_fused, set);
      for (const Shape& shape : small_shapes(info.kind)) {
        for (const DType dtype : {DType::kF32, DType::kF16, DType::kBf16}) {
          expect_right(provider, request_of(info.id, shape, dtype),
                       std::string(set->name) + (is_fused ? "" : " unfused"));
        }
      }
    }
  }
}

std::vector<std::string> case_ids() {
  std::vector<std::string> ids;
  for (const CaseInfo& info : cases()) ids.emplace_back(info.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(All, CpuCases, ::testing::ValuesIn(case_ids()),
                         [](const auto& test) { return test.param; });

TEST(CpuProvider, says_what_the_machine_is) {
  CpuProvider one(true, nullptr, 1);
  EXPECT_TRUE(one.probe().device.ends_with(", 1 thread")) << one.probe().device;
  EXPECT_TRUE(one.probe().is_available());
  EXPECT_EQ(one.probe().name, "cpu");
  EXPECT_EQ(CpuProvider(false).probe().name, "cpu-unfused");
  EXPECT_GT(one.free_bytes().value_or(0), 1e6);
}

TEST(CpuProvider, plans_exactly_what_it_will_allocate) {
  // x and out; the row that a thread keeps of a softmax.
  CpuProvider fused(true, nullptr, 1);
  EXPECT_EQ(fused.plan(request_of("pointwise_chain", {{100, 70}}).cell)->resident_bytes,
            2 * 7000 * 4);
  EXPECT_EQ(fused.plan(request_of("softmax", {{100, 70}}).cell)->resident_bytes,
            2 * 7000 * 4 + 70 * 4);
  EXPECT_EQ(fused.plan(request_of("softmax", {{100, 70}}).cell)->kernels, 1);
  EXPECT_EQ(fused.plan(request_of("layernorm", {{100, 70}}, DType::kBf16).cell)->resident_bytes,
            (2 * 7000 + 2 * 70) * 2);
  // x, out, and between them y, x1 and y1.
  CpuProvider unfused(false, nullptr, 1);
  EXPECT_EQ(unfused.plan(request_of("pointwise_chain", {{100, 70}}).cell)->resident_bytes,
            5 * 7000 * 4);
  EXPECT_EQ(unfused.plan(request_of("pointwise_chain", {{100, 70}}).cell)->kernels, 4);
  for (const CaseInfo& info : cases()) {
    const PrepareRequest request = request_of(info.id, small_shapes(info.kind)[1]);
    auto cell = unfused.prepare(request);
    ASSERT_TRUE(cell);
    EXPECT_EQ((*cell)->resident_bytes(), unfused.plan(request.cell)->resident_bytes) << info.id;
    EXPECT_EQ((*cell)->kernels().size(),
              static_cast<std::size_t>(unfused.plan(request.cell)->kernels))
        << info.id;
  }
}

TEST(CpuProvider, gives_as_many_samples_as_asked_or_as_the_budget_allows) {
  CpuProvider provider(true);
  auto cell = provider.prepare(request_of("pointwise_chain", {{64, 64}}));
  ASSERT_TRUE(cell);
  const auto many = (*cell)->sample({TimeMode::kCpu, 7, 1e6});
  ASSERT_TRUE(many);
  EXPECT_EQ(many->samples_us.size(), 7u);
  EXPECT_TRUE(std::ranges::all_of(many->samples_us, [](double us) { return us > 0; }));
  EXPECT_EQ((*cell)->sample({TimeMode::kCpu, 1000, 0})->samples_us.size(), 1u);
  EXPECT_FALSE((*cell)->sample({TimeMode::kGraph, 1, 1}));
}

TEST(CpuProvider, a_row_that_the_output_does_not_have_is_refused) {
  CpuProvider provider(true);
  const auto cell = provider.prepare(request_of("pointwise_chain", {{4, 8}}));
  ASSERT_TRUE(cell);
  EXPECT_EQ((*cell)->output_rows(0, std::vector<std::int64_t>{0, 3})->size(), 16u);
  for (const std::int64_t row : {-1, 4}) {
    const auto values = (*cell)->output_rows(0, std::vector<std::int64_t>{0, row});
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().what, "there is no row " + std::to_string(row) + " among 4");
  }
}

TEST(CpuProvider, a_cache_state_that_it_does_not_know_is_refused) {
  CpuProvider provider(true);
  PrepareRequest request = request_of("softmax", {{4, 4}});
  request.flush = FlushKind::kRotate;
  const auto cell = provider.prepare(request);
  ASSERT_FALSE(cell);
  EXPECT_EQ(cell.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(cell.error().hint, "one of cold, cold-dirty, hot");
}

TEST(CpuProvider, a_case_or_shape_that_is_none_is_a_wrong_command_line) {
  CpuProvider provider(true);
  EXPECT_EQ(provider.plan({"no_such", {{4, 4}}, DType::kF32, "cpu"}).error().where, "--case");
  EXPECT_EQ(provider.plan({"softmax", {{4, 4, 4}}, DType::kF32, "cpu"}).error().where, "--shape");
}

// Few long rows are split into pieces, many rows are distributed: the mask must not depend on that.
TEST(CpuProvider, threads_and_seeds_drop_what_the_generator_says) {
  for (const char* id : {"bias_dropout_add_train", "bias_dropout_add_transposed_train"}) {
    for (const std::int64_t threads : {1, 4}) {
      for (const std::uint64_t seed : {1ull, 1ull << 40}) {
        for (const bool is_fused : {true, false}) {
          CpuProvider provider(is_fused, nullptr, threads);
          for (const Shape& shape : {Shape{{1, 70001}}, Shape{{20001, 1}}, Shape{{150, 151}}}) {
            PrepareRequest request = request_of(id, shape);
            request.seed = seed;
            expect_right(provider, request, "");
          }
        }
      }
    }
  }
}

TEST(CpuProvider, the_same_cell_gives_the_same_bits_again) {
  CpuProvider provider(true);
  auto cell = provider.prepare(request_of("layernorm", {{33, 4099}}));
  ASSERT_TRUE(cell);
  const std::vector<std::int64_t> rows = {0, 16, 32};
  EXPECT_EQ(*(*cell)->output_rows(0, rows), *(*cell)->output_rows(0, rows));
}

}  // namespace
}  // namespace strobe::bench
