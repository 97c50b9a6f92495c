#include "strobe/tensorboard/trace_counters.h"

#include <fmt/format.h>

#include "strobe/base/json_value.h"
#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/event_reader.h"

namespace strobe::tensorboard {
namespace {

class CounterWriter {
 public:
  CounterWriter(std::int64_t device, std::string_view word, std::string_view metric,
                std::string& out)
      : device_(device), name_(fmt::format("{} {} {}", word, device, metric)), out_(out) {}

  void add(Number ts, std::string_view key, Number value) {
    if (!out_.empty()) out_ += ", ";
    out_ += fmt::format(
        "{{\"ph\":\"C\", \"name\":\"{}\", \"pid\":{}, \"ts\":{}, \"args\":{{\"{}\":{}}}}}", name_,
        device_, to_text(ts), key, to_text(value));
  }

  // Adds 1 and 0 to every curve of a kind, so that all get the same height.
  void add_scale(Number ts, std::string_view key) {
    add(ts, key, Number::whole(1));
    add(ts, key, Number::whole(0));
  }

 private:
  const std::int64_t device_;
  const std::string name_;
  std::string& out_;
};

constexpr std::string_view kBlanks = " \t\r\n";

// One past the bracket that opens the events, or npos.
std::size_t find_events(std::string_view json) {
  constexpr std::string_view kKey = "traceEvents";
  for (std::size_t at = json.find(kKey); at != std::string_view::npos;
       at = json.find(kKey, at + 1)) {
    std::size_t next = at + kKey.size();
    const auto is_quote = [&](std::size_t place) {
      return place < json.size() && (json[place] == '"' || json[place] == '\'');
    };
    if (at == 0 || !is_quote(at - 1) || !is_quote(next)) continue;
    next = json.find_first_not_of(kBlanks, next + 1);
    if (next == std::string_view::npos || json[next] != ':') continue;
    next = json.find_first_not_of(kBlanks, next + 1);
    if (next != std::string_view::npos && json[next] == '[') return next + 1;
  }
  return std::string_view::npos;
}

std::string repaired(std::string json, const TextRepair& repair) {
  if (repair.quotes_missing_values) json = quote_missing_values(json);
  if (repair.cut && repair.cut->second <= json.size()) {
    json.erase(repair.cut->first, repair.cut->second - repair.cut->first);
  }
  return json;
}

}  // namespace

std::string trace_counters(const Profile& profile) {
  const std::string_view word = device_word(profile.device_kind);
  std::string out;
  for (const DeviceMetrics& device : profile.device_report.devices) {
    if (device.buckets.empty()) continue;
    CounterWriter counter(device.device, word, "Utilization", out);
    const std::string key = fmt::format("{} Utilization", word);
    counter.add_scale(device.buckets.front().first, key);
    for (const auto& [ts, value] : device.buckets) counter.add(ts, key, value);
  }
  for (const DeviceMetrics& device : profile.device_report.devices) {
    if (profile.device_kind != DeviceKind::kGpu) break;
    if (device.buckets.empty() || device.sm_ranges.empty()) continue;
    constexpr std::string_view kKey = "Est. SM Efficiency";
    CounterWriter counter(device.device, word, kKey, out);
    counter.add_scale(device.buckets.front().first, kKey);
    for (const ValueRange& piece : device.sm_ranges) {
      counter.add(piece.range.start, kKey, piece.value);
      counter.add(piece.range.end, kKey, Number::whole(0));
    }
  }
  return out;
}

std::string insert_counters(std::string json, std::string_view counters) {
  const std::size_t at = find_events(json);
  if (counters.empty() || at == std::string_view::npos) return json;
  return json.insert(at, std::string(counters) + ",");
}

std::string append_counters(std::string json, std::string_view counters) {
  const JsonValue events = find(json, "traceEvents");
  if (counters.empty() || events.type != JsonType::kArray) return json;
  const auto end = static_cast<std::size_t>(events.text.data() - json.data()) + events.text.size();
  const std::string tail = json.find(']', end) == std::string::npos ? "]}" : json.substr(end - 1);
  json.resize(end - 1);
  return json.append(", ").append(counters).append(tail);
}

Answer answer_trace(const Question& question) {
  Result<std::string> text = question.worker.read_text();
  if (!text) return refused(404, text.error().what);
  std::string json = repaired(std::move(*text), question.profile.events.repair);
  if (!question.profile.has_kernel()) return json_answer(std::move(json));
  const std::string counters = trace_counters(question.profile);
  return json_answer(question.profile.rules().appends_counters
                         ? append_counters(std::move(json), counters)
                         : insert_counters(std::move(json), counters));
}

}  // namespace strobe::tensorboard
