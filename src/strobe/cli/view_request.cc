#include "strobe/cli/view_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/base/json_value.h"

namespace strobe::cli {
namespace {

using tensorboard::Variant;

constexpr Word<Variant> kVariants[] = {{"auto", Variant::kByContent},
                                       {"gpu", Variant::kGpu},
                                       {"mlu", Variant::kMluA},
                                       {"mlu-b", Variant::kMluB},
                                       {"mlu-c", Variant::kMluC}};
constexpr Word<std::string_view> kTimeUnits[] = {{"us", "us"}, {"ms", "ms"}, {"s", "s"}};
constexpr Word<std::string_view> kMemoryUnits[] = {
    {"B", "B"}, {"KB", "KB"}, {"MB", "MB"}, {"GB", "GB"}};

// A parameter of the plugin, under the plugin's own name.
Target to_parameter(ViewRequest& request, std::string_view name) {
  return {.take = [&request, name](std::string_view, const std::string& typed) {
    request.parameters.insert_or_assign(std::string(name), typed);
    return Result<void>();
  }};
}

template <std::size_t N>
Target to_parameter(ViewRequest& request, std::string_view name,
                    const Word<std::string_view> (&words)[N]) {
  return {.take = [&request, name, &words](std::string_view flag,
                                           const std::string& typed) -> Result<void> {
            STROBE_TRY(const std::string_view word, chosen(flag, typed, words));
            request.parameters.insert_or_assign(std::string(name), std::string(word));
            return {};
          },
          .choices = listed_names(words)};
}

Target to_time_parameter(ViewRequest& request, std::string_view name) {
  return {
      .take = [&request, name](std::string_view flag, const std::string& typed) -> Result<void> {
        STROBE_TRY(const std::int64_t ts_us, whole_number(flag, typed, 0));
        request.parameters.insert_or_assign(std::string(name), std::to_string(ts_us));
        return {};
      }};
}

Result<void> check_view(const ViewRequest& request) {
  const std::vector<std::string_view> routes = tensorboard::routes();
  if (std::ranges::find(routes, request.view) == routes.end()) {
    return not_one_of("view", request.view, routes);
  }
  const bool compares_two = request.view == "diff" || request.view == "diffnode";
  if (compares_two && request.traces.size() != 2) {
    return bad_request("compares two traces", request.view,
                       "`strobe view " + request.view + " before.json after.json`");
  }
  if (request.view == "operation/stack" && !request.parameters.contains("op_name")) {
    return bad_request("needs the name of an operator", request.view, "--op-name aten::mm");
  }
  return {};
}

}  // namespace

std::vector<Flag> view_flags(ViewRequest& request) {
  tensorboard::ProfileOptions& options = request.options;
  return {
      flag("--group-by WHAT",
           "Operation (by name) or OperationAndInputShape (by name and shape); in kernel/table: "
           "Kernel (by kernel), or any other word (by operator) (default: Operation)",
           to_parameter(request, "group_by")),
      flag("--op-name NAME", "operation/stack: which operator", to_parameter(request, "op_name")),
      flag("--input-shape SHAPE",
           "operation/stack: its shape, as the table shows it, with --group-by "
           "OperationAndInputShape",
           to_parameter(request, "input_shape")),
      flag("--start TS", "memory views: start time, in microseconds of the trace's own clock",
           to_time_parameter(request, "start_ts")),
      flag("--end TS", "memory views: end time, in microseconds of the trace's own clock",
           to_time_parameter(request, "end_ts")),
      flag("--device NAME", "memory views: only the rows of this device, such as GPU0",
           to(request.device)),
      flag("--time-metric UNIT", "memory views: us, ms or s (default: ms)",
           to_parameter(request, "time_metric", kTimeUnits)),
      flag("--memory-metric UNIT", "memory views: B, KB, MB or GB (default: KB; memory_curve MB)",
           to_parameter(request, "memory_metric", kMemoryUnits)),
      flag("--path PATH", "diffnode: which node, such as 0-1 (default: 0)",
           to_parameter(request, "path")),
      flag("--worker NAME", "which worker (default: that of the first trace)", to(request.worker)),
      flag("--span N", "which recording of the worker (default: that of the first trace)",
           to(request.span)),
      flag("--with-view NAME",
           "workers: only those that have this view, such as Kernel (default: Overview)",
           to_parameter(request, "view")),
      flag("--variant WHOSE",
           "which plugin to imitate: auto (by the trace), gpu (PyTorch's), or mlu, mlu-b, mlu-c "
           "(three versions of Cambricon's)",
           to_choice(options.variant, kVariants)),
      flag("--device-steps", "also count the step annotations copied to the device as steps",
           to(options.device_steps)),
      flag("--link-by-nesting",
           "link launches by nesting where PyTorch 2.0 to 2.2 wrote a wrong external id",
           to(options.link_by_nesting)),
      flag("--driver-launches",
           "let driver calls launch kernels, as Triton does; otherwise such kernels have no "
           "operator",
           to(options.driver_launches)),
      output_flag(request.output)};
}

Result<void> complete_view(ViewRequest& request, const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positionals;
  if (words.size() < 2) {
    return bad_request(words.empty() ? "no view was named" : "no trace was given", "",
                       "`strobe view overview trace.json`");
  }
  request.view = words[0];
  request.traces = input_names({words.begin() + 1, words.end()});
  request.parameters.emplace("view", "Overview");
  return check_view(request);
}

Result<std::string> rows_of_device(std::string_view answer, const std::string& device) {
  const JsonValue rows = find(answer, "rows");
  if (rows.type != JsonType::kObject) {
    return bad_request("this view has no rows by device", "--device",
                       "use it with memory, memory_curve or memory_events");
  }
  std::vector<std::string_view> devices;
  JsonValue chosen;
  for_each_member(rows.text, [&](std::string_view name, const JsonValue& value) {
    devices.push_back(name);
    if (name == device) chosen = value;
  });
  if (!chosen.present()) {
    if (!devices.empty()) return not_one_of("--device", device, devices);
    return Error{.code = ErrorCode::kTooLittleData,
                 .what = "no device has any rows",
                 .where = "",
                 .hint = ""};
  }
  const auto begin = static_cast<std::size_t>(rows.text.data() - answer.data());
  return fmt::format("{}{{\"{}\": {}}}{}", answer.substr(0, begin), device, chosen.text,
                     answer.substr(begin + rows.text.size()));
}

}  // namespace strobe::cli
