#pragma once

#include <string>
#include <string_view>

#include "strobe/tensorboard/profile.h"

namespace strobe::tensorboard {

// Counter events of the devices' utilization, joined by commas; "" if there are none.
std::string trace_counters(const Profile& profile);

// `json` with the counters before its events.
std::string insert_counters(std::string json, std::string_view counters);
// The same after its events. What follows is lost, except a brace, unless there is another array.
std::string append_counters(std::string json, std::string_view counters);

}  // namespace strobe::tensorboard
