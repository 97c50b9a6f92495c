#include "strobe/device/vendor_library.h"

#include <glob.h>
#include <link.h>

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strobe::device {
namespace {

struct Soname {
  std::string name;
  int cuda = 0;  // version of CUDA, 0: any
};

struct Recipe {
  std::string name;
  std::vector<Soname> sonames;      // newest first
  std::vector<std::string> wheels;  // folders of the vendor's packages below site-packages/nvidia
  std::string hint;
};

Recipe recipe_of(Library library) {
  const std::string driver_hint =
      "run on a machine with an NVIDIA GPU; in a container, start it with the GPU's driver mounted "
      "(`--gpus all`)";
  const auto toolkit_hint = [](std::string_view package) {
    return fmt::format(
        "install a CUDA toolkit, or `pip install {}`, or set CUDA_HOME to where one is", package);
  };
  switch (library) {
    case Library::kCudaDriver:
      return {"CUDA driver", {{"libcuda.so.1"}}, {}, driver_hint};
    case Library::kNvml:
      return {"NVML", {{"libnvidia-ml.so.1"}}, {}, driver_hint};
    case Library::kCupti:
      return {"CUPTI",
              {{"libcupti.so.13", 13}, {"libcupti.so.12", 12}, {"libcupti.so"}},
              {"cu13", "cuda_cupti"},
              toolkit_hint("nvidia-cuda-cupti")};
    case Library::kNvrtc:
      return {"run-time compiler for CUDA",
              {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}, {"libnvrtc.so.11.2", 11}},
              {"cu13", "cuda_nvrtc"},
              toolkit_hint("nvidia-cuda-nvrtc")};
    case Library::kCublasLt:
      return {"cuBLASLt",
              {{"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}, {"libcublasLt.so.11", 11}},
              {"cu13", "cublas"},
              toolkit_hint("nvidia-cublas")};
    case Library::kCudnn:
      return {"cuDNN",
              {{"libcudnn.so.9"}, {"libcudnn.so.8"}, {"libcudnn.so"}},
              {"cudnn"},
              "install the package cudnn9 of the vendor, or `pip install nvidia-cudnn-cu13` (cu12 "
              "for an older driver), or set CUDNN_HOME to where one is"};
  }
  return {};
}

void add_variables(std::initializer_list<const char*> variables, std::vector<std::string>& out) {
  for (const char* variable : variables) {
    if (const char* place = std::getenv(variable); place != nullptr && *place != 0) {
      out.emplace_back(place);
    }
  }
}

void add_wheel_folders(const std::string& prefix, const std::vector<std::string>& wheels,
                       std::vector<std::string>& folders) {
  for (const char* packages : {"site-packages", "dist-packages"}) {
    for (const std::string& wheel : wheels) {
      folders.push_back(fmt::format("{}/lib/python3*/{}/nvidia/{}/lib", prefix, packages, wheel));
    }
  }
}

std::vector<std::string> folders(const std::vector<std::string>& wheels) {
  std::vector<std::string> toolkits;
  add_variables({"CUDNN_HOME", "CUDNN_PATH", "CUDA_HOME", "CUDA_PATH"}, toolkits);
  toolkits.emplace_back("/usr/local/cuda*");
  std::vector<std::string> folders;
  for (const std::string& toolkit : toolkits) {
    for (const char* below : {"lib64", "lib", "targets/*/lib", "extras/CUPTI/lib64"}) {
      folders.push_back(fmt::format("{}/{}", toolkit, below));
    }
  }
  std::vector<std::string> prefixes;
  add_variables({"VIRTUAL_ENV", "CONDA_PREFIX"}, prefixes);
  for (const std::string& prefix : prefixes) folders.push_back(prefix + "/lib");
  for (const char* prefix : {"/usr/local", "/usr", "/opt/conda"}) prefixes.emplace_back(prefix);
  for (const std::string& prefix : prefixes) add_wheel_folders(prefix, wheels, folders);
  return folders;
}

// The last match first: the newer one of cuda-12.8 and cuda-13.0.
void add_matches(const std::string& pattern, std::vector<std::string>& places) {
  glob_t matches = {};
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    for (std::size_t i = matches.gl_pathc; i-- > 0;) places.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
}

}  // namespace

std::vector<std::string> library_places(Library library, int newest_cuda) {
  const Recipe recipe = recipe_of(library);
  const std::vector<std::string> searched = folders(recipe.wheels);
  std::vector<std::string> places;
  for (const bool is_newer : {false, true}) {
    for (const Soname& soname : recipe.sonames) {
      if ((soname.cuda > newest_cuda) != is_newer) continue;
      places.push_back(soname.name);
      for (const std::string& folder : searched) {
        add_matches(fmt::format("{}/{}", folder, soname.name), places);
      }
    }
  }
  return places;
}

std::vector<std::string> library_places_of_python(Library library, const std::string& prefix) {
  const Recipe recipe = recipe_of(library);
  std::vector<std::string> searched;
  add_wheel_folders(prefix, recipe.wheels, searched);
  std::vector<std::string> places;
  for (const Soname& soname : recipe.sonames) {
    for (const std::string& folder : searched) {
      add_matches(fmt::format("{}/{}", folder, soname.name), places);
    }
  }
  return places;
}

Result<OpenLibrary> OpenLibrary::at(const std::string& place) {
  void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return OpenLibrary(handle, place);
  return Error{.code = ErrorCode::kNotFound,
               .what = "cannot be opened as a library",
               .where = place,
               .hint = ""};
}

Result<void> OpenLibrary::check_complete(std::string_view kind) const {
  if (missing_.empty()) return {};
  return refusal(kind, fmt::format("it has no {}", missing_));
}

Error OpenLibrary::refusal(std::string_view kind, std::string_view because) const {
  return {.code = ErrorCode::kMachineLacks,
          .what = fmt::format("is not {} ({})", kind, because),
          .where = place_,
          .hint = ""};
}

std::string OpenLibrary::path() const {
  link_map* map = nullptr;
  return dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

Error no_library(Library library, const std::optional<Error>& refused) {
  const Recipe recipe = recipe_of(library);
  std::vector<std::string> names;
  for (const Soname& soname : recipe.sonames) names.push_back(soname.name);
  return {.code = ErrorCode::kMachineLacks,
          .what = refused
                      ? fmt::format("no {} on this machine can be used: {} {}", recipe.name,
                                    refused->where, refused->what)
                      : fmt::format("there is no {} on this machine ({} {} missing)", recipe.name,
                                    fmt::join(names, ", "), names.size() > 1 ? "are" : "is"),
          .where = "",
          .hint = recipe.hint};
}

}  // namespace strobe::device
