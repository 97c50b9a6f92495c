// Databases of Nsight Systems, value by value: an independent program has counted what is in them,
// and the vendor's own tool has listed every event of one.
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "strobe/base/json_value.h"
#include "strobe/base/text.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"

namespace strobe {
namespace {

using simdjson::dom::element;

struct Amount {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  bool operator==(const Amount&) const = default;

  void add(std::int64_t duration_ns) {
    ++count;
    total_ns += duration_ns;
  }
};

// What a trace says about its devices, counted in the plainest way.
struct Counted {
  std::map<SliceKind, Amount> kinds;
  std::map<std::string, Amount> kernels;
  std::map<std::string, Amount> categories;
  std::map<std::string, std::int64_t> bytes;  // by the direction of a copy, and of memsets
  std::map<int, std::vector<Interval>> work;  // by device
};

Counted count(const Trace& trace) {
  Counted counted;
  ArgsReader args(trace.args());
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const SliceId slice(row);
    const SliceKind kind = trace.kind(slice);
    const std::string name(trace.name(slice));
    const CategoryId category = trace.slices().categories[row];
    counted.kinds[kind].add(trace.duration_ns(slice));
    counted.categories[std::string(trace.strings()[trace.categories()[category.index()].name])].add(
        trace.duration_ns(slice));
    if (!is_device_work(kind)) continue;
    counted.work[*trace.track(slice).device].push_back(trace.interval(slice));
    if (kind == SliceKind::kKernel) {
      counted.kernels[name].add(trace.duration_ns(slice));
    } else {
      const std::string direction = kind == SliceKind::kMemset ? "memset" : name.substr(7, 4);
      counted.bytes[direction] +=
          find(args.text(trace.slices().args[row]), "bytes").as_int64().value_or(-1);
    }
  }
  return counted;
}

std::int64_t busy_ns(std::vector<Interval> work) {
  std::ranges::sort(work, {}, &Interval::start_ns);
  std::int64_t busy = 0;
  std::int64_t until = work.front().start_ns;
  for (const Interval& one : work) {
    busy += std::max<std::int64_t>(one.end_ns - std::max(one.start_ns, until), 0);
    until = std::max(until, one.end_ns);
  }
  return busy;
}

Amount amount(element expected, const char* key = "total_ns") {
  return {expected["count"].get_int64().value(), expected[key].get_int64().value()};
}

void compare(const Counted& counted, element expected) {
  const auto of_kind = [&](SliceKind kind) {
    const auto found = counted.kinds.find(kind);
    return found == counted.kinds.end() ? Amount() : found->second;
  };
  EXPECT_EQ(of_kind(SliceKind::kKernel), amount(expected["kernels"].value()));
  EXPECT_EQ(of_kind(SliceKind::kMemcpy), amount(expected["copies"].value()));
  EXPECT_EQ(of_kind(SliceKind::kMemset), amount(expected["memsets"].value()));
  EXPECT_EQ(of_kind(SliceKind::kRuntimeCall), amount(expected["host"]["api_calls"].value()));
  EXPECT_EQ(static_cast<std::int64_t>(counted.kernels.size()),
            expected["kernels"]["distinct_names"].get_int64().value());
  for (const auto [direction, bytes] : expected["copies"]["bytes_by_direction"].get_object()) {
    EXPECT_EQ(counted.bytes.at(std::string(direction)), bytes.get_int64().value()) << direction;
  }
  if (counted.bytes.contains("memset")) {
    EXPECT_EQ(counted.bytes.at("memset"), expected["memsets"]["bytes"].get_int64().value());
  }
  for (const auto [device, busy] : expected["busy_ns_per_device"].get_object()) {
    const std::vector<Interval>& work = counted.work.at(std::stoi(std::string(device)));
    EXPECT_EQ(busy_ns(work), busy.get_int64().value());
    const auto [first, last] = std::ranges::minmax(work, {}, &Interval::start_ns);
    const auto end = std::ranges::max(work, {}, &Interval::end_ns).end_ns;
    EXPECT_EQ(end - first.start_ns,
              expected["device_span_ns_per_device"][device].get_int64().value());
  }
  for (const element kernel : expected["top_kernels"].get_array()) {
    const std::string name(kernel["name"].get_string().value());
    ASSERT_TRUE(counted.kernels.contains(name)) << name;
    const Amount wanted{kernel["calls"].get_int64().value(),
                        kernel["total_ns"].get_int64().value()};
    EXPECT_EQ(counted.kernels.at(name), wanted) << name;
  }
  const auto category = [&](const char* name) {
    const auto found = counted.categories.find(name);
    return found == counted.categories.end() ? Amount() : found->second;
  };
  EXPECT_EQ(category("cpu_op").count + category("user_annotation").count,
            expected["host"]["annotations"]["count"].get_int64().value());
  EXPECT_EQ(category("os_runtime"), amount(expected["host"]["os_runtime_calls"].value()));
}

TEST(NvidiaDatabasesTest, what_is_read_equals_what_an_independent_program_counted) {
  STROBE_NEEDS_SHARED();
  simdjson::dom::parser parser;
  int files = 0;
  for (const element expected :
       parser.load((kShared / "data/vendors_expected.json").string()).get_array()) {
    if (expected["format"].get_string().value() != "nsys-sqlite") continue;
    const std::string file(expected["file"].get_string().value());
    SCOPED_TRACE(file);
    const auto loaded = readers::read_trace(kShared / "traces" / file);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_FALSE(loaded->report.lost_something());
    compare(count(loaded->trace), expected);
    ++files;
  }
  EXPECT_EQ(files, 4);
}

// Times of all events that the vendor's tool lists as entered and left.
std::vector<std::pair<std::int64_t, std::int64_t>> listed_times(const std::filesystem::path& path) {
  const std::string text = file_text(path);
  std::string_view left = text;
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  const std::vector<std::string_view> header = split(take_line(left), ',');
  const auto column = [&](std::string_view name) {
    return std::ranges::find(header, name) - header.begin();
  };
  const auto what = column("Event Type");
  const auto at = column("Timestamp (ns)");
  const auto other = column("_matching_timestamp");
  while (!left.empty()) {
    const std::vector<std::string_view> row = split(take_line(left), ',');
    if (row.size() != header.size() || row[static_cast<std::size_t>(what)] != "Enter") continue;
    times.emplace_back(parse_whole_number(row[static_cast<std::size_t>(at)]).value(),
                       parse_whole_number(row[static_cast<std::size_t>(other)]).value());
  }
  std::ranges::sort(times);
  return times;
}

TEST(NvidiaDatabasesTest, every_event_has_the_times_that_the_vendor_lists) {
  STROBE_NEEDS_SHARED();
  const std::filesystem::path folder = kShared / "traces/vendors/nsys";
  const auto loaded = readers::read_trace(folder / "perlmutter-cloverleaf-cuda.sqlite.gz");
  ASSERT_TRUE(loaded);
  std::vector<std::pair<std::int64_t, std::int64_t>> work;
  std::vector<std::pair<std::int64_t, std::int64_t>> calls;
  for (std::size_t row = 0; row < loaded->trace.slice_count(); ++row) {
    const SliceId slice(row);
    const std::pair times{loaded->trace.start_ns(slice), loaded->trace.end_ns(slice)};
    if (is_device_work(loaded->trace.kind(slice))) work.push_back(times);
    if (loaded->trace.kind(slice) == SliceKind::kRuntimeCall) calls.push_back(times);
  }
  std::ranges::sort(work);
  std::ranges::sort(calls);
  EXPECT_EQ(work, listed_times(folder / "cloverleaf_gpu_trace.csv.gz"));
  EXPECT_EQ(calls, listed_times(folder / "cloverleaf-cuda_api_trace.csv.gz"));
  EXPECT_EQ(work.size(), 1591u);
  EXPECT_EQ(calls.size(), 3048u);
}

}  // namespace
}  // namespace strobe
