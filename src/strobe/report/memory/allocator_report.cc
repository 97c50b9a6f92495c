#include "strobe/report/memory/allocator_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/report/render/display_text.h"
#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::AllocatorStudy;
using analysis::DeviceMemory;
using analysis::PoolUse;
using analysis::StackHolding;

// Everything that the sections are made of.
struct AllocatorInput {
  const AllocatorSnapshot& snapshot;
  const AllocatorStudy& study;
  const AllocatorPage& page;

  bool has_several_devices() const { return study.devices.size() > 1; }
};

Column device_column(const AllocatorInput& input) {
  return {.key = "device",
          .header = "device",
          .type = ColumnType::kCount,
          .importance = 9,
          .for_tools = !input.has_several_devices()};
}

Cell device_cell(std::int32_t number) { return Count{static_cast<std::uint64_t>(number)}; }

Cell share_cell(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return Absent{};
  return Share{static_cast<double>(part) / static_cast<double>(whole)};
}

// A time, counted from the first event of the device.
std::int64_t after_first(const DeviceMemory& device, std::int64_t time_ns) {
  return std::max<std::int64_t>(0, time_ns - device.first_time_ns);
}

Cell after_first_cell(const DeviceMemory& device, std::int64_t time_ns) {
  if (!device.has_times || time_ns == AllocatorEvents::kNoTime) return Absent{};
  return Duration{after_first(device, time_ns)};
}

// Keeps the first rows and says what is left out.
void keep_top(Table& table, const AllocatorInput& input) {
  const std::size_t top = input.page.top;
  if (top == 0 || table.rows.size() <= top) return;
  table.rows_left_out = table.rows.size() - top;
  table.rows.resize(top);
  table.left_out = count_text(table.rows_left_out) + " more" + how_to_see(table.rows_left_out);
}

Section snapshot_device_section(const AllocatorInput& input) {
  Section section;
  section.key = "devices";
  section.title = "Devices";
  section.lead =
      "Reserved is what the allocator has from the device; in use is what the program asked for. "
      "Stuck memory is free, but in segments that also hold live blocks; other free memory can go "
      "back to the device.";
  section.table.columns = {{"device", "device", ColumnType::kCount, 9},
                           {"reserved_bytes", "reserved", ColumnType::kBytes, 8},
                           {"active_bytes", "allocated", ColumnType::kBytes, 7},
                           {"requested_bytes", "in use", ColumnType::kBytes, 8},
                           {"awaiting_free_bytes", "awaiting\nfree", ColumnType::kBytes, 3},
                           {"stuck_bytes", "stuck", ColumnType::kBytes, 6},
                           {"releasable_bytes", "releasable", ColumnType::kBytes, 5},
                           {"largest_free_bytes", "largest free\nblock", ColumnType::kBytes, 5},
                           {"peak_allocated_bytes", "peak in use", ColumnType::kBytes, 8},
                           {"peak_reserved_bytes", "peak\nreserved", ColumnType::kBytes, 4},
                           {"segments", "segments", ColumnType::kCount, 3},
                           {"blocks", "blocks", ColumnType::kCount, 2},
                           {"events", "events", ColumnType::kCount, 3},
                           tool_column("expandable_segments", ColumnType::kCount),
                           tool_column("allocated_blocks", ColumnType::kCount),
                           tool_column("awaiting_free_blocks", ColumnType::kCount),
                           tool_column("free_blocks", ColumnType::kCount),
                           tool_column("start_bytes", ColumnType::kBytes),
                           tool_column("freed_without_allocation_bytes", ColumnType::kBytes),
                           tool_column("alive_throughout_bytes", ColumnType::kBytes),
                           tool_column("end_bytes", ColumnType::kBytes),
                           tool_column("early_free_peak_bytes", ColumnType::kBytes),
                           tool_column("reserved_at_peak_bytes", ColumnType::kBytes),
                           tool_column("peak_event", ColumnType::kCount),
                           tool_column("peak_after_ns", ColumnType::kDuration),
                           tool_column("missing_frees", ColumnType::kCount)};
  for (const DeviceMemory& device : input.study.devices) {
    section.table.rows.push_back(
        {{device_cell(device.device),
          Bytes{device.reserved_bytes},
          Bytes{device.active_bytes},
          Bytes{device.requested_bytes},
          Bytes{device.awaiting_free_bytes},
          Bytes{device.stuck_bytes},
          Bytes{device.releasable_bytes},
          Bytes{device.largest_free_bytes},
          Bytes{device.peak_bytes},
          Bytes{device.peak_reserved_bytes},
          Count{device.segments},
          Count{device.blocks},
          Count{device.events},
          Count{device.expandable_segments},
          Count{device.blocks_by_state[0]},
          Count{device.blocks_by_state[1]},
          Count{device.blocks_by_state[2]},
          Bytes{device.start_bytes},
          Bytes{device.freed_only_bytes},
          Bytes{device.always_alive_bytes},
          Bytes{device.end_bytes},
          Bytes{device.early_free_peak_bytes},
          Bytes{device.reserved_at_peak_bytes},
          device.peak_event ? Cell{Count{*device.peak_event}} : Cell{Absent{}},
          after_first_cell(device, device.peak_time_ns),
          Count{device.lost_frees}},
         RowStyle::kPlain});
  }
  return section;
}

struct HoldingWords {
  std::string key;
  std::string title;
  std::string lead;
  std::string bytes_header;
  std::string whole;  // what 100 % is
};

std::string place_text(const AllocatorInput& input, const StackHolding& holding) {
  if (holding.is_before_history) return "[before the history]";
  return analysis::place_of_stack(input.snapshot, holding.stack);
}

constexpr std::size_t kShownCallers = 4;

Cell callers_cell(const AllocatorInput& input, const StackHolding& holding) {
  std::vector<std::string> callers = analysis::callers_of_stack(input.snapshot, holding.stack);
  if (callers.empty()) return Absent{};
  if (callers.size() > kShownCallers) callers.resize(kShownCallers);
  return Text{fmt::format("{}", fmt::join(callers, " < "))};
}

// A frame per line, the innermost first.
Cell stack_cell(const AllocatorInput& input, StackId stack) {
  const auto frames = analysis::frames_of_stack(input.snapshot, stack);
  if (frames.empty()) return Absent{};
  return Text{fmt::format("{}", fmt::join(frames, "\n"))};
}

// `rows_of` is a member of DeviceMemory, `whole_of` what its lines add up to.
Section holding_section(const AllocatorInput& input, const HoldingWords& words,
                        std::vector<StackHolding> DeviceMemory::*rows_of,
                        std::int64_t (*whole_of)(const DeviceMemory&)) {
  Section section;
  section.key = words.key;
  section.title = words.title;
  section.lead = words.lead;
  section.table.columns = {device_column(input),
                           {"place", "allocated by", ColumnType::kName, 9},
                           {"bytes", words.bytes_header, ColumnType::kBytes, 8},
                           {.key = "share",
                            .header = "share",
                            .type = ColumnType::kShare,
                            .importance = 7,
                            .share_of = words.whole},
                           {"blocks", "blocks", ColumnType::kNumber, 6},
                           {"callers", "called from", ColumnType::kName, 2},
                           tool_column("stack", ColumnType::kText)};
  for (const DeviceMemory& device : input.study.devices) {
    for (const StackHolding& holding : device.*rows_of) {
      section.table.rows.push_back(
          {{device_cell(device.device), Text{place_text(input, holding)}, Bytes{holding.bytes},
            share_cell(holding.bytes, whole_of(device)),
            Measure{.text = with_commas(std::to_string(holding.blocks)),
                    .value = static_cast<double>(holding.blocks)},
            callers_cell(input, holding), stack_cell(input, holding.stack)},
           RowStyle::kPlain});
    }
  }
  std::ranges::stable_sort(section.table.rows, [](const Row& a, const Row& b) {
    return std::get<Bytes>(a.cells[2]).bytes > std::get<Bytes>(b.cells[2]).bytes;
  });
  keep_top(section.table, input);
  return section;
}

Section grown_section(const AllocatorInput& input) {
  Section section = holding_section(
      input,
      {"grown", "What grew",
       "Held at the lowest point of the last quarter of the history, less what was held at the "
       "lowest point of its first quarter: what stays, whatever the steps of a loop need in "
       "between.",
       "grew by", "the growth of the device"},
      &DeviceMemory::grown, [](const DeviceMemory& device) {
        std::int64_t grown = 0;
        for (const StackHolding& holding : device.grown) grown += holding.bytes;
        return grown;
      });
  for (const DeviceMemory& device : input.study.devices) {
    if (!device.early_event) continue;
    section.notes.push_back(
        fmt::format("Device {}: {} in use after event {}, {} after event {}.", device.device,
                    bytes_text(device.early_bytes), count_text(*device.early_event),
                    bytes_text(device.late_bytes), count_text(*device.late_event)));
  }
  if (section.table.rows.empty()) section.notes.clear();
  return section;
}

Section pool_section(const AllocatorInput& input) {
  Section section;
  section.key = "pools";
  section.title = "Pools and fragmentation";
  section.lead =
      "Free memory of one pool and stream serves no other one. A request fails although enough "
      "is free if it is larger than the largest free block.";
  section.table.columns = {device_column(input),
                           {"type", "type", ColumnType::kText, 8},
                           {"stream", "stream", ColumnType::kNumber, 4},
                           {"pool", "pool", ColumnType::kText, 3},
                           {"segments", "segments", ColumnType::kCount, 6},
                           {"reserved_bytes", "reserved", ColumnType::kBytes, 9},
                           {"requested_bytes", "in use", ColumnType::kBytes, 8},
                           {"rounding_bytes", "lost to\nrounding", ColumnType::kBytes, 3},
                           {"free_bytes", "free", ColumnType::kBytes, 8},
                           {"releasable_bytes", "releasable", ColumnType::kBytes, 5},
                           {"largest_free_bytes", "largest free\nblock", ColumnType::kBytes, 7},
                           {"free_blocks", "free\nblocks", ColumnType::kCount, 4},
                           tool_column("live_blocks", ColumnType::kCount),
                           tool_column("allocated_bytes", ColumnType::kBytes),
                           tool_column("awaiting_free_bytes", ColumnType::kBytes),
                           tool_column("expandable_segments", ColumnType::kCount)};
  for (const DeviceMemory& device : input.study.devices) {
    for (const PoolUse& pool : device.pools) {
      const std::string stream = std::to_string(input.snapshot.streams[pool.stream]);
      section.table.rows.push_back(
          {{device_cell(device.device), Text{pool.type.empty() ? "?" : printable(pool.type)},
            Measure{.text = stream,
                    .value = static_cast<double>(input.snapshot.streams[pool.stream])},
            Text{fmt::format("{}.{}", pool.pool.first, pool.pool.second)}, Count{pool.segments},
            Bytes{pool.reserved_bytes}, Bytes{pool.requested_bytes},
            Bytes{std::max<std::int64_t>(0, pool.allocated_bytes - pool.requested_bytes)},
            Bytes{pool.free_bytes}, Bytes{pool.releasable_bytes}, Bytes{pool.largest_free_bytes},
            Count{pool.free_blocks}, Count{pool.live_blocks}, Bytes{pool.allocated_bytes},
            Bytes{pool.awaiting_free_bytes}, Count{pool.expandable_segments}},
           RowStyle::kPlain});
    }
  }
  keep_top(section.table, input);
  return section;
}

// The segments with most memory that cannot be used for anything larger.
Section segment_section(const AllocatorInput& input) {
  Section section;
  section.key = "segments";
  section.title = "Segments with stuck memory";
  section.lead = "A live block keeps the free memory around it from going back to the device.";
  section.table.columns = {device_column(input),
                           {"address", "address", ColumnType::kText, 6},
                           {"type", "type", ColumnType::kText, 5},
                           {"bytes", "size", ColumnType::kBytes, 9},
                           {"live_bytes", "live", ColumnType::kBytes, 8},
                           {"free_bytes", "free", ColumnType::kBytes, 8},
                           {"largest_free_bytes", "largest free\nblock", ColumnType::kBytes, 5},
                           {"blocks", "blocks", ColumnType::kCount, 4},
                           {"is_expandable", "expandable", ColumnType::kText, 2}};
  for (const AllocatorSegment& segment : input.snapshot.segments) {
    std::int64_t live = 0;
    std::int64_t free = 0;
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < segment.block_count; ++i) {
      const AllocatorBlock& block = input.snapshot.blocks[segment.first_block + i];
      (block.is_live() ? live : free) += block.bytes;
      if (!block.is_live()) largest = std::max(largest, block.bytes);
    }
    if (live == 0 || free == 0) continue;
    const std::string_view type =
        segment.type.valid() ? input.snapshot.strings[segment.type] : std::string_view("?");
    section.table.rows.push_back(
        {{device_cell(segment.device), Text{fmt::format("{:#x}", segment.address)},
          Text{printable(type)}, Bytes{segment.bytes}, Bytes{live}, Bytes{free}, Bytes{largest},
          Count{segment.block_count}, Text{segment.is_expandable ? "yes" : "no"}},
         RowStyle::kPlain});
  }
  std::ranges::stable_sort(section.table.rows, [](const Row& a, const Row& b) {
    return std::get<Bytes>(a.cells[5]).bytes > std::get<Bytes>(b.cells[5]).bytes;
  });
  keep_top(section.table, input);
  return section;
}

Section out_of_memory_section(const AllocatorInput& input) {
  Section section;
  section.key = "out_of_memory";
  section.title = "Out of memory";
  section.lead = "The device had no segment for these requests.";
  section.table.columns = {device_column(input),
                           {"event", "event", ColumnType::kCount, 6},
                           {"requested_bytes", "requested", ColumnType::kBytes, 9},
                           {"allocated_bytes", "in use", ColumnType::kBytes, 8},
                           {"reserved_bytes", "reserved", ColumnType::kBytes, 7},
                           {"device_free_bytes", "free on\nthe device", ColumnType::kBytes, 6},
                           {"place", "by", ColumnType::kName, 8},
                           tool_column("after_ns", ColumnType::kDuration),
                           tool_column("stack", ColumnType::kText)};
  for (const DeviceMemory& device : input.study.devices) {
    for (const analysis::OutOfMemory& one : device.out_of_memory) {
      section.table.rows.push_back(
          {{device_cell(device.device), Count{one.event}, Bytes{one.requested_bytes},
            Bytes{one.allocated_bytes}, Bytes{one.reserved_bytes}, Bytes{one.device_free_bytes},
            Text{analysis::place_of_stack(input.snapshot, one.stack)},
            after_first_cell(device, one.time_ns), stack_cell(input, one.stack)},
           RowStyle::kPlain});
    }
  }
  keep_top(section.table, input);
  return section;
}

Section snapshot_event_section(const AllocatorInput& input) {
  Section section;
  section.key = "events";
  section.title = "Events";
  section.for_tools = !input.page.verbose;
  section.table.columns = {device_column(input),
                           {"action", "action", ColumnType::kText, 8},
                           {"count", "times", ColumnType::kCount, 8}};
  for (const DeviceMemory& device : input.study.devices) {
    for (std::size_t i = 0; i < kAllocatorActions; ++i) {
      if (device.events_by_action[i] == 0) continue;
      section.table.rows.push_back(
          {{device_cell(device.device), Text{std::string(word_of(static_cast<AllocatorAction>(i)))},
            Count{device.events_by_action[i]}},
           RowStyle::kPlain});
    }
  }
  return section;
}

Section setting_section(const AllocatorInput& input) {
  Section section;
  section.key = "settings";
  section.title = "Settings of the allocator";
  section.for_tools = !input.page.verbose;
  section.table.columns = {{"setting", "setting", ColumnType::kText, 8},
                           {"value", "value", ColumnType::kText, 8}};
  for (const auto& [name, value] : input.snapshot.settings) {
    section.table.rows.push_back({{Text{name}, Text{value}}, RowStyle::kPlain});
  }
  return section;
}

template <class Value>
Value sum_over(const AllocatorStudy& study, Value DeviceMemory::*member) {
  Value sum = 0;
  for (const DeviceMemory& device : study.devices) sum += device.*member;
  return sum;
}

std::string peak_sentence(const DeviceMemory& device) {
  std::string when = device.peak_event
                         ? fmt::format("after event {} of {}", count_text(*device.peak_event),
                                       count_text(device.events))
                         : "at the start of the history";
  if (device.has_times && device.peak_event) {
    when += fmt::format(" ({} after the first)",
                        duration_text(after_first(device, device.peak_time_ns)));
  }
  return when;
}

// What a reader should know before any table.
std::vector<std::string> verdict_of(const AllocatorInput& input) {
  std::vector<std::string> verdict;
  for (const DeviceMemory& device : input.study.devices) {
    const std::string prefix =
        input.has_several_devices() ? fmt::format("Device {}: ", device.device) : "";
    if (device.segments > 0) {
      verdict.push_back(
          fmt::format("{}{} of {} reserved are in use; of the {} that are free, {} are stuck "
                      "beside live blocks "
                      "(largest free block: {}).",
                      prefix, bytes_text(device.requested_bytes), bytes_text(device.reserved_bytes),
                      bytes_text(device.free_bytes()), bytes_text(device.stuck_bytes),
                      bytes_text(device.largest_free_bytes)));
    }
    if (device.events > 0) {
      verdict.push_back(fmt::format("{}The peak was {} in use, {}.", prefix,
                                    bytes_text(device.peak_bytes), peak_sentence(device)));
    }
    if (!device.out_of_memory.empty()) {
      verdict.push_back(
          fmt::format("{}{} not be served: the device had no memory left.", prefix,
                      counted(device.out_of_memory.size(), "request could", "requests could")));
    }
  }
  return verdict;
}

// {"device": 0, "points": [[event, nanoseconds after the first, in use, reserved], ...]}
std::string curve_json(const DeviceMemory& device, std::uint32_t columns) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("device", device.device).key("points").begin_array();
  for (const analysis::AllocatorPoint& point : analysis::thinned_curve(device.curve, columns)) {
    json.begin_array().value(point.event);
    device.has_times ? json.value(after_first(device, point.time_ns)) : json.null();
    json.value(point.allocated_bytes).value(point.reserved_bytes).end_array();
  }
  json.end_array().end_object();
  return out;
}

void add_facts(const AllocatorInput& input, const ImportReport& import, Document& document) {
  const AllocatorStudy& study = input.study;
  const auto add = [&](std::string key, std::string label, Cell value) {
    document.facts.push_back({std::move(key), std::move(label), std::move(value), "", false});
  };
  const auto devices = static_cast<std::uint64_t>(study.device_count);
  add("file", "file", Text{input.page.path});
  add("devices", "devices", Count{devices});
  document.facts.back().remark = study.devices.size() == devices
                                     ? ""
                                     : counted(study.devices.size(), "with data", "with data");
  add("segments", "segments", Count{sum_over(study, &DeviceMemory::segments)});
  add("blocks", "blocks", Count{sum_over(study, &DeviceMemory::blocks)});
  add("reserved_bytes", "reserved", Bytes{sum_over(study, &DeviceMemory::reserved_bytes)});
  add("active_bytes", "allocated", Bytes{sum_over(study, &DeviceMemory::active_bytes)});
  add("requested_bytes", "in use", Bytes{sum_over(study, &DeviceMemory::requested_bytes)});
  std::int64_t peak = 0;
  for (const DeviceMemory& device : study.devices) peak = std::max(peak, device.peak_bytes);
  add("peak_allocated_bytes", "peak in use", Bytes{peak});
  if (input.has_several_devices()) document.facts.back().remark = "of one device";
  add("events", "events", Count{sum_over(study, &DeviceMemory::events)});
  const bool has_times = std::ranges::any_of(study.devices, &DeviceMemory::has_times);
  document.facts.back().remark = import.event_count > 0 && !has_times ? "without times" : "";
}

}  // namespace

Document allocator_document(const AllocatorSnapshot& snapshot, const AllocatorStudy& study,
                            const ImportReport& import, const AllocatorPage& page) {
  const AllocatorInput input{snapshot, study, page};
  Document document;
  document.schema = "strobe.memory";
  document.title = "strobe summary: " + page.path;
  document.subject = page.path;
  document.verdict = verdict_of(input);
  add_facts(input, import, document);
  document.sections.push_back(snapshot_device_section(input));
  document.sections.push_back(out_of_memory_section(input));
  document.sections.push_back(holding_section(
      input,
      {"holders", "In use now", "Live blocks by the place that allocated them, as requested.",
       "in use", "the memory in use on the device"},
      &DeviceMemory::now, [](const DeviceMemory& device) { return device.requested_bytes; }));
  document.sections.push_back(holding_section(
      input,
      {"holders_at_peak", "In use at the peak",
       "By the place that allocated it; [before the history] was allocated before the first event "
       "and freed later, so nobody knows by whom.",
       "in use", "the peak of the device"},
      &DeviceMemory::at_peak, [](const DeviceMemory& device) { return device.peak_bytes; }));
  document.sections.push_back(grown_section(input));
  document.sections.push_back(pool_section(input));
  document.sections.push_back(segment_section(input));
  document.sections.push_back(snapshot_event_section(input));
  document.sections.push_back(setting_section(input));
  for (Section& section : document.sections) {
    if (section.table.rows.empty()) section.for_tools = true;
  }
  RankInput input_file;
  input_file.name = page.path;
  input_file.import = &import;
  Section lost = import_section({input_file}, page.verbose);
  lost.for_tools = import.is_clean() && !page.verbose;
  document.sections.push_back(std::move(lost));
  if (page.columns > 0) {
    ToolData& curves = document.data.emplace_back(ToolData{.key = "curves", .items = {}});
    for (const DeviceMemory& device : study.devices) {
      curves.items.push_back(curve_json(device, page.columns));
    }
  }
  return document;
}

}  // namespace strobe::report
