#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "strobe/device/nvml_api.h"
#include "strobe/device/vendor_library.h"

namespace strobe::test {

inline constexpr const char* kStubNvml = STROBE_STUB_NVML;

// Tests of what NVML says, without a GPU.
class WithStubNvml : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("STUB_NVML"); }

  // Its devices follow the script, see stub_nvml.cc.
  static device::NvmlApi nvml(const std::string& script) {
    setenv("STUB_NVML", script.c_str(), 1);
    return device::open_nvml(kStubNvml);
  }
  // The same, initialised.
  static device::NvmlApi started(const std::string& script) {
    const device::NvmlApi api = nvml(script);
    api.init();
    return api;
  }
  static device::NvmlDevice handle(const device::NvmlApi& api, unsigned index = 0) {
    device::NvmlDevice device = nullptr;
    api.device_by_index(index, &device);
    return device;
  }
  // How often a name of the script was asked for: "0.power".
  static unsigned calls(const char* name) {
    const auto library = device::OpenLibrary::at(kStubNvml);
    return library->function<unsigned(const char*)>("stub_nvml_calls")(name);
  }
};

}  // namespace strobe::test
