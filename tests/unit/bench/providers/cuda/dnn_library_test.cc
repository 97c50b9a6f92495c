#include <gtest/gtest.h>

#include "strobe/bench/providers/cuda/dnn_plan.h"

namespace strobe::bench {
namespace {

// Of a convolutional network.
const Shape kLayer = {{32, 56, 56, 64, 64, 3, 1}};

// The real library on this machine, for a GPU that is only described: no driver is needed, and its
// own kernels for convolutions with a bias are found in every type.
TEST(DnnPlansOfTheLibrary, an_h200_has_engines_for_convolutions_in_every_type) {
  const auto api = open_cudnn();
  if (!api) GTEST_SKIP() << api.error().what;
  if (api->version() < 90800) GTEST_SKIP() << api->version_text() << " describes no GPU";
  const DnnTarget h200 = {
      .handle = nullptr,
      .device_json =
          R"({"deviceVer":900,"multiProcessorCount":132,"warpSize":32,)"
          R"("maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":232448,)"
          R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":32,)"
          R"("maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"regsPerBlock":65536,)"
          R"("totalGlobalMem":150000000000,"smClockRateKHz":1980000,"l2CacheSize":62914560,)"
          R"("maxBlockSize":[1024,1024,64],"memClockRateKHz":3201000,)"
          R"("maxGridSize":[2147483647,65535,65535],"supportCoopLaunch":1,"pciDeviceId":0,)"
          R"("isTccDriver":0,"cudaDeviceId":0,"driverVer":13000,"deviceName":"NVIDIA H200"})"};
  for (const DType dtype : {DType::kF16, DType::kBf16, DType::kF32}) {
    for (const ConvolutionTail tail : {ConvolutionTail::kNone, ConvolutionTail::kAddBias,
                                       ConvolutionTail::kBiasRelu, ConvolutionTail::kBias}) {
      const auto plans = DnnPlans::find(*api, h200, convolution_graph(kLayer, dtype, tail), 1,
                                        std::int64_t{256} << 20);
      EXPECT_TRUE(plans) << dtype_name(dtype) << " " << static_cast<int>(tail) << ": "
                         << plans.error().what << "; " << plans.error().hint;
    }
  }
}

}  // namespace
}  // namespace strobe::bench
