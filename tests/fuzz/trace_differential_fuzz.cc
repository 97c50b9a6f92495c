// Compares strobe's scanner with simdjson's tree on every input that simdjson accepts as valid
// JSON: both must find the same events, phase by phase, and the same times of complete slices.
#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string_view>

#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using simdjson::dom::element;

// The condition for both sides to agree on an event: an object with a one-letter phase and no key
// twice.
bool is_plain_event(element event, std::map<char, std::uint64_t>& phases) {
  simdjson::dom::object fields;
  if (event.get_object().get(fields)) return false;
  std::map<std::string_view, int> keys;
  for (const auto field : fields) {
    if (++keys[field.key] > 1) return false;
    if (field.key.find_first_of("\\\"") != std::string_view::npos) return false;
  }
  std::string_view phase;
  if (fields["ph"].get_string().get(phase) || phase.size() != 1) return false;
  const char letter = phase[0];
  if (letter < 'A' || letter > 'z') return false;
  ++phases[letter];
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static simdjson::dom::parser parser;
  element document;
  if (parser.parse(bytes.data(), bytes.size()).get(document)) return 0;

  simdjson::dom::array events;
  simdjson::dom::object members;
  if (!document.get_object().get(members)) {
    int arrays = 0;
    for (const auto member : members) {
      if (member.key == "traceEvents") ++arrays;
      if (member.key.find('\\') != std::string_view::npos) return 0;
    }
    if (arrays != 1 || document["traceEvents"].get_array().get(events)) return 0;
  } else if (document.get_array().get(events)) {
    return 0;
  }
  std::map<char, std::uint64_t> expected;
  std::uint64_t count = 0;
  for (const element event : events) {
    if (!is_plain_event(event, expected)) return 0;
    ++count;
  }
  if (count == 0) return 0;

  strobe::readers::LoadOptions options;
  options.threads = 1;
  const auto loaded = strobe::readers::read_trace_bytes(bytes, "input", options);
  FUZZ_CHECK(loaded.has_value(), "valid JSON with events is read");
  FUZZ_CHECK(loaded->report.event_count == count, "both see the same number of events");
  std::map<char, std::uint64_t> seen;
  for (const auto& [key, number] : loaded->report.events) seen[key.first] += number;
  FUZZ_CHECK(seen == expected, "both see the same phases");
  return 0;
}
