#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/tensorboard/profile.h"

namespace strobe::tensorboard {

// An HTML list; one line N/A if there is nothing to recommend.
std::string recommendations(const Profile& profile);

// Ids joined as in the plugin: "0, 1and 2".
std::string joined_ids(const std::vector<std::int64_t>& ids);

}  // namespace strobe::tensorboard
