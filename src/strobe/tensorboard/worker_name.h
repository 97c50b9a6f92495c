#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strobe::tensorboard {

struct NodeProcess {
  std::string node;
  std::string process;  // digits, as they stand
};

// `<node>_<digits>` with whatever follows; the node is as long as it can be. Nothing for a name of
// another form.
std::optional<NodeProcess> split_worker_name(std::string_view worker);

}  // namespace strobe::tensorboard
