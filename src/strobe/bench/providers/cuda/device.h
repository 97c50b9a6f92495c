#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/providers/codegen/kernel_program.h"
#include "strobe/bench/providers/cuda/cupti_api.h"
#include "strobe/bench/providers/cuda/driver_api.h"
#include "strobe/bench/providers/cuda/nvrtc.h"
#include "strobe/bench/providers/cuda/sensors.h"

// One GPU with its context, for the life of a worker process. Used by one thread at a time.
namespace strobe::bench {

using OpenCupti = std::function<Result<CuptiApi>()>;

struct LaunchShape {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t cluster = 1;       // blocks along x
  std::uint32_t shared_bytes = 0;  // dynamic
};

struct DeviceKernel {
  OwnedModule module;
  CuFunction function = nullptr;
  std::string name;
  int registers = 0;      // per thread
  int static_shared = 0;  // bytes per block
  int local_bytes = 0;    // per thread: registers that did not fit
};

// Memory that both host and device can access, and its two addresses.
struct MappedMemory {
  OwnedHostMemory host;
  CuPointer device = 0;
};

struct DeviceMemory {
  OwnedMemory memory;
  std::size_t bytes = 0;
  CuPointer address() const { return memory.get(); }
};

class CudaDevice {
 public:
  // The first visible GPU. kMachineLacks if there is no driver or no GPU.
  static Result<std::unique_ptr<CudaDevice>> open();
  static Result<std::unique_ptr<CudaDevice>> open(const DriverApi& driver, RunTimeCompiler compiler,
                                                  const NvmlApi& nvml, OpenCupti cupti = {});
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const DriverApi& driver() const { return driver_; }
  CuContext context() const { return context_; }
  CuStream stream() const { return stream_.get(); }  // the one that everything runs on

  const std::string& name() const { return name_; }  // "NVIDIA H200"
  const ChipFacts& chip() const { return chip_; }
  const std::map<std::string, double>& facts() const { return facts_; }
  std::string driver_text() const;    // "driver 580.95.05 (CUDA 13.0)"
  std::string compiler_text() const;  // "NVRTC 13.0"
  Clocks clocks() const { return sensors_.read(); }

  // Turns a status of the driver into a result: "cuMemAlloc gives CUDA_ERROR_... (2) while
  // <doing>". After an error that loses the context, every further call returns the first one.
  Result<void> check(CuResult result, std::string_view call, std::string_view doing = "");
  bool is_lost() const { return lost_.has_value(); }

  // kOutOfMemory if it does not fit. `what` is for the message.
  Result<DeviceMemory> allocate(std::size_t bytes, std::string_view what);
  Result<MappedMemory> allocate_mapped(std::size_t bytes);
  std::optional<double> free_bytes();
  Result<OwnedEvent> make_event();
  Result<OwnedStream> make_stream();
  // Everything runs on this stream from now on; returns the previous one.
  OwnedStream use_stream(OwnedStream stream) { return std::exchange(stream_, std::move(stream)); }
  Result<void> synchronize();

  Result<void> has_compiler() const;  // kMachineLacks: no NVRTC
  // For exactly this chip. kMachineLacks: there is no NVRTC; kMalformed: it does not compile.
  // Several threads may call it once the compiler is open.
  Result<std::vector<char>> compile(const std::string& source, const std::string& name);
  Result<void> open_compiler();
  bool is_compiler_open() const { return compiler_.is_open(); }
  // Ready to be launched in this shape: requests more than 48 KB of shared memory and clusters of
  // more than eight if needed.
  Result<DeviceKernel> load(std::span<const char> image, const std::string& name,
                            const LaunchShape& shape);
  // How many clusters of the kernel fit on the chip at once: their blocks must be near each other,
  // and chips of one name may have different multiprocessors.
  Result<std::uint32_t> clusters_at_once(const DeviceKernel& kernel, const LaunchShape& shape);
  Result<void> launch(const DeviceKernel& kernel, const LaunchShape& shape,
                      std::span<void* const> arguments);

  // Opened when first needed, because it then stays between the program and its driver.
  // kMachineLacks if there is none.
  Result<CuptiApi> cupti();

  // Waits for what is queued first.
  Result<void> copy_to_host(void* to, CuPointer from, std::size_t bytes);
  Result<void> fill_bytes(CuPointer to, unsigned char value, std::size_t bytes);  // queued
  Result<void> make_current();

 private:
  CudaDevice(const DriverApi& driver, RunTimeCompiler compiler, OpenCupti cupti);
  Result<void> start(const NvmlApi& nvml);
  Result<void> read_facts();
  int attribute(int which) const;  // 0 if the driver does not know it

  DriverApi driver_;
  RunTimeCompiler compiler_;
  OpenCupti open_cupti_;
  std::optional<Result<CuptiApi>> cupti_;
  Sensors sensors_;
  CuDevice device_ = 0;
  CuContext context_ = nullptr;
  OwnedStream stream_;
  std::string name_;
  std::string pci_id_;
  int driver_version_ = 0;
  ChipFacts chip_;
  std::map<std::string, double> facts_;
  std::optional<Error> lost_;
};

// What `enqueue` queues on the device's stream, as a graph; nothing of it runs.
Result<OwnedGraph> captured_graph(CudaDevice& device, const std::function<Result<void>()>& enqueue);

// Marks for a recorder that may watch this process: what runs between them is counted. The recorder
// sets itself up at the first mark, which moves memory, so `prepare` runs after that mark and is
// waited for. kTooLittleData if the driver has no marks.
Result<void> run_in_window(CudaDevice& device, const std::function<Result<void>()>& prepare,
                           const std::function<Result<void>()>& counted);

}  // namespace strobe::bench
