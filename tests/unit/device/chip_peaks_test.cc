#include "strobe/device/chip_peaks.h"

#include <gtest/gtest.h>

#include <set>

namespace strobe::device {
namespace {

std::string_view name_of(std::string_view chip) {
  const auto peaks = chip_peaks(chip);
  return peaks ? peaks->name : "unknown";
}

TEST(ChipPeaksTest, devices_are_known_by_the_names_they_report) {
  EXPECT_EQ(name_of("NVIDIA A100-SXM4-40GB"), "A100 SXM4 40GB");
  EXPECT_EQ(name_of("NVIDIA A100-SXM4-80GB"), "A100 SXM4 80GB");
  EXPECT_EQ(name_of("NVIDIA A100-PCIE-40GB"), "A100 PCIe 40GB");
  EXPECT_EQ(name_of("NVIDIA A100 80GB PCIe"), "A100 PCIe 80GB");
  EXPECT_EQ(name_of("NVIDIA H100 80GB HBM3"), "H100 SXM");
  EXPECT_EQ(name_of("NVIDIA H100 PCIe"), "H100 PCIe");
  EXPECT_EQ(name_of("NVIDIA H100 NVL"), "H100 NVL");
  EXPECT_EQ(name_of("NVIDIA H200"), "H200 SXM");
  EXPECT_EQ(name_of("Tesla V100-SXM2-16GB"), "V100 SXM2");
  EXPECT_EQ(name_of("Tesla V100-PCIE-32GB"), "V100 PCIe");
  EXPECT_EQ(name_of("Tesla V100S-PCIE-32GB"), "V100S PCIe");
  EXPECT_EQ(name_of("Tesla T4"), "T4");
}

TEST(ChipPeaksTest, numbers_are_those_of_the_sheets) {
  EXPECT_EQ(chip_peaks("a100")->f16_flops, 312e12);
  EXPECT_EQ(chip_peaks("a100")->tf32_flops, 156e12);
  EXPECT_EQ(chip_peaks("a100")->dram_bytes_per_s, 1555e9);
  EXPECT_EQ(chip_peaks("a100 80g")->dram_bytes_per_s, 2039e9);
  EXPECT_EQ(chip_peaks("a100 pcie 80gb")->dram_bytes_per_s, 1935e9);
  EXPECT_EQ(chip_peaks("h100")->f16_flops, 989e12);
  EXPECT_EQ(chip_peaks("h100")->dram_bytes_per_s, 3350e9);
  EXPECT_EQ(chip_peaks("H200")->dram_bytes_per_s, 4800e9);
}

}  // namespace
}  // namespace strobe::device
