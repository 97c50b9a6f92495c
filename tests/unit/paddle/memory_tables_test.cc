#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include "strobe/trace/trace_builder.h"
#include "tests/unit/paddle/table_text.h"

namespace strobe::paddle {
namespace {

using analysis::Summary;

TEST(MemoryTablesTest, memory_is_one_table_per_place_with_reserved_rows_last) {
  Summary summary;
  summary.memory = {{"Place(gpu:0)",
                     300,
                     512,
                     {{"small", 1, 0, 10, 0}, {"big", 3, 1, 90, 30}},
                     {{"pool", 1, 0, 512, 0}}},
                    {"Place(cpu)", 0, 64, {}, {{"pool", 1, 0, 64, 0}}}};
  EXPECT_EQ(summary_text(TraceBuilder().build(), summary, only(View::kMemory)),
            std::string(60, '-') + "Memory Summary - Place(gpu:0)" + std::string(60, '-') +
                "\n"
                "Peak Allocated Memory: 300\n"
                "Peak Reserved Memory: 512\n"
                "--------------------------------------------------  ------------  --------------- "
                " ---------------  ---------------  ---------------  ---------------  \n"
                "Name                                                Type          Allocation "
                "Count  Free Count       Allocation Size  Free Size        Increased Size   \n"
                "--------------------------------------------------  ------------  --------------- "
                " ---------------  ---------------  ---------------  ---------------  \n"
                "big                                                 Allocated     3               "
                " 1                90               30               60               \n"
                "small                                               Allocated     1               "
                " 0                10               0                10               \n"
                "pool                                                Reserved      1               "
                " 0                512              0                512              \n");
}

}  // namespace
}  // namespace strobe::paddle
