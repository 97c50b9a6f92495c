#include "strobe/readers/counters/kernels_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/json_cursor.h"
#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/counters/remarks.h"

namespace strobe::readers {
namespace {

constexpr std::string_view kSchema = "strobe.kernels";
constexpr std::int64_t kVersion = 1;

template <class Integer>
std::optional<Integer> whole(const JsonValue& value) {
  const std::optional<std::int64_t> number = value.as_int64();
  if (!number || !std::in_range<Integer>(*number)) return std::nullopt;
  return static_cast<Integer>(*number);
}

class KernelsJsonReader {
 public:
  explicit KernelsJsonReader(std::string_view text) : cursor_(text) {
    table_.source = KernelSource::kJson;
  }

  Result<KernelTable> read() {
    std::string_view key;
    bool is_whole = cursor_.begin_object();
    while (is_whole && cursor_.next_member(key)) {
      if (key == "version") {
        version_ = cursor_.take().as_int64().value_or(0);
      } else if (key == "source") {
        if (cursor_.take().as_string() == "recording") table_.source = KernelSource::kRecording;
      } else if (key == "clock_policy") {
        read_clock_policy(cursor_.take().as_string());
      } else if (key == "devices") {
        read_devices(cursor_.take());
      } else if (key == "kernels" && cursor_.begin_array()) {
        while (cursor_.next_element()) read_kernel();
      } else {
        cursor_.take();
      }
      if (cursor_.failed()) break;
    }
    if (version_ > kVersion) {
      return Error{ErrorCode::kMalformed,
                   fmt::format("this list of kernels has version {}, and strobe reads {}", version_,
                               kVersion),
                   "", "read it with the strobe that wrote it"};
    }
    return finish();
  }

 private:
  void read_clock_policy(const std::string& word) {
    if (word == "free") table_.clock_policy = ClockPolicy::kFree;
    if (word == "locked") table_.clock_policy = ClockPolicy::kLocked;
  }

  void read_devices(const JsonValue& list) {
    if (list.type != JsonType::kArray) return;
    for_each_element(list.text, [&](const JsonValue& element) {
      if (element.type != JsonType::kObject) return;
      KernelDevice device;
      for_each_member(element.text, [&](std::string_view key, const JsonValue& value) {
        if (key == "index") device.index = whole<std::int32_t>(value).value_or(0);
        if (key == "name") device.name = value.as_string();
        if (key == "capability") device.capability = value.as_string();
        if (key == "sm_count") device.sm_count = whole<std::int32_t>(value).value_or(0);
        if (key == "most_clock_hz") device.most_clock_hz = value.as_double().value_or(0);
        if (key == "dram_bytes_per_s") device.dram_bytes_per_s = value.as_double().value_or(0);
      });
      table_.devices.push_back(std::move(device));
    });
  }

  struct Launch {
    std::string name;
    std::string mangled;
    std::optional<std::int64_t> duration_ns;
    std::optional<std::uint32_t> id, stream, context;
    std::optional<std::int32_t> device;
    LaunchShape grid, block;
    JsonValue metrics;
  };

  LaunchShape shape_of(const JsonValue& value) {
    std::uint32_t sizes[3] = {0, 0, 0};
    std::size_t at = 0;
    if (value.type != JsonType::kArray) return {};
    for_each_element(value.text, [&](const JsonValue& size) {
      if (at < 3) sizes[at++] = whole<std::uint32_t>(size).value_or(0);
    });
    return {sizes[0], sizes[1], sizes[2]};
  }

  void read_kernel() {
    ++element_;
    const JsonValue object = cursor_.take();
    if (object.type != JsonType::kObject) {
      remarks_.add({element_, 0}, "kernels", {}, "is not an object; left out");
      return;
    }
    Launch launch;
    for_each_member(object.text, [&](std::string_view key, const JsonValue& value) {
      if (key == "name") launch.name = value.as_string();
      if (key == "mangled") launch.mangled = value.as_string();
      if (key == "duration_ns") launch.duration_ns = whole<std::int64_t>(value);
      if (key == "id") launch.id = whole<std::uint32_t>(value);
      if (key == "stream") launch.stream = whole<std::uint32_t>(value);
      if (key == "context") launch.context = whole<std::uint32_t>(value);
      if (key == "device") launch.device = whole<std::int32_t>(value);
      if (key == "grid") launch.grid = shape_of(value);
      if (key == "block") launch.block = shape_of(value);
      if (key == "metrics") launch.metrics = value;
    });
    if (!launch.duration_ns || *launch.duration_ns < 0) {
      remarks_.add({element_, 0}, "duration_ns", {}, kNoDuration);
      return;
    }
    add(launch);
  }

  void add(const Launch& launch) {
    const std::size_t row = table_.size();
    table_.names.push_back(table_.strings.intern(launch.name));
    table_.durations_ns.push_back(*launch.duration_ns);
    table_.ids.push_back(launch.id.value_or(static_cast<std::uint32_t>(row)));
    table_.grids.push_back(launch.grid);
    table_.blocks.push_back(launch.block);
    if (!launch.mangled.empty()) {
      fill(table_.mangled_names, row, table_.strings.intern(""));
      table_.mangled_names.push_back(table_.strings.intern(launch.mangled));
    }
    const auto keep = [&](auto& column, const auto& value) {
      if (!value) return;
      fill(column, row, {});
      column.push_back(*value);
    };
    keep(table_.streams, launch.stream);
    keep(table_.contexts, launch.context);
    keep(table_.device_indices, launch.device);
    if (launch.metrics.type != JsonType::kObject) return;
    for_each_member(launch.metrics.text, [&](std::string_view key, const JsonValue& value) {
      const std::optional<KernelMetric> metric = kernel_metric_of(key);
      if (!metric || value.type == JsonType::kNull) return;
      const std::optional<double> number = value.as_double();
      if (number && std::isfinite(*number) && *number >= 0) {
        table_.set(*metric, row, *number);
      } else {
        remarks_.add({element_, 0}, key, value.text, "is not a number from 0 on");
      }
    });
  }

  template <class T>
  static void fill(std::vector<T>& column, std::size_t size, T value) {
    column.resize(size, value);
  }

  Result<KernelTable> finish() {
    if (table_.size() == 0) {
      return Error{
          cursor_.failed() ? ErrorCode::kMalformed : ErrorCode::kTooLittleData,
          cursor_.failed()
              ? fmt::format("this list of kernels is not JSON from byte {} on", cursor_.offset())
              : "it lists no kernel with a duration",
          "", "write it again with `strobe kernels`"};
    }
    if (cursor_.failed()) {
      remarks_.add_once(fmt::format("the file is not JSON from byte {} on; {} before {} kept",
                                    cursor_.offset(), counted(table_.size(), "kernel"),
                                    plural(table_.size(), "is", "are")));
    }
    const std::size_t rows = table_.size();
    if (!table_.mangled_names.empty()) fill(table_.mangled_names, rows, table_.strings.intern(""));
    if (!table_.streams.empty()) fill(table_.streams, rows, {});
    if (!table_.contexts.empty()) fill(table_.contexts, rows, {});
    if (!table_.device_indices.empty()) fill(table_.device_indices, rows, {});
    for (std::vector<double>& metric : table_.metrics) {
      if (!metric.empty()) fill(metric, rows, std::numeric_limits<double>::quiet_NaN());
    }
    drop_repeated_devices();
    remarks_.write_to(table_.remarks);
    return std::move(table_);
  }

  // Kernels name their device by its number: the first one with it is meant.
  void drop_repeated_devices() {
    std::ranges::stable_sort(table_.devices, {}, &KernelDevice::index);
    const auto have_same_index = [](const KernelDevice& a, const KernelDevice& b) {
      return a.index == b.index;
    };
    const auto rest = std::unique(table_.devices.begin(), table_.devices.end(), have_same_index);
    if (rest == table_.devices.end()) return;
    remarks_.add_once("devices with the number of an earlier one are left out");
    table_.devices.erase(rest, table_.devices.end());
  }

  JsonCursor cursor_;
  KernelTable table_;
  Remarks remarks_;
  std::int64_t version_ = kVersion;
  std::size_t element_ = 0;
};

}  // namespace

bool looks_like_kernels_json(std::string_view first) {
  JsonCursor cursor(first);
  std::string_view key;
  if (!cursor.begin_object()) return false;
  while (cursor.next_member(key)) {
    const JsonValue value = cursor.take();
    if (key == "schema") {
      return value.type == JsonType::kString &&
             (value.text == kSchema || value.text == "strobe.kernels/1");
    }
  }
  return false;
}

Result<KernelTable> read_kernels_json(std::string_view text) {
  return KernelsJsonReader(text).read();
}

}  // namespace strobe::readers
