#include "strobe/serve/api_values.h"

#include <gtest/gtest.h>

namespace strobe::serve {
namespace {

TEST(ApiValuesTest, kinds_have_the_numbers_of_the_contract) {
  EXPECT_EQ(kind_code(SliceKind::kOther, false), 0);
  EXPECT_EQ(kind_code(SliceKind::kStep, false), 1);
  EXPECT_EQ(kind_code(SliceKind::kOperator, false), 2);
  EXPECT_EQ(kind_code(SliceKind::kForward, false), 3);
  EXPECT_EQ(kind_code(SliceKind::kDataLoader, false), 4);
  EXPECT_EQ(kind_code(SliceKind::kCommunication, false), 5);
  EXPECT_EQ(kind_code(SliceKind::kPythonCall, false), 6);
  EXPECT_EQ(kind_code(SliceKind::kRuntimeCall, false), 7);
  EXPECT_EQ(kind_code(SliceKind::kSync, false), 8);
  EXPECT_EQ(kind_code(SliceKind::kKernel, false), 9);
  EXPECT_EQ(kind_code(SliceKind::kMemcpy, false), 10);
  EXPECT_EQ(kind_code(SliceKind::kMemset, false), 11);
  EXPECT_EQ(kind_code(SliceKind::kDeviceAnnotation, false), 12);
}

TEST(ApiValuesTest, a_collective_is_communication_on_the_host_and_on_a_device) {
  EXPECT_EQ(kind_code(SliceKind::kKernel, true), 5);
  EXPECT_EQ(kind_code(SliceKind::kOperator, true), 5);
}

TEST(ApiValuesTest, a_list_of_numbers_is_json_with_and_without_lists_inside) {
  NumberList flat;
  flat.add(-1);
  flat.add(9'007'199'254'740'993);
  EXPECT_EQ(flat.json(), "[-1,9007199254740993]");
  NumberList nested;
  for (const std::int64_t number : {1, 2}) {
    nested.begin_list();
    nested.add(number);
    nested.add(number);
    nested.end_list();
  }
  EXPECT_EQ(nested.json(), "[[1,1],[2,2]]");
  EXPECT_EQ(NumberList().json(), "[]");
}

TEST(ApiValuesTest, a_name_has_one_place_in_the_order_of_first_use) {
  StringPool strings;
  const StringId a = strings.intern("a");
  const StringId b = strings.intern("b \"quoted\"");
  NameTable names(strings);
  EXPECT_EQ(names.index_of(b), 0u);
  EXPECT_EQ(names.index_of(a), 1u);
  EXPECT_EQ(names.index_of(b), 0u);
  std::string out;
  JsonWriter json(out);
  names.write(json);
  EXPECT_EQ(out, R"(["b \"quoted\"","a"])");
}

}  // namespace
}  // namespace strobe::serve
