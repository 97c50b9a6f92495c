#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "strobe/device/name_parts.h"
#include "strobe/device/vendor_names.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/trace/args_store.h"
#include "tests/support/needs_shared.h"
#include "tests/support/trace_totals.h"

// Real files of this vendor against numbers that an independent program computed from their bytes.
namespace strobe::readers {
namespace {

using strobe::testing::Total;

const std::filesystem::path kSharedFolder = STROBE_SOURCE_DIR "/../shared";

std::string_view text_in(std::string_view json, std::string_view key) {
  return find(json, key).text;
}

std::int64_t number_in(std::string_view json, std::string_view key) {
  return find(json, key).as_int64().value_or(-1);
}

Total total_in(std::string_view json) {
  return {static_cast<std::uint64_t>(number_in(json, "count")), number_in(json, "total_ns")};
}

// "2", "Agent 2"
std::int32_t device_number(const std::string& text) {
  return std::stoi(text.substr(text.rfind(' ') + 1));
}

void expect_devices(std::string_view entry, const Trace& trace) {
  const auto times = strobe::testing::device_times(trace);
  std::size_t devices = 0;
  for_each_member(text_in(entry, "busy_ns_per_device"), [&](std::string_view key,
                                                            const JsonValue& busy) {
    ++devices;
    const auto found = times.find(device_number(std::string(key)));
    ASSERT_NE(found, times.end()) << key;
    EXPECT_EQ(found->second.busy_ns, busy.as_int64()) << key;
    EXPECT_EQ(found->second.span_ns, number_in(text_in(entry, "device_span_ns_per_device"), key))
        << key;
  });
  EXPECT_EQ(times.size(), devices);
  for_each_element(text_in(entry, "devices"), [&](const JsonValue& device) {
    const JsonValue name = find(device.text, "name");
    if (name.type != JsonType::kString) return;
    const auto id = device_number(find(device.text, "id").as_string());
    const auto& listed = trace.metadata().devices;
    const auto properties = std::ranges::find(listed, id, &DeviceProperties::id);
    ASSERT_NE(properties, listed.end()) << id;
    EXPECT_EQ(properties->name, name.as_string());
  });
}

// Kernels with names that only differ in their spelling are one kernel here.
void expect_kernels(std::string_view entry, const Trace& trace) {
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kKernel),
            total_in(text_in(entry, "kernels")));
  const auto totals = strobe::testing::totals_by_name(trace, SliceKind::kKernel);
  EXPECT_EQ(static_cast<std::int64_t>(totals.size()),
            number_in(text_in(entry, "kernels"), "distinct_names"));
  for_each_element(text_in(entry, "top_kernels"), [&](const JsonValue& kernel) {
    const std::string name = device::readable_name(find(kernel.text, "name").as_string());
    const auto found = totals.find(name);
    ASSERT_NE(found, totals.end()) << name;
    EXPECT_EQ(static_cast<std::int64_t>(found->second.count), number_in(kernel.text, "calls"))
        << name;
    EXPECT_EQ(found->second.total_ns, number_in(kernel.text, "total_ns")) << name;
  });
}

void expect_copies(std::string_view entry, const Trace& trace) {
  const std::string_view copies = text_in(entry, "copies");
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemcpy), total_in(copies));
  EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kMemset),
            total_in(text_in(entry, "memsets")));
  std::map<device::CopyDirection, std::int64_t> counts;
  std::map<device::CopyDirection, std::int64_t> bytes;
  ArgsReader args(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (trace.slices().kinds[row] != SliceKind::kMemcpy) continue;
    const auto way = device::copy_direction(trace.name(SliceId(row)));
    ++counts[way];
    bytes[way] += find(args.text(trace.slices().args[row]), "bytes").as_int64().value_or(0);
  }
  const std::pair<std::string_view, device::CopyDirection> kWays[] = {
      {"HtoD", device::CopyDirection::kHostToDevice},
      {"DtoH", device::CopyDirection::kDeviceToHost},
      {"DtoD", device::CopyDirection::kBetweenDevices}};
  for (const auto& [word, way] : kWays) {
    EXPECT_EQ(counts[way],
              find(text_in(copies, "count_by_direction"), word).as_int64().value_or(0));
    EXPECT_EQ(bytes[way], find(text_in(copies, "bytes_by_direction"), word).as_int64().value_or(0));
  }
}

void expect_collectives(std::string_view entry, const Trace& trace) {
  Total found;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const auto& slices = trace.slices();
    if (slices.kinds[row] != SliceKind::kKernel || (slices.flags[row] & kCommunicates) == 0)
      continue;
    ++found.count;
    found.total_ns += slices.durations_ns[row];
  }
  EXPECT_EQ(found, total_in(text_in(entry, "collectives_on_device")));
}

TEST(RocmVendorsTest, every_number_is_that_of_the_oracle) {
  STROBE_NEEDS_SHARED();
  const auto text = read_text(kSharedFolder / "data/vendors_expected.json");
  ASSERT_TRUE(text);
  std::size_t files = 0;
  for_each_element(*text, [&](const JsonValue& value) {
    const std::string file = find(value.text, "file").as_string();
    if (!file.starts_with("vendors/rocm/") || !find(value.text, "kernels").present() ||
        find(value.text, "kernels").type != JsonType::kObject) {
      return;
    }
    SCOPED_TRACE(file);
    ++files;
    const auto loaded = read_trace(kSharedFolder / "traces" / file);
    ASSERT_TRUE(loaded) << loaded.error().what;
    const Trace& trace = loaded->trace;
    EXPECT_FALSE(loaded->report.lost_something());
    expect_devices(value.text, trace);
    expect_kernels(value.text, trace);
    expect_copies(value.text, trace);
    expect_collectives(value.text, trace);
    EXPECT_EQ(strobe::testing::total_of(trace, SliceKind::kRuntimeCall),
              total_in(text_in(text_in(value.text, "host"), "api_calls")));
  });
  EXPECT_EQ(files, 11u);
}

}  // namespace
}  // namespace strobe::readers
