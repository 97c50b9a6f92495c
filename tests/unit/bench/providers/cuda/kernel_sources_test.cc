#include "strobe/bench/providers/cuda/kernel_sources.h"

#include <dlfcn.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "strobe/bench/providers/cuda/nvrtc.h"
#include "strobe/bench/reference/input_values.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

class KernelSourcesFor : public ::testing::TestWithParam<int> {};

TEST_P(KernelSourcesFor, compile_for_every_chip_we_name) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  const std::array<std::pair<std::string_view, const char*>, 7> all = {
      {{sources::kHold, "strobe_hold"},
       {sources::kClock, "strobe_clock"},
       {sources::kFlush, "strobe_flush"},
       {sources::kRelease, "strobe_release"},
       {sources::kEmpty, "strobe_empty"},
       {sources::kFill, "strobe_fill"},
       {sources::kRoofs, "strobe_copy_4"}}};
  for (const auto& [source, name] : all) {
    const auto compiled = compile_source(*nvrtc, std::string(source), name, GetParam());
    ASSERT_TRUE(compiled) << name << ": " << compiled.error().what << "\n" << compiled.error().hint;
    EXPECT_EQ(compiled->architecture, "sm_" + std::to_string(GetParam()));
    // A cubin is an ELF file that names its kernel.
    const std::string image(compiled->image.begin(), compiled->image.end());
    EXPECT_TRUE(
        image.starts_with("\x7f"
                          "ELF"))
        << name;
    EXPECT_NE(image.find(name), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, KernelSourcesFor, ::testing::Values(80, 86, 90));

TEST(KernelSources, a_mistake_comes_back_with_the_compilers_words) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  const auto compiled =
      compile_source(*nvrtc, "extern \"C\" __global__ void a() { b(); }", "a", 90);
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().what.find("NVRTC_ERROR_COMPILATION"), std::string::npos);
  EXPECT_NE(compiled.error().hint.find("a.cu(1): error: identifier \"b\" is undefined"),
            std::string::npos)
      << compiled.error().hint;
}

TEST(KernelSources, a_chip_that_the_compiler_does_not_know_gets_text_for_the_driver) {
  const auto nvrtc = open_nvrtc(13);
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().what;
  const auto compiled = compile_source(*nvrtc, std::string(sources::kEmpty), "strobe_empty", 999);
  ASSERT_TRUE(compiled) << compiled.error().what;
  EXPECT_TRUE(compiled->architecture.starts_with("compute_")) << compiled->architecture;
  const std::string text(compiled->image.begin(), compiled->image.end());
  EXPECT_NE(text.find(".visible .entry strobe_empty"), std::string::npos);
}

using Fill = void (*)(void*, unsigned long long, unsigned long long, unsigned, int, float, int);

// The very source that the GPU runs, compiled for the host with one thread.
class FillOnHost : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    const std::string source = *folder_ / "fill.cc";
    const std::string library = *folder_ / "fill.so";
    std::ofstream(source) << "#define __device__\n#define __global__\n"
                             "struct Dim { unsigned x; };\n"
                             "static const Dim gridDim = {1}, blockDim = {1}, blockIdx = {0}, "
                             "threadIdx = {0};\n"
                          << sources::kFill;
    has_compiler_ = std::system("command -v c++ > /dev/null") == 0;
    const std::string command =
        "c++ -O1 -ffp-contract=off -shared -fPIC -o " + library + " " + source + " 2>&1";
    if (!has_compiler_ || std::system(command.c_str()) != 0) return;
    handle_ = dlopen(library.c_str(), RTLD_NOW);
    if (handle_ != nullptr) fill_ = reinterpret_cast<Fill>(dlsym(handle_, "strobe_fill"));
  }
  static void TearDownTestSuite() {
    if (handle_ != nullptr) dlclose(handle_);
    delete folder_;
  }
  void SetUp() override {
    if (!has_compiler_) GTEST_SKIP() << "there is no c++ here";
    ASSERT_NE(fill_, nullptr) << "the source does not compile for the host";
  }

  static inline testing::TemporaryFolder* folder_ = nullptr;
  static inline bool has_compiler_ = false;
  static inline void* handle_ = nullptr;
  static inline Fill fill_ = nullptr;
};

TEST_F(FillOnHost, makes_the_bits_of_the_shared_formula) {
  constexpr std::size_t kCount = 50000;
  constexpr std::int64_t kColumns = 4099;
  std::vector<float> values(kCount);
  for (const InputLaw law : {InputLaw::kNormal, InputLaw::kConditioned}) {
    for (const std::uint32_t tensor : {0u, 2u}) {
      const int number = law == InputLaw::kNormal ? 0 : 1;
      fill_(values.data(), kCount, 77, tensor, number, 1.0f / static_cast<float>(kColumns), 0);
      for (std::size_t i = 0; i < kCount; ++i) {
        const float expected = input_value(law, 77, tensor, i, kColumns);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected))
            << i;
      }
    }
  }
}

TEST_F(FillOnHost, a_variance_is_half_and_a_uniform_value) {
  std::vector<float> values(1000);
  fill_(values.data(), values.size(), 5, 5, 2, 0.25f, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], 0.5f + uniform_value(input_bits(5, 5, i), 1.0f));
  }
}

// By the definition of the two types; positive numbers.
double f16_value(unsigned half) {
  const unsigned exponent = half >> 10;
  const unsigned fraction = half & 0x3FF;
  return exponent == 0 ? std::ldexp(fraction, -24)
                       : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
}
double bf16_value(unsigned half) { return std::bit_cast<float>(half << 16); }

// No neighbour is nearer, and of two equally near ones the even one was taken.
void expect_nearest(float value, std::uint16_t half, double (*value_of)(unsigned)) {
  ASSERT_EQ(std::signbit(value), (half & 0x8000) != 0);
  const double exact = std::abs(static_cast<double>(value));
  const unsigned kept = half & 0x7FFFu;
  const double error = std::abs(exact - value_of(kept));
  for (const unsigned neighbour : {kept - 1, kept + 1}) {
    if (kept == 0 && neighbour != 1) continue;
    const double other = std::abs(exact - value_of(neighbour));
    ASSERT_LE(error, other) << value;
    if (error == other) {
      ASSERT_EQ(kept & 1, 0u) << value;
    }
  }
}

TEST_F(FillOnHost, rounds_to_f16_to_the_nearest_and_ties_to_even) {
  constexpr std::size_t kCount = 20000;
  std::vector<std::uint16_t> halves(kCount);
  for (const float scale : {1.0f, 1.0f / 65536, 1e-6f, 1e-8f}) {  // down to below the smallest
    fill_(halves.data(), kCount, 3, 1, 1, scale, 1);
    for (std::size_t i = 0; i < kCount; ++i) {
      expect_nearest(uniform_value(input_bits(3, 1, i), scale), halves[i], f16_value);
    }
  }
  fill_(halves.data(), kCount, 3, 1, 0, 1, 1);
  for (std::size_t i = 0; i < kCount; ++i) {
    expect_nearest(normal_value(input_bits(3, 1, i)), halves[i], f16_value);
  }
}

TEST_F(FillOnHost, rounds_to_bf16_to_the_nearest_and_ties_to_even) {
  constexpr std::size_t kCount = 20000;
  std::vector<std::uint16_t> halves(kCount);
  fill_(halves.data(), kCount, 3, 1, 0, 1, 2);
  for (std::size_t i = 0; i < kCount; ++i) {
    expect_nearest(normal_value(input_bits(3, 1, i)), halves[i], bf16_value);
  }
}

}  // namespace
}  // namespace strobe::bench
