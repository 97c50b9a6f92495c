#include "strobe/device/demangle.h"

#include <gtest/gtest.h>

namespace strobe::device {
namespace {

TEST(DemangleTest, abi_names_become_text) {
  EXPECT_EQ(demangled("_Z7k_emptyv"), "k_empty()");
  EXPECT_EQ(demangled("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(demangled("_Z5scaleILi4EEvPfif"), "void scale<4>(float*, int, float)");
}

TEST(DemangleTest, everything_else_comes_back_as_it_is) {
  for (const std::string name :
       {"", "_Z", "_Znonsense!", "k_empty", "void f<int>(int)", "ampere_sgemm_128x64_nn", "i",
        "Memcpy HtoD (Pageable -> Device)", "_Z7k_emptyv.kd?"}) {
    EXPECT_EQ(demangled(name), name);
  }
  const std::string with_zero("_Z7k_emptyv\0_tail", 17);
  EXPECT_EQ(demangled(with_zero), with_zero);
}

TEST(DemangleTest, a_name_without_an_end_does_not_hurt) {
  const std::string endless = "_Z1f" + std::string(100'000, 'P');
  EXPECT_EQ(demangled(endless), endless);
}

}  // namespace
}  // namespace strobe::device
