#include "strobe/analysis/findings/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/finding_rules.h"
#include "strobe/analysis/findings/start_up.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

// Device work that the file lost looks like idle time, also before its end.
void doubt_idle_verdict(const Evidence& evidence, Finding& finding) {
  finding.weight = FindingWeight::kNote;
  finding.against.push_back(fmt::format(
      "the file is cut off: only the time up to the last {} work counts here, and some may be "
      "missing before it",
      evidence.device));
}

// Silence would leave open whether anything was looked at.
Finding nothing_stands_out(const Evidence& evidence) {
  return {"nothing_stands_out", FindingWeight::kNote, 0,
          fmt::format("nothing stands out: {} busy {} of {}, idle {}", evidence.device,
                      share_text(evidence.use.share()), evidence.span_text(),
                      part_text(evidence, evidence.idle_ns)),
          ""};
}

}  // namespace

std::vector<Finding> find_in(const Trace& trace, const Summary& summary,
                             const FindingContext& context) {
  const bool has_start_up = summary.steady != nullptr;
  Evidence evidence = gather_evidence(trace, has_start_up ? *summary.steady : summary, context);
  evidence.is_steady = has_start_up;
  evidence.leaves_steps_out = has_start_up && summary.warm_up.cycles > 0;
  std::vector<Finding> findings;
  for (const FindingRule rule : idle_rules()) {
    std::optional<Finding> finding = rule(evidence);
    if (!finding) continue;
    if (context.is_cut_off) doubt_idle_verdict(evidence, *finding);
    findings.push_back(std::move(*finding));
  }
  for (const FindingRule rule : finding_rules()) {
    if (std::optional<Finding> finding = rule(evidence)) findings.push_back(std::move(*finding));
  }
  if (findings.empty() && evidence.device_slices > 0) {
    findings.push_back(nothing_stands_out(evidence));
  }
  if (has_start_up) findings.push_back(describe_start_up(summary, evidence));
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.share > b.share;
  });
  return findings;
}

namespace {

constexpr std::size_t kNameLength = 48;

// "void a::b<4, c>(int)" is "b<...>".
std::string without_templates(const std::string& name) {
  constexpr std::string_view kVoid = "void ";
  const std::size_t begin = name.starts_with(kVoid) ? kVoid.size() : 0;
  const std::size_t open = name.find('<', begin);
  if (open == std::string::npos || open == begin) return name;
  const std::string head = name.substr(begin, open - begin);
  const std::size_t colons = head.rfind("::");
  return (colons == std::string::npos ? head : head.substr(colons + 2)) + "<...>";
}

}  // namespace

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string place_text(const std::string& place) { return std::string(parts_of_place(place).text); }

std::string short_name(const std::string& full_name) {
  if (full_name.size() <= kNameLength) return full_name;
  const std::string name = without_templates(full_name);
  if (name.size() <= kNameLength) return name;
  return std::string(prefix_of(name, kNameLength)) + "...";
}

std::string short_source(const std::string& source) {
  const std::size_t folders = source.substr(0, source.find('(')).rfind('/');
  return short_name(folders == std::string::npos ? source : source.substr(folders + 1));
}

std::string part_text(const Evidence& evidence, std::int64_t part_ns) {
  return fmt::format("{} of {} ({})", share_text(evidence.share_of_ns(part_ns)),
                     evidence.whole_text(), duration_text(part_ns));
}

}  // namespace strobe::analysis
