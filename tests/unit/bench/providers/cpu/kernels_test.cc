#include "strobe/bench/providers/cpu/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_values.h"

namespace strobe::bench {
namespace {

const float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> applied(const KernelSet& set, RowsKernelId id, const std::vector<float>& x) {
  std::vector<float> y(x.size(), -77.0f);
  RowsTask task;
  task.in[0] = x.data();
  task.out[0] = y.data();
  task.columns = static_cast<std::int64_t>(x.size());
  set.kernel(DType::kF32, id)(task, 0, 1);
  return y;
}

// Typical, large and tiny values, in separate packs and mixed.
std::vector<float> arguments(float largest) {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) * 0.00087f);
  for (float size = 1e-42f; size <= largest; size *= 1.37f) {
    x.push_back(size);
    x.push_back(-size);
  }
  for (const float special : {0.0f, -0.0f, 1.4e-45f, 1.17549435e-38f, 3.4999f, 3.5001f, 1.5707964f,
                              86.9f, 87.1f, 88.72f, -87.3f, -103.9f, 8191.9f, 8192.1f}) {
    if (std::abs(special) <= largest) x.push_back(special);
  }
  return x;
}

void expect_near(RowsKernelId id, double (*right)(double), float largest, double atol,
                 double rtol) {
  for (const KernelSet* set : kernel_sets()) {
    const std::vector<float> x = arguments(largest);
    const std::vector<float> y = applied(*set, id, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = right(static_cast<double>(x[i]));
      EXPECT_NEAR(static_cast<double>(y[i]), expected, atol + rtol * std::abs(expected))
          << set->name << " of " << x[i];
    }
  }
}

// Less than half of the tolerance of one f32 value, 1e-6 + 1e-5 |y|: the chain that uses it
// multiplies by 3.
TEST(Kernels, cos_is_right_from_the_tiniest_to_the_largest_argument) {
  expect_near(RowsKernelId::kCos, std::cos, 3e38f, 4e-7, 4e-7);
}

TEST(Kernels, exp_is_right_wherever_it_is_finite) {
  expect_near(RowsKernelId::kExp, std::exp, 88.7f, 2e-45, 5e-7);
}

TEST(Kernels, tanh_keeps_its_digits_around_zero) {
  expect_near(RowsKernelId::kTanh, std::tanh, 3e38f, 2e-45, 6e-7);
}

TEST(Kernels, what_is_not_finite_goes_where_the_function_goes) {
  for (const KernelSet* set : kernel_sets()) {
    std::vector<float> x(67, 0.25f);
    x[3] = kInf;
    x[20] = -kInf;
    x[66] = kNan;
    const auto cosine = applied(*set, RowsKernelId::kCos, x);
    const auto exponential = applied(*set, RowsKernelId::kExp, x);
    const auto tangent = applied(*set, RowsKernelId::kTanh, x);
    EXPECT_TRUE(std::isnan(cosine[3]) && std::isnan(cosine[20]) && std::isnan(cosine[66]))
        << set->name;
    EXPECT_EQ(exponential[3], kInf);
    EXPECT_EQ(exponential[20], 0.0f);
    EXPECT_TRUE(std::isnan(exponential[66]));
    EXPECT_EQ(tangent[3], 1.0f);
    EXPECT_EQ(tangent[20], -1.0f);
    EXPECT_TRUE(std::isnan(tangent[66]));
    EXPECT_NEAR(cosine[4], std::cos(0.25), 1e-6);
  }
}

TEST(Kernels, sixteen_bit_types_are_rounded_as_the_reference_rounds) {
  std::vector<float> wide;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    wide.push_back(normal_value(input_bits(7, 0, i)) *
                   std::exp2(static_cast<float>(i % 45) - 28.0f));
  }
  for (const float special : {0.0f, -0.0f, 65504.0f, 65519.0f, 65520.0f, 1e9f, -kInf, kNan,
                              0x1p-24f, 0x1p-25f, 0x1.8p-25f}) {
    wide.push_back(special);
  }
  for (const KernelSet* set : kernel_sets()) {
    for (const DType dtype : {DType::kF16, DType::kBf16}) {
      // A copy through the kernel reads and rounds; a product of 1 and a rounded input changes
      // nothing.
      std::vector<std::uint16_t> bits(wide.size()), out(wide.size(), 0xAAAA);
      for (std::size_t i = 0; i < wide.size(); ++i)
        bits[i] = dtype == DType::kF16 ? f16_bits(wide[i]) : bf16_bits(wide[i]);
      std::vector<std::uint16_t> half(wide.size());
      RowsTask task;
      task.in[0] = bits.data();
      task.out[0] = out.data();
      task.constant = 0.7f;
      task.columns = static_cast<std::int64_t>(wide.size());
      set->kernel(dtype, RowsKernelId::kMulConstant)(task, 0, 1);
      for (std::size_t i = 0; i < wide.size(); ++i) {
        const float value = dtype == DType::kF16 ? f16_value(bits[i]) : bf16_value(bits[i]);
        const std::uint16_t expected =
            dtype == DType::kF16 ? f16_bits(value * 0.7f) : bf16_bits(value * 0.7f);
        if (std::isnan(value)) {
          EXPECT_TRUE(std::isnan(dtype == DType::kF16 ? f16_value(out[i]) : bf16_value(out[i])));
        } else {
          EXPECT_EQ(out[i], expected) << set->name << " " << dtype_name(dtype) << " of " << value;
        }
      }
    }
  }
}

TEST(Kernels, every_length_is_written_to_its_end_and_not_beyond) {
  for (const KernelSet* set : kernel_sets()) {
    for (const bool is_streamed : {false, true}) {
      for (std::size_t length = 0; length <= 150; ++length) {
        for (const std::size_t offset : {0u, 1u, 3u}) {
          std::vector<float> x(length + offset + 1, 2.0f), y(length + offset + 1, -5.0f);
          RowsTask task;
          task.in[0] = x.data() + offset;
          task.out[0] = y.data() + offset;
          task.columns = static_cast<std::int64_t>(length);
          task.constant = 3.0f;
          task.is_streamed = is_streamed;
          set->kernel(DType::kF32, RowsKernelId::kMulConstant)(task, 0, 1);
          for (std::size_t i = 0; i < y.size(); ++i) {
            ASSERT_EQ(y[i], i >= offset && i < offset + length ? 6.0f : -5.0f)
                << set->name << " " << length;
          }
        }
      }
    }
  }
}

TEST(Kernels, a_sum_and_a_maximum_take_every_element_once) {
  for (const KernelSet* set : kernel_sets()) {
    for (const std::size_t length : {1u, 2u, 15u, 64u, 100u, 2047u, 2049u, 5000u}) {
      std::vector<float> x(length);
      for (std::size_t i = 0; i < length; ++i) x[i] = -1.0f - static_cast<float>((i * 37) % length);
      float sum = 0, most = 0;
      RowsTask task;
      task.in[0] = x.data();
      task.out[0] = &sum;
      task.out[1] = &most;
      task.columns = static_cast<std::int64_t>(length);
      set->kernel(DType::kF32, RowsKernelId::kSumAndMax)(task, 0, 1);
      double expected = 0;
      float largest = -kInf;
      for (const float value : x) {
        expected += static_cast<double>(value);
        largest = std::max(largest, value);
      }
      EXPECT_NEAR(static_cast<double>(sum), expected, std::abs(expected) * 1e-6)
          << set->name << " " << length;
      EXPECT_EQ(most, largest) << set->name << " " << length;
    }
  }
}

// The fast paths of cos and exp are valid for small arguments; a part of a row with a larger one
// takes the slow path.
TEST(Kernels, one_large_argument_in_a_row_spoils_no_other_and_counts_once) {
  for (const KernelSet* set : kernel_sets()) {
    for (const bool is_streamed : {false, true}) {
      for (const float large : {0.5f, 3.6f, 100.0f, 1e6f}) {
        std::vector<float> x(6000), y(6000), zero(6000, 0.0f);
        double total = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          x[i] = i == 2500 ? large : -3.0f + 0.001f * static_cast<float>(i);
          total += static_cast<double>(x[i]);
        }
        float sum = 0;
        RowsTask task;
        task.in[0] = x.data();
        task.in[1] = zero.data();
        task.out[0] = &sum;
        task.out[1] = y.data();
        task.columns = 6000;
        task.is_streamed = is_streamed;
        set->kernel(DType::kF32, RowsKernelId::kSumAndCos)(task, 0, 1);
        EXPECT_NEAR(static_cast<double>(sum), total, 1e-6 * (9000 + std::abs(total)));
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_NEAR(static_cast<double>(y[i]), std::cos(static_cast<double>(x[i])), 6e-7);
        task.out[0] = y.data();
        set->kernel(DType::kF32, RowsKernelId::kPointwiseChain)(task, 0, 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double v = static_cast<double>(x[i]), c = std::cos(v);
          const double right = v * c + std::max(v * c, c);
          ASSERT_NEAR(static_cast<double>(y[i]), right, 6e-7 + 6e-6 * std::abs(right))
              << set->name << " of " << v;
        }
        set->kernel(DType::kF32, RowsKernelId::kBiasGelu)(task, 0, 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double v = static_cast<double>(x[i]);
          const double right = v * 0.5 * (1 + std::tanh(0.79788456 * v * (1 + 0.044715 * v * v)));
          ASSERT_NEAR(static_cast<double>(y[i]), right, 6e-7 + 6e-6 * std::abs(right))
              << set->name << " of " << v;
        }
      }
    }
  }
}

// Pieces of a row with differences beyond 87 need the exponential for any size.
TEST(Kernels, softmax_in_place_is_right_for_large_differences) {
  for (const KernelSet* set : kernel_sets()) {
    std::vector<float> values(4099);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = -0.5f * static_cast<float>(i * 7 % 401);  // 0 to -200
    }
    std::vector<double> expected;
    double sum = 0;
    for (const float value : values) {
      expected.push_back(std::exp(static_cast<double>(value)));
      sum += expected.back();
    }
    values.push_back(kNan);  // padding
    const auto count = static_cast<std::int64_t>(expected.size());
    set->softmax(values.data(), count, count + 1);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double right = expected[i] / sum;
      EXPECT_NEAR(static_cast<double>(values[i]), right, 1e-37 + 1e-6 * right)
          << set->name << " at " << i;
    }
    EXPECT_EQ(values.back(), 0) << set->name;
  }
}

}  // namespace
}  // namespace strobe::bench
