#include "strobe/readers/counters/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/unit/readers/counters/table_of.h"

namespace strobe::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kTextHeader =
    "Kernel                                                 Latency Tensor   DRAM\n";

TEST(TextTable, a_row_is_a_name_nanoseconds_and_two_fractions) {
  const KernelTable table =
      table_of(kTextHeader +
               "vectorized_elementwise_kernel                     |       5088   0.37   1.00\n"
               "ampere_fp16_s16816gemm_fp16_64x128_ldg8_f2f_sta...|     751712   0.07   0.29\n");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.source, KernelSource::kTextTable);
  EXPECT_EQ(table.name(0), "vectorized_elementwise_kernel");
  EXPECT_EQ(table.name(1), "ampere_fp16_s16816gemm_fp16_64x128_ldg8_f2f_sta...");
  EXPECT_THAT(table.durations_ns, ElementsAre(5088, 751712));
  EXPECT_EQ(table.value(KernelMetric::kTensorPercent, 0), 37.0);
  EXPECT_EQ(table.value(KernelMetric::kTensorPercent, 1), 7.0);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 0), 100.0);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), 29.0);
  EXPECT_THAT(table.remarks, IsEmpty());
}

TEST(TextTable, a_colon_may_stand_for_the_bar_and_names_may_be_long_or_hold_both) {
  const KernelTable table = table_of(
      "Kernel Latency Tensor DRAM\n"
      "plain_name: 4192 0.00 0.01\n"
      "void f<a|b>(c::d: e)                                                   |4192 0.5 0.25\r\n"
      "operator|(x): 32 1.00 0.00");
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table.name(0), "plain_name");
  EXPECT_EQ(table.name(1), "void f<a|b>(c::d: e)");
  EXPECT_EQ(table.name(2), "operator|(x)");
  EXPECT_THAT(table.durations_ns, ElementsAre(4192, 4192, 32));
}

TEST(TextTable, what_a_program_printed_before_is_skipped) {
  EXPECT_EQ(table_of("loading, please wait\n\"odd quote\n" + kTextHeader + "f | 1 0 0\n").size(),
            1u);
}

TEST(TextTable, troubles_name_row_and_column_and_the_rest_is_kept) {
  const KernelTable table = table_of(kTextHeader +
                                     "good |  32   0.10   0.20\n"
                                     "bad  |  64   0.10    abc\n"
                                     "gone |  96   n/a    0.30\n"
                                     "late | soon  0.10   0.20\n"
                                     "short|  32\n"
                                     "last | 128   0.40   0.50\n");
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table.value(KernelMetric::kDramPercent, 1), std::nullopt);
  EXPECT_EQ(table.value(KernelMetric::kTensorPercent, 2), std::nullopt);
  EXPECT_EQ(table.name(3), "last");
  EXPECT_THAT(table.remarks,
              ElementsAre(HasSubstr("row 2 (line 3), 'DRAM': 'abc'"),
                          HasSubstr("row 4 (line 5), 'Latency': 'soon'"),
                          HasSubstr("row 5 (line 6), 'Kernel'"), HasSubstr("row 4 (line 5)")));
}

TEST(TextTable, a_decimal_comma_is_refused_with_its_place) {
  const auto table =
      read_kernels_bytes(kTextHeader + "a | 32 0.10 0.20\nb | 32 0,37 0,10\n", "k.txt");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(table.error().what, HasSubstr("row 2 (line 3), 'Tensor': '0,37'"));
  EXPECT_EQ(table.error().where, "k.txt");
  EXPECT_THAT(table.error().hint, HasSubstr("LC_ALL=C"));
}

TEST(TextTable, a_header_alone_has_too_little_data) {
  const auto table = read_kernels_bytes(kTextHeader, "k.txt");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kTooLittleData);
}

}  // namespace
}  // namespace strobe::readers
