#include "strobe/device/type_word.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(TypeWordTest, libraries_agree_on_few_names) {
  for (const char* const type : {"c10::Half", "__half", "half", "cutlass::half_t",
                                 "phi::dtype::float16", "half const", "const c10::Half"}) {
    EXPECT_EQ(type_word(type), "f16") << type;
  }
  for (const char* const type : {"c10::BFloat16", "__nv_bfloat16", "cutlass::bfloat16_t"}) {
    EXPECT_EQ(type_word(type), "bf16") << type;
  }
  EXPECT_EQ(type_word("float"), "f32");
  EXPECT_EQ(type_word("unsigned long long"), "u64");
  EXPECT_EQ(type_word("long"), "i64");
  EXPECT_EQ(type_word("c10::complex<float>"), "c64");
  EXPECT_EQ(type_word("c10::Float8_e4m3fn"), "e4m3");
}

TEST(TypeWordTest, a_type_of_so_many_bytes_says_how_many) {
  EXPECT_EQ(type_word("at::native::OpaqueType<2>"), "2B");
  EXPECT_EQ(type_word("at::native::(anonymous namespace)::OpaqueType<16u>"), "16B");
}

TEST(TypeWordTest, other_types_have_no_word) {
  for (const char* const type :
       {"", "char*", "float const*", "std::plus<float>", "4", "true", "Array<float>", "complex<"}) {
    EXPECT_EQ(type_word(type), "") << type;
  }
}

}  // namespace
}  // namespace strobe::device
