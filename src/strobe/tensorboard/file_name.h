#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strobe::tensorboard {

// <worker>[.<digits>].pt.trace.json[.gz]
struct FileName {
  std::string worker;
  std::optional<std::string> stamp;
};

// Nothing if it is not the name of a profile.
std::optional<FileName> parse_file_name(std::string_view file_name);

// For other traces: "trace.json.gz" is "trace".
std::string without_endings(std::string_view file_name);

// The span of each file of one run, in the given order: the position of its stamp among those of
// its worker, sorted as text, from "1"; "default" without a stamp.
std::vector<std::string> number_spans(const std::vector<FileName>& files);

struct NodeProcess {
  std::string node;
  std::string process;  // digits, unchanged
};

// `<node>_<digits>` with any suffix; the node is as long as possible. Nothing for other names.
std::optional<NodeProcess> split_worker_name(std::string_view worker);

}  // namespace strobe::tensorboard
