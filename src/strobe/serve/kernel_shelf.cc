#include "strobe/serve/kernel_shelf.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "strobe/analysis/headroom/kernel_study.h"
#include "strobe/readers/counters/kernel_reader.h"
#include "strobe/serve/kernel_answer.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/served_run.h"

namespace strobe::serve {
namespace {

constexpr double kFastest = 1e21;  // of any roof, in FLOP/s or bytes/s

struct Request {
  std::string name;
  std::optional<FoundKernels> file;  // nothing: a trace
  FileStamp stamp;
  analysis::StudyOptions options;
};

Error not_found(std::string_view parameter, const std::string& name) {
  return {.code = ErrorCode::kNotFound,
          .what = fmt::format("no {} is called '{}'",
                              parameter == "file" ? "list of kernels" : "trace", name),
          .where = std::string(parameter),
          .hint = "see /api/v1/runs"};
}

Result<void> find_source(const Query& query, const ShelfView& view, Request& request) {
  if (const auto file = query.optional_text("file")) {
    const auto found = std::ranges::find(view.kernel_files, *file, &FoundKernels::name);
    if (found == view.kernel_files.end()) return not_found("file", *file);
    request.name = *file;
    request.file = *found;
    request.stamp = found->stamp;
    return {};
  }
  const auto trace = query.optional_text("trace");
  if (!trace) {
    return Error{ErrorCode::kInvalidArgument, "the parameter 'file' or 'trace' is missing", "file",
                 "see docs/api.md"};
  }
  const auto found = std::ranges::find(view.traces, *trace,
                                       [](const ShelvedTrace& one) { return one.found.name; });
  if (found == view.traces.end()) return not_found("trace", *trace);
  request.name = *trace;
  request.stamp = found->found.stamp;
  return {};
}

Result<void> read_options(const Query& query, analysis::StudyOptions& options) {
  options.chip = query.optional_text("chip").value_or("");
  if (!options.chip.empty() && !device::chip_peaks(options.chip)) {
    return Error{
        .code = ErrorCode::kInvalidArgument,
        .what = fmt::format("the peaks of no chip '{}' are known", options.chip.substr(0, 100)),
        .where = "chip",
        .hint = "an answer without it lists those that are, as `chips`"};
  }
  STROBE_TRY(const auto tensor, query.number("tensor_roof", 0, 1));
  STROBE_TRY(const auto dram, query.number("dram_roof", 0, 1));
  options.roofs.tensor = tensor.value_or(options.roofs.tensor);
  options.roofs.dram = dram.value_or(options.roofs.dram);
  STROBE_TRY(options.flops, query.number("flop_per_s", 0, kFastest));
  STROBE_TRY(options.dram_bytes_per_s, query.number("dram_bytes_per_s", 0, kFastest));
  STROBE_TRY(options.l2_bytes_per_s, query.number("l2_bytes_per_s", 0, kFastest));
  return {};
}

Result<Request> read_request(const Query& query, const ShelfView& view) {
  Request request;
  STROBE_TRY_VOID(find_source(query, view, request));
  STROBE_TRY_VOID(read_options(query, request.options));
  return request;
}

std::string key_of(const Request& request) {
  const analysis::StudyOptions& options = request.options;
  return fmt::format("{}\n{}\n{}\n{} {} {} {} {}", request.name, stamp_text(request.stamp),
                     options.chip, options.roofs.tensor, options.roofs.dram,
                     options.flops.value_or(0), options.dram_bytes_per_s.value_or(0),
                     options.l2_bytes_per_s.value_or(0));
}

// The user knows it by its name, not by its path.
Result<KernelTable> read_file(const Request& request) {
  auto table = readers::read_kernels(request.file->path);
  if (table) return table;
  Error error = table.error();
  if (error.where.empty() || error.where == request.file->path) error.where = request.name;
  return error;
}

Result<KernelShelf::Body> studied(const Request& request, const KernelTable& table) {
  if (table.size() == 0) {
    return Error{ErrorCode::kTooLittleData, "there are no kernels in it", request.name,
                 "record it with the device's activity switched on"};
  }
  const analysis::KernelStudy study = analysis::study_kernels(table, request.options);
  return std::make_shared<const std::string>(kernel_answer(request.name, study));
}

Result<KernelShelf::Body> read_and_studied(const Request& request) {
  try {
    STROBE_TRY(const KernelTable table, read_file(request));
    return studied(request, table);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kMachineLacks, "there is not enough memory for it", request.name,
                 "serve it on a machine with more memory"};
  }
}

}  // namespace

Result<KernelShelf::Body> KernelShelf::answer(const Query& query, const ShelfView& view,
                                              const TraceLookup& traces) {
  STROBE_TRY(const Request request, read_request(query, view));
  const auto kept = kept_.place_of(key_of(request));
  if (const Result<Body>* known = kept->peek()) return *known;
  if (request.file) return kept->get([&] { return read_and_studied(request); });
  STROBE_TRY(const auto open, traces(request.name));
  return kept->get(
      [&] { return studied(request, readers::kernels_of(open->trace(), request.name)); });
}

}  // namespace strobe::serve
