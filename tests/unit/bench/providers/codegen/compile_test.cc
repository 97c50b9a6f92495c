// Generated source is compiled for the chips of the specification, which needs no GPU.
//
// Of kernels that differ only in numbers, one is compiled, and many of them as one program, to PTX:
// more would not find more errors of the front end. The front end does not check the chip
// instructions in helpers, so each set of helpers that some kernel calls also goes through the
// assembler.
#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/bench/providers/codegen/programs.h"
#include "strobe/bench/providers/cuda/nvrtc.h"
#include "tests/unit/bench/providers/codegen/chips.h"

namespace strobe::bench {
namespace {

constexpr std::string_view kKernelBegins = "extern \"C\" __global__";
constexpr std::size_t kKernelsOfAProgram = 48;

struct Source {
  std::string name;
  std::string helpers;  // the text before the kernel
  std::string kernel;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The text without the kernel's name, each number a '#'.
std::string structure_of(const Source& source) {
  std::string text = source.kernel;
  text.erase(text.find(source.name), source.name.size());
  std::string structure = source.helpers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_number = is_digit(text[i]) && (i == 0 || !is_word(text[i - 1]));
    structure += is_number ? '#' : text[i];
    while (is_number && i + 1 < text.size() && is_digit(text[i + 1])) ++i;
  }
  return structure;
}

// Its helpers and which of them it calls, which determine the instructions.
std::string instructions_of(const Source& source) {
  std::set<std::string> called;
  const std::string& text = source.kernel;
  for (std::size_t i = text.find("strobe_"); i != std::string::npos; i = text.find("strobe_", i)) {
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    if (text[i] == '(' || text[i] == '<') called.insert(text.substr(begin, i - begin));
  }
  called.erase(source.name);
  std::string all = source.helpers;
  for (const std::string& one : called) all += one + '\n';
  return all;
}

std::vector<Source> everything_for(const ChipFacts& chip) {
  const std::vector<Shape> shapes = {{{128, 128}},     {{131, 131}},     {{1024, 1021}},
                                     {{4096, 4096}},   {{4099, 4099}},   {{16384, 16384}},
                                     {{16384, 65536}}, {{50257, 50257}}, {{65536, 65536}}};
  std::vector<Source> sources;
  const auto add = [&](const KernelProgram& program) {
    for (const GeneratedKernel& kernel : program.kernels) {
      const std::size_t begin = kernel.source.find(kKernelBegins);
      ASSERT_NE(begin, std::string::npos) << kernel.name;
      sources.push_back({kernel.name, kernel.source.substr(0, begin), kernel.source.substr(begin)});
    }
  };
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    for (const Shape& shape : shapes) {
      for (const DType dtype : {DType::kF32, DType::kF16, DType::kBf16}) {
        const auto programs = fused_candidates(info, shape, dtype, chip);
        EXPECT_TRUE(programs.has_value()) << info.id;
        if (programs) std::ranges::for_each(*programs, add);
        const auto unfused = unfused_program(info, shape, dtype, chip);
        EXPECT_TRUE(unfused.has_value()) << info.id;
        if (unfused) add(*unfused);
      }
    }
  }
  return sources;
}

std::vector<ChipFacts> chips() { return {a100(), rtx3090(), h200()}; }

// The first of each kind for this chip, those with the same helpers side by side. A chip has every
// instruction of older chips, so kinds that an older chip also has are left to that chip's test.
template <class KindOf>
std::vector<Source> one_of_each(const ChipFacts& chip, const KindOf& kind_of) {
  std::set<std::string> kinds;
  for (const ChipFacts& older : chips()) {
    if (older.compute_capability >= chip.compute_capability) continue;
    for (const Source& source : everything_for(older)) kinds.insert(kind_of(source));
  }
  std::vector<Source> first;
  for (const Source& source : everything_for(chip)) {
    if (kinds.insert(kind_of(source)).second) first.push_back(source);
  }
  EXPECT_GT(kinds.size(), 20u);
  std::ranges::stable_sort(first, {}, &Source::helpers);
  return first;
}

std::string joined(std::span<const Source> sources) {
  std::string text;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const bool is_new = i == 0 || sources[i].helpers != sources[i - 1].helpers;
    if (is_new && i > 0) text += "}\n";
    if (is_new) text += "namespace set" + std::to_string(i) + " {\n" + sources[i].helpers;
    // Names need to differ only between structures; here they must differ between kernels.
    std::string kernel = sources[i].kernel;
    const std::size_t name = kernel.find(sources[i].name);
    text += kernel.insert(name + sources[i].name.size(), "__" + std::to_string(i));
  }
  return text + "}\n";
}

struct Answer {
  int result = 0;
  std::string log;
  std::string ptx;
};

class Compiler {
 public:
  explicit Compiler(const NvrtcApi& nvrtc) : nvrtc_(nvrtc) {
    // Compilers from CUDA 12.8 on have an option for fast compilation.
    hurry_ = ask("extern \"C\" __global__ void a() {}", "compute_90", true).result == 0;
  }

  Answer compile(const std::string& text, const std::string& architecture) const {
    return ask(text, architecture, hurry_ && architecture.starts_with("compute_"));
  }

 private:
  Answer ask(const std::string& text, const std::string& architecture, bool hurry) const {
    NvrtcProgram program = nullptr;
    Answer answer;
    answer.result = nvrtc_.create(&program, text.c_str(), "all.cu", 0, nullptr, nullptr);
    if (answer.result != 0) return answer;
    const std::string option = "--gpu-architecture=" + architecture;
    const std::array<const char*, 3> options = {option.c_str(), "--std=c++17",
                                                "--Ofast-compile=max"};
    answer.result = nvrtc_.compile(program, hurry ? 3 : 2, options.data());
    std::size_t bytes = 0;
    if (nvrtc_.log_bytes(program, &bytes) == 0 && bytes > 1) {
      answer.log.resize(bytes);
      nvrtc_.log(program, answer.log.data());
    }
    if (answer.result == 0 && nvrtc_.ptx_bytes(program, &bytes) == 0) {
      answer.ptx.resize(bytes);
      nvrtc_.ptx(program, answer.ptx.data());
    }
    nvrtc_.destroy(&program);
    return answer;
  }

  const NvrtcApi& nvrtc_;
  bool hurry_ = false;
};

// One program, or each kernel by itself to find the one that is wrong.
std::string complaint_of(const Compiler& compiler, std::span<const Source> sources,
                         const std::string& architecture) {
  const Answer answer = compiler.compile(joined(sources), architecture);
  if (answer.result == 0) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::string entry = ".entry " + sources[i].name + "__" + std::to_string(i);
      if (answer.ptx.find(entry) == std::string::npos) return sources[i].name + ": no such kernel";
    }
    return "";
  }
  if (sources.size() == 1) return sources[0].name + ": " + answer.log.substr(0, 600);
  std::string complaints;
  for (const Source& source : sources) {
    complaints += complaint_of(compiler, {&source, 1}, architecture);
  }
  return complaints.empty() ? "only together: " + answer.log.substr(0, 600) : complaints;
}

class CompileGenerated : public ::testing::TestWithParam<ChipFacts> {
 protected:
  void SetUp() override {
    if (!nvrtc_) GTEST_SKIP() << "no run-time compiler here: " << nvrtc_.error().what;
  }

  void compile_all(std::span<const Source> sources, const std::string& architecture) {
    const Compiler compiler(*nvrtc_);
    const std::size_t programs = (sources.size() + kKernelsOfAProgram - 1) / kKernelsOfAProgram;
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    const auto work = [&] {
      for (std::size_t i = next++; i < programs; i = next++) {
        const std::size_t begin = i * kKernelsOfAProgram;
        const std::string complaint = complaint_of(
            compiler, sources.subspan(begin, std::min(kKernelsOfAProgram, sources.size() - begin)),
            architecture);
        const std::lock_guard lock(mutex);
        EXPECT_EQ(complaint, "") << architecture;
      }
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(2u, std::thread::hardware_concurrency()); ++i) {
      workers.emplace_back(work);
    }
    for (std::thread& worker : workers) worker.join();
  }

  std::string chip() const { return std::to_string(GetParam().compute_capability); }

  Result<NvrtcApi> nvrtc_ = open_nvrtc(99);
};

TEST_P(CompileGenerated, every_structure_is_understood) {
  compile_all(one_of_each(GetParam(), structure_of), "compute_" + chip());
}

TEST_P(CompileGenerated, every_set_of_instructions_is_assembled) {
  compile_all(one_of_each(GetParam(), instructions_of), "sm_" + chip());
}

INSTANTIATE_TEST_SUITE_P(Chips, CompileGenerated, ::testing::ValuesIn(chips()),
                         [](const auto& chip) {
                           return "sm_" + std::to_string(chip.param.compute_capability);
                         });

// The checks above see what is wrong.
TEST(CompileGeneratedChecks, a_wrong_kernel_is_named_and_others_are_not) {
  const Result<NvrtcApi> nvrtc = open_nvrtc(99);
  if (!nvrtc) GTEST_SKIP() << "no run-time compiler here: " << nvrtc.error().what;
  const Compiler compiler(*nvrtc);
  const std::string begins(kKernelBegins);
  const std::string helpers =
      "__device__ __forceinline__ void strobe_no() { asm volatile(\"no.such;\"); }\n";
  const std::vector<Source> sources = {{"right", helpers, begins + " void right() {}\n"},
                                       {"wrong", helpers, begins + " void wrong() { b(); }\n"}};
  const std::string complaint = complaint_of(compiler, sources, "compute_90");
  EXPECT_NE(complaint.find("wrong: "), std::string::npos) << complaint;
  EXPECT_EQ(complaint.find("right: "), std::string::npos) << complaint;
  const std::vector<Source> unread = {
      {"unread", helpers, begins + " void unread() { strobe_no(); }\n"}};
  EXPECT_EQ(complaint_of(compiler, unread, "compute_90"), "");
  EXPECT_NE(complaint_of(compiler, unread, "sm_90"), "");
  EXPECT_NE(instructions_of(unread[0]), instructions_of(sources[0]));
  EXPECT_EQ(structure_of({"k_8", "", "k_8(x0 + 8)"}), structure_of({"k_16", "", "k_16(x0 + 16)"}));
  EXPECT_NE(structure_of({"k", "", "k(x0)"}), structure_of({"k", "", "k(x1)"}));
}

}  // namespace
}  // namespace strobe::bench
