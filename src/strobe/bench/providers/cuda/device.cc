#include "strobe/bench/providers/cuda/device.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/device/vendor_library.h"

namespace strobe::bench {
namespace {

constexpr std::uint32_t kSharedWithoutAsking = 48 * 1024;
constexpr std::uint32_t kPortableCluster = 8;

// 13020 -> "13.2": how CUDA numbers its drivers.
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

Error no_device(const DriverApi& driver, CuResult result) {
  if (result == cu::kSuccess || result == cu::kNoDevice) {
    return {.code = ErrorCode::kMachineLacks,
            .what = "the CUDA driver sees no GPU",
            .where = "",
            .hint =
                "check `nvidia-smi` and CUDA_VISIBLE_DEVICES; in a container, start it with "
                "`--gpus all`"};
  }
  return {
      .code = ErrorCode::kMachineLacks,
      .what = fmt::format("the CUDA driver does not start: {}", driver.name_of(result)),
      .where = "",
      .hint = result == cu::kSystemNotReady
                  ? "the fabric manager of this machine may not be running"
                  : "`nvidia-smi` may say more; driver and kernel module must have one version"};
}

Error no_clusters(const char* missing, const std::string& device) {
  return {.code = ErrorCode::kMalformed,
          .what = fmt::format("this driver does not support clusters ({} is missing)", missing),
          .where = device,
          .hint = "clusters need a driver of CUDA 11.8 or newer"};
}

struct ClusterLaunch {
  ClusterLaunch(const LaunchShape& shape, CuStream stream) {
    cluster.id = cu::kClusterAttribute;
    cluster.value.cluster[0] = shape.cluster;
    cluster.value.cluster[1] = 1;
    cluster.value.cluster[2] = 1;
    std::ranges::copy(shape.grid, config.grid);
    std::ranges::copy(shape.block, config.block);
    config.shared_bytes = shape.shared_bytes;
    config.stream = stream;
    config.attributes = &cluster;
    config.attribute_count = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;

  cu::LaunchAttribute cluster;
  cu::LaunchConfig config;
};

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open() {
  STROBE_TRY(const DriverApi driver, open_driver());
  const int major = cuda_major(driver);
  return open(driver, RunTimeCompiler::find(major), open_nvml(),
              [major] { return open_cupti(major); });
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(const DriverApi& driver,
                                                     RunTimeCompiler compiler, const NvmlApi& nvml,
                                                     OpenCupti cupti) {
  std::unique_ptr<CudaDevice> device(new CudaDevice(driver, std::move(compiler), std::move(cupti)));
  STROBE_TRY_VOID(device->start(nvml));
  return device;
}

CudaDevice::CudaDevice(const DriverApi& driver, RunTimeCompiler compiler, OpenCupti cupti)
    : driver_(driver), compiler_(std::move(compiler)), open_cupti_(std::move(cupti)) {}

CudaDevice::~CudaDevice() {
  stream_ = {};
  if (context_ != nullptr) driver_.context_release(device_);
}

Result<void> CudaDevice::start(const NvmlApi& nvml) {
  CuResult result = driver_.init(0);
  int count = 0;
  if (result == cu::kSuccess) result = driver_.device_count(&count);
  if (result != cu::kSuccess || count == 0) return no_device(driver_, result);
  STROBE_TRY_VOID(check(driver_.device_get(&device_, 0), "cuDeviceGet"));
  CuContext context = nullptr;
  STROBE_TRY_VOID(check(driver_.context_retain(&context, device_), "cuDevicePrimaryCtxRetain",
                        "opening the GPU"));
  context_ = context;
  STROBE_TRY_VOID(make_current());
  STROBE_TRY(stream_, make_stream());
  STROBE_TRY_VOID(read_facts());
  sensors_ = Sensors(nvml, pci_id_);
  return {};
}

int CudaDevice::attribute(int which) const {
  int value = 0;
  return driver_.device_attribute(&value, which, device_) == cu::kSuccess ? value : 0;
}

Result<void> CudaDevice::read_facts() {
  std::array<char, 256> text = {};
  STROBE_TRY_VOID(check(driver_.device_name(text.data(), 255, device_), "cuDeviceGetName"));
  name_ = text.data();
  text = {};
  if (driver_.device_pci_id(text.data(), 255, device_) == cu::kSuccess) pci_id_ = text.data();
  if (driver_.driver_version(&driver_version_) != cu::kSuccess) driver_version_ = 0;
  std::size_t memory_bytes = 0;
  STROBE_TRY_VOID(check(driver_.device_bytes(&memory_bytes, device_), "cuDeviceTotalMem"));

  chip_.compute_capability = 10 * attribute(cu::kCapabilityMajor) + attribute(cu::kCapabilityMinor);
  chip_.sm_count = attribute(cu::kSmCount);
  chip_.shared_per_block = attribute(cu::kSharedPerBlockOptIn);
  chip_.shared_per_sm = attribute(cu::kSharedPerSm);
  chip_.l2_bytes = attribute(cu::kL2Bytes);
  const int threads_per_sm = attribute(cu::kThreadsPerSm);
  const int registers_per_sm = attribute(cu::kRegistersPerSm);
  if (threads_per_sm > 0) chip_.threads_per_sm = threads_per_sm;
  if (registers_per_sm > 0) chip_.registers_per_sm = registers_per_sm;
  // Two transfers per cycle; the driver reports kHz and bits.
  const double bandwidth_gbps =
      2.0 * attribute(cu::kMemoryClockKhz) * 1e3 * attribute(cu::kMemoryBusBits) / 8 / 1e9;
  if (chip_.compute_capability == 0 || chip_.sm_count == 0 || chip_.l2_bytes == 0) {
    return Error{.code = ErrorCode::kMachineLacks,
                 .what = "the CUDA driver does not report this GPU's compute capability",
                 .where = name_,
                 .hint = "`nvidia-smi` may say more"};
  }
  facts_ = {{"compute_capability", chip_.compute_capability},
            {"sm_count", chip_.sm_count},
            {"l2_bytes", static_cast<double>(chip_.l2_bytes)},
            {"shared_per_block_bytes", static_cast<double>(chip_.shared_per_block)},
            {"shared_per_sm_bytes", static_cast<double>(chip_.shared_per_sm)},
            {"threads_per_sm", threads_per_sm},
            {"registers_per_sm", registers_per_sm},
            {"memory_bytes", static_cast<double>(memory_bytes)},
            {"sm_clock_mhz", attribute(cu::kClockKhz) / 1e3},
            {"memory_clock_mhz", attribute(cu::kMemoryClockKhz) / 1e3},
            {"memory_bus_bits", attribute(cu::kMemoryBusBits)},
            {"bandwidth_gbps", bandwidth_gbps}};
  return {};
}

std::string CudaDevice::driver_text() const {
  const std::string version = sensors_.driver_version();
  return version.empty()
             ? fmt::format("driver of CUDA {}", cuda_version(driver_version_))
             : fmt::format("driver {} (CUDA {})", version, cuda_version(driver_version_));
}

std::string CudaDevice::compiler_text() const { return compiler_.text(); }

Result<void> CudaDevice::check(CuResult result, std::string_view call, std::string_view doing) {
  if (lost_) return *lost_;
  if (result == cu::kSuccess) [[likely]]
    return {};
  Error error = {
      .code = result == cu::kOutOfMemory ? ErrorCode::kOutOfMemory : ErrorCode::kMalformed,
      .what = fmt::format("{} gives {}{}{}", call, driver_.name_of(result),
                          doing.empty() ? "" : " while ", doing),
      .where = name_,
      .hint = ""};
  if (is_sticky(result)) {
    error.hint = "the GPU's context is lost: nothing more can run in this process";
    lost_ = error;
  }
  return error;
}

Result<CuptiApi> CudaDevice::cupti() {
  if (!cupti_) {
    cupti_ = open_cupti_ ? open_cupti_() : device::no_library(device::Library::kCupti, {});
  }
  return *cupti_;
}

Result<void> CudaDevice::make_current() {
  return check(driver_.context_set_current(context_), "cuCtxSetCurrent");
}

std::optional<double> CudaDevice::free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (lost_ || driver_.memory_info(&free, &total) != cu::kSuccess) return {};
  return static_cast<double>(free);
}

Result<DeviceMemory> CudaDevice::allocate(std::size_t bytes, std::string_view what) {
  CuPointer address = 0;
  const CuResult result = driver_.memory_allocate(&address, std::max<std::size_t>(bytes, 1));
  if (result == cu::kOutOfMemory && !lost_) {
    const std::optional<double> free = free_bytes();
    return Error{.code = ErrorCode::kOutOfMemory,
                 .what = fmt::format("the GPU has no room for {} bytes of {}{}", bytes, what,
                                     free ? fmt::format(" ({:.0f} bytes are free)", *free) : ""),
                 .where = name_,
                 .hint = driver_.name_of(result)};
  }
  STROBE_TRY_VOID(check(result, "cuMemAlloc", fmt::format("allocating {}", what)));
  return DeviceMemory{OwnedMemory(driver_, address), bytes};
}

Result<MappedMemory> CudaDevice::allocate_mapped(std::size_t bytes) {
  void* host = nullptr;
  STROBE_TRY_VOID(
      check(driver_.host_allocate(&host, bytes, cu::kHostAllocMapped), "cuMemHostAlloc"));
  MappedMemory mapped{OwnedHostMemory(driver_, host), 0};
  STROBE_TRY_VOID(
      check(driver_.host_device_pointer(&mapped.device, host, 0), "cuMemHostGetDevicePointer"));
  return mapped;
}

Result<OwnedEvent> CudaDevice::make_event() {
  CuEvent event = nullptr;
  STROBE_TRY_VOID(check(driver_.event_create(&event, cu::kEventDefault), "cuEventCreate"));
  return OwnedEvent(driver_, event);
}

Result<OwnedStream> CudaDevice::make_stream() {
  CuStream stream = nullptr;
  STROBE_TRY_VOID(check(driver_.stream_create(&stream, cu::kStreamNonBlocking), "cuStreamCreate"));
  return OwnedStream(driver_, stream);
}

Result<void> CudaDevice::synchronize() {
  return check(driver_.stream_synchronize(stream()), "cuStreamSynchronize",
               "waiting for the kernels");
}

Result<void> CudaDevice::has_compiler() const { return compiler_.is_there(); }

Result<void> CudaDevice::open_compiler() {
  STROBE_TRY_VOID(compiler_.open());
  return {};
}

Result<std::vector<char>> CudaDevice::compile(const std::string& source, const std::string& name) {
  STROBE_TRY(const NvrtcApi* const nvrtc, compiler_.open());
  STROBE_TRY(CompiledSource compiled,
             compile_source(*nvrtc, source, name, chip_.compute_capability));
  return std::move(compiled.image);
}

Result<DeviceKernel> CudaDevice::load(std::span<const char> image, const std::string& name,
                                      const LaunchShape& shape) {
  STROBE_CHECK(!image.empty(), "an image has bytes");
  std::string log(4096, '\0');
  std::array<int, 2> options = {cu::kJitErrorLog, cu::kJitErrorLogBytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CuModule module = nullptr;
  auto loaded =
      check(driver_.module_load(&module, image.data(), static_cast<unsigned>(options.size()),
                                options.data(), values.data()),
            "cuModuleLoadDataEx", "loading " + name);
  if (!loaded) {
    Error error = std::move(loaded).error();
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    if (!log.empty() && !is_lost()) error.hint = log;
    return error;
  }
  DeviceKernel kernel;
  kernel.module = OwnedModule(driver_, module);
  kernel.name = name;
  STROBE_TRY_VOID(check(driver_.module_function(&kernel.function, module, name.c_str()),
                        "cuModuleGetFunction", "looking for " + name));
  const auto fact = [&](int which) {
    int value = 0;
    return driver_.function_get(&value, which, kernel.function) == cu::kSuccess ? value : 0;
  };
  kernel.registers = fact(cu::kRegisters);
  kernel.static_shared = fact(cu::kStaticSharedBytes);
  kernel.local_bytes = fact(cu::kLocalBytes);
  if (shape.shared_bytes + static_cast<std::uint32_t>(kernel.static_shared) >
      kSharedWithoutAsking) {
    STROBE_TRY_VOID(check(
        driver_.function_set(kernel.function, cu::kMostDynamicShared,
                             static_cast<int>(shape.shared_bytes)),
        "cuFuncSetAttribute",
        fmt::format("asking for {} bytes of shared memory for {}", shape.shared_bytes, name)));
  }
  if (shape.cluster > kPortableCluster) {
    STROBE_TRY_VOID(check(driver_.function_set(kernel.function, cu::kNonPortableClusters, 1),
                          "cuFuncSetAttribute",
                          fmt::format("asking for clusters of {} for {}", shape.cluster, name)));
  }
  return kernel;
}

Result<std::uint32_t> CudaDevice::clusters_at_once(const DeviceKernel& kernel,
                                                   const LaunchShape& shape) {
  if (driver_.clusters_at_once == nullptr) {
    return no_clusters("cuOccupancyMaxActiveClusters", name_);
  }
  const ClusterLaunch cluster(shape, stream());
  int count = 0;
  STROBE_TRY_VOID(check(driver_.clusters_at_once(&count, kernel.function, &cluster.config),
                        "cuOccupancyMaxActiveClusters", "placing " + kernel.name));
  if (count < 1) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("a cluster of {} blocks of {} does not fit on this chip",
                                     shape.cluster, kernel.name),
                 .where = name_,
                 .hint = ""};
  }
  return static_cast<std::uint32_t>(count);
}

Result<void> CudaDevice::launch(const DeviceKernel& kernel, const LaunchShape& shape,
                                std::span<void* const> arguments) {
  // The driver only reads them, but declares them as writable.
  void** const values = const_cast<void**>(arguments.data());
  if (shape.cluster <= 1) {
    const CuResult result = driver_.launch(
        kernel.function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
        shape.block[1], shape.block[2], shape.shared_bytes, stream(), values, nullptr);
    if (result == cu::kSuccess && !lost_) [[likely]]
      return {};
    return check(result, "cuLaunchKernel", "launching " + kernel.name);
  }
  if (driver_.launch_ex == nullptr) return no_clusters("cuLaunchKernelEx", name_);
  ClusterLaunch cluster(shape, stream());
  const CuResult result = driver_.launch_ex(&cluster.config, kernel.function, values, nullptr);
  if (result == cu::kSuccess && !lost_) [[likely]]
    return {};
  return check(result, "cuLaunchKernelEx", "launching " + kernel.name);
}

Result<void> CudaDevice::copy_to_host(void* to, CuPointer from, std::size_t bytes) {
  STROBE_TRY_VOID(synchronize());  // the copy does not wait for our streams
  return check(driver_.copy_to_host(to, from, bytes), "cuMemcpyDtoH");
}

Result<void> CudaDevice::fill_bytes(CuPointer to, unsigned char value, std::size_t bytes) {
  return check(driver_.fill_bytes(to, value, bytes, stream()), "cuMemsetD8Async");
}

Result<OwnedGraph> captured_graph(CudaDevice& device,
                                  const std::function<Result<void>()>& enqueue) {
  STROBE_TRY_VOID(
      device.check(device.driver().stream_begin_capture(device.stream(), cu::kCaptureThreadLocal),
                   "cuStreamBeginCapture"));
  const Result<void> queued = enqueue();
  CuGraph handle = nullptr;
  // Also after a failure: the stream must leave its capture.
  const CuResult ended = device.driver().stream_end_capture(device.stream(), &handle);
  OwnedGraph graph = handle == nullptr ? OwnedGraph() : OwnedGraph(device.driver(), handle);
  if (!queued) return queued.error();
  STROBE_TRY_VOID(device.check(ended, "cuStreamEndCapture", "capturing a graph of calls"));
  return graph;
}

Result<void> run_in_window(CudaDevice& device, const std::function<Result<void>()>& prepare,
                           const std::function<Result<void>()>& counted) {
  const DriverApi& driver = device.driver();
  if (driver.profiler_start == nullptr || driver.profiler_stop == nullptr) {
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "the driver has no cuProfilerStart",
                 .where = device.name(),
                 .hint = ""};
  }
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY_VOID(device.check(driver.profiler_start(), "cuProfilerStart"));
  Result<void> ran = prepare();
  if (ran) ran = device.synchronize();
  // The second mark: what was recorded so far does not count.
  if (ran) ran = device.check(driver.profiler_start(), "cuProfilerStart");
  if (ran) ran = counted();
  // Also after a failure: the recorder must stop.
  const Result<void> finished = device.synchronize();
  const Result<void> stopped = device.check(driver.profiler_stop(), "cuProfilerStop");
  if (!ran) return ran;
  if (!finished) return finished;
  return stopped;
}

}  // namespace strobe::bench
