#include "strobe/bench/providers/cuda/library_providers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/bench/providers/cuda/call_kernels.h"
#include "strobe/bench/providers/cuda/cuda_provider.h"
#include "strobe/bench/providers/cuda/device_cell.h"
#include "strobe/bench/providers/cuda/library_steps.h"
#include "strobe/bench/providers/cuda/limits.h"
#include "strobe/bench/providers/stop_watch.h"

namespace strobe::bench {
namespace {

// A cell computed by a vendor's library: the fastest choice of every step, already run once.
class LibraryCell final : public DeviceCell {
 public:
  static Result<std::unique_ptr<PreparedCell>> make(std::shared_ptr<CudaSession> session,
                                                    const PrepareRequest& request,
                                                    LibraryCall call) {
    std::unique_ptr<LibraryCell> cell(
        new LibraryCell(std::move(session), request, std::move(call)));
    STROBE_TRY_VOID(cell->set_up());
    return std::unique_ptr<PreparedCell>(std::move(cell));
  }
  ~LibraryCell() override { timer_.reset(); }  // its graph before the code that it runs

  std::map<std::string, std::string> config() const override;
  double resident_bytes() const override {
    return set_bytes() + static_cast<double>(workspace_.bytes);
  }
  double peak_bytes() const override { return resident_bytes(); }
  std::vector<std::string> notes() const override;

 private:
  LibraryCell(std::shared_ptr<CudaSession> session, const PrepareRequest& request, LibraryCall call)
      : DeviceCell(std::move(session), request, CellTensors(call.tensors, request.cell.dtype)),
        call_(std::move(call)) {}

  Result<void> set_up();
  Result<void> load_steps();
  Result<void> tune(DeviceClock& clock);
  Result<void> bind(const AddressOf& address_of) override;
  Result<void> prepare_set(std::size_t set) override;
  Result<void> enqueue(std::size_t set) override;
  std::vector<KernelLaunch> launches() const override { return launches_; }

  LibraryCall call_;
  DeviceMemory workspace_;
  std::vector<TunedStep> tuned_;
  std::vector<KernelLaunch> launches_;
};

bool takes(LibraryUse use, CaseKind kind) {
  switch (use) {
    case LibraryUse::kCublasLt:
      return kind == CaseKind::kMatmul;
    case LibraryUse::kCudnn:
      return kind == CaseKind::kConvolution || kind == CaseKind::kAttention;
    case LibraryUse::kUnfused:
      return kind != CaseKind::kRows;
  }
  return false;
}

}  // namespace

Result<void> LibraryCell::set_up() {
  CudaDevice& device = session_->device();
  STROBE_TRY_VOID(device.make_current());
  STROBE_TRY(DeviceClock* const clock, make_timer(request_.flush));
  STROBE_TRY_VOID(load_steps());
  STROBE_TRY_VOID(take_memory());
  if (const std::size_t bytes = call_.workspace_bytes(); bytes > 0) {
    STROBE_TRY(workspace_, device.allocate(bytes, "a workspace"));
  }
  STROBE_TRY_VOID(add_sets(1, *memory_));
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY_VOID(tune(*clock));
  STROBE_TRY_VOID(run());
  launches_ = captured_kernels(device, [&] { return enqueue(0); });
  if (launches_.empty()) {
    for (const auto& step : call_.steps) {
      std::ranges::move(step->launches(), std::back_inserter(launches_));
    }
  }
  return {};
}

Result<void> LibraryCell::load_steps() {
  const StopWatch watch;
  for (const auto* const steps : {&call_.preparation, &call_.steps}) {
    for (const auto& step : *steps) {
      STROBE_TRY_VOID(step->load(session_->device(), request_.cache_folder));
    }
  }
  times_.load_ms = call_.build_ms + watch.ms();
  return {};
}

// In execution order, so that each step finds the results of the previous one.
Result<void> LibraryCell::tune(DeviceClock& clock) {
  const StopWatch watch;
  bool has_choices = false;
  for (const auto& step : call_.steps) {
    STROBE_TRY(const TunedStep tuned, tune_step(clock, *step, request_.may_tune));
    has_choices = has_choices || step->choices() > 1;
    tuned_.push_back(tuned);
  }
  if (request_.may_tune && has_choices) {
    times_.autotune_ms = watch.ms();
  } else {
    times_.first_call_ms = watch.ms();
  }
  return {};
}

Result<void> LibraryCell::bind(const AddressOf& address_of) {
  const auto known = [&](std::string_view name) {
    const CuPointer address = address_of(name);
    STROBE_CHECK(address != 0, "a step names tensors of its call");
    return address;
  };
  for (const auto* const steps : {&call_.preparation, &call_.steps}) {
    for (const auto& step : *steps) STROBE_TRY_VOID(step->bind(known, workspace_.address()));
  }
  return {};
}

Result<void> LibraryCell::prepare_set(std::size_t set) {
  for (const auto& step : call_.preparation) STROBE_TRY_VOID(step->enqueue(0, set));
  return {};
}

Result<void> LibraryCell::enqueue(std::size_t set) {
  for (std::size_t i = 0; i < call_.steps.size(); ++i) {
    STROBE_TRY_VOID(call_.steps[i]->enqueue(tuned_[i].choice, set));
  }
  return {};
}

std::map<std::string, std::string> LibraryCell::config() const {
  std::map<std::string, std::string> config = {{"math", call_.math}};
  std::size_t number = 0;
  for (std::size_t i = 0; i < call_.steps.size(); ++i) {
    const std::string text = call_.steps[i]->choice_text(tuned_[i].choice);
    if (text.empty()) continue;
    ++number;
    config[number == 1 ? "schedule" : fmt::format("schedule {}", number)] = text;
  }
  if (workspace_.bytes > 0) config["workspace_bytes"] = std::to_string(workspace_.bytes);
  return config;
}

std::vector<std::string> LibraryCell::notes() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < tuned_.size(); ++i) {
    if (tuned_[i].refused == 0) continue;
    notes.push_back(
        fmt::format("the library proposed {} algorithms for step {} that it then refused to run",
                    tuned_[i].refused, i + 1));
  }
  for (std::size_t i = 0; i < call_.steps.size(); ++i) {
    const std::size_t unfair = call_.steps[i]->unfair_choices();
    if (unfair == 0) continue;
    notes.push_back(fmt::format(
        "{} of the library's choices for step {} {} not tried: sums in less than f32, or other "
        "bits each time",
        unfair, i + 1, unfair == 1 ? "was" : "were"));
  }
  std::ranges::move(DeviceCell::notes(), std::back_inserter(notes));
  return notes;
}

std::string LibraryCells::why_not(const CaseInfo* info, const Cell& cell) const {
  if (info == nullptr) return fmt::format("there is no case '{}'", cell.case_id);
  if (!takes(use_, info->kind)) {
    return use_ == LibraryUse::kCublasLt ? "cuBLASLt only multiplies matrices"
                                         : "cuDNN is used only for convolutions and attention";
  }
  if (cell.shape.dims.size() != axes_of(info->kind)) {
    return fmt::format("{} takes {} sizes, not {}", cell.case_id, axes_of(info->kind),
                       shape_text(cell.shape));
  }
  return "";
}

Result<LibraryCall> LibraryCells::build(const std::shared_ptr<CudaSession>& session,
                                        const Cell& cell) {
  const CaseInfo* const info = find_case(cell.case_id);
  if (std::string why = why_not(info, cell); !why.empty()) {
    return Error{.code = ErrorCode::kUnsupported, .what = std::move(why), .where = "", .hint = ""};
  }
  const CallRequest request = {
      .info = *info,
      .shape = cell.shape,
      .dtype = cell.dtype,
      .fusion = use_ == LibraryUse::kUnfused ? Fusion::kUnfused : Fusion::kFused};
  const StopWatch start;
  Result<LibraryCall> call =
      info->kind == CaseKind::kMatmul        ? matmul_call(session, libraries_, request)
      : info->kind == CaseKind::kConvolution ? convolution_call(session, libraries_, request)
                                             : attention_call(session, libraries_, request);
  if (call) {
    call->build_ms = start.ms();
  }
  return call;
}

Result<Plan> LibraryCells::plan(const std::shared_ptr<CudaSession>& session, const Cell& cell) {
  planned_.reset();
  Plan plan;
  Result<LibraryCall> call = build(session, cell);
  if (!call) {
    const ErrorCode code = call.error().code;
    if (code != ErrorCode::kUnsupported && code != ErrorCode::kMachineLacks) return call.error();
    plan.unsupported = what_and_hint(call.error());
    return plan;
  }
  const CellTensors tensors(call->tensors, cell.dtype);
  plan.resident_bytes = static_cast<double>(tensors.resident_bytes() + call->workspace_bytes());
  plan.kernels = static_cast<int>(call->steps.size());
  planned_.emplace(cell, std::move(*call));
  return plan;
}

Result<std::unique_ptr<PreparedCell>> LibraryCells::prepare(
    const std::shared_ptr<CudaSession>& session, const PrepareRequest& request) {
  session->keep_code_in(request.cache_folder);
  if (!planned_ || planned_->first != request.cell) {
    planned_.reset();
    STROBE_TRY(LibraryCall call, build(session, request.cell));
    planned_.emplace(request.cell, std::move(call));
  }
  LibraryCall call = std::move(planned_->second);
  planned_.reset();
  return LibraryCell::make(session, request, std::move(call));
}

namespace {

class LibraryProvider final : public CudaProvider {
 public:
  LibraryProvider(std::string name, LibraryUse use, OpenSession open, LibraryOpeners openers)
      : CudaProvider(std::move(name), std::move(open)),
        use_(use),
        cells_(use, std::move(openers)) {}

  ProviderInfo probe() override {
    ProviderInfo info = CudaProvider::probe();
    if (!info.is_available()) return info;
    const Result<std::string> version = library_version();
    if (version) {
      info.version = fmt::format("{}, {}", *version, info.version);
    } else {
      info.obstacle = what_and_hint(version.error());
    }
    return info;
  }

  Result<Roofs> measure_roofs() override {
    STROBE_TRY(Roofs roofs, CudaProvider::measure_roofs());
    if (use_ != LibraryUse::kCublasLt) return roofs;
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    STROBE_TRY(const double tflops, measure_gemm_tflops(opened, cells_.libraries()));
    roofs.gemm_tflops = tflops;
    return roofs;
  }

  Result<Plan> plan(const Cell& cell) override {
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    return cells_.plan(opened, cell);
  }

  Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) override {
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    return cells_.prepare(opened, request);
  }

 private:
  Result<std::string> library_version() {
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    if (use_ == LibraryUse::kCublasLt) {
      STROBE_TRY(const auto library, cells_.libraries().cublaslt(opened));
      return library->api().version_text();
    }
    STROBE_TRY(const auto library, cells_.libraries().cudnn(opened));
    return library->api().version_text();
  }

  LibraryUse use_;
  LibraryCells cells_;
};

}  // namespace

std::unique_ptr<Provider> make_cublaslt_provider(OpenSession open, LibraryOpeners openers) {
  return std::make_unique<LibraryProvider>("cublaslt", LibraryUse::kCublasLt, std::move(open),
                                           std::move(openers));
}

std::unique_ptr<Provider> make_cudnn_provider(OpenSession open, LibraryOpeners openers) {
  return std::make_unique<LibraryProvider>("cudnn", LibraryUse::kCudnn, std::move(open),
                                           std::move(openers));
}

}  // namespace strobe::bench
