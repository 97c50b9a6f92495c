#include "strobe/writers/chrome_events.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/base/json_write.h"
#include "strobe/trace/args_store.h"
#include "strobe/writers/event_order.h"
#include "strobe/writers/event_texts.h"
#include "strobe/writers/json_copy.h"
#include "strobe/writers/kineto_frame.h"

namespace strobe::writers {
namespace {

class EventWriter {
 public:
  EventWriter(const EventSource& source, TextBuffer& buffer)
      : source_(source),
        trace_(*source.trace),
        buffer_(buffer),
        names_(trace_.strings()),
        arguments_(trace_.args()),
        adds_places_(!comes_from_events(trace_)),
        heads_(trace_.categories().size() * kSliceKinds),
        instant_heads_(trace_.categories().size() * 2),
        lines_(buffer, source.is_first) {
    for (std::size_t i = 0; i < trace_.tracks().size(); ++i) {
      track_places_.push_back(place_with_time(source.places->of_track(TrackId(i))));
    }
    for (std::uint32_t lane = 0; lane < source.lanes->lanes().size(); ++lane) {
      lane_places_.push_back(place_with_time(source.places->of_lane(lane)));
    }
  }

  std::uint64_t run() {
    write_slices();
    if (trace_.flows().size() > 0) {
      write_flows();
    } else {
      write_launches();
    }
    write_instants(instants_left());
    if (adds_places_) write_memory();
    write_counters();
    write_track_names(trace_, *source_.lanes, *source_.places, source_.in_file, lines_);
    return lines_.count();
  }

 private:
  static constexpr std::size_t kNumbers = 4 * TextBuffer::kLongestNumber;  // and words between
  static constexpr std::size_t kNoEvent = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kExtraArguments = 256;  // keys and numbers of all Argument bits

  // `","pid":0,"tid":7,"ts":`, after the name of an event.
  static std::string place_with_time(std::string_view place) {
    return fmt::format(R"(",{},"ts":)", place);
  }

  static char* put(std::string_view text, char* to) { return TextBuffer::put(text, to); }

  char* put_time(std::int64_t time_ns, char* to) const {
    return TextBuffer::put_microseconds(time_ns + source_.shift_ns, to);
  }

  // Ids of arrows and asynchronous slices must differ between the traces of one file; below 2^53
  // every viewer keeps all their digits.
  std::uint64_t own_id(std::uint64_t id) const {
    const std::uint64_t position = source_.in_file.position;
    if (position == 0) return id;
    return id < (std::uint64_t{1} << 32) ? id | position << 32
                                         : id ^ position * 0x9E3779B97F4A7C15u;
  }

  static std::string category_json(std::string_view category) {
    if (category.empty()) return {};
    std::string json = R"(,"cat":)";
    append_json_string(category, json);
    return json;
  }

  std::string_view category_name(CategoryId category) const {
    return trace_.strings()[trace_.categories()[category.index()].name];
  }

  // `{"ph":"X","cat":"kernel","name":"`
  const std::string& slice_head(CategoryId category, SliceKind kind) {
    std::string& head = heads_[category.index() * kSliceKinds + static_cast<std::size_t>(kind)];
    if (head.empty()) [[unlikely]] {
      const std::string_view own = category_name(category);
      head = fmt::format(R"({{"ph":"X"{},"name":")",
                         category_json(adds_places_ ? kineto_category(kind, own) : own));
    }
    return head;
  }

  const std::string& place_of_slice(std::size_t row) {
    const std::vector<Lanes::Moved>& moved = source_.lanes->moved();
    if (next_moved_ < moved.size() && moved[next_moved_].slice == row) [[unlikely]]
      return lane_places_[moved[next_moved_++].lane];
    return track_places_[trace_.slices().tracks[row].index()];
  }

  // For ends of arrows, which come in no order.
  const std::string& place_of_end(TrackId track, std::int64_t time_ns) const {
    if (!source_.lanes->moved().empty()) {
      const ViewerLine line = line_of(trace_, trace_.tracks()[track.index()]);
      const auto lane = source_.lanes->lane_at(line, time_ns);
      if (lane) return lane_places_[*lane];
    }
    return track_places_[track.index()];
  }

  void write_slices() {
    const SliceColumns& slices = trace_.slices();
    const std::vector<std::uint32_t> before = slices_before_instants(trace_);
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (buffer_.has_failed()) return;
      while (next_instant_ < before.size() && before[next_instant_] <= row) {
        write_instant(next_instant_++);
      }
      if (trace_.tracks()[slices.tracks[row].index()].kind == TrackKind::kAsync) {
        write_asynchronous(row);
      } else if ((slices.flags[row] & kUnfinished) != 0) {
        write_begin(row);
      } else {
        write_slice(row);
      }
    }
  }

  void write_slice(std::size_t row) {
    const SliceColumns& slices = trace_.slices();
    const std::string_view head = slice_head(slices.categories[row], slices.kinds[row]);
    const std::string_view name = names_[slices.names[row]];
    const std::string_view place = place_of_slice(row);
    const std::string_view arguments = arguments_.text(slices.args[row]);
    char* to = buffer_.room(head.size() + name.size() + place.size() + kNumbers +
                            room_for_copy(arguments.size()) + kExtraArguments);
    to = lines_.begin(head, to);
    to = put(name, to);
    to = put(place, to);
    to = put_time(slices.starts_ns[row], to);
    to = put(R"(,"dur":)", to);
    to = TextBuffer::put_microseconds(slices.durations_ns[row], to);
    to = put_slice_arguments(row, arguments, to);
    lines_.end(to);
  }

  // Which arguments the columns of a slice ask for.
  unsigned wanted_arguments(std::size_t row) {
    const SliceColumns& slices = trace_.slices();
    unsigned wanted = kNoArguments;
    if (slices.correlations[row] != kNoLaunchId) wanted |= kCorrelationArgument;
    if (slices.externals[row] != kNoLaunchId) wanted |= kExternalArgument;
    const auto& numbered = trace_.sequences().slices;
    while (next_sequence_ < numbered.size() && numbered[next_sequence_].index() < row) {
      ++next_sequence_;
    }
    if (next_sequence_ < numbered.size() && numbered[next_sequence_].index() == row) {
      wanted |= kSequenceArgument;
    }
    if (adds_places_ && is_on_device(slices.kinds[row])) {
      const Track& track = trace_.tracks()[slices.tracks[row].index()];
      if (track.device) wanted |= kDeviceArgument;
      if (track.device && track.thread_number) wanted |= kStreamArgument;
    }
    return wanted;
  }

  char* put_slice_arguments(std::size_t row, std::string_view arguments, char* to) {
    const unsigned wanted = wanted_arguments(row);
    if (arguments.empty() && wanted == kNoArguments) return to;
    const CopiedArguments copied = put_arguments(arguments, to);
    const unsigned missing = wanted & ~copied.has;
    return missing == 0 ? copied.end : put_missing(row, missing, copied.end);
  }

  struct CopiedArguments {
    char* end = nullptr;
    unsigned has = kNoArguments;
  };

  // `,"args":{...}` with the same members. `to` has room for a copy.
  CopiedArguments put_arguments(std::string_view arguments, char* to) {
    to = put(R"(,"args":)", to);
    if (arguments.empty()) return {put("{}", to), kNoArguments};
    const CopiedObject copied = copy_object(arguments, to);
    if (copied.end != nullptr) [[likely]]
      return {copied.end, copied.arguments};
    // What was written of the event so far moves if the buffer has no room for more.
    const std::string repaired = repaired_object(arguments);
    buffer_.take(to);
    to = buffer_.room(room_for_copy(repaired.size()) + kNumbers + kExtraArguments);
    const CopiedObject again = copy_object(repaired, to);
    STROBE_CHECK(again.end != nullptr, "a repaired text is JSON, and not deep");
    return {again.end, again.arguments};
  }

  char* put_missing(std::size_t row, unsigned missing, char* to) {
    const SliceColumns& slices = trace_.slices();
    const Track& track = trace_.tracks()[slices.tracks[row].index()];
    --to;  // the closing brace
    bool is_first = to[-1] == '{';
    const auto add = [&](Argument argument, std::string_view key, std::int64_t number) {
      if ((missing & argument) == 0) return;
      if (!std::exchange(is_first, false)) *to++ = ',';
      to = put(key, to);
      to = TextBuffer::put(number, to);
    };
    add(kExternalArgument, R"("External id":)", slices.externals[row]);
    add(kDeviceArgument, R"("device":)", track.device.value_or(0));
    add(kStreamArgument, R"("stream":)", track.thread_number.value_or(0));
    add(kCorrelationArgument, R"("correlation":)", slices.correlations[row]);
    if ((missing & kSequenceArgument) != 0) {
      const SequenceColumns& sequences = trace_.sequences();
      add(kSequenceArgument, R"("Sequence number":)", sequences.sequence_numbers[next_sequence_]);
      add(kSequenceArgument, R"("Fwd thread id":)", sequences.forward_threads[next_sequence_]);
    }
    *to++ = '}';
    return to;
  }

  // The common part of all rarer events, up to their time. `head` ends in the name's quote.
  char* put_head(std::string_view head, StringId name, std::string_view place, std::int64_t time_ns,
                 std::size_t more_bytes) {
    const std::string_view text = names_[name];
    char* to =
        buffer_.room(head.size() + text.size() + place.size() + kNumbers + 2 * 64 + more_bytes);
    to = lines_.begin(head, to);
    to = put(text, to);
    to = put(place, to);
    return put_time(time_ns, to);
  }

  char* put_optional_arguments(std::string_view arguments, char* to) {
    return arguments.empty() ? to : put_arguments(arguments, to).end;
  }

  // A slice whose end is not known.
  void write_begin(std::size_t row) {
    const SliceColumns& slices = trace_.slices();
    const std::string_view arguments = arguments_.text(slices.args[row]);
    std::string head = slice_head(slices.categories[row], slices.kinds[row]);
    head.replace(head.find('X'), 1, "B");
    char* to = put_head(head, slices.names[row], place_of_slice(row), slices.starts_ns[row],
                        room_for_copy(arguments.size()) + kExtraArguments);
    lines_.end(put_slice_arguments(row, arguments, to));
  }

  void write_asynchronous(std::size_t row) {
    const SliceColumns& slices = trace_.slices();
    std::string& place = beside_threads_[slices.tracks[row]];
    if (place.empty()) place = place_with_time(source_.places->beside_threads(slices.tracks[row]));
    const std::string id = fmt::format(R"(,"id":{})", own_id(row));
    const std::string_view arguments = arguments_.text(slices.args[row]);
    std::string head = slice_head(slices.categories[row], slices.kinds[row]);
    head.replace(head.find('X'), 1, "b");
    char* to = put_head(head, slices.names[row], place, slices.starts_ns[row],
                        id.size() + room_for_copy(arguments.size()) + kExtraArguments);
    lines_.end(put_slice_arguments(row, arguments, put(id, to)));
    if ((slices.flags[row] & kUnfinished) != 0) return;
    head.replace(head.find('b'), 1, "e");
    to = put_head(head, slices.names[row], place, slices.starts_ns[row] + slices.durations_ns[row],
                  id.size());
    lines_.end(put(id, to));
  }

  // `names` comes from arrow_names().
  void write_arrow_end(char phase, std::string_view names, std::uint64_t id, std::string_view place,
                       std::int64_t time_ns) {
    char* to = buffer_.room(names.size() + place.size() + kNumbers + 64);
    to = lines_.begin(R"({"ph":")", to);
    *to++ = phase;
    to = put(R"(","id":)", to);
    to = TextBuffer::put(own_id(id), to);
    to = put(names, to);
    to = put(place, to);
    to = put_time(time_ns, to);
    if (phase == 'f') to = put(R"(,"bp":"e")", to);
    lines_.end(to);
  }

  // `,"cat":"ac2g","name":"ac2g`: an arrow is named after its category.
  static std::string arrow_names(std::string_view category) {
    std::string name;
    append_json_string(category, name);
    name.pop_back();  // the place begins with the quote
    return category_json(category) + R"(,"name":)" + name;
  }

  void write_flows() {
    const FlowColumns& flows = trace_.flows();
    std::vector<std::string> names(trace_.categories().size());
    for (std::size_t row = 0; row < flows.size(); ++row) {
      if (buffer_.has_failed()) return;
      std::string& own = names[flows.categories[row].index()];
      if (own.empty()) own = arrow_names(category_name(flows.categories[row]));
      const char phase = flows.phases[row] == FlowPhase::kStart  ? 's'
                         : flows.phases[row] == FlowPhase::kStep ? 't'
                                                                 : 'f';
      write_arrow_end(phase, own, flows.ids[row],
                      place_of_end(flows.tracks[row], flows.times_ns[row]), flows.times_ns[row]);
    }
  }

  void write_launches() {
    const SliceColumns& slices = trace_.slices();
    LaunchCalls calls(slices);
    const std::string names = arrow_names("ac2g");
    const auto write_end = [&](char phase, std::size_t row) {
      write_arrow_end(phase, names, slices.correlations[row],
                      place_of_end(slices.tracks[row], slices.starts_ns[row]),
                      slices.starts_ns[row]);
    };
    for (std::size_t row = 0; row < slices.size(); ++row) {
      if (buffer_.has_failed()) return;
      if (!is_device_work(slices.kinds[row]) || slices.correlations[row] == kNoLaunchId) continue;
      const auto call = calls.find(slices.correlations[row]);
      if (!call) continue;
      if (call->is_first_use) write_end('s', call->row);
      write_end('f', row);
    }
  }

  std::size_t instants_left() const { return trace_.instants().size() - next_instant_; }

  void write_instants(std::size_t count) {
    for (; count > 0 && !buffer_.has_failed(); --count) write_instant(next_instant_++);
  }

  // Kineto's own marks stand in processes without a number and concern the whole trace.
  const std::string& instant_head(CategoryId category, bool is_of_thread) {
    std::string& head = instant_heads_[category.index() * 2 + (is_of_thread ? 1 : 0)];
    if (head.empty()) [[unlikely]] {
      head = fmt::format(R"({{"ph":"i","s":"{}"{},"name":")", is_of_thread ? 't' : 'g',
                         category_json(category_name(category)));
    }
    return head;
  }

  void write_instant(std::size_t row) {
    const InstantColumns& instants = trace_.instants();
    const Track& track = trace_.tracks()[instants.tracks[row].index()];
    const std::string_view head =
        instant_head(instants.categories[row], track.process_number.has_value());
    const std::string_view arguments = arguments_.text(instants.args[row]);
    char* to = put_head(head, instants.names[row], track_places_[instants.tracks[row].index()],
                        instants.times_ns[row], room_for_copy(arguments.size()));
    lines_.end(put_optional_arguments(arguments, to));
  }

  // Allocations as Kineto writes them, unless the trace has them as such instants.
  void write_memory() {
    const MemoryColumns& memory = trace_.memory();
    const InstantColumns& instants = trace_.instants();
    const StringId own_name = trace_.strings().find("[memory]");
    std::set<std::pair<std::int64_t, TrackId>> written;
    for (std::size_t i = 0; own_name.valid() && i < instants.size(); ++i) {
      if (instants.names[i] == own_name) written.emplace(instants.times_ns[i], instants.tracks[i]);
    }
    for (std::size_t row = 0; row < memory.size() && !buffer_.has_failed(); ++row) {
      if (written.contains({memory.times_ns[row], memory.tracks[row]})) continue;
      const std::string arguments = R"(,"args":)" + kineto_memory_arguments(trace_, row);
      const std::string_view place = track_places_[memory.tracks[row].index()];
      constexpr std::string_view kHead =
          R"({"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory])";
      char* to = buffer_.room(kHead.size() + place.size() + kNumbers + arguments.size());
      to = put(place, lines_.begin(kHead, to));
      lines_.end(put(arguments, put_time(memory.times_ns[row], to)));
    }
  }

  // Viewers show one line per process and name. Where several threads count by the same name, their
  // counters have the thread as their id.
  std::set<std::pair<StringId, StringId>> names_of_several_threads() const {
    const CounterColumns& counters = trace_.counters();
    std::map<std::pair<StringId, StringId>, TrackId> first;
    std::set<std::pair<StringId, StringId>> shared;
    std::pair<TrackId, StringId> last;
    for (std::size_t row = 0; row < counters.size(); ++row) {
      const std::pair now{counters.tracks[row], counters.names[row]};
      if (now == last) continue;
      last = now;
      const std::pair key{trace_.tracks()[now.first.index()].process, now.second};
      const auto [found, is_new] = first.try_emplace(key, now.first);
      if (!is_new && found->second != now.first) shared.insert(key);
    }
    return shared;
  }

  void write_counters() {
    const CounterColumns& counters = trace_.counters();
    const auto shared = names_of_several_threads();
    if (counters.size() > 0) events_of_series_.resize(trace_.strings().size(), kNoEvent);
    for (std::size_t row = 0; row < counters.size() && !buffer_.has_failed();) {
      const TrackId track = counters.tracks[row];
      const StringId process = trace_.tracks()[track.index()].process;
      char* to = put_head(R"({"ph":"C","name":")", counters.names[row],
                          track_places_[track.index()], counters.times_ns[row], 0);
      buffer_.take(to);
      if (!shared.empty() && shared.contains({process, counters.names[row]})) {
        std::string id = R"(,"id":)";
        append_json_string(trace_.strings()[trace_.tracks()[track.index()].thread], id);
        buffer_.append(id);
      }
      row = write_series(row);
    }
  }

  // A counter without parts repeats its name; viewers would show it twice.
  std::string_view key_of_series(std::size_t row) {
    const CounterColumns& counters = trace_.counters();
    const bool has_parts = counters.series[row] != counters.names[row];
    return adds_places_ && !has_parts ? "value" : names_[counters.series[row]];
  }

  // The values of one counter at one time; returns the row after them.
  std::size_t write_series(std::size_t row) {
    const CounterColumns& counters = trace_.counters();
    const std::size_t first = row;
    const auto is_same = [&](std::size_t other) {
      return other < counters.size() && counters.times_ns[other] == counters.times_ns[first] &&
             counters.tracks[other] == counters.tracks[first] &&
             counters.names[other] == counters.names[first] &&
             events_of_series_[counters.series[other].index()] != first;
    };
    buffer_.append(R"(,"args":{)");
    do {
      const std::string_view series = key_of_series(row);
      events_of_series_[counters.series[row].index()] = first;
      char* to = buffer_.room(series.size() + kNumbers);
      if (row != first) *to++ = ',';
      *to++ = '"';
      to = put(R"(":)", put(series, to));
      buffer_.take(put_value(counters.values[row], to));
      ++row;
    } while (is_same(row));
    buffer_.append("}");
    lines_.end(buffer_.room(kNumbers));
    return row;
  }

  // JSON has no word for what is no number; readers take it from a text.
  static char* put_value(double value, char* to) {
    if (std::isfinite(value)) return TextBuffer::put(value, to);
    return put(std::isnan(value) ? R"("NaN")" : value > 0 ? R"("Infinity")" : R"("-Infinity")", to);
  }

  const EventSource& source_;
  const Trace& trace_;
  TextBuffer& buffer_;
  EscapedTexts names_;
  ArgsReader arguments_;
  const bool adds_places_;          // device and stream: the trace does not come from such a file
  std::vector<std::string> heads_;  // by category and kind
  std::vector<std::string> instant_heads_;  // by category and scope
  std::vector<std::string> track_places_;
  std::vector<std::string> lane_places_;
  std::map<TrackId, std::string> beside_threads_;  // places of asynchronous slices
  EventLines lines_;
  std::vector<std::size_t> events_of_series_;  // the first row of the last event with this series
  std::size_t next_moved_ = 0;
  std::size_t next_sequence_ = 0;
  std::size_t next_instant_ = 0;
};

}  // namespace

std::uint64_t write_events(const EventSource& source, TextBuffer& buffer) {
  return EventWriter(source, buffer).run();
}

}  // namespace strobe::writers
