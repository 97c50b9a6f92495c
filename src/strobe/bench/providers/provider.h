#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/cell.h"
#include "strobe/bench/results/cell_record.h"

// An implementation of the cases. It lives in a worker process, whose end frees everything. An
// error's code decides the cell's status: oom for kOutOfMemory, unsupported for kUnsupported and
// kInvalidArgument, otherwise error.
namespace strobe::bench {

struct ProviderInfo {
  std::string name;      // "cuda-fused"
  std::string version;   // of what it uses: "NVRTC 13.0, driver 580.95"
  std::string device;    // "NVIDIA H200", "aarch64 NEON, 2 threads"
  std::string obstacle;  // why it cannot run here, and what to do; empty: it can
  bool is_available() const { return obstacle.empty(); }
};

// Known before anything is allocated.
struct Plan {
  double resident_bytes = 0;  // inputs, outputs, intermediate tensors, workspace
  int kernels = 0;
  std::string unsupported;  // why this case, shape or type is not supported; empty: it is
};

enum class InputLaw : std::uint8_t {
  kNormal,       // for timing: N(0, 1), never zeros
  kConditioned,  // U(0, 2) / C: for checking cases that are badly conditioned
};

struct PrepareRequest {
  Cell cell;
  std::uint64_t seed = 1;
  InputLaw law = InputLaw::kNormal;
  FlushKind flush = FlushKind::kCold;
  std::string cache_folder;  // empty: nothing is stored
  bool may_tune = true;
  // The queue of the device is held while it is filled. Not under a profiler: one that makes every
  // launch wait would wait for the hold itself.
  bool hold = true;
};

struct SampleRequest {
  TimeMode mode = TimeMode::kDevice;
  int count = 1;
  double budget_ms = 1000;  // stops early when this is spent; at least one sample
  bool hold = true;         // false: a warm-up whose times are not used
};

struct SampleBlock {
  std::vector<double> samples_us;
  std::vector<double> sm_mhz;  // one per sample, or empty if the clock cannot be read
  // Time the caller waited for the block, including flushes and replays; 0: unknown. Time budgets
  // count this.
  double spent_ms = 0;
};

// One cell that is ready to run: buffers filled, kernels compiled and loaded.
class PreparedCell {
 public:
  virtual ~PreparedCell() = default;
  virtual Result<void> run() = 0;  // runs once and waits
  virtual Result<SampleBlock> sample(const SampleRequest& request) = 0;
  // Runs once, from the requested state of the cache, between two marks for a recorder in this
  // process, and waits. The queue is not held: counters make kernels wait for each other.
  virtual Result<void> run_counted() { return run(); }
  // output_rows() poisons the outputs, runs once, and returns the requested rows of output `index`
  // as f32, row by row.
  virtual std::size_t output_count() const = 0;
  virtual Result<std::vector<float>> output_rows(std::size_t index,
                                                 std::span<const std::int64_t> rows) = 0;
  virtual std::vector<KernelLaunch> kernels() const = 0;
  virtual CompileTimes compile_times() const = 0;
  virtual std::map<std::string, std::string> config() const { return {}; }
  virtual double resident_bytes() const = 0;
  virtual double peak_bytes() const = 0;
  virtual Clocks clocks() const { return {}; }
  virtual std::vector<std::string> notes() const { return {}; }
  // The runtime and driver calls of one call; empty if there is neither. It must be the last
  // request to a cell, because recording may slow every later call.
  virtual Result<std::vector<ApiCall>> api_calls() { return std::vector<ApiCall>{}; }
};

class Provider {
 public:
  virtual ~Provider() = default;
  virtual ProviderInfo probe() = 0;
  virtual Result<Plan> plan(const Cell& cell) = 0;
  virtual Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) = 0;
  // Free memory of the device; absent if that has no meaning.
  virtual std::optional<double> free_bytes() { return {}; }
  virtual Result<Floors> measure_floors() { return Floors{}; }
  virtual Result<Roofs> measure_roofs() = 0;
  virtual std::vector<TimeMode> modes() const = 0;
  virtual bool can_be_counted() const { return false; }  // by a recorder in its process
  // Empty kernels between the marks of PreparedCell::run_counted.
  virtual Result<void> run_empty_counted() { return {}; }
  virtual std::map<std::string, double> device_facts() { return {}; }
};

// "cpu", "cpu-unfused", "cuda-unfused", "cuda-fused", "cublaslt", "cudnn"; null for any other name.
// Names of external workers are not known here.
std::unique_ptr<Provider> make_provider(std::string_view name);
std::vector<std::string_view> provider_names();

}  // namespace strobe::bench
