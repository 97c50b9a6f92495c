#include "strobe/readers/counters/kernel_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/file.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/counters/kernel_recording.h"
#include "strobe/readers/counters/kernel_text.h"
#include "strobe/readers/counters/kernels_json.h"
#include "strobe/readers/counters/ncu_report.h"
#include "strobe/readers/counters/rocm_csv.h"
#include "strobe/readers/counters/rocm_machine.h"
#include "strobe/readers/formats.h"
#include "strobe/readers/rocm/raw_counters.h"
#include "strobe/readers/sniff.h"
#include "strobe/trace/args_store.h"
#include "strobe/wire/run_file_chunks.h"

namespace strobe::readers {
namespace {

// Writers' names for the numbers of a launch, in the arguments of its slice.
struct KnownArgument {
  std::string_view key;
  KernelMetric metric;
};
constexpr KnownArgument kArguments[] = {
    {"est. achieved occupancy %", KernelMetric::kEstimatedOccupancyPercent},
    {"theoretical achieved occupancy %", KernelMetric::kEstimatedOccupancyPercent},
    {"blocks per SM", KernelMetric::kBlocksPerSm},
    {"warps per SM", KernelMetric::kWarpsPerSm},
    {"registers per thread", KernelMetric::kRegistersPerThread},
    {"shared memory", KernelMetric::kSharedBytesPerBlock},
};

LaunchShape shape_of(const JsonValue& value) {
  std::uint32_t sizes[3] = {0, 1, 1};
  std::size_t count = 0;
  for_each_element(value.text, [&](const JsonValue& element) {
    const std::optional<std::int64_t> size = element.unquoted().as_int64();
    if (size && *size > 0 && *size <= 0xFFFFFFFF && count < 3) {
      sizes[count++] = static_cast<std::uint32_t>(*size);
    }
  });
  if (count == 0) return {};
  return {sizes[0], sizes[1], sizes[2]};
}

struct Launched {
  LaunchShape grid;
  LaunchShape block;
  std::optional<std::int64_t> context;
};

// Some profilers put what the hardware counted beside the launch.
void read_counters(const JsonValue& counters, std::size_t row, KernelTable& table) {
  RawCounters raw;
  for_each_member(counters.text, [&](std::string_view name, const JsonValue& value) {
    const RawCounter counter = raw_counter_of(name);
    const std::optional<double> number = value.as_double();
    if (counter != RawCounter::kCount_ && number && *number >= 0) raw.set(counter, *number);
  });
  constexpr double kUnknownWave = 0;
  for (const auto& [metric, value] : raw.metrics(kUnknownWave)) table.set(metric, row, value);
}

Launched read_arguments(std::string_view args, std::size_t row, KernelTable& table) {
  Launched launched;
  for_each_member(args, [&](std::string_view key, const JsonValue& value) {
    if (key == "grid") {
      launched.grid = shape_of(value);
    } else if (key == "block") {
      launched.block = shape_of(value);
    } else if (key == "context") {
      launched.context = value.unquoted().as_int64();
    } else if (key == "counters") {
      read_counters(value, row, table);
    } else {
      const auto* const known = std::ranges::find(kArguments, key, &KnownArgument::key);
      if (known == std::end(kArguments)) return;
      const std::optional<double> number = value.unquoted().as_double();
      // Writers print an occupancy of 0 if they could not compute it.
      const bool is_unknown =
          known->metric == KernelMetric::kEstimatedOccupancyPercent && number == 0.0;
      if (number && *number >= 0 && !is_unknown) table.set(known->metric, row, *number);
    }
  });
  return launched;
}

std::vector<std::uint32_t> kernels_in_order(const Trace& trace) {
  const SliceColumns& slices = trace.slices();
  std::vector<std::uint32_t> rows;
  for (std::size_t slice = 0; slice < slices.size(); ++slice) {
    if (slices.kinds[slice] == SliceKind::kKernel)
      rows.push_back(static_cast<std::uint32_t>(slice));
  }
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t slice) {
    const Track& track = trace.tracks()[slices.tracks[slice].index()];
    return std::tuple(track.device.value_or(0), slices.starts_ns[slice]);
  });
  return rows;
}

KernelDevice device_of(const DeviceProperties& properties) {
  KernelDevice device;
  device.index = properties.id;
  device.name = properties.name;
  if (properties.compute_major > 0) {
    device.capability =
        std::to_string(properties.compute_major) + "." + std::to_string(properties.compute_minor);
  }
  device.sm_count = properties.multiprocessors;
  return device;
}

std::uint32_t narrow(std::int64_t number) {
  return number >= 0 && number <= 0xFFFFFFFF ? static_cast<std::uint32_t>(number) : 0;
}

}  // namespace

KernelTable kernels_of(const Trace& trace, const std::string& path) {
  KernelTable table;
  table.path = path;
  table.source = KernelSource::kTrace;
  for (const DeviceProperties& properties : trace.metadata().devices) {
    table.devices.push_back(device_of(properties));
  }
  std::ranges::sort(table.devices, {}, &KernelDevice::index);
  const SliceColumns& slices = trace.slices();
  ArgsReader args(trace.args());
  bool has_context = false;
  for (const std::uint32_t slice : kernels_in_order(trace)) {
    const std::size_t row = table.size();
    const Track& track = trace.tracks()[slices.tracks[slice].index()];
    table.names.push_back(table.strings.intern(trace.strings()[slices.names[slice]]));
    table.durations_ns.push_back(slices.durations_ns[slice]);
    const std::uint32_t correlation = slices.correlations[slice];
    table.ids.push_back(correlation != kNoLaunchId ? correlation : static_cast<std::uint32_t>(row));
    const Launched launched = read_arguments(args.text(slices.args[slice]), row, table);
    table.grids.push_back(launched.grid);
    table.blocks.push_back(launched.block);
    table.streams.push_back(narrow(track.thread_number.value_or(0)));
    table.contexts.push_back(narrow(launched.context.value_or(0)));
    has_context = has_context || launched.context.has_value();
    table.device_indices.push_back(track.device.value_or(0));
  }
  if (!has_context) table.contexts.clear();
  for (std::size_t i = 0; i < kKernelMetrics; ++i) {
    if (table.has(static_cast<KernelMetric>(i))) {
      table.metrics[i].resize(table.size(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  return table;
}

namespace {

// With or without quotes: a spreadsheet may have rewritten the table.
bool is_csv_header(std::string_view line) {
  if (line.find("Kernel Name") == std::string_view::npos) return false;
  std::string bare = "," + std::string(line);
  std::erase(bare, '"');
  const auto has = [&](std::string_view column) { return bare.find(column) != std::string::npos; };
  return has(",Kernel Name,") && (bare.starts_with(",ID,Process ID,") || has(",Metric Name,") ||
                                  has(",gpu__time_duration"));
}

bool has_kernel_header(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (is_csv_header(line) || is_text_table_header(line) || is_rocm_kernel_header(line))
      return true;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace

bool looks_like_kernels(std::string_view first_bytes) {
  auto stream = open_stream(first_bytes);
  if (!stream) return false;
  std::string unpacked(kSniffBytes, '\0');
  const auto bytes = (*stream)->read(unpacked);
  if (!bytes) return false;
  std::string_view text = std::string_view(unpacked).substr(0, *bytes);
  if (text.starts_with(kNcuReportMagic) || is_kernel_recording(text)) return true;
  text = without_byte_order_mark(text);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] == '{') return looks_like_kernels_json(text);
  return has_kernel_header(text);
}

namespace {

// The text from its beginning; its first bytes were read to recognise the format. Reports progress
// and can be cancelled.
class OpenedStream : public ByteStream {
 public:
  OpenedStream(std::unique_ptr<ByteStream> stream, std::uint64_t file_bytes,
               const LoadOptions& options)
      : stream_(std::move(stream)), file_bytes_(file_bytes), options_(&options) {}

  Result<void> read_front() {
    front_.resize(kSniffBytes);
    std::size_t filled = 0;
    while (filled < front_.size()) {
      Result<std::size_t> bytes = stream_->read({front_.data() + filled, front_.size() - filled});
      if (!bytes && filled == 0) return std::move(bytes).error();
      if (!bytes || *bytes == 0) break;  // damage is reported again after the front
      filled += *bytes;
    }
    front_.resize(filled);
    return {};
  }
  std::string_view front() const { return front_; }

  Result<std::size_t> read(std::span<char> out) override {
    if (options_->cancelled != nullptr && *options_->cancelled) {
      return Error{ErrorCode::kInterrupted, "loading was interrupted", "", ""};
    }
    if (at_ < front_.size()) {
      const std::size_t bytes = std::min(out.size(), front_.size() - at_);
      std::copy_n(front_.data() + at_, bytes, out.data());
      at_ += bytes;
      return bytes;
    }
    if (options_->progress) options_->progress({stream_->consumed_bytes(), file_bytes_});
    return stream_->read(out);
  }
  std::uint64_t consumed_bytes() const override { return stream_->consumed_bytes(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t file_bytes_;
  const LoadOptions* options_;
  std::string front_;
  std::size_t at_ = 0;
};

// Grids and blocks are in the arguments of a trace.
LoadOptions with_arguments(LoadOptions options) {
  options.keep_args = true;
  return options;
}

struct WholeText {
  std::string text;
  std::optional<Error> damage;
};

WholeText read_all(ByteStream& stream) {
  WholeText whole;
  for (std::size_t filled = 0; !whole.damage;) {
    whole.text.resize(std::max<std::size_t>(64 << 10, 2 * filled));
    Result<std::size_t> bytes =
        stream.read({whole.text.data() + filled, whole.text.size() - filled});
    if (!bytes) whole.damage = std::move(bytes).error();
    const std::size_t fresh = whole.damage ? 0 : *bytes;
    filled += fresh;
    whole.text.resize(filled);
    if (fresh == 0) break;
  }
  return whole;
}

bool is_json(std::string_view front) {
  const std::size_t first = front.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (front[first] != '{' && front[first] != '[') return false;
  // A program may have printed a bracket before the profiler's list of kernels.
  return front.find("\n\"ID\",\"Process ID\"") == std::string_view::npos;
}

Result<KernelTable> table_of(Result<LoadedTrace> loaded, const std::string& path) {
  if (!loaded) return std::move(loaded).error();
  if (loaded->snapshot != nullptr) {
    return Error{ErrorCode::kTooLittleData,
                 "this is a snapshot of an allocator, which holds no kernels", path,
                 "`strobe summary FILE` shows its memory; give a trace or a list of kernels"};
  }
  KernelTable table = kernels_of(loaded->trace, path);
  if (table.size() == 0) {
    return Error{ErrorCode::kTooLittleData, "this trace has no kernels", path,
                 "record the device too: switch on the profiler's activity of the GPU or NPU"};
  }
  if (loaded->report.lost_something()) {
    table.remarks.push_back("the trace was read with losses; `strobe summary` lists them");
  }
  return table;
}

bool is_trace(std::string_view front) {
  return wire::begins_like_run_file(front) || (is_json(front) && !looks_like_kernels_json(front));
}

// A trace in a format of its own, unless it is a table of kernels too.
bool is_trace_in(const TraceInput& input) {
  return find_format(input) != nullptr && !looks_like_kernels(input.first());
}

// Reads anything but a trace.
Result<KernelTable> read_list(OpenedStream& stream) {
  const std::string_view front = without_byte_order_mark(stream.front());
  if (front.starts_with(kNcuReportMagic)) return read_ncu_report(stream);
  if (!is_json(front) && !is_kernel_recording(front)) {
    if (front.find('\0') != std::string_view::npos) return explain_not_kernels(front);
    return read_kernel_text(stream);
  }
  const WholeText whole = read_all(stream);
  if (whole.damage && whole.damage->code == ErrorCode::kInterrupted) return *whole.damage;
  if (is_kernel_recording(front)) return read_kernel_recording(whole.text);
  Result<KernelTable> table = read_kernels_json(without_byte_order_mark(whole.text));
  if (table && whole.damage) {
    table->remarks.push_back(whole.damage->what + "; the part before it is kept");
  }
  return table;
}

// `open_trace` reads the same file again, as a trace.
template <class OpenTrace>
Result<KernelTable> read_opened(OpenedStream& stream, const std::string& path,
                                const OpenTrace& open_trace) {
  if (auto front = stream.read_front(); !front) return in_file(std::move(front).error(), path);
  if (is_trace(without_byte_order_mark(stream.front()))) return table_of(open_trace(stream), path);
  STROBE_TRY(KernelTable table, in_file(read_list(stream), path));
  table.path = path;
  return table;
}

}  // namespace

Result<KernelTable> read_kernels(const std::filesystem::path& path, const LoadOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return table_of(read_trace(path, with_arguments(options)), path.string());
  }
  STROBE_TRY(File file, open_input(path));
  const bool is_seekable = file.is_seekable();
  if (is_seekable) {
    const auto input = TraceInput::open(path);
    if (input && is_trace_in(*input)) {
      return table_of(read_trace(path, with_arguments(options)), path.string());
    }
  }
  const std::uint64_t bytes = file.size_bytes();
  STROBE_TRY(auto unpacked, open_stream(std::move(file)));
  OpenedStream stream(std::move(unpacked), bytes, options);
  const auto open_trace = [&](OpenedStream& opened) {
    if (is_seekable) return read_trace(path, with_arguments(options));
    const WholeText whole = read_all(opened);
    return read_trace_bytes(whole.text, path.string(), with_arguments(options));
  };
  Result<KernelTable> table = read_opened(stream, path.string(), open_trace);
  if (!table) return explain_by_name(path, std::move(table).error());
  describe_rocm_machine(path, *table);
  return table;
}

Result<KernelTable> read_kernels_bytes(std::string_view bytes, const std::string& name,
                                       const LoadOptions& options) {
  if (is_trace_in(TraceInput::of(bytes, name))) {
    return table_of(read_trace_bytes(bytes, name, with_arguments(options)), name);
  }
  STROBE_TRY(auto unpacked, in_file(open_stream(bytes), name));
  OpenedStream stream(std::move(unpacked), bytes.size(), options);
  const auto open_trace = [&](OpenedStream&) {
    return read_trace_bytes(bytes, name, with_arguments(options));
  };
  return read_opened(stream, name, open_trace);
}

}  // namespace strobe::readers
