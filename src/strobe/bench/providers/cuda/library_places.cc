#include "strobe/bench/providers/cuda/library_places.h"

#include <glob.h>

#include <cstdlib>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

void add_variables(std::initializer_list<const char*> variables, std::vector<std::string>& out) {
  for (const char* variable : variables) {
    if (const char* place = std::getenv(variable); place != nullptr && *place != 0) {
      out.emplace_back(place);
    }
  }
}

std::vector<std::string> folders(std::span<const std::string_view> wheels) {
  std::vector<std::string> toolkits;
  add_variables({"CUDNN_HOME", "CUDNN_PATH", "CUDA_HOME", "CUDA_PATH"}, toolkits);
  toolkits.emplace_back("/usr/local/cuda*");
  std::vector<std::string> folders;
  for (const std::string& toolkit : toolkits) {
    folders.push_back(toolkit + "/lib64");
    folders.push_back(toolkit + "/lib");
    folders.push_back(toolkit + "/targets/*/lib");
  }
  std::vector<std::string> prefixes;
  add_variables({"VIRTUAL_ENV", "CONDA_PREFIX"}, prefixes);
  for (const std::string& prefix : prefixes) folders.push_back(prefix + "/lib");
  for (const char* prefix : {"/usr/local", "/usr", "/opt/conda"}) prefixes.emplace_back(prefix);
  for (const std::string& prefix : prefixes) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const std::string_view wheel : wheels) {
        folders.push_back(fmt::format("{}/lib/python3*/{}/nvidia/{}/lib", prefix, packages, wheel));
      }
    }
  }
  return folders;
}

// The last match first: of cuda-12.8 and cuda-13.0 the newer one.
void add_matches(const std::string& pattern, std::vector<std::string>& places) {
  glob_t matches = {};
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    for (std::size_t i = matches.gl_pathc; i-- > 0;) places.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
}

}  // namespace

std::vector<std::string> library_places(std::span<const std::string_view> sonames,
                                        std::span<const std::string_view> wheels) {
  std::vector<std::string> places;
  const std::vector<std::string> searched = folders(wheels);
  for (const std::string_view soname : sonames) {
    places.emplace_back(soname);
    for (const std::string& folder : searched) {
      add_matches(fmt::format("{}/{}", folder, soname), places);
    }
  }
  return places;
}

}  // namespace strobe::bench
