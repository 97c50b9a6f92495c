#include "strobe/bench/workers/protocol.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/bench/workers/protocol_words.h"

namespace strobe::bench {
namespace {

constexpr int kProtocol = 1;
constexpr std::size_t kShortestRange = 3;

bool has_cell(WorkerOp op) {
  return op == WorkerOp::kPlan || op == WorkerOp::kPrepare || op == WorkerOp::kCell;
}

std::string_view law_name(InputLaw law) {
  return law == InputLaw::kNormal ? "normal" : "conditioned";
}

// Neighbours become [first, count]: all rows of a tall shape are one short line.
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
  constexpr std::int64_t kMostRows = 1 << 26;  // a text must not be able to ask for all the memory
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
  json.member("flush", prepare.flush);
  write_if("cache", prepare.cache_folder, json);
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
    prepare.flush = flush.as_string();
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

}  // namespace

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
  request.modes = modes_of(find(line, "modes"));
  request.output = static_cast<std::size_t>(
      std::max<std::int64_t>(find(line, "output").as_int64().value_or(0), 0));
  STROBE_TRY(request.rows, rows_of(find(line, "rows")));
  request.file = find(line, "file").as_string();
  return request;
}

}  // namespace strobe::bench
