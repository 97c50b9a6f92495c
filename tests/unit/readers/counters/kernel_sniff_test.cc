#include "strobe/readers/counters/kernel_sniff.h"

#include <gtest/gtest.h>

#include <string>

#include "strobe/base/gzip_pack.h"
#include "strobe/readers/sniff.h"

namespace strobe::readers {
namespace {

using namespace std::string_literals;

const std::string kTable =
    "Kernel                                                 Latency Tensor   DRAM\n";
const std::string kCsv = "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Context\"\n";

TEST(KernelSniffTest, every_kind_of_list_is_recognised) {
  for (const std::string& text :
       {kTable, kCsv, "ID,Process ID,Process Name,Kernel Name,Context\n"s, "\xEF\xBB\xBF" + kCsv,
        "Kernel Name,Stream,gpu__time_duration.sum\n"s, "NVR\0\x10\0\0\0"s, "STROBEKR\1\0\0\0"s,
        R"({"schema": "strobe.kernels", "version": 1})"s,
        " {\n  \"schema\" : \"strobe.kernels/1\"}"s}) {
    EXPECT_TRUE(looks_like_kernels(text)) << text;
    EXPECT_TRUE(looks_like_kernels(pack_gzip(text))) << text;
  }
}

TEST(KernelSniffTest, what_a_program_printed_may_come_first) {
  EXPECT_TRUE(looks_like_kernels("==PROF== Connected to process 7\nloss 0.3\n" + kCsv));
  EXPECT_TRUE(looks_like_kernels("loss 0.3\r\n" + kTable));
  EXPECT_FALSE(looks_like_kernels(std::string(kSniffBytes, 'x') + "\n" + kCsv));
}

TEST(KernelSniffTest, other_tables_and_documents_are_not_lists_of_kernels) {
  for (const std::string& text :
       {""s, "{"s, "timestamp,gpu,gpu_sm_frequency\n1,0,1400\n"s, "Kernel Latency Tensor\n"s,
        "Kernel Latency Tensor DRAM Notes\n"s, "\"ID\",\"Process ID\",\"Host Name\"\n"s,
        "we sorted by Kernel Latency Tensor DRAM\n"s, R"({"schema": "strobe.compare"})"s,
        R"({"schema": "strobe.kernels.roofline"})"s, R"({"strobe.kernels": "schema"})"s,
        R"({"traceEvents": [{"name": "Kernel Latency Tensor DRAM"}]})"s, "PK\3\4"s, "\x1f\x8b"s}) {
    EXPECT_FALSE(looks_like_kernels(text)) << text;
  }
}

}  // namespace
}  // namespace strobe::readers
