#include "strobe/bench/providers/cuda/glue_kernels.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "strobe/bench/reference/half_float.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using Tensors = std::map<std::string, std::vector<float>>;

// The source of a kernel with its conversions replaced by the host's, run thread by thread.
class KernelOnHost {
 public:
  KernelOnHost(const GeneratedKernel& kernel, DType dtype) : kernel_(kernel), dtype_(dtype) {
    const std::string path = (folder_.path() / "kernel").string();
    const char* const conversions =
        dtype == DType::kF32
            ? "typedef float strobe_t;\n"
              "inline float strobe_get(float x) { return x; }\n"
              "inline float strobe_put(float x) { return x; }\n"
            : "typedef unsigned short strobe_t;\n"
              "inline float strobe_get(strobe_t x) { return strobe::bench::f16_value(x); }\n"
              "inline strobe_t strobe_put(float x) { return strobe::bench::f16_bits(x); }\n";
    std::ofstream(path + ".cc")
        << "#include \"tests/support/cuda_on_host/cuda_on_host.h\"\n"
           "#define __shared__ static\n#define __expf std::exp\n"
        << conversions << kernel.source.substr(kernel.source.find("#define STROBE_V"))
        << "extern \"C\" bool launch_it(unsigned blocks, unsigned threads, void** arguments) {\n"
           "  const unsigned grid[3] = {blocks, 1, 1};\n  return host::launch("
        << kernel.name << ", grid, threads, 1, 0, arguments);\n}\n";
    const std::string command =
        "c++ -std=c++20 -O1 -w -U_FORTIFY_SOURCE -fno-strict-aliasing -shared -fPIC "
        "-I" STROBE_SOURCE_DIR "/src -I" STROBE_SOURCE_DIR " " +
        path + ".cc -o " + path + ".so";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    library_ = dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~KernelOnHost() {
    if (library_ != nullptr) dlclose(library_);
  }

  // What "out" holds afterwards.
  std::vector<float> run(const Tensors& tensors) {
    std::map<std::string, std::vector<char>> memory;
    for (const auto& [name, values] : tensors) memory[name] = stored(values);
    std::vector<std::uint64_t> words;
    for (const KernelArgument& argument : kernel_.arguments) {
      std::uint64_t word = 0;
      if (argument.kind == KernelArgument::Kind::kTensor) {
        word = reinterpret_cast<std::uint64_t>(memory.at(argument.tensor).data());
      } else if (argument.kind == KernelArgument::Kind::kInt64) {
        word = static_cast<std::uint64_t>(argument.integer);
      } else {
        std::memcpy(&word, &argument.real, sizeof argument.real);
      }
      words.push_back(word);
    }
    std::vector<void*> places;
    for (std::uint64_t& word : words) places.push_back(&word);
    using Launch = bool (*)(unsigned, unsigned, void**);
    const auto launch = reinterpret_cast<Launch>(dlsym(library_, "launch_it"));
    EXPECT_TRUE(launch != nullptr && launch(kernel_.grid[0], kernel_.block[0], places.data()));
    return loaded(memory.at("out"));
  }

 private:
  std::vector<char> stored(const std::vector<float>& values) const {
    std::vector<char> bytes(values.size() * static_cast<std::size_t>(bytes_of(dtype_)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (dtype_ == DType::kF32) {
        std::memcpy(bytes.data() + 4 * i, &values[i], 4);
      } else {
        const std::uint16_t half = f16_bits(values[i]);
        std::memcpy(bytes.data() + 2 * i, &half, 2);
      }
    }
    return bytes;
  }
  std::vector<float> loaded(const std::vector<char>& bytes) const {
    std::vector<float> values(bytes.size() / static_cast<std::size_t>(bytes_of(dtype_)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (dtype_ == DType::kF32) {
        std::memcpy(&values[i], bytes.data() + 4 * i, 4);
      } else {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + 2 * i, 2);
        values[i] = f16_value(half);
      }
    }
    return values;
  }

  const GeneratedKernel& kernel_;
  DType dtype_;
  testing::TemporaryFolder folder_;
  void* library_ = nullptr;
};

// Multiples of an eighth between -4 and 4, which every type holds.
std::vector<float> some(std::size_t count, unsigned step) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(i * step % 65) / 8 - 4);
  }
  return values;
}

class LibraryKernelsIn : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (std::system("c++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no compiler";
  }
  std::vector<float> run(const GeneratedKernel& kernel, const Tensors& tensors) {
    return KernelOnHost(kernel, GetParam()).run(tensors);
  }
  float tolerance() const { return GetParam() == DType::kF32 ? 1e-5f : 2e-3f; }
};

TEST_P(LibraryKernelsIn, sums_and_masks_reach_the_last_value) {
  const auto a = some(1003, 7), b = some(1003, 11), mask = some(100, 5);
  const auto sum = run(kernels::add(GetParam(), "a", "b", "out", 1003),
                       {{"a", a}, {"b", b}, {"out", std::vector<float>(1003)}});
  const auto masked = run(kernels::add_mask(GetParam(), "a", "mask", "out", 1003, 100),
                          {{"a", a}, {"mask", mask}, {"out", std::vector<float>(1003)}});
  for (std::size_t i = 0; i < 1003; ++i) {
    EXPECT_NEAR(sum[i], a[i] + b[i], 8 * tolerance()) << i;
    EXPECT_NEAR(masked[i], a[i] + mask[i % 100], 8 * tolerance()) << i;
  }
}

TEST_P(LibraryKernelsIn, softmax_of_short_odd_and_long_rows_sums_to_one) {
  for (const std::int64_t columns : {128, 131, 4096, 20000}) {
    const auto a = some(static_cast<std::size_t>(3 * columns), 7);
    const auto out = run(kernels::softmax(GetParam(), "a", "out", 3, columns),
                         {{"a", a}, {"out", std::vector<float>(a.size())}});
    for (std::int64_t row = 0; row < 3; ++row) {
      const float* const from = a.data() + row * columns;
      double total = 0;
      for (std::int64_t i = 0; i < columns; ++i) total += std::exp(double{from[i]} - 4);
      for (std::int64_t i = 0; i < columns; ++i) {
        const auto right = static_cast<float>(std::exp(double{from[i]} - 4) / total);
        ASSERT_NEAR(out[static_cast<std::size_t>(row * columns + i)], right, tolerance())
            << columns << " " << i;
      }
    }
  }
}

TEST_P(LibraryKernelsIn, heads_come_before_the_sequence) {
  for (const std::int64_t width : {8, 5}) {
    const Shape shape = {{2, 3, 4, width}};
    const auto a = some(static_cast<std::size_t>(24 * width), 7);
    const auto out = run(kernels::heads_first(GetParam(), "a", "out", shape),
                         {{"a", a}, {"out", std::vector<float>(a.size())}});
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t s = 0; s < 3; ++s) {
        for (std::int64_t h = 0; h < 4; ++h) {
          for (std::int64_t d = 0; d < width; ++d) {
            EXPECT_EQ(out[static_cast<std::size_t>(((b * 4 + h) * 3 + s) * width + d)],
                      a[static_cast<std::size_t>(((b * 3 + s) * 4 + h) * width + d)]);
          }
        }
      }
    }
  }
}

// gamma (x - mean) / sqrt(variance + e) + beta is x w' + b' with a filter of one value.
TEST_P(LibraryKernelsIn, a_folded_norm_is_the_norm) {
  const std::size_t channels = 16;
  const auto x = some(10 * channels, 7);
  Tensors norm = {{"gamma", some(channels, 3)},
                  {"beta", some(channels, 5)},
                  {"mean", some(channels, 9)},
                  {"variance", std::vector<float>(channels, 1.5f)},
                  {"x", x},
                  {"out", std::vector<float>(x.size())}};
  const auto plain = run(kernels::batch_norm(GetParam(), "x", "out", 160, 16), norm);
  norm["out"] = std::vector<float>(channels);
  norm["w"] = std::vector<float>(channels, 1.0f);
  const auto factors = run(kernels::folded_filters(GetParam(), "w", "out", 16, 1), norm);
  const auto bias = run(kernels::folded_bias(GetParam(), "out", 16), norm);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i % channels;
    EXPECT_NEAR(plain[i], x[i] * factors[c] + bias[c], 20 * tolerance()) << i;
  }
}

TEST_P(LibraryKernelsIn, the_mask_is_minus_ten_thousand_above_the_diagonal) {
  const auto out =
      run(kernels::causal_mask(GetParam(), "out", 30), {{"out", std::vector<float>(900)}});
  for (std::size_t i = 0; i < 900; ++i) EXPECT_EQ(out[i], i % 30 > i / 30 ? -10000.0f : 0.0f);
}

TEST_P(LibraryKernelsIn, relu_scale_and_zeros_do_what_they_are_called) {
  const auto a = some(100, 7);
  const Tensors tensors = {{"a", a}, {"out", std::vector<float>(100, 3.0f)}};
  const auto relu = run(kernels::relu(GetParam(), "a", "out", 100), tensors);
  const auto half = run(kernels::scale(GetParam(), "a", "out", 0.5f, 100), tensors);
  const auto zeros = run(kernels::zeros(GetParam(), "out", 100), tensors);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(relu[i], std::max(a[i], 0.0f));
    EXPECT_EQ(half[i], a[i] / 2);
    EXPECT_EQ(zeros[i], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, LibraryKernelsIn, ::testing::Values(DType::kF16));

}  // namespace
}  // namespace strobe::bench
