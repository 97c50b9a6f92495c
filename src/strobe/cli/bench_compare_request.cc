#include "strobe/cli/bench_compare_request.h"

#include <fmt/format.h>

#include "strobe/cli/values.h"

namespace strobe::cli {
namespace {

constexpr std::size_t kRowsOnAPage = 20;

constexpr std::pair<std::string_view, KernelFormat> kFormats[] = {
    {"text", KernelFormat::kText},
    {"json", KernelFormat::kJson},
    {"csv", KernelFormat::kCsv},
    {"markdown", KernelFormat::kMarkdown},
    {"html", KernelFormat::kHtml}};

Result<void> read_files(const Arguments& arguments, BenchCompareRequest& request) {
  if (arguments.positionals.size() != 2) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("two runs are compared, and {} named",
                                     arguments.positionals.empty()       ? "none is"
                                     : arguments.positionals.size() == 1 ? "one is"
                                                                         : "more are"),
                 .where = "",
                 .hint = "strobe bench compare old.json new.json"};
  }
  request.before = arguments.positionals[0];
  request.after = arguments.positionals[1];
  return {};
}

Result<std::size_t> read_top(const Arguments& arguments, KernelFormat format) {
  if (!arguments.has("top")) return format == KernelFormat::kText ? kRowsOnAPage : std::size_t{0};
  if (arguments.get("top") == "all") return std::size_t{0};
  STROBE_TRY(const std::int64_t top, whole_number("--top", arguments.get("top"), 1));
  return static_cast<std::size_t>(top);
}

}  // namespace

Result<BenchCompareRequest> read_bench_compare_request(const Arguments& arguments) {
  BenchCompareRequest request;
  STROBE_TRY_VOID(read_files(arguments, request));
  for (const auto& [name, format] : kFormats) {
    if (arguments.get("format") == name) request.format = format;
  }
  STROBE_TRY(request.top, read_top(arguments, request.format));
  if (arguments.has("mode")) {
    STROBE_TRY(request.options.mode, bench::parse_mode(arguments.get("mode")));
  }
  if (arguments.has("band")) {
    STROBE_TRY(request.options.band, fraction("--band", arguments.get("band"), 0.5));
  }
  request.options.is_forced = arguments.is_on("force");
  for (const std::string& typed : arguments.list("fail-on")) {
    STROBE_TRY(const bench::SpeedGate gate, bench::parse_speed_gate(typed));
    request.gates.push_back(gate);
  }
  request.output = arguments.get("output");
  return request;
}

}  // namespace strobe::cli
