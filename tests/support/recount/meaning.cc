#include "tests/support/recount/meaning.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string_view>

namespace strobe::recount {
namespace {

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.starts_with(word); });
}

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.ends_with(word); });
}

std::string letters_of(const std::string& name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
    letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

bool is_loading(const std::string& name, const std::string& letters) {
  static const std::set<std::string> names = {"loadbatch",  "nextbatch",  "getbatch",
                                              "fetchbatch", "dataloader", "dataloading",
                                              "dataload",   "datafetch",  "loaddata"};
  return starts_with_any(name, {"enumerate(DataLoader)#", "enumerate(DataPipe)#"}) ||
         ends_with_any(name, {"dataloader_next", ".next(data_iter)", "Loop].train_next",
                              "Loop].val_next", "Loop].test_next", "Loop].predict_next"}) ||
         names.contains(letters);
}

std::string phase_of_name(const std::string& name) {
  if (starts_with_any(name, {"ProfilerStep#", "Optimizer.zero_grad#"})) return "";
  const std::string letters = letters_of(name);
  if (is_loading(name, letters)) return "data loader";
  if (letters == "forward" || name.ends_with(".forward")) return "forward";
  if (letters == "backward" || name.ends_with(".backward")) return "backward";
  if (name.starts_with("Optimizer.step#") || letters == "optimizer" || letters == "optimizerstep") {
    return "optimizer";
  }
  return "";
}

bool has_operator_category(const RawSlice& slice) {
  return slice.category == "cpu_op" || slice.category == "Operator";
}

bool is_python(const RawSlice& slice) {
  return slice.category == "python_function" || slice.category == "PythonFunction";
}

bool is_module(const RawSlice& slice) {
  return is_python(slice) && slice.name.starts_with("nn.Module: ");
}

bool is_named_range(const RawSlice& slice) {  // of the framework, once written as operators
  return starts_with_any(slice.name, {"ProfilerStep#", "Optimizer.zero_grad#"}) ||
         !phase_of_name(slice.name).empty();
}

}  // namespace

What what_is(const RawSlice& slice) {
  const std::string& category = slice.category;
  if (has_operator_category(slice) || category == "user_annotation" || is_module(slice)) {
    return What::kRange;
  }
  if (is_python(slice)) return What::kFrame;
  if (ends_with_any(category, {"_runtime", "_driver"}) || category == "Runtime" ||
      category == "runtime") {
    return What::kCall;
  }
  if (category == "kernel" || category == "Kernel" || category == "concurrent_kernel") {
    return What::kKernel;
  }
  if (ends_with_any(category, {"_memcpy", "_memset"}) || category == "Memcpy" ||
      category == "Memset") {
    return What::kCopy;
  }
  if (category == "mtia_ccp_events") {  // the queues of a device: waits are no work
    if (slice.name.starts_with("event_")) return What::kProjected;
    return slice.name == "dma_request" ? What::kCopy : What::kKernel;
  }
  if (category == "Trace" || category == "overhead" || category == "Overhead") {
    return What::kProfiler;
  }
  if (category.ends_with("_user_annotation")) return What::kProjected;
  return category.ends_with("_sync") ? What::kSync : What::kOther;
}

bool is_work(const RawSlice& slice) {
  const What what = what_is(slice);
  return what == What::kKernel || what == What::kCopy;
}

bool is_step(const RawSlice& slice) {
  return (has_operator_category(slice) || slice.category == "user_annotation") &&
         slice.name.starts_with("ProfilerStep#");
}

bool is_operator(const RawSlice& slice) {
  return has_operator_category(slice) && !is_named_range(slice);
}

bool is_listed_range(const RawSlice& slice) {
  if (slice.category != "user_annotation" && !has_operator_category(slice)) return false;
  if (is_operator(slice)) return false;
  if (slice.name.starts_with("Optimizer.zero_grad#")) return true;
  if (is_named_range(slice) || communicates_on_host(slice)) return false;
  const std::string letters = letters_of(slice.name);
  return letters.find("memcpy") == std::string::npos &&
         letters.find("memset") == std::string::npos &&
         letters.find("memorycopy") == std::string::npos;
}

bool communicates_on_host(const RawSlice& slice) {
  if (slice.category == "user_annotation") {
    return starts_with_any(slice.name,
                           {"nccl:", "gloo:", "mpi:", "ucc:", "hccl:", "xccl:", "cncl:"});
  }
  return is_operator(slice) &&
         (slice.name == "record_param_comms" || slice.name.starts_with("c10d::"));
}

std::string phase_of(const RawSlice& slice) {
  return is_module(slice) ? "forward" : phase_of_name(slice.name);
}

}  // namespace strobe::recount
