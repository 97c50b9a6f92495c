#include "strobe/cli/summary_request.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "strobe/analysis/tables/table_options.h"

namespace strobe::cli {
namespace {

using analysis::SortKey;
using analysis::TimeUnit;
using analysis::View;
using analysis::ViewSet;

// strobe's names; names not listed here are Paddle's.
constexpr Word<View> kViews[] = {
    {"perf", View::kPerf},
    {"device", View::kDevice},
    {"overview", View::kOverview},
    {"steps", View::kSteps},
    {"idle", View::kIdle},
    {"model", View::kModel},
    {"distributed", View::kDistributed},
    {"operator", View::kOperator},
    {"kernel", View::kKernel},
    {"runtime", View::kRuntimeCalls},
    {"streams", View::kStreams},
    {"memory-manipulation", View::kMemoryManipulation},
    {"user", View::kUserRanges},
    {"memory", View::kMemory},
    {"samples", View::kSamples},
    {"udf", View::kUserRanges, false},
    {"operators", View::kOperator, false},
    {"kernels", View::kKernel, false},
    {"runtime-calls", View::kRuntimeCalls, false},
};

constexpr Word<SortKey> kSortKeys[] = {
    {"cpu-total", SortKey::kHostTotal},   {"cpu-avg", SortKey::kHostAverage},
    {"cpu-max", SortKey::kHostMax},       {"cpu-min", SortKey::kHostMin},
    {"gpu-total", SortKey::kDeviceTotal}, {"gpu-avg", SortKey::kDeviceAverage},
    {"gpu-max", SortKey::kDeviceMax},     {"gpu-min", SortKey::kDeviceMin},
};

constexpr Word<TimeUnit> kUnits[] = {{"s", TimeUnit::kSeconds},
                                     {"ms", TimeUnit::kMilliseconds},
                                     {"us", TimeUnit::kMicroseconds},
                                     {"ns", TimeUnit::kNanoseconds}};

constexpr Word<bool> kPaddleStyle[] = {{"strobe", false}, {"paddle", true}};

// Adds one table, or all of them, to those typed before.
Target to_views(std::optional<ViewSet>& views) {
  return {.take = [&views](std::string_view flag, const std::string& typed) -> Result<void> {
            if (is_same_word(typed, "all")) {
              views = ViewSet::all();
              return {};
            }
            STROBE_TRY(const View view, chosen(flag, typed, kViews));
            views = views.value_or(ViewSet{}).with(view);
            return {};
          },
          .preset = "all",
          .is_list = true};
}

Target to_filter(analysis::TableOptions& tables) {
  return {.take = [&tables](std::string_view flag, const std::string& typed) -> Result<void> {
    STROBE_TRY(tables.keeps_name, analysis::name_filter(flag, typed));
    tables.filter = typed;
    return {};
  }};
}

}  // namespace

std::vector<Flag> summary_flags(SummaryRequest& request) {
  std::vector<Flag> flags = {
      flag(
          "--views LIST",
          "which tables: device, overview (by kind of slice), steps, idle (what the host did while "
          "the device was idle), model (forward, backward, ...), distributed (ranks, "
          "communication), operator, kernel, runtime (calls into the runtime), streams (launch "
          "delay and queue), memory-manipulation (copies and memsets on the host), user (your "
          "ranges), memory, samples (clocks, power, use, waits for a core: what was sampled beside "
          "the program), perf (Paddle's style only) or all (default: all that have data; "
          "without perf in Paddle's style)",
          to_views(request.views)),
      flag("--top N",
           "rows per table, or all; of steps the slowest, of streams the busiest (default: 10 in "
           "text, all in other formats and in Paddle's style)",
           to_rows(request.top)),
      flag("--sort KEY",
           "order of operators, user ranges, idle causes and runtime calls, by the sum, mean, "
           "maximum or minimum of their times: cpu-total, cpu-avg, cpu-max, cpu-min, gpu-total, "
           "gpu-avg, gpu-max or "
           "gpu-min; cpu-min and gpu-min ascending, the others descending",
           to_choice(request.tables.sort, kSortKeys)),
      flag("--filter REGEX",
           "only rows whose name matches (RE2 syntax), in tables of names: not steps and streams",
           to_filter(request.tables)),
      flag(
          "--steps A:B",
          "only steps A to B, both included: what ran on the devices in their time; for operators, "
          "ranges and kernels what they launched; or A: (from A), :B (to B), A (only A)",
          to(request.steps, analysis::number_range)),
      flag("--rank N",
           "only the trace of this rank; if the traces do not name ranks, the Nth file, from 0",
           to_number(request.rank, 0)),
      flag("--time-unit UNIT",
           "show every duration of the head and the tables in s, ms, us or ns; findings choose "
           "their units, JSON and CSV are always in ns (default: the unit that fits each value; ms "
           "in Paddle's style)",
           to_choice(request.unit, kUnits)),
      flag("--[no-]op-detail",
           "show the parts and kernels of each operator below it (default: off in text and "
           "Markdown, on in "
           "Paddle's style, JSON, CSV and HTML)",
           to(request.operator_detail)),
      flag("--thread-sep", "list operators and user ranges separately for each thread",
           to(request.separate_threads)),
      flag("--style STYLE", "strobe, or paddle (exactly what Paddle's profiler prints)",
           to_choice(request.paddle_style, kPaddleStyle)),
      format_flag(request.format),
      output_flag(request.output)};
  std::ranges::copy(load_flags(request.load), std::back_inserter(flags));
  return flags;
}

Result<void> complete_summary(SummaryRequest& request, const Arguments& arguments) {
  request.traces = input_names(arguments.positionals);
  if (request.traces.empty()) {
    return bad_request("no trace was given", "", "`strobe summary trace.json`");
  }
  const bool is_page = request.format == Format::kText;
  if (request.paddle_style && !is_page) {
    return bad_request("Paddle's style is text only", "--style",
                       "leave --style out to get strobe's own tables in this format");
  }
  if (!request.paddle_style && request.views && *request.views != ViewSet::all() &&
      request.views->has(View::kPerf)) {
    return bad_request("the table perf exists in Paddle's style only", "--views",
                       "add --style paddle; strobe's own report has findings instead");
  }
  analysis::TableOptions& tables = request.tables;
  tables.views = request.views.value_or(request.paddle_style ? ViewSet::all().without(View::kPerf)
                                                             : ViewSet::all());
  tables.unit = request.unit.value_or(TimeUnit::kMilliseconds);
  tables.one_unit = request.unit.has_value();
  // An HTML page can fold the operator details, so it gets them.
  tables.operator_detail = request.operator_detail.value_or(
      request.paddle_style || (!is_page && request.format != Format::kMarkdown));
  // A text page shows the top of each table; tools and Paddle-style tables get everything.
  tables.top = request.top.value_or(is_page && !request.paddle_style ? kRowsOnAPage : 0);
  return {};
}

}  // namespace strobe::cli
