#include "strobe/record/inject/activity/shape_table.h"

#include <gtest/gtest.h>

#include <string>

#include "strobe/wire/run_file_writer.h"
#include "tests/support/temporary_folder.h"

namespace strobe::record {
namespace {

using testing::TemporaryFolder;

class ShapeTableTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(file_.open((folder_ / "run.strobe").string())); }

  TemporaryFolder folder_;
  wire::RunFileWriter file_;
};

Shape shape_with_stream(std::uint64_t stream) {
  Shape shape = {};
  shape[wire::kShapeStream] = stream;
  return shape;
}

TEST_F(ShapeTableTest, EqualShapesHaveOneNumber) {
  ShapeTable table(file_);
  EXPECT_EQ(table.number_of(shape_with_stream(7)), 0u);
  EXPECT_EQ(table.number_of(shape_with_stream(8)), 1u);
  EXPECT_EQ(table.number_of(shape_with_stream(7)), 0u);
}

TEST_F(ShapeTableTest, WithTooManyShapesNumbersGoOn) {
  ShapeTable table(file_);
  for (std::uint64_t i = 0; i < ShapeTable::kMostShapes; ++i) table.number_of(shape_with_stream(i));
  const std::uint64_t next = ShapeTable::kMostShapes;
  EXPECT_EQ(table.number_of(shape_with_stream(next)), next);
  // Forgotten, so it is defined again.
  EXPECT_EQ(table.number_of(shape_with_stream(0)), next + 1);
}

TEST_F(ShapeTableTest, AfterARestartNumbersBeginAtZero) {
  ShapeTable table(file_);
  table.number_of(shape_with_stream(7));
  table.number_of(shape_with_stream(8));
  table.restart();
  EXPECT_EQ(table.number_of(shape_with_stream(8)), 0u);
}

TEST_F(ShapeTableTest, ANameInTheSamePlaceIsReadAgain) {
  NameTexts names(file_, false);
  char name[] = "gemm";
  const std::uint64_t first = names.text_of(name);
  EXPECT_EQ(names.text_of(name), first);
  name[0] = 'h';
  EXPECT_NE(names.text_of(name), first);
  EXPECT_EQ(names.text_of("gemm"), first);
}

TEST(RedactedName, TellsOnlyWhetherTwoAreEqual) {
  EXPECT_EQ(redacted_name("gemm"), redacted_name("gemm"));
  EXPECT_NE(redacted_name("gemm"), redacted_name("gemv"));
  EXPECT_EQ(redacted_name("secret_kernel").find("secret"), std::string::npos);
}

}  // namespace
}  // namespace strobe::record
