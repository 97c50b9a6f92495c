#include <string>
#include <vector>

#include <fmt/format.h>

#include "strobe/cli/kernels_actions.h"
#include "strobe/cli/output.h"
#include "strobe/record/metric_query.h"
#include "strobe/record/metric_sets.h"

namespace strobe::cli {
namespace {

using record::MetricPlan;
using record::MetricSet;

Error bad(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<void> check_chip(const std::string& chip) {
  STROBE_TRY(const std::vector<std::string> chips, record::known_chips());
  for (const std::string& known : chips) {
    if (known == chip) return {};
  }
  return bad(fmt::format("CUPTI knows no chip '{}'", chip), "--chip",
             fmt::format("it knows {}", fmt::join(chips, ", ")));
}

Result<std::string> passes_of(const MetricSet& set, const std::string& chip) {
  if (chip.empty()) return std::string();
  const std::vector<std::string> metrics(set.metrics.begin(), set.metrics.end());
  STROBE_TRY(const MetricPlan plan, record::plan_metrics(chip, metrics));
  std::string text = fmt::format(
      " On {}: {}", chip,
      plan.passes == 1 ? std::string("one pass") : fmt::format("{} passes", plan.passes));
  if (!plan.unknown.empty()) text += fmt::format(", without {}", fmt::join(plan.unknown, ", "));
  return text + ".";
}

Result<void> run(const Arguments& arguments, const Terminal&) {
  const std::string chip = arguments.get("chip");
  const std::string only = arguments.get("set");
  if (!only.empty() && record::find_metric_set(only) == nullptr) {
    return bad(fmt::format("there is no set '{}'", only), "--set",
               "`strobe kernels metrics` lists them");
  }
  if (!chip.empty()) STROBE_TRY_VOID(check_chip(chip));
  std::string text;
  for (const MetricSet& set : record::metric_sets()) {
    if (!only.empty() && set.name != only) continue;
    STROBE_TRY(const std::string passes, passes_of(set, chip));
    text += fmt::format("{}{}: {}.{}\n", text.empty() ? "" : "\n", set.name, set.summary, passes);
    for (const std::string_view metric : set.metrics) text += fmt::format("  {}\n", metric);
  }
  STROBE_TRY(Output output, Output::open(arguments.get("output")));
  STROBE_TRY_VOID(output.write(text));
  return output.commit();
}

}  // namespace

Command kernels_metrics_action() {
  return {
      .name = "kernels metrics",
      .summary = "the sets of metrics that `record` can count, and what they cost",
      .examples = {{"strobe kernels metrics", "every set with its metrics"},
                   {"strobe kernels metrics --chip GH100 --set full",
                    "how often each kernel would run on this chip"}},
      .notes = {"The passes of a chip are asked of CUPTI, which needs no GPU for it."},
      .flags = {{.name = "set", .kind = FlagKind::kValue, .value = "NAME", .help = "only this set"},
                {.name = "chip",
                 .kind = FlagKind::kValue,
                 .value = "NAME",
                 .help = "say the passes on this chip: GA100, GH100, GB100..."},
                output_flag()},
      .run = answered<run>};
}

}  // namespace strobe::cli
