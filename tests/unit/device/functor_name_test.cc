#include "strobe/device/functor_name.h"

#include <functional>

#include <gtest/gtest.h>

#include "strobe/device/name_parts.h"

namespace strobe::device {
namespace {

std::string text_of(std::string_view argument) { return functor_of(argument).text(); }

std::string first_text(std::string_view arguments) {
  return first_functor(split_arguments(arguments)).text();
}

TEST(FunctorNameTest, noise_around_the_operation_goes) {
  EXPECT_EQ(text_of("at::native::CUDAFunctor_add<float>"), "add<f32>");
  EXPECT_EQ(text_of("at::native::CUDAFunctorOnSelf_add<long>"), "add_scalar<i64>");
  EXPECT_EQ(text_of("at::native::MulScalarFunctor<float, float>"), "mul_scalar<f32>");
  EXPECT_EQ(text_of("at::native::FillFunctor<c10::BFloat16>"), "fill<bf16>");
  EXPECT_EQ(text_of("at::native::MeanOps<float, float>"), "mean<f32>");
  EXPECT_EQ(text_of("std::multiplies<float>"), "mul<f32>");
}

TEST(FunctorNameTest, a_lambda_is_named_after_its_function) {
  EXPECT_EQ(text_of("at::native::cos_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()"
                    "() const::{lambda()#2}::operator()() const::{lambda(float)#1}"),
            "cos");
  EXPECT_EQ(text_of("at::native::threshold_kernel_impl<float>(at::TensorIteratorBase&, float)::"
                    "{lambda(float, float)#1}"),
            "threshold<f32>");
  EXPECT_EQ(text_of("&(float silu<float>(float const&))"), "silu<f32>");
}

TEST(FunctorNameTest, copies_are_told_apart_by_what_they_copy) {
  EXPECT_EQ(text_of("at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::"
                    "operator()() const::{lambda()#4}::operator()() const::{lambda(long)#1}"),
            "copy<i64>");
  EXPECT_EQ(text_of("at::direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance "
                    "3)]::operator ()() const::[lambda(c10::Half) (instance 1)]"),
            "copy<f16>");
}

TEST(FunctorNameTest, shells_are_opened) {
  EXPECT_EQ(text_of("at::native::BinaryFunctor<c10::Half, c10::Half, c10::Half, "
                    "at::native::binary_internal::MulFunctor<float> >"),
            "mul<f16>");
  EXPECT_EQ(text_of("at::native::AUnaryFunctor<float, float, float, DivFunctor<float> >"),
            "scalar_div<f32>");
  EXPECT_EQ(text_of("at::native::BUnaryFunctor<at::native::AddFunctor<long> >"), "add_scalar<i64>");
  EXPECT_EQ(text_of("at::native::ReduceOp<c10::BFloat16, at::native::ArgMaxOps<float>, unsigned "
                    "int, long, 4, 4>"),
            "argmax<bf16>");
}

TEST(FunctorNameTest, an_operation_over_lists_is_the_next_argument) {
  EXPECT_EQ(first_text("TensorListMetadata<1>, BinaryOpScalarFunctor<c10::BFloat16, 1, 1, 0>, "
                       "std::plus<float>, float"),
            "add_scalar<bf16>");
  EXPECT_EQ(first_text("PointwiseOpScalarListFunctor<float, 3, 3, 0>, std::divides<float>"),
            "addcdiv_scalar_list<f32>");
  EXPECT_EQ(first_text("UnaryOpFunctor<c10::BFloat16, 2, 1, 1>, at::native::Sqrt<float>"),
            "sqrt<bf16>");
}

TEST(FunctorNameTest, plumbing_is_no_operation) {
  EXPECT_EQ(first_text("std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, true, "
                       "(cub::SortOrder)0, char*, float, at::nat..."),
            "");
  EXPECT_EQ(first_text("cublasGemvParamsEx<int>, FusedOptimizerTensorListMetadata<4>, Policy600"),
            "");
  EXPECT_EQ(first_text("void (*)(int), a b, (broken"), "");
  EXPECT_EQ(first_text(""), "");
}

}  // namespace
}  // namespace strobe::device
