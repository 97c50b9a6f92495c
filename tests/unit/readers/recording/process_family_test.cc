#include "strobe/readers/recording/process_family.h"

#include <gmock/gmock.h>

#include "tests/unit/readers/recording/sink_sketch.h"

namespace strobe::readers {
namespace {

using test::RecordedSketch;
using test::RunFileSketch;
using ::testing::ElementsAre;

TEST(ProcessFamilyTest, descendants_belong_to_the_process_above_that_has_a_trace) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.listed_process(10, 1, "bash")
        .listed_process(11, 10, "python3")
        .listed_process(12, 11, "worker")
        .listed_process(13, 12, "helper")
        .listed_process(14, 11, "python3")
        .listed_process(15, 14, "worker");
  });
  ProcessFamily family;
  family.add(sketch.file());
  EXPECT_THAT(family.with_descendants(11, {11, 14}), ElementsAre(11, 12, 13));
  EXPECT_THAT(family.with_descendants(14, {11, 14}), ElementsAre(14, 15));
  EXPECT_THAT(family.with_descendants(99, {}), ElementsAre(99));
  EXPECT_EQ(family.names().at(10), "bash");
}

TEST(ProcessFamilyTest, a_circle_ends) {
  const RecordedSketch sketch(
      [](RunFileSketch& run) { run.listed_process(1, 2, "a").listed_process(2, 1, "b"); });
  ProcessFamily family;
  family.add(sketch.file());
  EXPECT_THAT(family.with_descendants(1, {}), ElementsAre(1, 2));
}

TEST(ProcessFamilyTest, foreign_processes_are_nobodys) {
  const RecordedSketch sketch([](RunFileSketch& run) {
    run.rows(wire::ChunkKind::kProcesses, {{12, 11, run.text("cc1"), 1}});
  });
  ProcessFamily family;
  family.add(sketch.file());
  EXPECT_THAT(family.with_descendants(11, {}), ElementsAre(11));
}

}  // namespace
}  // namespace strobe::readers
