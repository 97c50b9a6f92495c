#include "strobe/readers/frame.h"

#include <algorithm>
#include <cstring>

#include "strobe/base/json_scan.h"
#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/readers/event_scanner.h"
#include "strobe/readers/not_a_trace.h"

namespace strobe::readers {
namespace {

constexpr std::size_t kEventsLookedAt = 2000;

bool skip_blanks(Window& window, const char*& p) {
  for (;;) {
    p = json::skip_blanks(p);
    if (p < window.end()) return true;
    p = window.end();
    if (!window.read_on(p)) return false;
  }
}

// One `"key": value` as text. `p` is the key's quote, afterwards one past the value (or the '[' of
// the event array).
struct Member {
  std::string key;
  std::string value;  // empty for the event array
  bool is_event_array = false;
};

bool read_member_text(Window& window, const char*& p, Member& member) {
  for (;;) {
    const json::StringEnd key_end = json::find_string_end(p + 1, window.end());
    if (key_end.quote != nullptr) {
      const char* colon = json::skip_blanks(key_end.quote + 1);
      const char* value = *colon == ':' ? json::skip_blanks(colon + 1) : nullptr;
      if (colon < window.end() && value == nullptr) return false;
      if (value != nullptr && value < window.end()) {
        const std::string_view key(p + 1, static_cast<std::size_t>(key_end.quote - p - 1));
        if (key == "traceEvents" && *value == '[') {
          member = {std::string(key), {}, true};
          p = value;
          return true;
        }
        if (const char* after = json::skip_value(value, window.end())) {
          member = {unescape(key), std::string(value, after), false};
          p = after;
          return true;
        }
      }
    }
    if (!window.read_on(p)) return false;
  }
}

void add_distinct(std::vector<std::string>& list, std::string_view text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

void look_at_events(const Window& window, const char* p, TraceHead& head) {
  EventScanner scanner;
  for (std::size_t i = 0; i < kEventsLookedAt; ++i) {
    p = json::skip_blanks(p);
    if (p < window.end() && *p == ',') p = json::skip_blanks(p + 1);
    if (p >= window.end() || *p != '{') return;
    RawEvent event;
    if (scanner.scan(p, window.end(), event) != ScanResult::kEvent) return;
    if (event.category.present()) add_distinct(head.categories, event.category.text);
    for_each_member(event.args, [&](std::string_view key, const JsonValue&) {
      if (head.argument_keys.size() < 100) add_distinct(head.argument_keys, key);
    });
  }
}

Error no_event_array(const TraceHead& head, const std::string& name) {
  for (const auto& [key, value] : head.members) {
    if (key != "traceEvents") continue;
    return {ErrorCode::kMalformed,
            "this is JSON, but not a trace: its \"traceEvents\" is not an array", name,
            "a trace keeps its events in a list: {\"traceEvents\": [ …"};
  }
  std::string keys;
  for (std::size_t i = 0; i < std::min<std::size_t>(head.members.size(), 5); ++i) {
    keys += (i == 0 ? "" : ", ") + head.members[i].first;
  }
  return {
      ErrorCode::kMalformed, "this is JSON, but not a trace: it has no \"traceEvents\" array", name,
      keys.empty() ? "a profiler's trace begins with [ or with {\"traceEvents\": [ …"
                   : "its members are " + keys + "; a trace keeps its events in \"traceEvents\""};
}

}  // namespace

Result<Frame> read_front(Window& window, const char*& p, const std::string& name) {
  p = window.end();
  static_cast<void>(window.read_on(p));
  if (window.damage() && p == window.end()) {
    Error error = *window.damage();
    error.where = name + ", " + error.where;
    return error;
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::string_view(p, kByteOrderMark.size()) == kByteOrderMark) p += kByteOrderMark.size();
  const std::string_view first(p, static_cast<std::size_t>(window.end() - p));
  if (!skip_blanks(window, p)) {
    return Error{ErrorCode::kMalformed, "the file holds nothing but blanks", name,
                 "the job may have ended before its profiler wrote the trace"};
  }
  if (*p != '{' && *p != '[') return explain_not_a_trace(first, name);

  Frame frame;
  if (*p == '[') {
    ++p;
    look_at_events(window, p, frame.head);
    return frame;
  }
  frame.is_object = true;
  ++p;
  for (;;) {
    if (!skip_blanks(window, p)) break;
    if (*p == ',') {
      ++p;
      continue;
    }
    if (*p == '}') return no_event_array(frame.head, name);
    if (*p != '"') break;
    Member member;
    if (!read_member_text(window, p, member)) break;
    if (member.is_event_array) {
      ++p;
      look_at_events(window, p, frame.head);
      return frame;
    }
    frame.head.members.emplace_back(std::move(member.key), std::move(member.value));
  }
  return Error{ErrorCode::kMalformed, "the file ends or breaks off before its first event",
               name + ", byte " + std::to_string(window.offset_of(p)),
               "the job may have been killed while the trace was written; record it again"};
}

void read_back(Window& window, const char*& p, TraceHead& head, ImportReport& report) {
  for (;;) {
    if (!skip_blanks(window, p)) {
      report.add(ImportIssue::kTruncatedFile, window.offset_of(p), "behind the events");
      return;
    }
    if (*p == '}') return;
    if (*p == ',') {
      ++p;
      continue;
    }
    Member member;
    if (*p != '"' || !read_member_text(window, p, member)) {
      report.add(ImportIssue::kTruncatedFile, window.offset_of(p), "behind the events");
      return;
    }
    if (!member.is_event_array) {
      head.members.emplace_back(std::move(member.key), std::move(member.value));
      continue;
    }
    report.add(ImportIssue::kDuplicateEventArray, window.offset_of(p));
    for (const char* after = nullptr; (after = json::skip_value(p, window.end())) == nullptr;) {
      if (!window.read_on(p)) return;
    }
    p = json::skip_value(p, window.end());
  }
}

}  // namespace strobe::readers
