#include "strobe/report/summary/step_label_text.h"

namespace strobe::report {
namespace {

using analysis::StepLabel;

std::string host_label_text(StepLabel label) {
  switch (label) {
    case StepLabel::kRuntime:
      return "host in runtime calls";
    case StepLabel::kDataLoader:
      return "host in data loading";
    case StepLabel::kHost:
      return "host in other recorded code";
    default:
      return "nothing recorded";
  }
}

}  // namespace

std::string step_label_text(StepLabel label, std::string_view device_word) {
  if (device_word.empty()) return host_label_text(label);
  const std::string device(device_word);
  switch (label) {
    case StepLabel::kKernel:
      return device + " computes";
    case StepLabel::kCommunication:
      return device + " communicates";
    case StepLabel::kMemcpy:
      return device + " copies memory";
    case StepLabel::kMemset:
      return device + " sets memory";
    case StepLabel::kRuntime:
      return device + " idle, host in runtime calls";
    case StepLabel::kDataLoader:
      return device + " idle, host in data loading";
    case StepLabel::kHost:
      return device + " idle, host in other code";
    case StepLabel::kIdle:
      return device + " idle, no host code recorded";
  }
  return "";
}

std::string step_label_header(StepLabel label, std::string_view device) {
  const std::string idle = device.empty() ? "" : "idle,\n";
  switch (label) {
    case StepLabel::kKernel:
      return "computes";
    case StepLabel::kCommunication:
      return "commu-\nnicates";
    case StepLabel::kMemcpy:
      return "copies";
    case StepLabel::kMemset:
      return "sets\nmemory";
    case StepLabel::kRuntime:
      return idle + "in calls";
    case StepLabel::kDataLoader:
      return device.empty() ? "data\nloading" : "idle,\nloading";
    case StepLabel::kHost:
      return idle + "in code";
    case StepLabel::kIdle:
      return idle + "nothing";
  }
  return "";
}

}  // namespace strobe::report
