#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strobe::device {

// The operation of a kernel on each element, read from one of its template arguments:
// `at::native::CUDAFunctor_add<float>` is {"add", "f32"}.
struct Functor {
  std::string operation;  // empty: the argument is not a functor
  std::string type;       // empty: the argument does not say

  std::string text() const;  // "add<f32>"
};

// Reads a functor, a lambda inside a function, or a class of kernel traits, also inside the shells
// that libraries put around them. Numbers, number types and a kernel's plumbing (arrays of
// pointers, offset calculators) are not functors.
Functor functor_of(std::string_view argument);

// The first functor of a template argument list. A shell whose operation is the next argument
// (`BinaryOpScalarFunctor<float>, std::plus<float>`) is read together with it.
Functor first_functor(const std::vector<std::string_view>& arguments);

}  // namespace strobe::device
