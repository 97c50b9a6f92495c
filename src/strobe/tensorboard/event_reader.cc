#include "strobe/tensorboard/event_reader.h"

#include <cctype>

#include <fmt/format.h>

#include "strobe/base/json_cursor.h"
#include "strobe/base/json_text.h"
#include "strobe/tensorboard/event_args.h"

namespace strobe::tensorboard {
namespace {

// The end of a recording and the begin of an iteration. Kineto once wrote the end with a clock of
// its own; such a one stretches the timeline over days and is left out.
struct Mark {
  bool is_window_end = false;
  std::optional<Number> ts;
  std::size_t begin = 0;  // bytes of the event in the text
  std::size_t end = 0;
  std::size_t row = 0;  // in Events::all, where it stands if it was kept
  bool was_kept = false;
};

class EventReader {
 public:
  explicit EventReader(std::string_view json) : json_(json), cursor_(json) {}

  Result<RawEvents> read() {
    if (!cursor_.begin_object()) return malformed("its top level is no JSON object");
    std::string_view key;
    bool has_events = false;
    while (cursor_.next_member(key)) {
      if (key == "traceEvents" && cursor_.peek() == JsonType::kArray) {
        read_all();
        has_events = true;
      } else if (key == "deviceProperties" && cursor_.peek() == JsonType::kArray) {
        read_devices();
      } else if (key == "Framework") {
        const JsonValue framework = cursor_.take();
        raw_.events.is_lightning =
            framework.type == JsonType::kString && framework.text == "pytorch-lightning";
      } else {
        cursor_.take();
      }
    }
    if (cursor_.failed() || !cursor_.at_end()) return malformed("it is not JSON from end to end");
    if (!has_events) return malformed("it has no `traceEvents`");
    drop_stray_window_end();
    return std::move(raw_);
  }

 private:
  static Error malformed(std::string what) {
    return {.code = ErrorCode::kMalformed, .what = std::move(what), .where = "", .hint = ""};
  }

  void read_all() {
    cursor_.begin_array();
    while (cursor_.next_element()) {
      cursor_.peek();
      const std::size_t begin = cursor_.offset();
      if (cursor_.begin_object()) {
        read_event(begin);
      } else {
        cursor_.take();
      }
    }
  }

  void read_event(std::size_t begin) {
    ph_ = cat_ = name_ = pid_ = tid_ = ts_ = dur_ = id_ = JsonValue{};
    args_.clear();
    std::string_view key;
    while (cursor_.next_member(key)) {
      if (key == "args") {
        args_.read(cursor_);
      } else if (JsonValue* const field = field_of(key)) {
        *field = cursor_.take();
      } else {
        cursor_.take();
      }
    }
    if (cursor_.failed()) return;
    if (cat_.text == "fwdbwd" || cat_.text == "forward_backward") return keep_flow();
    if (name_.type != JsonType::kString) return;
    const std::size_t rows = raw_.events.all.size();
    if (ph_.text == "i" && name_.text == "[memory]") {
      keep(Category::kMemory);
    } else if (ph_.text == "X" && cat_.type == JsonType::kString) {
      keep(known_category(cat_.text));
    }
    note_mark(begin, rows);
  }

  JsonValue* field_of(std::string_view key) {
    switch (key.size()) {
      case 2:
        return key == "ph" ? &ph_ : key == "ts" ? &ts_ : key == "id" ? &id_ : nullptr;
      case 3:
        return key == "cat"   ? &cat_
               : key == "pid" ? &pid_
               : key == "tid" ? &tid_
               : key == "dur" ? &dur_
                              : nullptr;
      case 4:
        return key == "name" ? &name_ : nullptr;
      default:
        return nullptr;
    }
  }

  Category known_category(std::string_view category) {
    constexpr std::size_t kLongest = 24;
    if (category.size() > kLongest) return Category::kOther;
    if (category == last_category_name_) return last_category_;
    last_category_name_.assign(category);
    std::string lowered(category);
    for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return last_category_ = category_of(lowered);
  }

  void keep(Category category) {
    if (category == Category::kOther) return;
    const std::optional<Number> ts = as_number(ts_);
    const std::optional<Number> dur =
        category == Category::kMemory ? Number::whole(0) : as_number(dur_);
    if (!ts || !dur) return;
    Events& events = raw_.events;
    Event event;
    event.ts_us = ts->value;
    event.has_whole_ts = ts->is_whole;
    event.dur_us = dur->value;
    event.has_whole_dur = dur->is_whole;
    event.category = category;
    event.name = intern_text(name_);
    event.pid = intern_place(pid_);
    event.tid = intern_place(tid_);
    const JsonValue old_ext = args_[Arg::kExternalIdOld];
    event.ext = as_link(old_ext.present() ? old_ext : args_[Arg::kExternalId]);
    event.corr = as_link(args_[Arg::kCorrelation]);
    event.details = keep_args(args_, category, events);
    events.all.push_back(event);
  }

  StringId intern_text(const JsonValue& string) {
    if (string.text.find('\\') == std::string_view::npos) {
      return raw_.events.texts.intern(string.text);
    }
    return raw_.events.texts.intern(decoded(string));
  }

  // pid and tid as they stand in the file.
  StringId intern_place(const JsonValue& value) {
    if (!value.present()) return raw_.events.texts.intern("null");
    if (value.type != JsonType::kString) return raw_.events.texts.intern(value.text);
    return raw_.events.texts.intern({value.text.data() - 1, value.text.size() + 2});
  }

  void keep_flow() {
    const std::optional<Number> ts = as_number(ts_);
    const bool is_start = ph_.text == "s";
    if (!ts || !id_.present() || (!is_start && ph_.text != "f")) return;
    raw_.flows.push_back({.id = intern_place(id_),
                          .ts = *ts,
                          .is_start = is_start,
                          .is_cambricon = cat_.text == "forward_backward"});
  }

  void note_mark(std::size_t begin, std::size_t row) {
    const bool is_window_end = name_.text == "Record Window End";
    if (!is_window_end && !name_.text.starts_with("Iteration Start:")) return;
    marks_.push_back({.is_window_end = is_window_end,
                      .ts = as_number(ts_),
                      .begin = begin,
                      .end = cursor_.offset(),
                      .row = row,
                      .was_kept = row < raw_.events.all.size()});
  }

  void drop_stray_window_end() {
    const Mark* window_end = nullptr;
    const Mark* iteration = nullptr;
    for (auto mark = marks_.rbegin(); mark != marks_.rend() && !(window_end && iteration); ++mark) {
      (mark->is_window_end ? window_end : iteration) = &*mark;
    }
    constexpr double kDayMs = 86'400'000;
    if (!window_end || !iteration || !window_end->ts || !iteration->ts) return;
    if (window_end->ts->value - iteration->ts->value <= kDayMs) return;
    std::size_t begin = window_end->begin;
    std::size_t end = window_end->end;
    const std::size_t before = json_.find_last_not_of(" \t\r\n", begin - 1);
    const std::size_t after = json_.find_first_not_of(" \t\r\n", end);
    if (json_[before] == ',') {
      begin = before;
    } else if (json_[after] == ',') {
      end = after + 1;
    }
    raw_.events.repair.cut = {begin, end};
    if (!window_end->was_kept) return;
    raw_.events.all.erase(raw_.events.all.begin() + static_cast<std::ptrdiff_t>(window_end->row));
  }

  void read_devices() {
    raw_.events.device_properties.emplace();
    cursor_.begin_array();
    std::string_view key;
    while (cursor_.next_element()) {
      DeviceProperties& device = raw_.events.device_properties->emplace_back();
      if (!cursor_.begin_object()) {
        cursor_.take();
        continue;
      }
      while (cursor_.next_member(key)) {
        const JsonValue value = cursor_.take();
        if (key == "name" && value.type == JsonType::kString) device.name = decoded(value);
        if (key == "totalGlobalMem") device.total_global_memory = as_number(value);
        if (key == "totalMem(MiB)") device.total_memory_mib = as_number(value);
        if (key == "computeMajor") device.compute_major = as_number(value);
        if (key == "computeMinor") device.compute_minor = as_number(value);
      }
    }
  }

  std::string_view json_;
  JsonCursor cursor_;
  RawEvents raw_;
  std::vector<Mark> marks_;
  ArgValues args_;
  JsonValue ph_, cat_, name_, pid_, tid_, ts_, dur_, id_;
  std::string last_category_name_;
  Category last_category_ = Category::kOther;
};

}  // namespace

std::string quote_missing_values(std::string_view json) {
  constexpr std::string_view kMissing = "N/A";
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = json.find(kMissing); at != std::string_view::npos;
       at = json.find(kMissing, at + kMissing.size())) {
    const std::size_t after = at + kMissing.size();
    if ((at > 0 && json[at - 1] == '"') || (after < json.size() && json[after] == '"')) continue;
    out.append(json.substr(done, at - done)).append("\"N/A\"");
    done = after;
  }
  return out.append(json.substr(done));
}

Result<RawEvents> read_events(std::string_view json) {
  if (!is_valid_utf8(json)) {
    return Error{
        .code = ErrorCode::kMalformed, .what = "it is not valid UTF-8", .where = "", .hint = ""};
  }
  Result<RawEvents> raw = EventReader(json).read();
  if (raw || json.find("N/A") == std::string_view::npos) return raw;
  const std::string repaired = quote_missing_values(json);
  Result<RawEvents> second = EventReader(repaired).read();
  if (!second) return raw;
  second->events.repair.quotes_missing_values = true;
  return second;
}

}  // namespace strobe::tensorboard
