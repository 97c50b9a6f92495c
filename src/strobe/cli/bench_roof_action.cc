#include <array>

#include <fmt/format.h>

#include "strobe/base/json_write.h"
#include "strobe/bench/results/cell_fields.h"
#include "strobe/bench/workers/counting.h"
#include "strobe/bench/workers/worker_session.h"
#include "strobe/cli/bench_actions.h"
#include "strobe/cli/bench_counters.h"
#include "strobe/cli/bench_run_request.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

struct Figure {
  std::string_view name;
  std::string_view unit;
  std::optional<double> value;
};

std::vector<Figure> figures_of(const bench::WorkerReply& reply) {
  const bench::Roofs roofs = reply.roofs.value_or(bench::Roofs{});
  const bench::Floors floors = reply.floors.value_or(bench::Floors{});
  return {{"copy", "GB/s", roofs.copy_gbps},
          {"read", "GB/s", roofs.read_gbps},
          {"write", "GB/s", roofs.write_gbps},
          {"matrix product", "TFLOP/s", roofs.gemm_tflops},
          {"event pair, nothing between", "us", floors.event_pair},
          {"empty kernel between events", "us", floors.empty_kernel_events},
          {"empty kernel, as counted", "us", floors.empty_kernel},
          {"empty kernel, as recorded", "us", floors.empty_kernel_record},
          {"empty kernel in a graph", "us", floors.empty_kernel_graph},
          {"launch call on the host", "us", floors.launch_call},
          {"apart on 64 streams", "us", floors.stream_spread}};
}

std::string roofs_text(const bench::WorkerReply& reply) {
  std::string text = fmt::format("{}{}{}\n", reply.info.device,
                                 reply.info.version.empty() ? "" : "; ", reply.info.version);
  for (const Figure& figure : figures_of(reply)) {
    if (!figure.value) continue;
    text += fmt::format("  {:<30} {:>10.{}f} {}\n", figure.name, *figure.value,
                        *figure.value < 10 ? 2 : 1, figure.unit);
  }
  return text;
}

template <class Struct>
void write_figures(JsonWriter& json, const std::optional<Struct>& figures) {
  if (!figures) return;
  bench::for_each_field<Struct>([&](const auto& field) {
    if (const auto& value = (*figures).*field.member) json.member(field.name, *value);
  });
}

std::string roofs_json(const bench::WorkerReply& reply) {
  std::string text;
  JsonWriter json(text, JsonLayout::kPretty);
  json.begin_object()
      .member("schema", "strobe.bench.roof")
      .member("version", 1)
      .member("device", reply.info.device)
      .member("device_version", reply.info.version);
  write_figures(json, reply.roofs);
  write_figures(json, reply.floors);
  json.end_object();
  return text + "\n";
}

struct RoofRequest {
  std::string provider;  // "": the GPU, or the host
  Format format = Format::kText;
};

std::vector<Flag> roof_flags(RoofRequest& request) {
  return {flag("--provider NAME", "measure its device (default: cuda-fused, or cpu without a GPU)",
               to(request.provider)),
          text_or_json_flag(request.format)};
}

Result<void> measure_roofs(const RoofRequest& request, const Terminal&) {
  bench::WorkerSetup workers;
  workers.own = own_worker_command();
  workers.cancelled = &interrupted();
  std::string provider = request.provider;
  if (provider.empty()) {
    provider = bench::greet(workers, "cuda-fused").info.is_available() ? "cuda-fused" : "cpu";
  }
  bench::WorkerReply reply = bench::greet(workers, provider, true);
  STROBE_TRY_VOID(check_interrupted());
  if (reply.floors) {
    RecordedCalls duration({{std::string(bench::kDurationCounter)}});
    const auto counted = bench::count_empty_kernel_us(workers, provider, duration);
    if (counted) reply.floors->empty_kernel = *counted;
  }
  if (reply.floors && reply.roofs && !reply.roofs->gemm_tflops) {
    const bench::WorkerReply products = bench::greet(workers, "cublaslt", true);
    if (products.roofs) reply.roofs->gemm_tflops = products.roofs->gemm_tflops;
    STROBE_TRY_VOID(check_interrupted());
  }
  const bool is_silent = !reply.roofs && !reply.floors;
  if (!reply.info.is_available() || is_silent) {
    return Error{
        .code = ErrorCode::kMachineLacks,
        .what = fmt::format("{} cannot measure its roofs here: {}", provider,
                            reply.info.is_available() ? reply.reason : reply.info.obstacle),
        .where = "",
        .hint = "`strobe bench list` says what can run"};
  }
  return write_to_stdout(request.format == Format::kJson ? roofs_json(reply) : roofs_text(reply));
}

}  // namespace

Command bench_roof_action() {
  Command command = {
      .name = "bench roof",
      .summary = "the limits of this machine: copy, read, write, matrix product, launches",
      .examples = {{"strobe bench roof", "limits of the GPU, or of the host"},
                   {"strobe bench roof --provider cpu --format json", "limits of the host"}}};
  return with_request(std::move(command), roof_flags, measure_roofs);
}

}  // namespace strobe::cli
