#include "strobe/cli/kernels_request.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "strobe/cli/suggestion.h"
#include "strobe/cli/summary_request.h"
#include "strobe/cli/values.h"

namespace strobe::cli {
namespace {

using analysis::KernelGrouping;
using analysis::KernelNameForm;
using analysis::KernelOrder;

template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

constexpr Word<KernelFormat> kFormats[] = {
    {"text", KernelFormat::kText}, {"json", KernelFormat::kJson},
    {"csv", KernelFormat::kCsv},   {"markdown", KernelFormat::kMarkdown},
    {"html", KernelFormat::kHtml}, {"seed", KernelFormat::kSeed}};
constexpr Word<KernelGrouping> kGroupings[] = {
    {"name", KernelGrouping::kName},         {"family", KernelGrouping::kFamily},
    {"class", KernelGrouping::kBound},       {"shape", KernelGrouping::kShape},
    {"position", KernelGrouping::kPosition}, {"layer", KernelGrouping::kLayer}};
constexpr Word<KernelNameForm> kForms[] = {{"seed", KernelNameForm::kSeed},
                                           {"short", KernelNameForm::kShort},
                                           {"detail", KernelNameForm::kDetail},
                                           {"full", KernelNameForm::kFull},
                                           {"mangled", KernelNameForm::kMangled}};
constexpr Word<KernelOrder> kOrders[] = {{"time", KernelOrder::kTime},
                                         {"headroom", KernelOrder::kHeadroom},
                                         {"count", KernelOrder::kCount},
                                         {"name", KernelOrder::kName}};

// The parser has checked the choices of a flag.
template <class Value, std::size_t N>
std::optional<Value> chosen(const Arguments& arguments, std::string_view flag,
                            const Word<Value> (&words)[N]) {
  const std::string typed = arguments.get(flag);
  for (const auto& word : words) {
    if (word.name == typed) return word.value;
  }
  return std::nullopt;
}

Error bad_request(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

Result<void> read_files(const Arguments& arguments, std::string_view action, std::size_t files,
                        KernelsRequest& request) {
  const auto& given = arguments.positionals;
  const std::string call = files == 2 ? "`strobe kernels diff before.csv after.csv`"
                                      : fmt::format("`strobe kernels {} kernels.csv`", action);
  if (given.empty()) return bad_request("no list of kernels was given", "", call);
  if (given.size() < files)
    return bad_request("two lists of kernels are compared, not one", "", call);
  if (given.size() > files) {
    return bad_request(
        fmt::format("takes {}, not {}", files == 1 ? "one list of kernels" : "two lists of kernels",
                    given.size()),
        fmt::format("strobe kernels {}", action),
        files == 1 ? "`strobe kernels diff before.csv after.csv` compares two" : call);
  }
  for (const std::string& name : given) {
    request.files.emplace_back(name == "-" ? "/dev/stdin" : name);
  }
  return {};
}

Result<void> read_study_options(const Arguments& arguments, analysis::StudyOptions& study) {
  study.chip = arguments.get("chip");
  if (arguments.has("dram-roof")) {
    STROBE_TRY(study.roofs.dram, fraction("--dram-roof", arguments.get("dram-roof")));
  }
  if (arguments.has("tensor-roof")) {
    STROBE_TRY(study.roofs.tensor, fraction("--tensor-roof", arguments.get("tensor-roof")));
  }
  if (arguments.has("peak-flops")) {
    STROBE_TRY(study.flops, flop_rate("--peak-flops", arguments.get("peak-flops")));
  }
  if (arguments.has("dram-rate")) {
    STROBE_TRY(study.dram_bytes_per_s, byte_rate("--dram-rate", arguments.get("dram-rate")));
  }
  if (arguments.has("l2-rate")) {
    STROBE_TRY(study.l2_bytes_per_s, byte_rate("--l2-rate", arguments.get("l2-rate")));
  }
  return {};
}

// A page shows the top of each table; tools get everything.
Result<std::size_t> read_top(const Arguments& arguments, KernelFormat format) {
  if (!arguments.has("top")) return format == KernelFormat::kText ? kRowsOnAPage : std::size_t{0};
  if (arguments.get("top") == "all") return std::size_t{0};
  STROBE_TRY(const std::int64_t top, whole_number("--top", arguments.get("top"), 0));
  return static_cast<std::size_t>(top);
}

}  // namespace

Result<double> read_slower_gate(std::string_view typed) {
  constexpr std::string_view kWord = "slower";
  const std::string hint = "slower (any significant slow-down) or slower:5%";
  const std::size_t colon = typed.find(':');
  if (!equal_ignoring_case(typed.substr(0, colon), kWord)) {
    return bad_request(fmt::format("'{}' is no gate of kernels", typed), "--fail-on", hint);
  }
  if (colon == std::string_view::npos) return 0.0;
  const auto share = fraction("--fail-on", typed.substr(colon + 1), 1000);
  if (!share || !typed.ends_with('%')) {
    return bad_request(fmt::format("'{}' is no percentage", typed.substr(colon + 1)), "--fail-on",
                       hint);
  }
  return *share;
}

Result<KernelsRequest> read_kernels_request(const Arguments& arguments, std::string_view action,
                                            std::size_t files) {
  KernelsRequest request;
  STROBE_TRY_VOID(read_files(arguments, action, files, request));
  const std::string_view format_flag = arguments.has("to") ? "to" : "format";
  request.format = chosen(arguments, format_flag, kFormats).value_or(KernelFormat::kText);
  request.grouping = chosen(arguments, "group", kGroupings);
  // Launches have no other order than their own: an order or a top is one of groups.
  const bool speaks_of_groups = arguments.has("sort") || arguments.has("top");
  if (request.format == KernelFormat::kCsv && speaks_of_groups && !request.grouping) {
    request.grouping = KernelGrouping::kName;
  }
  request.names = chosen(arguments, "name", kForms);
  const bool stands_as_it_ran =
      request.grouping == KernelGrouping::kPosition || request.grouping == KernelGrouping::kLayer;
  request.order = chosen(arguments, "sort", kOrders)
                      .value_or(stands_as_it_ran ? KernelOrder::kName : KernelOrder::kTime);
  STROBE_TRY(request.top, read_top(arguments, request.format));
  STROBE_TRY_VOID(read_study_options(arguments, request.study));
  for (const std::string& gate : arguments.list("fail-on")) {  // the strictest counts
    STROBE_TRY(const double limit, read_slower_gate(gate));
    request.slower_fails_at = std::min(limit, request.slower_fails_at.value_or(limit));
  }
  request.output = arguments.get("output");
  return request;
}

Flag kernel_format_flag(std::vector<std::string_view> choices) {
  return {.name = "format",
          .kind = FlagKind::kValue,
          .value = "FORMAT",
          .help = choices.back() == "seed"
                      ? "text (default), json, csv, markdown, html, or seed: the "
                        "table Kernel Latency Tensor DRAM"
                      : "text (default), json, csv, markdown or html",
          .choices = std::move(choices)};
}

Flag kernel_name_flag() {
  return {.name = "name",
          .kind = FlagKind::kValue,
          .value = "FORM",
          .help =
              "how kernels are called: detail (default: the name and what tells it apart), short, "
              "seed (as in the classic table), full, mangled",
          .choices = {"seed", "short", "detail", "full", "mangled"}};
}

Flag kernel_top_flag(std::string_view help) {
  return {.name = "top", .kind = FlagKind::kValue, .value = "N", .help = help};
}

std::vector<Flag> chip_flags() {
  return {{.name = "chip",
           .kind = FlagKind::kValue,
           .value = "NAME",
           .help = "whose data sheet counts: h200, a100, ... (default: the chip the file names)"},
          {.name = "peak-flops",
           .kind = FlagKind::kValue,
           .value = "RATE",
           .help = "a measured compute roof instead of the data sheet's: 790TFLOP/s"},
          {.name = "dram-rate",
           .kind = FlagKind::kValue,
           .value = "RATE",
           .help = "a measured DRAM roof: 4.3TB/s"},
          {.name = "l2-rate",
           .kind = FlagKind::kValue,
           .value = "RATE",
           .help = "a measured roof of the L2 cache: 7.2TB/s"}};
}

std::vector<Flag> share_flags() {
  return {{.name = "dram-roof",
           .kind = FlagKind::kValue,
           .value = "F",
           .help = "the share of the peak DRAM rate that kernels reach at best (default: 0.90)"},
          {.name = "tensor-roof",
           .kind = FlagKind::kValue,
           .value = "F",
           .help = "the share of the matrix pipe that kernels reach at best (default: 0.90)"}};
}

}  // namespace strobe::cli
