#include "tests/support/recount/device_times.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "strobe/device/vendor_names.h"
#include "tests/support/recount/meaning.h"

namespace strobe::recount {
namespace {

void count_streams(const SortedSlices& slices, Tables& tables) {
  std::map<std::pair<std::int64_t, std::string>, Spans> busy;
  for (const RawSlice& work : slices.all) {
    if (!is_work(work)) continue;
    StreamRow& stream = tables.streams[{work.device, work.thread}];
    ++stream.works;
    busy[{work.device, work.thread}].push_back(span_of(work));
    const auto call = slices.calls.find(work.correlation);
    if (call == slices.calls.end()) continue;
    stream.delays_ns.push_back(
        std::max<std::int64_t>(0, work.start_ns - slices[call->second].end_ns));
  }
  for (auto& [key, stream] : tables.streams) {
    stream.busy_ns = length(joined(std::move(busy[key])));
    std::sort(stream.delays_ns.begin(), stream.delays_ns.end());
  }
}

}  // namespace

DeviceTimes::DeviceTimes(const SortedSlices& slices)
    : span(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()) {
  bool has_work = false;
  for (const RawSlice& slice : slices.all) {
    const What what = what_is(slice);
    if (what != What::kProfiler && what != What::kProjected) {
      span.first = std::min(span.first, slice.start_ns);
      span.second = std::max(span.second, slice.end_ns);
    }
    if (!is_work(slice)) continue;
    has_work = true;
    busy.push_back(span_of(slice));
    const bool is_copy = what == What::kCopy;
    const bool is_collective = !is_copy && device::is_any_collective(slice.name);
    (is_copy ? copies : is_collective ? communication : computation).push_back(span_of(slice));
  }
  for (Spans* spans : {&busy, &copies, &communication, &computation}) {
    *spans = joined(std::move(*spans));
  }
  if (has_work) idle = without({span}, busy);
}

void count_devices(const SortedSlices& slices, const DeviceTimes& times, Tables& tables) {
  std::map<std::int64_t, Spans> by_device;
  Spans on_host;
  for (const RawSlice& slice : slices.all) {
    if (is_work(slice)) by_device[slice.device].push_back(span_of(slice));
    if (what_is(slice) == What::kRange && communicates_on_host(slice)) {
      on_host.push_back(span_of(slice));
    }
  }
  for (auto& [device, spans] : by_device) {
    tables.busy_ns[device] = length(joined(std::move(spans)));
  }
  tables.span_ns = times.span.second - times.span.first;
  tables.idle_ns = length(times.idle);
  tables.communication_ns = length(times.communication);
  tables.computation_ns = length(times.computation);
  tables.overlap_ns = together_ns(times.communication, times.computation);
  tables.host_communication_ns = length(joined(std::move(on_host)));
  count_streams(slices, tables);
}

}  // namespace strobe::recount
