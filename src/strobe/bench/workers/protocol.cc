#include "strobe/bench/workers/protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/bench/results/record_json.h"

namespace strobe::bench {

// The fields that replies share with a record.
template <>
struct FieldsOf<WorkerReply> {
  static constexpr auto kAll = std::tuple{
      Field{"free_bytes", Unit::kBytes, &WorkerReply::free_bytes},
      Field{"requested_bytes", Unit::kBytes, &WorkerReply::requested_bytes},
      Field{"resident_bytes", Unit::kBytes, &WorkerReply::resident_bytes},
      Field{"peak_bytes", Unit::kBytes, &WorkerReply::peak_bytes},
      Field{"kernels", Unit::kNone, &WorkerReply::kernels},
      Field{"api", Unit::kNone, &WorkerReply::api},
      Field{"config", Unit::kNone, &WorkerReply::config},
      Field{"lacks", Unit::kNone, &WorkerReply::lacks},
      Field{"notes", Unit::kNone, &WorkerReply::notes},
      Field{"floors", Unit::kNone, &WorkerReply::floors},
      Field{"roofs", Unit::kNone, &WorkerReply::roofs},
  };
};

namespace {

constexpr std::array kOps = {
    std::pair{WorkerOp::kHello, std::string_view("hello")},
    std::pair{WorkerOp::kPlan, std::string_view("plan")},
    std::pair{WorkerOp::kPrepare, std::string_view("prepare")},
    std::pair{WorkerOp::kSample, std::string_view("sample")},
    std::pair{WorkerOp::kRows, std::string_view("rows")},
    std::pair{WorkerOp::kCount, std::string_view("count")},
    std::pair{WorkerOp::kCountEmpty, std::string_view("count_empty")},
    std::pair{WorkerOp::kFinish, std::string_view("finish")},
    std::pair{WorkerOp::kFloors, std::string_view("floors")},
    std::pair{WorkerOp::kRoofs, std::string_view("roofs")},
    std::pair{WorkerOp::kCell, std::string_view("cell")},
    std::pair{WorkerOp::kBye, std::string_view("bye")},
};
constexpr std::string_view kTorch = "torch-";

std::optional<WorkerOp> parse_op(std::string_view name) {
  for (const auto& [op, known] : kOps) {
    if (known == name) return op;
  }
  return {};
}

std::vector<double> numbers_of(const JsonValue& array) {
  std::vector<double> numbers;
  each_element(array, [&](const JsonValue& value) {
    if (const auto number = value.as_double()) numbers.push_back(*number);
  });
  return numbers;
}

std::vector<std::int64_t> whole_numbers_of(const JsonValue& array) {
  std::vector<std::int64_t> numbers;
  each_element(array, [&](const JsonValue& value) {
    if (const auto number = value.as_int64()) numbers.push_back(*number);
  });
  return numbers;
}

std::vector<TimeMode> modes_in(const JsonValue& array) {
  std::vector<TimeMode> modes;
  for (const std::string& name : texts_in(array)) {
    if (const auto mode = parse_mode(name)) modes.push_back(*mode);
  }
  return modes;
}

void write_modes(const std::vector<TimeMode>& modes, JsonWriter& json) {
  json.begin_array();
  for (const TimeMode mode : modes) json.value(mode_name(mode));
  json.end_array();
}

void write_text(std::string_view name, const std::string& text, JsonWriter& json) {
  if (!text.empty()) json.member(name, text);
}

// One complete JSON object; anything else cannot be answered.
Result<void> check_object(std::string_view line) {
  const JsonValue value = parse_value(line);
  const bool is_object = value.type == JsonType::kObject;
  if (is_object && for_each_member(value.text, [](std::string_view, const JsonValue&) {})) {
    return {};
  }
  return Error{.code = ErrorCode::kMalformed,
               .what = fmt::format("'{}' is not a JSON object", excerpt(line)),
               .where = "",
               .hint = "one object a line; docs/formats/bench_worker.md"};
}

constexpr int kProtocol = 1;
constexpr std::size_t kShortestRange = 3;

bool has_cell(WorkerOp op) {
  return op == WorkerOp::kPlan || op == WorkerOp::kPrepare || op == WorkerOp::kCell;
}

std::string_view law_name(InputLaw law) {
  return law == InputLaw::kNormal ? "normal" : "conditioned";
}

// Consecutive rows become [first, count]: all rows of a tall shape are one short line.
void write_rows(const std::vector<std::int64_t>& rows, JsonWriter& json) {
  json.begin_array();
  for (std::size_t at = 0; at < rows.size();) {
    std::size_t end = at + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (end - at >= kShortestRange) {
      json.begin_array().value(rows[at]).value(end - at).end_array();
      at = end;
    } else {
      json.value(rows[at++]);
    }
  }
  json.end_array();
}

Result<std::vector<std::int64_t>> rows_of(const JsonValue& array) {
  constexpr std::int64_t kMostRows = 1 << 26;  // a text must not be able to request all the memory
  std::vector<std::int64_t> rows;
  bool is_bad = false;
  if (array.type != JsonType::kArray) return rows;
  for_each_element(array.text, [&](const JsonValue& value) {
    if (value.type == JsonType::kArray) {
      const std::vector<std::int64_t> range = whole_numbers_of(value);
      is_bad = is_bad || range.size() != 2 || range[0] < 0 || range[1] < 0 ||
               range[1] > kMostRows - static_cast<std::int64_t>(rows.size());
      for (std::int64_t i = 0; !is_bad && i < range[1]; ++i) rows.push_back(range[0] + i);
    } else if (const auto row = value.as_int64(); row && *row >= 0) {
      rows.push_back(*row);
    } else {
      is_bad = true;
    }
  });
  if (!is_bad) return rows;
  return Error{.code = ErrorCode::kMalformed,
               .what = "rows are numbers or pairs of the first and how many",
               .where = "",
               .hint = ""};
}

void write_cell(const PrepareRequest& prepare, JsonWriter& json) {
  json.member("case", prepare.cell.case_id);
  json.member("variant", variant_of(prepare.cell.provider));
  json.key("shape").begin_array();
  for (const std::int64_t size : prepare.cell.shape.dims) json.value(size);
  json.end_array();
  json.member("dtype", dtype_name(prepare.cell.dtype));
  json.member("seed", prepare.seed).member("law", law_name(prepare.law));
  json.member("flush", flush_name(prepare.flush));
  write_text("cache", prepare.cache_folder, json);
  if (!prepare.may_tune) json.member("tune", false);
  if (!prepare.hold) json.member("hold", false);
}

Result<PrepareRequest> read_cell(std::string_view line) {
  PrepareRequest prepare;
  prepare.cell.case_id = find(line, "case").as_string();
  prepare.cell.provider = find(line, "variant").as_string();
  prepare.cell.shape.dims = whole_numbers_of(find(line, "shape"));
  const auto is_nothing = [](std::int64_t size) { return size < 1; };
  if (prepare.cell.case_id.empty() || prepare.cell.shape.dims.empty() ||
      std::ranges::any_of(prepare.cell.shape.dims, is_nothing)) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = "a cell needs \"case\" and \"shape\"",
                 .where = "",
                 .hint = ""};
  }
  if (const JsonValue dtype = find(line, "dtype"); dtype.present()) {
    STROBE_TRY(prepare.cell.dtype, parse_dtype(dtype.as_string()));
  }
  if (const auto seed = find(line, "seed").as_int64()) {
    prepare.seed = static_cast<std::uint64_t>(*seed);
  }
  if (find(line, "law").as_string() == law_name(InputLaw::kConditioned)) {
    prepare.law = InputLaw::kConditioned;
  }
  if (const JsonValue flush = find(line, "flush"); flush.present()) {
    STROBE_TRY(prepare.flush, parse_flush(flush.as_string()));
  }
  prepare.cache_folder = find(line, "cache").as_string();
  prepare.may_tune = find(line, "tune").as_bool().value_or(true);
  prepare.hold = find(line, "hold").as_bool().value_or(true);
  return prepare;
}

void write_values_asked(const WorkerRequest& request, JsonWriter& json) {
  json.member("output", request.output);
  write_rows(request.rows, json.key("rows"));
  json.member("file", request.file);
}

void write_hello(const WorkerReply& reply, JsonWriter& json) {
  json.member("ok", reply.info.is_available());
  write_text("name", reply.info.name, json);
  write_text("version", reply.info.version, json);
  write_text("device", reply.info.device, json);
  write_text("obstacle", reply.info.obstacle, json);
  write_json(json.key("ops"), Unit::kNone, reply.ops, Unknown::kLeftOut);
  write_json(json.key("variants"), Unit::kNone, reply.variants, Unknown::kLeftOut);
  write_modes(reply.modes, json.key("modes"));
  json.key("facts").begin_object();
  for (const auto& [name, number] : reply.device_facts) json.member(name, number);
  json.end_object();
}

void write_samples(const WorkerReply& reply, JsonWriter& json) {
  const auto write = [&](std::string_view name, std::vector<double> SampleBlock::*list) {
    json.key(name).begin_object();
    for (const auto& [mode, block] : reply.samples) {
      if ((block.*list).empty()) continue;
      json.key(mode_name(mode)).begin_array();
      for (const double number : block.*list) json.value(number);
      json.end_array();
    }
    json.end_object();
  };
  write("samples_us", &SampleBlock::samples_us);
  write("sm_mhz", &SampleBlock::sm_mhz);
}

// Facts about a cell that are known once it is prepared.
void write_outcome(const WorkerReply& reply, JsonWriter& json) {
  write_members(json, reply.compile, Unknown::kLeftOut);
  write_json(json.key("clocks"), Unit::kNone, reply.clocks, Unknown::kLeftOut);
  if (reply.outputs > 0) json.member("outputs", reply.outputs);
}

void write_plan(const Plan& plan, JsonWriter& json) {
  json.key("plan").begin_object().member("resident_bytes", plan.resident_bytes);
  json.member("kernels", plan.kernels);
  write_text("unsupported", plan.unsupported, json);
  json.end_object();
}

// A stack lists its versions one by one: {"torch":"2.11.0","triton":"3.6.0"}.
std::string version_of(std::string_view line) {
  if (const JsonValue version = find(line, "version"); version.present()) {
    return version.as_string();
  }
  std::string versions;
  for (const std::string_view part : {"torch", "triton"}) {
    const JsonValue version = find(line, part);
    if (version.type != JsonType::kString) continue;
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", part, version.as_string());
  }
  return versions;
}

void read_hello(std::string_view line, WorkerReply& reply) {
  reply.info = {.name = find(line, "name").as_string(),
                .version = version_of(line),
                .device = find(line, "device").as_string(),
                .obstacle = find(line, "obstacle").as_string()};
  if (!find(line, "ok").as_bool().value_or(true) && reply.info.obstacle.empty()) {
    reply.info.obstacle = reply.reason.empty() ? "the worker says it cannot run" : reply.reason;
  }
  reply.ops = texts_in(find(line, "ops"));
  reply.variants = texts_in(find(line, "variants"));
  reply.modes = modes_in(find(line, "modes"));
  for_each_member(find(line, "facts").text, [&](std::string_view name, const JsonValue& value) {
    if (const auto number = value.as_double()) reply.device_facts[std::string(name)] = *number;
  });
}

void read_samples(std::string_view line, WorkerReply& reply) {
  const auto read = [&](std::string_view name, std::vector<double> SampleBlock::*list) {
    const JsonValue lists = find(line, name);
    if (lists.type != JsonType::kObject) return;
    for_each_member(lists.text, [&](std::string_view mode, const JsonValue& numbers) {
      if (const auto known = parse_mode(mode)) reply.samples[*known].*list = numbers_of(numbers);
    });
  };
  read("samples_us", &SampleBlock::samples_us);
  read("sm_mhz", &SampleBlock::sm_mhz);
}

}  // namespace

std::string_view op_name(WorkerOp op) {
  for (const auto& [known, name] : kOps) {
    if (known == op) return name;
  }
  return "";
}

std::string variant_of(std::string_view provider) {
  if (provider.starts_with(kTorch)) provider.remove_prefix(kTorch.size());
  return std::string(provider);
}

std::string to_line(const WorkerRequest& request) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().member("op", op_name(request.op));
  if (request.op == WorkerOp::kHello) {
    json.member("proto", kProtocol);
  } else if (request.op != WorkerOp::kBye) {
    json.member("id", request.id);
  }
  if (has_cell(request.op)) write_cell(request.prepare, json);
  if (request.op == WorkerOp::kCell) {
    write_modes(request.modes, json.key("modes"));
    if (!request.file.empty()) {
      json.member("return", "file");
      write_values_asked(request, json);
    }
  }
  if (request.op == WorkerOp::kSample) {
    json.member("mode", mode_name(request.sample.mode)).member("count", request.sample.count);
    if (!request.sample.hold) json.member("hold", false);
  }
  if (request.wants_api) json.member("api", true);
  if (request.op == WorkerOp::kSample || request.op == WorkerOp::kCell) {
    json.member("budget_ms", request.sample.budget_ms);
  }
  if (request.op == WorkerOp::kRows) write_values_asked(request, json);
  json.end_object();
  return line;
}

Result<WorkerRequest> parse_request(std::string_view line) {
  STROBE_TRY_VOID(check_object(line));
  WorkerRequest request;
  const std::string name = find(line, "op").as_string();
  const std::optional<WorkerOp> op = parse_op(name);
  if (!op) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("there is no request '{}'", name),
                 .where = "",
                 .hint = ""};
  }
  request.op = *op;
  request.id = find(line, "id").as_int64().value_or(0);
  if (has_cell(request.op)) {
    STROBE_TRY(request.prepare, read_cell(line));
  }
  if (const JsonValue mode = find(line, "mode"); mode.present()) {
    STROBE_TRY(request.sample.mode, parse_mode(mode.as_string()));
  }
  request.sample.count = static_cast<int>(
      std::clamp<std::int64_t>(find(line, "count").as_int64().value_or(1), 1, 1'000'000));
  request.sample.budget_ms = find(line, "budget_ms").as_double().value_or(request.sample.budget_ms);
  request.sample.hold = find(line, "hold").as_bool().value_or(true);
  request.wants_api = find(line, "api").as_bool().value_or(false);
  request.modes = modes_in(find(line, "modes"));
  request.output = static_cast<std::size_t>(
      std::max<std::int64_t>(find(line, "output").as_int64().value_or(0), 0));
  STROBE_TRY(request.rows, rows_of(find(line, "rows")));
  request.file = find(line, "file").as_string();
  return request;
}

std::string to_line(const WorkerReply& reply, WorkerOp to) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  if (to != WorkerOp::kHello) json.member("id", reply.id);
  json.member("status", status_name(reply.status));
  write_text("reason", reply.reason, json);
  if (to == WorkerOp::kHello) write_hello(reply, json);
  if (reply.plan) write_plan(*reply.plan, json);
  if (!reply.samples.empty()) write_samples(reply, json);
  if (to == WorkerOp::kPrepare || to == WorkerOp::kFinish || to == WorkerOp::kCell) {
    write_outcome(reply, json);
  }
  write_members(json, reply, Unknown::kLeftOut);
  json.end_object();
  return line;
}

Result<WorkerReply> parse_reply(std::string_view line) {
  STROBE_TRY_VOID(check_object(line));
  WorkerReply reply;
  for_each_member(line, [&](std::string_view key, const JsonValue& value) {
    if (read_member(key, value, reply) || read_member(key, value, reply.compile)) return;
    if (key == "clocks" || key == "clock") read_members(value, reply.clocks);
    if (key == "id") reply.id = value.as_int64().value_or(0);
    if (key == "reason") reply.reason = text_in(value);
    if (key == "outputs") reply.outputs = count_in(value);
  });
  if (const JsonValue status = find(line, "status"); status.present()) {
    STROBE_TRY(reply.status, parse_status(status.as_string()));
  }
  read_hello(line, reply);
  if (const JsonValue plan = find(line, "plan"); plan.type == JsonType::kObject) {
    reply.plan =
        Plan{.resident_bytes = find(plan.text, "resident_bytes").as_double().value_or(0),
             .kernels = static_cast<int>(find(plan.text, "kernels").as_int64().value_or(0)),
             .unsupported = find(plan.text, "unsupported").as_string()};
  }
  read_samples(line, reply);
  return reply;
}

}  // namespace strobe::bench
