// Every generated kernel runs on the host, thread by thread, and is compared with the reference:
// this checks its values without a GPU. It cannot check speed, real races between warps and the
// rounding of the chip's own exp and reciprocal.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/programs.h"
#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/mask_check.h"
#include "strobe/bench/reference/reference.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/bench/providers/codegen/chips.h"

namespace strobe::bench {
namespace {

// The kernel without its chip instructions, in its own namespace.
std::string host_source(const GeneratedKernel& kernel, std::size_t number) {
  std::string source = kernel.source;
  const std::size_t begin = source.find(kInstructionsBegin);
  const std::size_t end = source.find(kInstructionsEnd);
  EXPECT_NE(begin, std::string::npos);
  source.erase(begin, end - begin);
  constexpr std::string_view kLinkage = "extern \"C\" ";
  source.erase(source.find(kLinkage), kLinkage.size());  // two shapes may share a name
  const std::string name = "k" + std::to_string(number);
  return "namespace " + name + " {\n" + source + "}\nextern \"C\" bool launch_" + name +
         "(const unsigned* blocks, unsigned threads, unsigned cluster, unsigned shared, "
         "void** arguments) "
         "{\n  return host::launch(" +
         name + "::" + kernel.name + ", blocks, threads, cluster, shared, arguments);\n}\n";
}

struct Job {
  const CaseInfo* info;
  Shape shape;
  DType dtype;
  KernelProgram program;
};

// Kernels of many jobs, compiled together.
class HostKernels {
 public:
  using Launch = bool (*)(const unsigned*, unsigned, unsigned, unsigned, void**);

  explicit HostKernels(const std::vector<Job>& jobs) {
    const std::size_t count = std::max(2u, std::thread::hardware_concurrency());
    std::vector<std::string> pieces(count,
                                    "#include \"tests/support/cuda_on_host/cuda_on_host.h\"\n");
    for (const Job& job : jobs) {
      for (const GeneratedKernel& kernel : job.program.kernels) {
        const std::size_t number = numbers_.size();
        if (!numbers_.emplace(kernel.source, number).second) continue;
        pieces[number % count] += host_source(kernel, number);
      }
    }
    std::vector<std::thread> compilers;
    std::vector<std::string> libraries;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string path = (folder_.path() / ("kernels" + std::to_string(i))).string();
      std::ofstream(path + ".cc") << pieces[i];
      libraries.push_back(path + ".so");
      const std::string command =
          "c++ -std=c++20 -O0 -w -U_FORTIFY_SOURCE -fno-strict-aliasing -ffp-contract=off -shared "
          "-fPIC "
          "-I" STROBE_SOURCE_DIR "/src -I" STROBE_SOURCE_DIR " " +
          path + ".cc -o " + path + ".so";
      compilers.emplace_back([command] { EXPECT_EQ(std::system(command.c_str()), 0) << command; });
    }
    for (std::thread& compiler : compilers) compiler.join();
    for (const std::string& library : libraries) {
      void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
      EXPECT_NE(handle, nullptr) << dlerror();
      if (handle) handles_.push_back(handle);
    }
  }
  ~HostKernels() {
    for (void* const handle : handles_) dlclose(handle);
  }

  Launch find(const GeneratedKernel& kernel) const {
    const std::string name = "launch_k" + std::to_string(numbers_.at(kernel.source));
    for (void* const handle : handles_) {
      if (void* const symbol = dlsym(handle, name.c_str())) {
        return reinterpret_cast<Launch>(symbol);
      }
    }
    return nullptr;
  }

 private:
  testing::TemporaryFolder folder_;
  std::map<std::string, std::size_t> numbers_;  // by source: names are only for people
  std::vector<void*> handles_;
};

// A tensor in the type of the cell; the bytes after its end must not change.
class HostTensor {
 public:
  HostTensor(std::int64_t values, DType dtype)
      : dtype_(dtype),
        bytes_(static_cast<std::size_t>(values * bytes_of(dtype))),
        memory_(bytes_ + 2 * kGuard, char(0xFF)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    start_ = memory_.data() + (kGuard - address % kGuard);
  }
  void* address() { return start_; }
  void set(std::int64_t index, float value) {
    if (dtype_ == DType::kF32) {
      std::memcpy(start_ + index * 4, &value, 4);
    } else {
      const std::uint16_t half = dtype_ == DType::kF16 ? f16_bits(value) : bf16_bits(value);
      std::memcpy(start_ + index * 2, &half, 2);
    }
  }
  float get(std::int64_t index) const {
    if (dtype_ == DType::kF32) {
      float value;
      std::memcpy(&value, start_ + index * 4, 4);
      return value;
    }
    std::uint16_t half;
    std::memcpy(&half, start_ + index * 2, 2);
    return dtype_ == DType::kF16 ? f16_value(half) : bf16_value(half);
  }
  bool has_its_guard() const {
    for (const char* at = start_ + bytes_; at < memory_.data() + memory_.size(); ++at) {
      if (*at != char(0xFF)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 128;
  DType dtype_;
  std::size_t bytes_;
  std::vector<char> memory_;
  char* start_ = nullptr;
};

void run_and_check(const Job& job, const HostKernels& kernels) {
  PrepareRequest request;
  request.cell = {std::string(job.info->id), job.shape, job.dtype, "host"};
  request.law = job.info->has_affine_accuracy_inputs ? InputLaw::kConditioned : InputLaw::kNormal;
  std::map<std::string, std::unique_ptr<HostTensor>> tensors;
  const std::vector<InputTensor> inputs = input_tensors(*job.info, job.shape);
  const std::vector<InputSource> sources = input_sources(*job.info, request);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto tensor = std::make_unique<HostTensor>(inputs[i].elements, job.dtype);
    for (std::int64_t k = 0; k < inputs[i].elements; ++k) tensor->set(k, sources[i](k));
    tensors[inputs[i].name] = std::move(tensor);
  }
  const std::vector<OutputLayout> layouts = output_layouts(*job.info, job.shape);
  const Expression whole = fused(*job.info);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    tensors[whole.outputs[i].tensor.name] =
        std::make_unique<HostTensor>(layouts[i].rows * layouts[i].columns, job.dtype);
  }
  for (const ProgramBuffer& buffer : job.program.between) {
    tensors[buffer.tensor.name] = std::make_unique<HostTensor>(buffer.elements, job.dtype);
  }
  for (const GeneratedKernel& kernel : job.program.kernels) {
    const HostKernels::Launch launch = kernels.find(kernel);
    ASSERT_NE(launch, nullptr) << kernel.name;
    std::vector<void*> pointers(kernel.arguments.size());
    std::vector<void*> arguments(kernel.arguments.size());
    std::uint32_t key = dropout_key(request.seed);
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const KernelArgument& argument = kernel.arguments[i];
      if (argument.kind == KernelArgument::Kind::kTensor) {
        ASSERT_TRUE(tensors.contains(argument.tensor)) << argument.tensor;
        pointers[i] = tensors[argument.tensor]->address();
        arguments[i] = &pointers[i];
      } else if (argument.kind == KernelArgument::Kind::kDropoutKey) {
        arguments[i] = &key;
      } else {
        arguments[i] = const_cast<std::int64_t*>(&argument.integer);
      }
    }
    ASSERT_EQ(kernel.grid[0] % kernel.cluster, 0u);
    ASSERT_TRUE(launch(kernel.grid.data(), kernel.block[0], kernel.cluster, kernel.shared_bytes,
                       arguments.data()))
        << kernel.name << " waits for itself";
  }
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(layouts[i].rows));
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<std::int64_t>(r);
    const std::vector<double> expected = reference_rows(*job.info, request, i, rows);
    std::vector<float> actual;
    const HostTensor& tensor = *tensors[whole.outputs[i].tensor.name];
    for (std::size_t k = 0; k < expected.size(); ++k) {
      actual.push_back(tensor.get(static_cast<std::int64_t>(k)));
    }
    const Accuracy accuracy =
        compare_values(actual, expected, tolerance_of(*job.info, job.shape, job.dtype));
    EXPECT_EQ(accuracy.mismatches, 0u)
        << job.program.kernels.back().name << " at " << shape_text(job.shape) << " of "
        << accuracy.checked << ", worst at " << accuracy.worst_index << " by " << accuracy.max_abs;
    EXPECT_EQ(check_mask(*job.info, request, rows, actual).differences, 0u)
        << job.program.kernels.back().name << " at " << shape_text(job.shape);
  }
  for (const auto& [name, tensor] : tensors) {
    EXPECT_TRUE(tensor->has_its_guard())
        << job.program.kernels.back().name << " wrote behind " << name;
  }
}

enum class Which { kAll, kReductions, kTurned };

std::vector<Job> jobs_of(const std::vector<Shape>& shapes, DType dtype, const ChipFacts& chip,
                         Which which = Which::kAll) {
  std::vector<Job> jobs;
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    if (which == Which::kReductions && !fused(info).has_reduction()) continue;
    if (which == Which::kTurned &&
        std::ranges::none_of(fused(info).inputs, &Tensor::is_transposed)) {
      continue;
    }
    for (const Shape& shape : shapes) {
      Result<std::vector<KernelProgram>> programs = fused_candidates(info, shape, dtype, chip);
      EXPECT_TRUE(programs.has_value()) << info.id;
      if (!programs) continue;
      for (KernelProgram& program : *programs)
        jobs.push_back({&info, shape, dtype, std::move(program)});
    }
  }
  return jobs;
}

void run_all(const std::vector<Job>& jobs) {
  const HostKernels kernels(jobs);
  if (::testing::Test::HasFailure()) return;
  for (const Job& job : jobs) run_and_check(job, kernels);
}

TEST(KernelsOnHost, rows_of_whole_packets_are_right_in_f32) {
  run_all(jobs_of({{{5, 128}}, {{3, 1024}}}, DType::kF32, h200()));
}

TEST(KernelsOnHost, odd_rows_are_right_in_f32) {
  run_all(jobs_of({{{7, 131}}, {{3, 1021}}, {{2, 50}}}, DType::kF32, h200()));
}

TEST(KernelsOnHost, rows_over_a_cluster_are_right) {
  run_all(jobs_of({{{1, 16384}}, {{1, 40000}}}, DType::kF32, h200(), Which::kReductions));
}

// Small in every way, so that a few rows already exceed its cache.
ChipFacts small_chip_with_clusters() {
  ChipFacts chip = h200();
  chip.sm_count = 1;
  chip.l2_bytes = 4096;
  return chip;
}

TEST(KernelsOnHost, a_cluster_that_takes_several_rows_is_right) {
  std::vector<Job> jobs;
  for (const DType dtype : {DType::kF32, DType::kBf16}) {
    for (Job& job :
         jobs_of({{{18, 36864}}}, dtype, small_chip_with_clusters(), Which::kReductions)) {
      if (job.program.label.find("ahead") != std::string::npos) jobs.push_back(std::move(job));
    }
  }
  ASSERT_FALSE(jobs.empty());
  run_all(jobs);
}

TEST(KernelsOnHost, loads_that_stay_in_the_cache_are_right) {
  run_all(jobs_of({{{3, 1024}}, {{5, 131}}}, DType::kF32, small_chip_with_clusters()));
}

TEST(KernelsOnHost, chips_without_clusters_are_right) {
  run_all(jobs_of({{{1, 20004}}, {{1, 70001}}}, DType::kF32, rtx3090(), Which::kReductions));
}

TEST(KernelsOnHost, halves_are_right) {
  std::vector<Job> jobs = jobs_of({{{3, 1024}}, {{3, 131}}}, DType::kF16, h200());
  for (Job& job : jobs_of({{{3, 1024}}}, DType::kBf16, h200())) jobs.push_back(std::move(job));
  run_all(jobs);
}

// Multiples of 4 on both sides, so that packets and squares of them are turned.
TEST(KernelsOnHost, turned_tiles_of_packets_are_right) {
  std::vector<Job> jobs = jobs_of({{{36, 132}}, {{132, 36}}}, DType::kF32, h200(), Which::kTurned);
  for (Job& job : jobs_of({{{36, 132}}}, DType::kBf16, h200(), Which::kTurned))
    jobs.push_back(std::move(job));
  run_all(jobs);
}

// Large ones take another path, with their whole packet.
TEST(KernelsOnHost, cosines_of_large_arguments_are_right_beside_small_ones) {
  constexpr std::int64_t kValues = 4 * 131 + 3;
  const auto argument = [](std::int64_t k) {
    return k % 7 == 3 ? 1e9f + 640.0f * static_cast<float>(k) : static_cast<float>(k - 200) * 0.01f;
  };
  std::vector<Job> jobs;
  for (Job& job : jobs_of({{{1, kValues}}}, DType::kF32, h200())) {
    if (job.info->id == "pointwise_chain") jobs.push_back(std::move(job));
  }
  ASSERT_FALSE(jobs.empty());
  const HostKernels kernels(jobs);
  for (const Job& job : jobs) {
    const GeneratedKernel& kernel = job.program.kernels.front();
    HostTensor x(kValues, DType::kF32);
    HostTensor out(kValues, DType::kF32);
    for (std::int64_t k = 0; k < kValues; ++k) x.set(k, argument(k));
    void* tensors[] = {x.address(), out.address()};
    std::int64_t elements = kValues;
    void* arguments[] = {&tensors[0], &tensors[1], &elements};
    ASSERT_EQ(kernel.arguments.size(), 3u);
    ASSERT_TRUE(kernels.find(kernel)(kernel.grid.data(), kernel.block[0], 1, 0, arguments));
    for (std::int64_t k = 0; k < kValues; ++k) {
      const double value = argument(k);
      const double product = value * std::cos(value);
      const double expected = product + std::max(product, std::cos(value));
      EXPECT_NEAR(out.get(k), expected, 1e-6 + 1e-5 * std::abs(expected) + 3e-7 * std::abs(value))
          << kernel.name << " at " << k;
    }
  }
}

TEST(KernelsOnHost, one_kernel_an_operator_is_right) {
  std::vector<Job> jobs;
  for (const CaseInfo& info : cases()) {
    if (info.kind != CaseKind::kRows) continue;
    for (const Shape& shape : {Shape{{5, 256}}, Shape{{3, 131}}, Shape{{1, 40000}}}) {
      Result<KernelProgram> program = unfused_program(info, shape, DType::kF32, h200());
      ASSERT_TRUE(program.has_value());
      jobs.push_back({&info, shape, DType::kF32, std::move(*program)});
    }
  }
  run_all(jobs);
}

}  // namespace
}  // namespace strobe::bench
