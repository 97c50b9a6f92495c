#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "strobe/bench/workers/protocol.h"
#include "strobe/bench/workers/protocol_words.h"

namespace strobe::bench {
namespace {

// Names on the wire of numbers that may be missing, for writing and reading alike.
template <class Struct>
struct NamedNumber {
  std::string_view name;
  std::optional<double> Struct::*member;
};
constexpr std::array<NamedNumber<CompileTimes>, 5> kCompileTimes = {{
    {"codegen_ms", &CompileTimes::codegen_ms},
    {"nvrtc_ms", &CompileTimes::nvrtc_ms},
    {"load_ms", &CompileTimes::load_ms},
    {"autotune_ms", &CompileTimes::autotune_ms},
    {"first_call_ms", &CompileTimes::first_call_ms},
}};
constexpr std::array<NamedNumber<Clocks>, 4> kClocks = {{
    {"sm_mhz", &Clocks::sm_mhz},
    {"mem_mhz", &Clocks::memory_mhz},
    {"power_w", &Clocks::power_w},
    {"temperature_c", &Clocks::temperature_c},
}};
constexpr std::array<NamedNumber<Floors>, 7> kFloors = {{
    {"event_pair_us", &Floors::event_pair},
    {"empty_kernel_events_us", &Floors::empty_kernel_events},
    {"empty_kernel_us", &Floors::empty_kernel},
    {"empty_kernel_record_us", &Floors::empty_kernel_record},
    {"empty_kernel_graph_us", &Floors::empty_kernel_graph},
    {"launch_call_us", &Floors::launch_call},
    {"stream_spread_us", &Floors::stream_spread},
}};
constexpr std::array<NamedNumber<Roofs>, 4> kRoofs = {{
    {"copy_gbps", &Roofs::copy_gbps},
    {"read_gbps", &Roofs::read_gbps},
    {"write_gbps", &Roofs::write_gbps},
    {"gemm_tflops", &Roofs::gemm_tflops},
}};

template <class Struct, std::size_t N>
void write_numbers(const Struct& from, const std::array<NamedNumber<Struct>, N>& names,
                   JsonWriter& json) {
  for (const auto& [name, member] : names) write_if(name, from.*member, json);
}

template <class Struct, std::size_t N>
void read_numbers(std::string_view object, const std::array<NamedNumber<Struct>, N>& names,
                  Struct& into) {
  for (const auto& [name, member] : names) {
    if (const auto number = find(object, name).as_double()) into.*member = number;
  }
}

void write_hello(const WorkerReply& reply, JsonWriter& json) {
  json.member("ok", reply.info.is_available());
  write_if("name", reply.info.name, json);
  write_if("version", reply.info.version, json);
  write_if("device", reply.info.device, json);
  write_if("obstacle", reply.info.obstacle, json);
  write_texts(reply.ops, json.key("ops"));
  write_texts(reply.variants, json.key("variants"));
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

void write_kernels(const std::vector<KernelLaunch>& kernels, JsonWriter& json) {
  const auto write_three = [&](std::string_view name, const std::array<std::int64_t, 3>& three) {
    json.key(name).begin_array();
    for (const std::int64_t number : three) json.value(number);
    json.end_array();
  };
  json.key("kernels").begin_array();
  for (const KernelLaunch& kernel : kernels) {
    json.begin_object().member("name", kernel.name);
    write_three("grid", kernel.grid);
    write_three("block", kernel.block);
    write_if("us", kernel.duration_us, json);
    if (kernel.registers) json.member("regs", *kernel.registers);
    if (kernel.shared_bytes) json.member("smem", *kernel.shared_bytes);
    json.end_object();
  }
  json.end_array();
}

void write_api(const std::vector<ApiCall>& calls, JsonWriter& json) {
  json.key("api").begin_array();
  for (const ApiCall& call : calls) {
    json.begin_object().member("name", call.name).member("count", call.count);
    json.member("us", call.us).end_object();
  }
  json.end_array();
}

void write_outcome(const WorkerReply& reply, JsonWriter& json) {
  if (!reply.kernels.empty()) write_kernels(reply.kernels, json);
  if (!reply.api.empty()) write_api(reply.api, json);
  write_numbers(reply.compile, kCompileTimes, json);
  if (reply.compile.is_cached) json.member("cached", true);
  if (!reply.config.empty()) {
    json.key("config").begin_object();
    for (const auto& [name, text] : reply.config) json.member(name, text);
    json.end_object();
  }
  write_if("resident_bytes", reply.resident_bytes, json);
  write_if("peak_bytes", reply.peak_bytes, json);
  json.key("clock").begin_object();
  write_numbers(reply.clocks, kClocks, json);
  write_texts(reply.clocks.reasons, json.key("reasons"));
  json.end_object();
  if (reply.outputs > 0) json.member("outputs", reply.outputs);
}

void write_plan(const Plan& plan, JsonWriter& json) {
  json.key("plan").begin_object().member("resident_bytes", plan.resident_bytes);
  json.member("kernels", plan.kernels);
  write_if("unsupported", plan.unsupported, json);
  json.end_object();
}

// A stack names its versions one by one: {"torch":"2.11.0","triton":"3.6.0"}.
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
  reply.ops = texts_of(find(line, "ops"));
  reply.variants = texts_of(find(line, "variants"));
  reply.modes = modes_of(find(line, "modes"));
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

KernelLaunch read_kernel(std::string_view object) {
  KernelLaunch kernel;
  const auto read_three = [&](std::string_view name, std::array<std::int64_t, 3>& three) {
    const std::vector<std::int64_t> numbers = whole_numbers_of(find(object, name));
    std::copy_n(numbers.begin(), std::min<std::size_t>(numbers.size(), 3), three.begin());
  };
  kernel.name = find(object, "name").as_string();
  read_three("grid", kernel.grid);
  read_three("block", kernel.block);
  kernel.duration_us = find(object, "us").as_double();
  kernel.registers = find(object, "regs").as_int64();
  kernel.shared_bytes = find(object, "smem").as_int64();
  return kernel;
}

void read_api(std::string_view line, WorkerReply& reply) {
  const JsonValue calls = find(line, "api");
  if (calls.type != JsonType::kArray) return;
  for_each_element(calls.text, [&](const JsonValue& object) {
    if (object.type != JsonType::kObject) return;
    ApiCall call{.name = find(object.text, "name").as_string(),
                 .count = find(object.text, "count").as_int64().value_or(1),
                 .us = find(object.text, "us").as_double().value_or(0)};
    if (!call.name.empty() && call.count > 0) reply.api.push_back(std::move(call));
  });
}

void read_outcome(std::string_view line, WorkerReply& reply) {
  if (const JsonValue kernels = find(line, "kernels"); kernels.type == JsonType::kArray) {
    for_each_element(kernels.text, [&](const JsonValue& kernel) {
      if (kernel.type == JsonType::kObject) reply.kernels.push_back(read_kernel(kernel.text));
    });
  }
  read_api(line, reply);
  read_numbers(line, kCompileTimes, reply.compile);
  reply.compile.is_cached = find(line, "cached").as_bool().value_or(false);
  for_each_member(find(line, "config").text, [&](std::string_view name, const JsonValue& value) {
    reply.config[std::string(name)] = value.as_string();
  });
  reply.resident_bytes = find(line, "resident_bytes").as_double();
  reply.peak_bytes = find(line, "peak_bytes").as_double();
  if (const JsonValue clock = find(line, "clock"); clock.type == JsonType::kObject) {
    read_numbers(clock.text, kClocks, reply.clocks);
    reply.clocks.reasons = texts_of(find(clock.text, "reasons"));
  }
  reply.outputs = static_cast<std::size_t>(
      std::max<std::int64_t>(find(line, "outputs").as_int64().value_or(0), 0));
}

}  // namespace

std::string to_line(const WorkerReply& reply, WorkerOp to) {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  if (to != WorkerOp::kHello) json.member("id", reply.id);
  json.member("status", status_name(reply.status));
  write_if("reason", reply.reason, json);
  if (to == WorkerOp::kHello) write_hello(reply, json);
  if (reply.plan) write_plan(*reply.plan, json);
  write_if("free_bytes", reply.free_bytes, json);
  write_if("requested_bytes", reply.requested_bytes, json);
  if (!reply.samples.empty()) write_samples(reply, json);
  if (to == WorkerOp::kPrepare || to == WorkerOp::kFinish || to == WorkerOp::kCell) {
    write_outcome(reply, json);
  }
  if (!reply.notes.empty()) write_texts(reply.notes, json.key("notes"));
  if (reply.floors) {
    json.key("floors").begin_object();
    write_numbers(*reply.floors, kFloors, json);
    json.end_object();
  }
  if (reply.roofs) {
    json.key("roofs").begin_object();
    write_numbers(*reply.roofs, kRoofs, json);
    json.end_object();
  }
  json.end_object();
  return line;
}

Result<WorkerReply> parse_reply(std::string_view line) {
  STROBE_TRY_VOID(check_object(line));
  WorkerReply reply;
  reply.id = find(line, "id").as_int64().value_or(0);
  reply.reason = find(line, "reason").as_string();
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
  reply.free_bytes = find(line, "free_bytes").as_double();
  reply.requested_bytes = find(line, "requested_bytes").as_double();
  read_samples(line, reply);
  read_outcome(line, reply);
  reply.notes = texts_of(find(line, "notes"));
  if (const JsonValue floors = find(line, "floors"); floors.type == JsonType::kObject) {
    read_numbers(floors.text, kFloors, reply.floors.emplace());
  }
  if (const JsonValue roofs = find(line, "roofs"); roofs.type == JsonType::kObject) {
    read_numbers(roofs.text, kRoofs, reply.roofs.emplace());
  }
  return reply;
}

}  // namespace strobe::bench
