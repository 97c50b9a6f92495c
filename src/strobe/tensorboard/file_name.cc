#include "strobe/tensorboard/file_name.h"

#include <algorithm>
#include <map>
#include <set>

#include "strobe/base/text.h"

namespace strobe::tensorboard {
namespace {

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::optional<FileName> parse_file_name(std::string_view file_name) {
  std::string_view rest = file_name;
  take_suffix(rest, ".gz");
  if (!take_suffix(rest, ".pt.trace.json") || rest.empty()) return std::nullopt;
  const std::size_t dot = rest.rfind('.');
  const std::string_view digits =
      dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  const bool is_stamped = dot != 0 && !digits.empty() &&
                          std::ranges::all_of(digits, [](char c) { return is_digit(c); });
  if (!is_stamped) return FileName{std::string(rest), std::nullopt};
  return FileName{std::string(rest.substr(0, dot)), std::string(digits)};
}

std::string without_endings(std::string_view file_name) {
  for (const std::string_view ending : {".gz", ".zst", ".json", ".trace", ".pt"}) {
    if (file_name.size() > ending.size()) take_suffix(file_name, ending);
  }
  return std::string(file_name);
}

std::vector<std::string> number_spans(const std::vector<FileName>& files) {
  // Two files of one worker with the same stamp share the higher of their numbers.
  std::map<std::string, std::multiset<std::string>> stamps;
  for (const FileName& file : files) {
    if (file.stamp) stamps[file.worker].insert(*file.stamp);
  }
  std::vector<std::string> spans;
  for (const FileName& file : files) {
    if (!file.stamp) {
      spans.emplace_back("default");
      continue;
    }
    const auto& of_worker = stamps[file.worker];
    spans.push_back(
        std::to_string(std::distance(of_worker.begin(), of_worker.upper_bound(*file.stamp))));
  }
  return spans;
}

std::optional<NodeProcess> split_worker_name(std::string_view worker) {
  for (std::size_t digit = worker.size(); digit-- > 1;) {
    if (worker[digit - 1] != '_' || !is_digit(worker[digit])) continue;
    std::size_t end = digit;
    while (end < worker.size() && is_digit(worker[end])) ++end;
    return NodeProcess{std::string(worker.substr(0, digit - 1)),
                       std::string(worker.substr(digit, end - digit))};
  }
  return std::nullopt;
}

}  // namespace strobe::tensorboard
