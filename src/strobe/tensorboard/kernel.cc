#include <algorithm>

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/words.h"

namespace strobe::tensorboard {
namespace {

std::string_view yes_or_no(bool flag) { return flag ? "Yes" : "No"; }

std::string tensor_cores_used(const Profile& profile) {
  return std::string(words::kKernelUsesTensorCores).append(profile.rules().tensor_cores_used_note);
}

void write_text_or_null(JsonWriter& json, const std::optional<std::string>& text) {
  if (text) {
    json.value(*text);
  } else {
    json.null();
  }
}

void begin_table(JsonWriter& json) {
  json.begin_object().key("metadata").begin_object();
  json.member("sort", "Total Duration (us)").end_object();
  json.key("data").begin_object().key("columns").begin_array();
}

void write_number_columns(JsonWriter& json, const DeviceReport& report) {
  for (const std::string_view name : {"Calls", "Total Duration (us)", "Mean Duration (us)",
                                      "Max Duration (us)", "Min Duration (us)"}) {
    write_column(json, "number", name);
  }
  if (report.has_blocks_per_sm) {
    write_column(json, "number", "Mean Blocks Per SM", words::kBlocksPerSm);
  }
  if (report.has_occupancy) {
    write_column(json, "number", "Mean Est. Achieved Occupancy (%)", words::kKernelOccupancy);
  }
  json.end_array();
}

Answer table_by_name(const Profile& profile) {
  const DeviceReport& report = profile.device_report;
  std::string body;
  JsonWriter json = answer_writer(body);
  begin_table(json);
  write_column(json, "string", "Name");
  write_column(json, "string", "Tensor Cores Used", tensor_cores_used(profile));
  write_number_columns(json, report);
  json.key("rows").begin_array();
  for (const KernelStat& kernel : profile.kernels) {
    json.begin_array().value(profile.events.text(kernel.name));
    json.value(yes_or_no(kernel.uses_tensor_cores)).value(kernel.count);
    for (const Number value : {kernel.sum, kernel.mean, kernel.max, kernel.min}) {
      json.value(round_to_whole(value));
    }
    if (report.has_blocks_per_sm) json.value(round2(kernel.blocks_per_sm));
    if (report.has_occupancy) json.value(round2(kernel.occupancy_percent));
    json.end_array();
  }
  json.end_array().end_object().end_object();
  return json_answer(std::move(body));
}

Answer table_by_launch(const Profile& profile) {
  const DeviceReport& report = profile.device_report;
  std::string body;
  JsonWriter json = answer_writer(body);
  begin_table(json);
  const bool has_tensor_cores = profile.rules().has_tensor_cores;
  const std::span<const LaunchColumn> launch = profile.launch_columns();
  write_column(json, "string", "Name");
  write_column(json, "string", "Operator");
  for (const LaunchColumn& column : launch) {
    if (!column.title.empty()) write_column(json, column.type, column.title);
  }
  write_column(json, "string", "Kernel Uses Tensor Cores", tensor_cores_used(profile));
  if (has_tensor_cores) {
    write_column(json, "string", "Op is Tensor Cores eligible", words::kOperatorEligible);
  }
  write_number_columns(json, report);
  std::vector<const LaunchedKernelStat*> rows;
  for (const LaunchedKernelStat& stat : profile.launched_kernels) rows.push_back(&stat);
  std::ranges::stable_sort(rows, [](const LaunchedKernelStat* a, const LaunchedKernelStat* b) {
    return a->total > b->total;
  });
  json.key("rows").begin_array();
  for (const LaunchedKernelStat* row : rows) {
    json.begin_array().value(profile.events.text(row->name)).value(row->op_name);
    for (std::size_t i = 0; i < launch.size(); ++i) {
      if (!launch[i].title.empty()) write_text_or_null(json, row->launch[i]);
    }
    json.value(yes_or_no(row->uses_tensor_cores));
    if (has_tensor_cores) json.value(yes_or_no(row->op_is_eligible));
    json.value(row->calls).value(row->total);
    json.value(round_to_whole(ratio(row->total, Number::whole(static_cast<double>(row->calls)))));
    json.value(row->max).value(row->min);
    if (report.has_blocks_per_sm) json.value(round2(ratio(row->blocks_sum, row->total)));
    if (report.has_occupancy) json.value(round2(ratio(row->occupancy_sum, row->total)));
    json.end_array();
  }
  json.end_array().end_object().end_object();
  return json_answer(std::move(body));
}

void begin_pie(JsonWriter& json) {
  json.begin_object().key("total").begin_object();
  write_pie_columns(json);
  json.key("rows").begin_array();
}

}  // namespace

Answer answer_kernel(const Question& question) {
  const Profile& profile = question.profile;
  if (!profile.has_kernel()) return no_data();
  std::string body;
  JsonWriter json = answer_writer(body);
  begin_pie(json);
  for (const KernelStat& kernel : profile.kernels) {
    json.begin_array().value(profile.events.text(kernel.name)).value(kernel.sum).end_array();
  }
  json.end_array().end_object().end_object();
  return json_answer(std::move(body));
}

Answer answer_kernel_table(const Question& question) {
  if (!question.profile.has_kernel()) return no_data();
  return question.parameter("group_by") == "Kernel" ? table_by_name(question.profile)
                                                    : table_by_launch(question.profile);
}

Answer answer_kernel_tc_pie(const Question& question) {
  if (!question.profile.has_kernel()) return no_data();
  const Number used = question.profile.tensor_core_used_ratio;
  std::string body;
  JsonWriter json = answer_writer(body);
  begin_pie(json);
  json.begin_array().value("Using Tensor Cores").value(used).end_array();
  json.begin_array().value("Not Using Tensor Cores").value(Number::real(1) - used).end_array();
  json.end_array().end_object().end_object();
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
