#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/bench/providers/provider.h"

// Requests to a worker and its replies, one JSON object per line; docs/formats/bench_worker.md.
// strobe's own providers and any vendor's stack use the same words.
//
//   hello    {"op":"hello","proto":1}
//   plan     {"op":"plan","id":7,CELL}                  what it needs; nothing is allocated
//   prepare  {"op":"prepare","id":7,CELL}               inputs filled, compiled, run once
//   sample   {"op":"sample","id":7,"mode":"device","count":16,"budget_ms":100}
//   rows     {"op":"rows","id":7,"output":0,"rows":[0,5],"file":"/dev/shm/x"}   f32 into the file
//   count    {"op":"count","id":7}                      one call, in the window of a recorder
//   count_empty                                         likewise, empty kernels
//   finish   {"op":"finish","id":7}                     kernels, bytes, clocks; frees the cell;
//                                                       with "api":true also its API calls
//   floors, roofs                                       of the device
//   cell     {"op":"cell","id":7,CELL,"modes":[...]}    all in one, for workers without the rest
//   bye
//
// CELL is "case","variant","shape","dtype","seed","law","flush","cache","tune","hold". Rows are
// numbers, or pairs of the first row and a count. A reply has "id" and "status". Unknown keys are
// ignored; a line that is not JSON is noise, and goes to the log.
namespace strobe::bench {

enum class WorkerOp : std::uint8_t {
  kHello,
  kPlan,
  kPrepare,
  kSample,
  kRows,
  kCount,
  kCountEmpty,
  kFinish,
  kFloors,
  kRoofs,
  kCell,
  kBye
};

struct WorkerRequest {
  WorkerOp op = WorkerOp::kHello;
  std::int64_t id = 0;
  PrepareRequest prepare = {};  // plan, prepare, cell
  SampleRequest sample = {};
  std::vector<TimeMode> modes = {};  // cell
  std::size_t output = 0;
  std::vector<std::int64_t> rows = {};
  std::string file = {};
  bool wants_api = false;  // finish, cell: also the API calls of one more call
};

struct WorkerReply {
  std::int64_t id = 0;
  CellStatus status = CellStatus::kOk;
  std::string reason = {};
  // hello
  ProviderInfo info = {};
  std::vector<std::string> ops = {};  // empty: "cell" alone
  std::vector<std::string> variants = {};
  std::map<std::string, double> device_facts = {};
  std::vector<TimeMode> modes = {};
  // plan, prepare, finish, cell
  std::optional<Plan> plan = {};
  std::optional<double> free_bytes = {};
  std::optional<double> requested_bytes = {};  // oom
  std::map<TimeMode, SampleBlock> samples = {};
  std::vector<KernelLaunch> kernels = {};
  std::vector<ApiCall> api = {};
  CompileTimes compile = {};
  std::map<std::string, std::string> config = {};
  std::optional<double> resident_bytes = {};
  std::optional<double> peak_bytes = {};
  Clocks clocks = {};
  std::size_t outputs = 0;
  std::map<Lack, std::string> lacks = {};
  std::vector<std::string> notes = {};
  std::optional<Floors> floors = {};
  std::optional<Roofs> roofs = {};
};

std::string_view op_name(WorkerOp op);
// What a provider is called inside its own stack: torch-inductor is torch's "inductor".
std::string variant_of(std::string_view provider);

std::string to_line(const WorkerRequest& request);  // without its newline
std::string to_line(const WorkerReply& reply, WorkerOp to);
Result<WorkerRequest> parse_request(std::string_view line);
Result<WorkerReply> parse_reply(std::string_view line);

}  // namespace strobe::bench
