#include "tests/support/recount/raw_trace.h"

#include <simdjson.h>

#include <algorithm>
#include <string_view>

namespace strobe::recount {
namespace {

using simdjson::ondemand::object;
using simdjson::ondemand::value;

// The text of a number or string without quotes and blanks.
std::string plain(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r')) {
    token.remove_suffix(1);
  }
  if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.size() - 2);
  return std::string(token);
}

// Microseconds with up to three decimals, exactly: a double has too few digits.
std::int64_t nanoseconds(const std::string& microseconds) {
  const std::size_t point = microseconds.find('.');
  std::string digits = microseconds.substr(0, point);
  std::string decimals = point == std::string::npos ? "" : microseconds.substr(point + 1);
  decimals.resize(3, '0');
  return std::stoll(digits + decimals);
}

std::int64_t whole(const std::string& text) {
  try {
    return std::stoll(text);
  } catch (const std::exception&) {
    return -1;
  }
}

struct RawEvent {
  std::string phase;
  RawSlice slice;
  std::string duration;
  std::string time;
  std::int64_t bytes = 0;
  std::int64_t device_type = 0;
};

void read_args(object args, RawEvent& event) {
  for (auto field : args) {
    const std::string key(std::string_view(field.unescaped_key()));
    value content = field.value();
    const auto text = [&] { return plain(content.raw_json_token()); };
    if (key == "correlation") event.slice.correlation = whole(text());
    if (key == "External id" || key == "external id") event.slice.external = whole(text());
    if (key == "device" || key == "Device Id") event.slice.device = whole(text());
    if (key == "Bytes") event.bytes = whole(text());
    if (key == "Device Type") event.device_type = whole(text());
  }
}

RawEvent read_event(object fields) {
  RawEvent event;
  for (auto field : fields) {
    const std::string key(std::string_view(field.unescaped_key()));
    value content = field.value();
    if (key == "args") {
      read_args(content.get_object(), event);
      continue;
    }
    if (key == "name") {
      std::string_view name;
      if (content.get_string().get(name) == simdjson::SUCCESS) event.slice.name = name;
      continue;
    }
    const auto text = [&] { return plain(content.raw_json_token()); };
    if (key == "ph") event.phase = text();
    if (key == "cat") event.slice.category = text();
    if (key == "pid") event.slice.process = text();
    if (key == "tid") event.slice.thread = text();
    if (key == "ts") event.time = text();
    if (key == "dur") event.duration = text();
  }
  return event;
}

void keep(RawEvent event, RawTrace& trace) {
  if (event.phase == "X" && !event.duration.empty()) {
    event.slice.start_ns = nanoseconds(event.time);
    event.slice.end_ns = event.slice.start_ns + nanoseconds(event.duration);
    // Its events do not name the device; their process has its number.
    if (event.slice.category == "mtia_ccp_events") event.slice.device = whole(event.slice.process);
    trace.slices.push_back(std::move(event.slice));
  } else if (event.slice.name == "[memory]") {
    const std::string gpu = "gpu:" + std::to_string(std::max<std::int64_t>(event.slice.device, 0));
    trace.memory.push_back({event.bytes, event.device_type == 0 ? "cpu" : gpu});
  }
}

}  // namespace

RawTrace read_raw(const std::string& text) {
  const simdjson::padded_string padded(text);
  simdjson::ondemand::parser parser;
  auto document = parser.iterate(padded);
  RawTrace trace;
  for (auto element : document["traceEvents"].get_array()) {
    keep(read_event(element.get_object()), trace);
  }
  return trace;
}

}  // namespace strobe::recount
