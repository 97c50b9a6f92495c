#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// The answers of PyTorch's removed TensorBoard plugin, quirks included. This header and file_name.h
// are the interface: no other part of strobe knows how the plugin counted.
namespace strobe::tensorboard {

class Profile;  // one trace file as the plugin read it; const and free to share

// The plugin's vendor: PyTorch's own, or one of Cambricon's three.
enum class Variant : unsigned char { kByContent, kGpu, kMluA, kMluB, kMluC };

// The plugin's own answers come with `device_steps` on and the other two off.
struct ProfileOptions {
  Variant variant = Variant::kByContent;
  bool device_steps = false;  // device-side copies of step annotations count as steps too
  bool link_by_nesting =
      false;  // launches whose external id repeats the correlation are linked by nesting
  bool driver_launches = false;  // driver calls launch kernels too
};

// `json`: the whole uncompressed file.
Result<std::shared_ptr<const Profile>> read_profile(std::string_view json,
                                                    const ProfileOptions& options = {});

struct WorkerProfile {
  std::string worker;
  std::string span;
  std::shared_ptr<const Profile> profile;
  std::function<Result<std::string>()> read_text;  // the uncompressed file again, for `trace`
};

struct Run {
  std::string name;
  std::vector<WorkerProfile> profiles;  // of files only; worker "All" is added here
};

using Parameters = std::map<std::string, std::string, std::less<>>;

struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  bool gzip = false;  // the plugin always sent this one compressed; `body` is not compressed yet
  std::string body;
  std::string reason = {};  // why the status is not 200, in plain words
};

// Null if there is no such run.
using RunLookup = std::function<std::shared_ptr<const Run>(std::string_view name)>;

// `route`: the path after the plugin's base path, e.g. "operation/table". All routes but `runs`.
Answer answer(std::string_view route, const Parameters& parameters, const RunLookup& runs);

// The routes that answer() knows, in the order of the plugin's documentation.
std::vector<std::string_view> routes();

}  // namespace strobe::tensorboard
