#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "strobe/wire/kernel_recording.h"

namespace strobe::record {

// The few calls of the CUDA driver that the library makes itself; the driver is what loaded it.
struct DriverApi {
  CUresult (*stream_is_capturing)(CUstream, CUstreamCaptureStatus*) = nullptr;
  CUresult (*driver_version)(int*) = nullptr;
  CUresult (*device_get)(CUdevice*, int) = nullptr;
  CUresult (*device_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*device_bytes)(std::size_t*, CUdevice) = nullptr;
  CUresult (*function_attribute)(int*, CUfunction_attribute, CUfunction) = nullptr;
  CUresult (*kernel_attribute)(int*, CUfunction_attribute, CUkernel, CUdevice) = nullptr;
};

// Calls that are not found stay null.
DriverApi load_driver() noexcept;

// What the driver tells of a device; the chip's name is CUPTI's to tell.
wire::DeviceRecord describe_device(const DriverApi& driver, int index) noexcept;

// Of a function as it was launched; wire::kUnknown if the driver does not say.
std::uint32_t function_fact(const DriverApi& driver, CUfunction_attribute which,
                            CUfunction function, std::uint32_t device) noexcept;

}  // namespace strobe::record
