#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strobe::device {

// What a kernel is told to do to each element, read from one of its template arguments:
// `at::native::CUDAFunctor_add<float>` is {"add", "f32"}.
struct Functor {
  std::string operation;  // empty: the argument is none
  std::string type;       // empty: the argument does not say

  std::string text() const;  // "add<f32>"
};

// A functor, a lambda inside a function, a class of kernel traits; through the shells that
// libraries put around them. Numbers, types of numbers and a kernel's plumbing (arrays of pointers,
// offset calculators) are none.
Functor functor_of(std::string_view argument);

// The first functor of a template argument list. A shell whose operation is the next argument
// (`BinaryOpScalarFunctor<float>, std::plus<float>`) is read with it.
Functor first_functor(const std::vector<std::string_view>& arguments);

}  // namespace strobe::device
