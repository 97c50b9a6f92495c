#include "strobe/cli/doctor.h"

#include <future>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/json_write.h"
#include "strobe/base/text.h"
#include "strobe/base/version.h"
#include "strobe/cli/command.h"
#include "strobe/cli/help.h"
#include "strobe/cli/output.h"
#include "strobe/query/duckdb_api.h"
#include "strobe/query/query.h"
#include "strobe/record/library_finder.h"

namespace strobe::cli {
namespace {

using device::Library;

struct WantedLibrary {
  Library library;
  Part part;
};

struct WantedProgram {
  std::vector<std::string> names;
  Part part;
};

Part part(std::string key, std::string name, std::string needed_for, std::string how_to_get) {
  return {.key = std::move(key),
          .name = std::move(name),
          .found = std::nullopt,
          .needed_for = std::move(needed_for),
          .how_to_get = std::move(how_to_get)};
}

std::vector<WantedLibrary> wanted_libraries() {
  return {
      {Library::kCudaDriver,
       part("cuda_driver", "CUDA driver", "measuring kernels on this machine's GPU",
            "comes with NVIDIA's driver; in a container: docker run --gpus all")},
      {Library::kNvml, part("nvml", "NVML", "GPU clocks, power and temperature while measuring",
                            "comes with NVIDIA's driver")},
      {Library::kCupti, part("cupti", "CUPTI", "recording traces without a framework's profiler",
                             "CUDA toolkit, or: pip install nvidia-cuda-cupti-cu12")},
      {Library::kNvrtc, part("nvrtc", "NVRTC", "compiling benchmark kernels at run time",
                             "CUDA toolkit, or: pip install nvidia-cuda-nvrtc-cu12")},
      {Library::kCublasLt, part("cublaslt", "cuBLASLt", "matrix products as benchmark baseline",
                                "CUDA toolkit, or: pip install nvidia-cublas-cu12")},
      {Library::kCudnn, part("cudnn", "cuDNN", "attention and convolutions as benchmark baseline",
                             "pip install nvidia-cudnn-cu12")},
  };
}

std::vector<WantedProgram> wanted_accelerator_programs() {
  return {
      {{"nvcc"}, part("nvcc", "nvcc", "building benchmark kernels ahead of time", "CUDA toolkit")},
      {{"ncu"},
       part("ncu", "Nsight Compute", "collecting the kernel counters that strobe reads",
            "CUDA toolkit; counters need permission: "
            "https://developer.nvidia.com/ERR_NVGPUCTRPERM")},
      {{"nsys"},
       part("nsys", "Nsight Systems", "capturing a timeline of any program", "CUDA toolkit")},
  };
}

std::vector<WantedProgram> wanted_programs() {
  return {
      {{"git"}, part("git", "git", "naming the commit in benchmark records", "apt install git")},
      {{"python3", "python"},
       part("python", "Python",
            "running your training script under a profiler; strobe itself "
            "needs none",
            "apt install python3")},
      {{"node", "nodejs"},
       part("node", "Node.js", "rebuilding the web page from its sources", "apt install nodejs")},
      {{"chromium", "chromium-browser", "google-chrome"},
       part("chromium", "Chromium", "testing the web page", "apt install chromium")},
  };
}

// The library that strobe loads into other programs; built with strobe, not opened here.
Part find_recorder() {
  Part recorder = part("recorder", "recorder", "strobe record, strobe kernels record",
                       "build strobe where the CUDA toolkit's headers are, 12.6 or newer");
  if (const auto path = record::find_injection_library()) {
    recorder.found = device::Found{.version = "", .path = path->string(), .detail = ""};
  }
  return recorder;
}

Part find_query_engine() {
  Part engine = part("duckdb", "DuckDB", "strobe query", query::duckdb::kHowToGet);
  if (const auto facts = query::engine_facts()) {
    engine.found = device::Found{.version = facts->version, .path = facts->path, .detail = ""};
  }
  return engine;
}

// Programs take time to print their version, so they run in parallel.
std::vector<std::future<Part>> ask_all(std::vector<WantedProgram> wanted) {
  std::vector<std::future<Part>> answers;
  for (WantedProgram& program : wanted) {
    answers.push_back(std::async(std::launch::async, [program = std::move(program)]() mutable {
      program.part.found = device::probe_program(program.names);
      return std::move(program.part);
    }));
  }
  return answers;
}

constexpr int kNameWidth = 16;
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kAmber = "\x1b[33m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kNoColor = "\x1b[0m";

std::string gigabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

std::string cpu_line(const device::CpuFacts& cpu) {
  std::string text =
      cpu.name.empty() ? cpu.architecture : fmt::format("{} ({})", cpu.name, cpu.architecture);
  text += cpu.usable_cores < cpu.cores
              ? fmt::format(", {} of {} cores usable", cpu.usable_cores, cpu.cores)
              : ", " + counted(static_cast<std::uint64_t>(cpu.cores), "core");
  if (!cpu.simd.empty()) text += fmt::format(", {}", fmt::join(cpu.simd, " "));
  return text;
}

std::string memory_line(const device::MemoryFacts& memory) {
  std::string text = fmt::format("{}, {} available", gigabytes(memory.total_bytes),
                                 gigabytes(memory.available_bytes));
  if (memory.limit_bytes) {
    text += fmt::format(", this process may use {}", gigabytes(*memory.limit_bytes));
  }
  return text;
}

std::string found_line(const device::Found& found) {
  std::vector<std::string_view> words;
  if (!found.version.empty()) words.push_back(found.version);
  if (!found.detail.empty()) words.push_back(found.detail);
  if (!found.path.empty()) words.push_back(found.path);
  return fmt::format("{}", fmt::join(words, ", "));
}

class Page {
 public:
  explicit Page(const Terminal& terminal)
      : color_(terminal.color), unicode_(terminal.unicode), columns_(terminal.columns) {}

  void title(std::string_view text) {
    if (!text_.empty()) text_ += '\n';
    text_ += color_ ? fmt::format("{}{}{}\n", kBold, text, kNoColor) : fmt::format("{}\n", text);
  }
  void line(bool present, std::string_view name, std::string_view says) {
    marked_line(unicode_ ? (present ? "✓" : "✗") : (present ? "+" : "-"), present, name, says);
  }
  void line_of_half(std::string_view name, std::string_view says) {
    marked_line("~", false, name, says);
  }
  void more(std::string_view says) {
    text_ += hanging_lines(std::string(kIndent, ' '), kIndent, says, columns_);
  }

  std::string text() && { return std::move(text_); }

 private:
  static constexpr std::size_t kIndent = kNameWidth + 6;

  void marked_line(std::string_view mark, bool is_good, std::string_view name,
                   std::string_view says) {
    const std::string shown = color_
                                  ? fmt::format("{}{}{}", is_good ? kGreen : kAmber, mark, kNoColor)
                                  : std::string(mark);
    text_ += hanging_lines(fmt::format("  {} {:<{}}  ", shown, name, kNameWidth), kIndent, says,
                           columns_);
  }

  bool color_;
  bool unicode_;
  int columns_;
  std::string text_;
};

void add_perf_events(const device::PerfEventFacts& facts, Page& page) {
  const std::string level = facts.paranoid_level
                                ? fmt::format("perf_event_paranoid {}", *facts.paranoid_level)
                                : std::string("perf_event_paranoid unreadable");
  if (facts.counts_cycles) {
    page.line(true, "perf events", fmt::format("cycles can be counted, {}", level));
    return;
  }
  page.line(false, "perf events", fmt::format("missing: {}, {}", facts.obstacle, level));
  page.more("for: cycles and cache misses of strobe's own benchmarks");
  page.more(facts.is_forbidden
                ? "get: sudo sysctl kernel.perf_event_paranoid=2; containers: --cap-add PERFMON"
                : "get: a machine that is not virtual, or one whose host passes its counters on");
}

void add_record_sources(const std::vector<RecordSource>& sources, Page& page) {
  if (sources.empty()) return;
  page.title("strobe record");
  for (const RecordSource& source : sources) {
    if (source.state == record::SourceState::kPartly) {
      page.line_of_half(source.name, fmt::format("partly: {}", source.says));
    } else if (source.state == record::SourceState::kMissing) {
      page.line(false, source.name, fmt::format("missing: {}", source.says));
    } else {
      page.line(true, source.name, source.says);
    }
    if (!source.how_to_get.empty()) page.more(fmt::format("get: {}", source.how_to_get));
  }
}

std::string_view state_word(record::SourceState state) {
  switch (state) {
    case record::SourceState::kRecorded:
      return "ready";
    case record::SourceState::kPartly:
      return "partly";
    case record::SourceState::kMissing:
      break;
  }
  return "missing";
}

void write_record_source(JsonWriter& json, const RecordSource& source) {
  json.begin_object()
      .member("key", source.key)
      .member("name", source.name)
      .member("state", state_word(source.state))
      .member("says", source.says)
      .member("how_to_get", source.how_to_get)
      .end_object();
}

void write_part(JsonWriter& json, const Part& part) {
  const device::Found found = part.found.value_or(device::Found{});
  json.begin_object()
      .member("key", part.key)
      .member("name", part.name)
      .member("present", part.found.has_value())
      .member("version", found.version)
      .member("path", found.path)
      .member("detail", found.detail)
      .member("needed_for", part.needed_for)
      .member("how_to_get", part.how_to_get)
      .end_object();
}

template <class Number>
void write_optional_number(JsonWriter& json, std::string_view name,
                           const std::optional<Number>& number) {
  json.key(name);
  number ? json.value(*number) : json.null();
}

}  // namespace

Diagnosis diagnose() {
  auto accelerator_programs = ask_all(wanted_accelerator_programs());
  auto programs = ask_all(wanted_programs());
  Diagnosis diagnosis;
  diagnosis.cpu = device::probe_cpu();
  diagnosis.memory = device::probe_memory();
  diagnosis.perf_events = device::probe_perf_events();
  diagnosis.engines = device::compression_engines();
  PartGroup accelerator{"NVIDIA GPU", {}};
  for (WantedLibrary wanted : wanted_libraries()) {
    wanted.part.found = device::probe_library(wanted.library);
    accelerator.parts.push_back(std::move(wanted.part));
  }
  accelerator.parts.push_back(find_recorder());
  for (auto& answer : accelerator_programs) accelerator.parts.push_back(answer.get());
  PartGroup tools{"Tools", {}};
  for (auto& answer : programs) tools.parts.push_back(answer.get());
  PartGroup query{"strobe query", {find_query_engine()}};
  diagnosis.groups = {std::move(accelerator), std::move(query), std::move(tools)};
  diagnosis.record = record_sources(probe_record());
  return diagnosis;
}

std::string diagnosis_text(const Diagnosis& diagnosis, const Terminal& terminal) {
  Page page(terminal);
  page.title("Machine");
  page.line(true, "CPU", cpu_line(diagnosis.cpu));
  page.line(true, "memory", memory_line(diagnosis.memory));
  add_perf_events(diagnosis.perf_events, page);
  page.title("Built in");
  page.line(true, "strobe", kVersion);
  for (const device::Engine& engine : diagnosis.engines) {
    page.line(true, engine.name, fmt::format("{}, {}", engine.version, engine.job));
  }
  for (const PartGroup& group : diagnosis.groups) {
    page.title(group.title);
    for (const Part& part : group.parts) {
      if (part.found) {
        page.line(true, part.name, found_line(*part.found));
        page.more(fmt::format("for: {}", part.needed_for));
      } else {
        page.line(false, part.name, "missing");
        page.more(fmt::format("for: {}", part.needed_for));
        page.more(fmt::format("get: {}", part.how_to_get));
      }
    }
  }
  add_record_sources(diagnosis.record, page);
  page.title("None of this is needed to read traces.");
  return std::move(page).text();
}

std::string diagnosis_json(const Diagnosis& diagnosis) {
  std::string text;
  JsonWriter json(text, JsonLayout::kPretty);
  json.begin_object()
      .member("schema", "strobe.doctor")
      .member("version", 1)
      .member("strobe", kVersion);
  const device::CpuFacts& cpu = diagnosis.cpu;
  json.key("cpu")
      .begin_object()
      .member("name", cpu.name)
      .member("architecture", cpu.architecture)
      .member("cores", cpu.cores)
      .member("usable_cores", cpu.usable_cores);
  json.key("simd").begin_array();
  for (const std::string& word : cpu.simd) json.value(word);
  json.end_array().end_object();
  const device::MemoryFacts& memory = diagnosis.memory;
  json.key("memory")
      .begin_object()
      .member("total_bytes", memory.total_bytes)
      .member("available_bytes", memory.available_bytes);
  write_optional_number(json, "limit_bytes", memory.limit_bytes);
  json.end_object();
  const device::PerfEventFacts& perf = diagnosis.perf_events;
  json.key("perf_events").begin_object();
  write_optional_number(json, "paranoid_level", perf.paranoid_level);
  json.member("counts_cycles", perf.counts_cycles).member("obstacle", perf.obstacle).end_object();
  json.key("compression").begin_array();
  for (const device::Engine& engine : diagnosis.engines) {
    json.begin_object()
        .member("name", engine.name)
        .member("version", engine.version)
        .member("job", engine.job)
        .end_object();
  }
  json.end_array().key("parts").begin_array();
  for (const PartGroup& group : diagnosis.groups) {
    for (const Part& part : group.parts) write_part(json, part);
  }
  json.end_array().key("record").begin_array();
  for (const RecordSource& source : diagnosis.record) write_record_source(json, source);
  json.end_array().end_object();
  return text + "\n";
}

namespace {

struct DoctorRequest {
  Format format = Format::kText;
  std::string output;  // "": stdout
};

std::vector<Flag> doctor_flags(DoctorRequest& request) {
  Flag format = text_or_json_flag(request.format);
  format.help =
      "text or json (default: json if the name of --output's FILE ends in .json, else text)";
  return {std::move(format), output_flag(request.output)};
}

Result<void> examine(const DoctorRequest& request, const Terminal& terminal) {
  STROBE_TRY(Output output, Output::open(request.output));
  const Diagnosis diagnosis = diagnose();
  return give(output, request.format == Format::kJson ? diagnosis_json(diagnosis)
                                                      : diagnosis_text(diagnosis, terminal));
}

}  // namespace

Command doctor_command() {
  Command command = {
      .name = "doctor",
      .summary = "what this machine offers strobe, what is missing and how to get it",
      .examples = {{"strobe doctor", "look at this machine"},
                   {"strobe doctor --format json", "the same for a script"}},
      .notes = {"strobe opens each vendor library, asks for its version and closes it again. The "
                "exit code is 0 even if something is missing."}};
  return with_request(std::move(command), doctor_flags, examine);
}

}  // namespace strobe::cli
