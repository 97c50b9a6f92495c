#include "strobe/cli/view_request.h"

#include <algorithm>

#include "strobe/cli/suggestion.h"
#include "strobe/cli/values.h"

namespace strobe::cli {
namespace {

using tensorboard::Variant;

struct ParameterFlag {
  std::string_view flag;
  std::string_view parameter;
};
constexpr ParameterFlag kParameterFlags[] = {
    {"group-by", "group_by"}, {"op-name", "op_name"},         {"input-shape", "input_shape"},
    {"path", "path"},         {"time-metric", "time_metric"}, {"memory-metric", "memory_metric"},
};

Variant variant_of(std::string_view name) {
  if (name == "gpu") return Variant::kGpu;
  if (name == "mlu") return Variant::kMluA;
  if (name == "mlu-b") return Variant::kMluB;
  if (name == "mlu-c") return Variant::kMluC;
  return Variant::kByContent;
}

Error bad_request(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

bool compares_two(std::string_view view) { return view == "diff" || view == "diffnode"; }

Result<void> check_view(const ViewRequest& request) {
  const std::vector<std::string_view> routes = tensorboard::routes();
  if (std::ranges::find(routes, request.view) == routes.end()) {
    return not_one_of("view", request.view, routes);
  }
  if (compares_two(request.view) && request.traces.size() != 2) {
    return bad_request("compares two traces", request.view,
                       "`strobe view " + request.view + " before.json after.json`");
  }
  if (request.view == "operation/stack" && !request.parameters.contains("op_name")) {
    return bad_request("needs the name of an operator", request.view, "--op-name aten::mm");
  }
  return {};
}

}  // namespace

Result<ViewRequest> read_view_request(const Arguments& arguments) {
  ViewRequest request;
  if (arguments.positionals.size() < 2) {
    return bad_request(arguments.positionals.empty() ? "no view was named" : "no trace was given",
                       "", "`strobe view overview trace.json`");
  }
  request.view = arguments.positionals[0];
  for (std::size_t i = 1; i < arguments.positionals.size(); ++i) {
    const std::string& name = arguments.positionals[i];
    request.traces.emplace_back(name == "-" ? "/dev/stdin" : name);
  }
  for (const auto& [flag, parameter] : kParameterFlags) {
    if (arguments.has(flag)) request.parameters.emplace(parameter, arguments.get(flag));
  }
  request.parameters.emplace("view", arguments.get("with-view", "Overview"));
  for (const auto& [flag, parameter] :
       {ParameterFlag{"start", "start_ts"}, ParameterFlag{"end", "end_ts"}}) {
    if (!arguments.has(flag)) continue;
    STROBE_TRY(const std::int64_t ts_us,
               whole_number("--" + std::string(flag), arguments.get(flag), 0));
    request.parameters.emplace(parameter, std::to_string(ts_us));
  }
  STROBE_TRY_VOID(check_view(request));
  request.worker = arguments.get("worker");
  request.span = arguments.get("span");
  if (arguments.has("device")) request.device = arguments.get("device");
  request.options.variant = variant_of(arguments.get("variant"));
  request.options.device_steps = arguments.is_on("device-steps");
  request.options.link_by_nesting = arguments.is_on("link-by-nesting");
  request.options.driver_launches = arguments.is_on("driver-launches");
  request.output = arguments.get("output");
  return request;
}

}  // namespace strobe::cli
