#include "strobe/record/inject/settings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "strobe/wire/record_settings.h"

namespace strobe::record {
namespace {

constexpr std::size_t kMostLaunchesPerBatch = 16384;

std::string text_of(const char* variable) noexcept {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

bool read_number(std::string_view text, std::uint64_t& number) noexcept {
  if (text.empty() || text.size() > 18) return false;
  number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

void read_metrics(const std::string& lists, Settings& settings) noexcept {
  std::size_t since = 0;
  const auto end_list = [&] {
    const std::size_t count = settings.metrics.size() - since;
    if (count > 0) settings.metrics_per_window.push_back(count);
    since = settings.metrics.size();
  };
  for (std::size_t at = 0; at < lists.size();) {
    const std::size_t end = std::min(lists.find_first_of(",;", at), lists.size());
    if (end > at) settings.metrics.push_back(lists.substr(at, end - at));
    if (end == lists.size() || lists[end] == ';') end_list();
    at = end + 1;
  }
  end_list();
  if (settings.metrics.empty()) settings.problem = "no metric is requested";
  if (settings.metrics_per_window.size() > 1 && !settings.has_windows) {
    settings.problem = "several lists of metrics need windows";
  }
}

}  // namespace

bool read_launch_window(const char* text, std::uint64_t& first, std::uint64_t& last) noexcept {
  const std::string_view window = text;
  const std::size_t colon = window.find(':');
  if (colon == std::string_view::npos) {
    if (!read_number(window, first)) return false;
    last = first;
    return true;
  }
  const std::string_view from = window.substr(0, colon);
  const std::string_view to = window.substr(colon + 1);
  first = 0;
  last = std::numeric_limits<std::uint64_t>::max();
  if (from.empty() && to.empty()) return false;
  if (!from.empty() && !read_number(from, first)) return false;
  if (!to.empty() && !read_number(to, last)) return false;
  return first <= last;
}

Settings read_settings() noexcept {
  Settings settings;
  settings.folder = text_of(wire::kRecordFolder);
  settings.is_strict = text_of(wire::kRecordStrict) == "1";
  settings.kernel_pattern = text_of(wire::kRecordKernel);
  settings.isolated_pattern = text_of(wire::kRecordIsolate);
  settings.cupti_path = text_of(wire::kRecordCupti);
  settings.with_registers = text_of(wire::kRecordRegisters) != "0";
  const std::string replay = text_of(wire::kRecordReplay);
  if (replay == "user") settings.replay = Replay::kUser;
  if (replay == "kernel") settings.replay = Replay::kKernel;

  settings.has_windows = text_of(wire::kRecordWindow) == "1";
  read_metrics(text_of(wire::kRecordMetrics), settings);

  const std::string window = text_of(wire::kRecordLaunches);
  if (!window.empty() &&
      !read_launch_window(window.c_str(), settings.first_launch, settings.last_launch)) {
    settings.problem = "the launches '" + window + "' are not a window A:B";
  }
  const std::string batch = text_of(wire::kRecordBatch);
  std::uint64_t launches = 0;
  if (!batch.empty()) {
    if (read_number(batch, launches) && launches > 0 && launches <= kMostLaunchesPerBatch) {
      settings.batch = launches;
    } else {
      settings.problem = "the batch '" + batch + "' is not a number of launches";
    }
  }
  return settings;
}

}  // namespace strobe::record
