#include "strobe/readers/shard.h"

#include <charconv>
#include <cstring>

#include "strobe/base/hash.h"
#include "strobe/base/json_scan.h"
#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"

namespace strobe::readers {
namespace {

constexpr std::uint64_t kUnpackable = ~0ull;

// A short text as one word: exact, because no text that ends with a zero byte is packed. Scanned
// texts are in padded buffers, so eight bytes can always be read.
std::uint64_t pack(const RawScalar& scalar) {
  const std::size_t bytes = scalar.text.size();
  if (bytes == 0) return 0;
  if (bytes > 8 || scalar.text.back() == '\0') return kUnpackable;
  std::uint64_t word;
  std::memcpy(&word, scalar.text.data(), 8);
  return bytes == 8 ? word : word & ((1ull << (8 * bytes)) - 1);
}

std::size_t recent_slot(std::string_view text, std::size_t slots) {
  std::uint64_t mix = text.size() * 0x9E3779B97F4A7C15u;
  if (text.size() >= 8) {
    std::uint64_t words[3];
    std::memcpy(&words[0], text.data(), 8);
    std::memcpy(&words[1], text.data() + (text.size() - 8) / 2, 8);
    std::memcpy(&words[2], text.data() + text.size() - 8, 8);
    mix ^= words[0] * 0xC2B2AE3D27D4EB4Fu ^ words[1] * 0x165667B19E3779F9u ^ words[2];
  } else {
    mix = fnv1a(text, mix);
  }
  mix *= 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(mix >> 40) & (slots - 1);
}

// Flow and asynchronous ids: numbers unchanged, hexadecimal text as its value, other text as its
// hash.
std::uint64_t id_value(const RawScalar& id) {
  std::string_view text = id.text;
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return value;
  return fnv1a(id.text) | (1ull << 63);
}

// The number of a process or thread that stands for a device; 0 for what is no such number.
std::int32_t device_number(const RawScalar& scalar) {
  std::int64_t number = json::kNoNumber;
  if (scalar.type == RawScalar::Type::kNumber) json::read_integer(scalar.text.data(), number);
  return number >= 0 && number < INT32_MAX ? static_cast<std::int32_t>(number) : 0;
}

std::int64_t forward_thread_of(const RawEvent& event) {
  return event.forward_thread == json::kNoNumber ? 0 : event.forward_thread;
}

}  // namespace

void Shard::add(const RawEvent& event, ImportReport& report) {
  const ShardCategoryId written = category_of(event);
  const auto phase_slot = static_cast<std::size_t>(static_cast<unsigned char>(event.phase) & 127u);
  ++categories[written.index()].events_by_phase[phase_slot];
  const ShardCategoryId category = own_category(event, written);
  switch (event.phase) {
    case 'X':
      add_slice(event, category, report);
      break;
    case 's':
    case 't':
    case 'f':
      if (!has_time(event, report)) break;
      flows.push_back({event.time_ns, id_value(event.id), track_of(event, TrackKey::kAnyDevice),
                       category,
                       event.phase == 's'   ? FlowPhase::kStart
                       : event.phase == 't' ? FlowPhase::kStep
                                            : FlowPhase::kEnd});
      break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
      add_instant(event, category, report);
      break;
    case 'C':
      add_counter(event, report);
      break;
    case 'M':
      add_naming(event);
      break;
    case 'B':
    case 'E':
    case 'b':
    case 'e':
    case 'S':
    case 'F':
      add_edge(event, category, report);
      break;
    case '\0':
      // Some writers close their list with an empty object.
      if (event.name.present() || event.time_ns != kNoTime || !event.args.empty()) {
        report.add(ImportIssue::kUnknownPhase, event.byte_offset, "no phase");
      }
      break;
    default:
      report.add(ImportIssue::kUnknownPhase, event.byte_offset, std::string_view(&event.phase, 1));
  }
}

bool Shard::has_time(const RawEvent& event, ImportReport& report) {
  if (event.time_ns > -kLatestTime_ns && event.time_ns < kLatestTime_ns) [[likely]]
    return true;
  report.add(
      ImportIssue::kMissingTime, event.byte_offset,
      event.has_bad_time || event.time_ns != kNoTime ? "ts is not a usable number" : "no ts");
  return false;
}

std::int32_t Shard::device_of(const RawEvent& event, SliceKind kind) const {
  if (is_on_device(kind)) return event.device >= 0 ? event.device : device_number(event.process);
  const bool is_of_device =
      dialect_->is_device_process != nullptr && dialect_->is_device_process(event.process.text);
  return is_of_device ? device_number(event.thread) : TrackKey::kHost;
}

void Shard::add_slice(const RawEvent& event, ShardCategoryId category, ImportReport& report) {
  if (!has_time(event, report)) return;
  std::int64_t duration_ns = event.duration_ns;
  if (duration_ns < 0) [[unlikely]] {
    if (duration_ns == kNoTime) {
      report.add(ImportIssue::kBadNumber, event.byte_offset,
                 event.has_bad_time ? "dur is not a usable number" : "no dur");
    } else {
      report.add(ImportIssue::kNegativeDuration, event.byte_offset);
    }
    duration_ns = 0;
  } else if (duration_ns > kLongestDuration_ns) [[unlikely]] {
    report.add(ImportIssue::kAbsurdTime, event.byte_offset);
    duration_ns = 0;
  }
  if (event.has_wide_id) [[unlikely]]
    report.add(ImportIssue::kWideCorrelation, event.byte_offset);
  if (!event.category.present() && strings[categories[category.index()].name].empty()) [[unlikely]]
    report.add(ImportIssue::kMissingCategory, event.byte_offset);

  const std::int32_t device = device_of(event, categories[category.index()].rule.kind);
  if (device != TrackKey::kHost && event.time_ns <= 0) [[unlikely]]
    early_work.push_back({static_cast<std::uint32_t>(slices.size()), event.byte_offset});
  if (event.sequence_number >= 0) {
    sequences.push_back({static_cast<std::uint32_t>(slices.size()), event.sequence_number,
                         forward_thread_of(event)});
  }
  slices.starts_ns.push_back(event.time_ns);
  slices.durations_ns.push_back(duration_ns);
  slices.names.push_back(intern_name(event, report));
  slices.tracks.push_back(track_of(event, device));
  slices.categories.push_back(category);
  slices.correlations.push_back(event.correlation);
  slices.externals.push_back(event.external);
  slices.args.push_back(keep_args_of(event));
  slices.flags.push_back(kNoFlags);
  if (dialect_->has_relative_times) {
    slices.relative_starts_ns.push_back(event.relative_start_ns);
    slices.relative_ends_ns.push_back(event.relative_end_ns);
  }
}

void Shard::add_instant(const RawEvent& event, ShardCategoryId category, ImportReport& report) {
  if (!has_time(event, report)) return;
  const TrackId track = track_of(event, TrackKey::kAnyDevice);
  const StringId name = intern_name(event, report);
  instants.push_back({event.time_ns, name, track, category, keep_args_of(event)});
  if (dialect_->memory_event == nullptr) return;
  MemoryEvent found;
  if (!dialect_->memory_event(strings[categories[category.index()].name], strings[name], event.args,
                              found)) {
    return;
  }
  memory.push_back({event.time_ns, track, strings.intern(found.place), found.action,
                    static_cast<std::uint32_t>(slices.size()), found.bytes, found.address,
                    found.allocated_bytes, found.reserved_bytes, found.peak_allocated_bytes,
                    found.peak_reserved_bytes});
}

void Shard::add_counter(const RawEvent& event, ImportReport& report) {
  if (!has_time(event, report)) return;
  const TrackId track = track_of(event, TrackKey::kAnyDevice);
  const StringId name = intern_name(event, report);
  bool has_values = false;
  for_each_member(event.args, [&](std::string_view key, JsonValue value) {
    has_values = true;
    if (const auto number = value.unquoted().as_double()) {
      const bool escaped = key.find('\\') != std::string_view::npos;
      const StringId series = intern_scalar({RawScalar::Type::kString, escaped, key});
      counters.push_back({event.time_ns, track, name, series, *number});
    } else {
      report.add(ImportIssue::kBadNumber, event.byte_offset, key);
    }
  });
  if (!has_values)
    report.add(ImportIssue::kBadNumber, event.byte_offset, "a counter without value");
}

void Shard::add_naming(const RawEvent& event) {
  using What = NamingRow::What;
  const TrackId track = track_of(event, TrackKey::kAnyDevice);
  const auto text_of = [&](std::string_view key) -> StringId {
    const JsonValue value = find(event.args, key);
    return value.present() ? strings.intern(value.as_string()) : StringId();
  };
  const std::string_view name = event.name.text;
  if (name == "process_name") {
    namings.push_back({What::kProcessName, track, text_of("name"), 0});
  } else if (name == "thread_name") {
    namings.push_back({What::kThreadName, track, text_of("name"), 0});
    // Written by `strobe convert`: the slices of this thread belong to another one.
    const StringId lane_of = text_of("lane_of");
    if (lane_of.valid()) namings.push_back({What::kLaneOf, track, lane_of, 0});
  } else if (name == "thread_sort_index") {
    if (const auto number = find(event.args, "sort_index").as_int64()) {
      namings.push_back({What::kSortIndex, track, StringId(), *number});
    }
  }
}

void Shard::add_edge(const RawEvent& event, ShardCategoryId category, ImportReport& report) {
  if (!has_time(event, report)) return;
  if (event.has_wide_id) [[unlikely]]
    report.add(ImportIssue::kWideCorrelation, event.byte_offset);
  edges.push_back({event.time_ns, event.id.present() ? id_value(event.id) : 0, event.byte_offset,
                   event.name.present() ? intern_name(event, report) : StringId(),
                   track_of(event, TrackKey::kAnyDevice), category, keep_args_of(event),
                   event.phase, event.correlation, event.external, event.sequence_number,
                   forward_thread_of(event)});
}

StringId Shard::intern_name(const RawEvent& event, ImportReport& report) {
  std::string_view text = event.name.text;
  if (event.name.escaped) [[unlikely]] {
    bool repaired = false;
    scratch_ = unescape(text, &repaired);
    if (repaired) report.add(ImportIssue::kBadString, event.byte_offset, scratch_);
    text = dialect_->plain_name != nullptr ? dialect_->plain_name(scratch_)
                                           : std::string_view(scratch_);
    return strings.intern(text);
  }
  if (dialect_->plain_name != nullptr) text = dialect_->plain_name(text);
  StringId& recent = recent_names_[recent_slot(text, recent_names_.size())];
  if (recent.valid() && strings[recent] == text) [[likely]]
    return recent;
  StringId id = strings.find(text);
  if (!id.valid()) {
    if (!is_valid_utf8(text)) [[unlikely]] {
      scratch_ = sanitize_utf8(text);
      report.add(ImportIssue::kBadString, event.byte_offset, scratch_);
      return strings.intern(scratch_);
    }
    id = strings.intern(text);
  }
  recent = id;
  return id;
}

StringId Shard::intern_scalar(const RawScalar& scalar) {
  if (!scalar.escaped && is_valid_utf8(scalar.text)) return strings.intern(scalar.text);
  return strings.intern(unescape(scalar.text));
}

ShardCategoryId Shard::category_of(const RawEvent& event) {
  if (event.layout == 0) return find_category(event.category);
  RecentLayout& recent = recent_layouts_[event.layout % recent_layouts_.size()];
  if (recent.layout != event.layout)
    recent = {event.layout, find_category(event.category), 0, TrackId()};
  return recent.category;
}

ShardCategoryId Shard::own_category(const RawEvent& event, ShardCategoryId written) {
  if (!categories[written.index()].rule.asks_args) [[likely]]
    return written;
  return find_category({RawScalar::Type::kString, false, dialect_->category_by_args(event)});
}

ShardCategoryId Shard::find_category(const RawScalar& category) {
  const std::string_view text = category.text;
  if (last_category_.valid() && !category.escaped &&
      strings[categories[last_category_.index()].name] == text) {
    return last_category_;
  }
  const StringId name = intern_scalar(category);
  const auto [found, is_new] = category_ids_.try_emplace(name, categories.size());
  if (is_new) categories.push_back({name, dialect_->category_rule(strings[name])});
  return last_category_ = found->second;
}

TrackId Shard::track_of(const RawEvent& event, std::int32_t device) {
  if (event.layout == 0) return find_track(event, device);
  RecentLayout& recent = recent_layouts_[event.layout % recent_layouts_.size()];
  if (recent.layout != event.layout)
    recent = {event.layout, find_category(event.category), 0, TrackId()};
  if (!recent.track.valid() || recent.device != device) {
    recent.track = find_track(event, device);
    recent.device = device;
  }
  return recent.track;
}

TrackId Shard::find_track(const RawEvent& event, std::int32_t device) {
  const std::uint64_t process = pack(event.process);
  const std::uint64_t thread = pack(event.thread);
  const std::uint64_t mix = (process * 0x9E3779B97F4A7C15u) ^ (thread * 0xC2B2AE3D27D4EB4Fu) ^
                            static_cast<std::uint64_t>(device);
  RecentTrack& recent = recent_tracks_[(mix * 0x9E3779B97F4A7C15u) >> 58];
  const bool packable = process != kUnpackable && thread != kUnpackable;
  if (packable && recent.track.valid() && recent.process == process && recent.thread == thread &&
      recent.device == device) {
    return recent.track;
  }
  RawScalar plain_thread = event.thread;
  if (dialect_->plain_thread != nullptr)
    plain_thread.text = dialect_->plain_thread(plain_thread.text);
  const TrackKey key{intern_scalar(event.process), intern_scalar(plain_thread), device};
  const auto [found, is_new] = track_ids_.try_emplace(key, TrackId(tracks.size()));
  if (is_new) tracks.push_back(key);
  if (packable) recent = {process, thread, device, found->second};
  return found->second;
}

ArgsId Shard::keep_args_of(const RawEvent& event) {
  return keep_args_ && !event.args.empty() ? args_writer_.add(event.args) : ArgsId();
}

RowMarks Shard::marks() const {
  return {slices.size(), flows.size(),   instants.size(),  counters.size(),  memory.size(),
          edges.size(),  namings.size(), sequences.size(), early_work.size()};
}

void Shard::count_events_into(ImportReport& report) {
  for (CategoryEntry& category : categories) {
    for (std::size_t phase = 0; phase < category.events_by_phase.size(); ++phase) {
      const std::uint64_t count = std::exchange(category.events_by_phase[phase], 0);
      if (count == 0) continue;
      report.events[{static_cast<char>(phase), std::string(strings[category.name])}] += count;
      report.event_count += count;
    }
  }
}

}  // namespace strobe::readers
