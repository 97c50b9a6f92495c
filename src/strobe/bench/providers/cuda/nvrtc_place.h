#pragma once

#include <string>

#include "strobe/base/result.h"

// Where the run-time compiler lies and which one it is, without opening it: to load it and resolve
// its symbols costs more than the start from a cache may.
namespace strobe::bench {

struct NvrtcPlace {
  std::string library;  // to open
  std::string version;  // "13.0"; empty: its surroundings do not tell
};

// The first of its places that is a file for this machine. kMachineLacks: none can be seen, and
// only the loader may know one.
Result<NvrtcPlace> find_nvrtc(int newest_major);
// Of a library that is there: by the name it ends up at (libnvrtc.so.12.8.93), else by its
// companion (libnvrtc-builtins.so.12.8); "" where neither or two companions say.
std::string nvrtc_version_at(const std::string& library);

}  // namespace strobe::bench
