#include "strobe/device/chips.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

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
  EXPECT_EQ(name_of("NVIDIA A10"), "A10");
  EXPECT_EQ(name_of("NVIDIA L4"), "L4");
  EXPECT_EQ(name_of("NVIDIA L40"), "L40");
  EXPECT_EQ(name_of("NVIDIA L40S"), "L40S");
  EXPECT_EQ(name_of("NVIDIA H20"), "H20");
  EXPECT_EQ(name_of("NVIDIA H200 NVL"), "H200 NVL");
  EXPECT_EQ(name_of("NVIDIA GH200 480GB"), "GH200");
  EXPECT_EQ(name_of("NVIDIA GH200 144G HBM3e"), "GH200 HBM3e");
  EXPECT_EQ(name_of("NVIDIA GB200"), "GB200");
  EXPECT_EQ(name_of("NVIDIA GeForce RTX 4090"), "RTX 4090");
  EXPECT_EQ(name_of("NVIDIA RTX 6000 Ada Generation"), "RTX 6000 Ada");
  EXPECT_EQ(name_of("AMD Instinct MI250X / MI250"), "MI250X");
  EXPECT_EQ(name_of("AMD Instinct MI300X"), "MI300X");
  EXPECT_EQ(name_of("AMD Instinct MI300A"), "MI300A");
  EXPECT_EQ(name_of("AMD Instinct MI325X"), "MI325X");
  EXPECT_EQ(name_of("AMD Instinct MI350X"), "MI350X");
  EXPECT_EQ(name_of("AMD Instinct MI355X"), "MI355X");
  EXPECT_EQ(name_of("MLU370-X4"), "MLU370-X4");
}

TEST(ChipPeaksTest, people_type_less) {
  EXPECT_EQ(name_of("h200"), "H200 SXM");
  EXPECT_EQ(name_of("H100-PCIe"), "H100 PCIe");
  EXPECT_EQ(name_of("a100_80gb"), "A100 SXM4 80GB");
  EXPECT_EQ(name_of("rtx4090"), "RTX 4090");
  EXPECT_EQ(name_of("4090"), "RTX 4090");
  EXPECT_EQ(name_of("mlu370"), "MLU370-X8");
}

TEST(ChipPeaksTest, a_name_that_only_looks_alike_is_unknown) {
  for (const char* const chip :
       {"", "NVIDIA A10G", "A100X", "L400", "H2000", "Quadro RTX 6000", "Orbit 9", "A",
        "Ascend910B3", "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GeForce RTX 3090 Ti", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA H20-3e"}) {
    EXPECT_EQ(name_of(chip), "unknown") << chip;
  }
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

TEST(ChipPeaksTest, every_chip_answers_to_its_own_words_and_name) {
  std::set<std::string_view> names;
  for (const ChipPeaks& chip : known_chips()) {
    EXPECT_EQ(name_of(chip.words), chip.name);
    EXPECT_EQ(name_of(chip.name), chip.name);
    EXPECT_TRUE(names.insert(chip.name).second) << chip.name;
    EXPECT_FALSE(chip.source.empty()) << chip.name;
  }
  EXPECT_GE(names.size(), 30U);
}

// A typing error in one column shows against its neighbours.
TEST(ChipPeaksTest, the_columns_of_a_chip_fit_each_other) {
  for (const ChipPeaks& chip : known_chips()) {
    EXPECT_GT(chip.f16_flops, 50e12) << chip.name;
    EXPECT_GT(chip.dram_bytes_per_s, 250e9) << chip.name;
    EXPECT_LT(chip.dram_bytes_per_s, 10e12) << chip.name;
    const double ridge = chip.f16_flops / chip.dram_bytes_per_s;
    EXPECT_GT(ridge, 30) << chip.name;
    EXPECT_LT(ridge, 500) << chip.name;
    const double tf32 = chip.tf32_flops > 0 ? chip.tf32_flops : chip.f16_flops / 2;
    const double f8 = chip.f8_flops > 0 ? chip.f8_flops : chip.f16_flops * 2;
    EXPECT_NEAR(chip.f16_flops / tf32, 2, 0.03) << chip.name;
    EXPECT_NEAR(f8 / chip.f16_flops, 2, 0.03) << chip.name;
    EXPECT_LE(chip.f64_flops, chip.f32_flops) << chip.name;
    EXPECT_EQ(chip.power.board_w > 0, chip.power.lowest_clock_mhz > 0) << chip.name;
    EXPECT_LE(chip.power.board_w, 1500) << chip.name;
    if (chip.boost_clock_hz > 0) {
      EXPECT_LT(chip.power.lowest_clock_mhz, chip.boost_clock_hz / 1e6) << chip.name;
    }
  }
}

// 128 or 64 lanes per unit, two operations each: the sheet's f32 rate follows from its clock.
TEST(ChipPeaksTest, matrix_rates_follow_from_units_and_their_clock) {
  int boards = 0;
  for (const ChipPeaks& chip : known_chips()) {
    EXPECT_LE(chip.matrix_clock_hz, chip.boost_clock_hz == 0 ? 1e12 : chip.boost_clock_hz);
    if (chip.name.find("H100") == std::string_view::npos &&
        chip.name.find("H200") == std::string_view::npos) {
      continue;
    }
    ++boards;
    EXPECT_NEAR(chip.f16_flops / (chip.sm_count * chip.matrix_clock_hz), 4096, 4096 * 0.01)
        << chip.name;
  }
  EXPECT_GE(boards, 7);
}

TEST(ChipPeaksTest, rates_follow_from_units_and_clocks) {
  for (const ChipPeaks& chip : known_chips()) {
    if (chip.f32_flops == 0 || chip.boost_clock_hz == 0 || chip.sm_count == 0) continue;
    const double per_unit = chip.f32_flops / (chip.sm_count * chip.boost_clock_hz);
    const bool is_plausible =
        std::abs(per_unit / 128 - 1) < 0.02 || std::abs(per_unit / 256 - 1) < 0.02;
    EXPECT_TRUE(is_plausible) << chip.name << ": " << per_unit;
  }
}

TEST(PowerLimitsTest, the_more_special_name_wins) {
  EXPECT_EQ(power_limits("NVIDIA H200")->board_w, 700);
  EXPECT_EQ(power_limits("NVIDIA H20")->board_w, 500);
  EXPECT_EQ(power_limits("NVIDIA A100-SXM4-80GB")->board_w, 400);
  EXPECT_EQ(power_limits("NVIDIA A100-PCIE-40GB")->board_w, 250);
  EXPECT_EQ(power_limits("NVIDIA L40S")->board_w, 350);
}

TEST(PowerLimitsTest, the_words_of_a_name_count_in_any_order) {
  EXPECT_EQ(power_limits("NVIDIA A100 80GB PCIe")->board_w, 300);
  EXPECT_EQ(power_limits("NVIDIA A100-PCIE-80GB")->board_w, 300);
  EXPECT_EQ(power_limits("Tesla V100S-PCIE-32GB")->board_w, 250);
  EXPECT_EQ(power_limits("Tesla T4")->lowest_clock_mhz, 300);
  EXPECT_EQ(power_limits("NVIDIA GH200 144G HBM3e")->board_w, 900);
  EXPECT_EQ(power_limits("NVIDIA B300 SXM6 AC")->board_w, 1400);
}

TEST(PowerLimitsTest, a_chip_without_known_limits_has_none) {
  for (const char* const chip :
       {"Orbit 9", "NVIDIA RTX A1000", "NVIDIA T400", "NVIDIA T4G", "NVIDIA A10G", "NVIDIA L400",
        "NVIDIA GB200", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA A40"}) {
    EXPECT_FALSE(power_limits(chip)) << chip;
  }
}

}  // namespace
}  // namespace strobe::device
