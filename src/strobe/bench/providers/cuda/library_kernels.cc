#include "strobe/bench/providers/cuda/library_kernels.h"

#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/kernel_frame.h"

namespace strobe::bench::kernels {

GeneratedKernel add(DType dtype, std::string a, std::string b, std::string out,
                    std::int64_t elements) {
  return elementwise(dtype, {.name = "strobe_add", .read = {"x", "y"}, .value = "x + y"},
                     {tensor(std::move(a)), tensor(std::move(b))}, std::move(out), elements);
}

GeneratedKernel relu(DType dtype, std::string x, std::string out, std::int64_t elements) {
  // A NaN stays one.
  return elementwise(dtype, {.name = "strobe_relu", .read = {"x"}, .value = "x < 0.0f ? 0.0f : x"},
                     {tensor(std::move(x))}, std::move(out), elements);
}

GeneratedKernel scale(DType dtype, std::string x, std::string out, float factor,
                      std::int64_t elements) {
  return elementwise(dtype,
                     {.name = "strobe_scale",
                      .parameters = "float factor, ",
                      .read = {"x"},
                      .value = "x * factor"},
                     {tensor(std::move(x)), real(factor)}, std::move(out), elements);
}

GeneratedKernel add_mask(DType dtype, std::string x, std::string mask, std::string out,
                         std::int64_t elements, std::int64_t period) {
  return elementwise(
      dtype, {.name = "strobe_add_mask", .read = {"x"}, .repeated = {"mask"}, .value = "x + mask"},
      {tensor(std::move(x)), tensor(std::move(mask))}, std::move(out), elements, period);
}

GeneratedKernel heads_first(DType dtype, std::string x, std::string out, const Shape& shape) {
  const bool is_packed = shape[3] % vector_of(dtype) == 0;
  const std::int64_t width = is_packed ? shape[3] / vector_of(dtype) : shape[3];
  const std::int64_t items = shape[0] * shape[1] * shape[2] * width;
  const std::string body = fmt::format(
      R"cuda(
typedef {} strobe_item;
extern "C" __global__ void __launch_bounds__(256)
    strobe_heads_first(const strobe_item* __restrict__ x, strobe_item* __restrict__ out,
                       long long n, long long sequence, long long heads, long long width) {{
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= n) return;
  const long long place = i % width;
  const long long row = i / width;
  const long long at = row % sequence;
  const long long head = row / sequence % heads;
  const long long batch = row / sequence / heads;
  out[i] = x[((batch * sequence + at) * heads + head) * width + place];
}}
)cuda",
      is_packed ? "strobe_pack" : "strobe_t");
  return made("strobe_heads_first", with_frame(dtype, body), divided_up(items, kThreads), kThreads,
              {tensor(std::move(x)), tensor(std::move(out)), integer(items), integer(shape[1]),
               integer(shape[2]), integer(width)});
}

GeneratedKernel batch_norm(DType dtype, std::string x, std::string out, std::int64_t elements,
                           std::int64_t channels) {
  return elementwise(
      dtype,
      {.name = "strobe_batch_norm",
       .read = {"x"},
       .repeated = {"gamma", "beta", "mean", "variance"},
       .value = "gamma * (x - mean) * rsqrtf(variance + 1e-5f) + beta"},
      {tensor(std::move(x)), tensor("gamma"), tensor("beta"), tensor("mean"), tensor("variance")},
      std::move(out), elements, channels);
}

GeneratedKernel causal_mask(DType dtype, std::string out, std::int64_t length) {
  return elementwise(dtype,
                     {.name = "strobe_causal_mask",
                      .parameters = "long long length, ",
                      .value = "i % length > i / length ? -10000.0f : 0.0f"},
                     {integer(length)}, std::move(out), length * length);
}

GeneratedKernel zeros(DType dtype, std::string out, std::int64_t elements) {
  return elementwise(dtype, {.name = "strobe_zeros", .value = "0.0f"}, {}, std::move(out),
                     elements);
}

GeneratedKernel folded_filters(DType dtype, std::string w, std::string out, std::int64_t channels,
                               std::int64_t inner) {
  return elementwise(
      dtype,
      {.name = "strobe_folded_filters",
       .parameters = "const strobe_t* gamma, const strobe_t* variance, long long inner, ",
       .read = {"w"},
       .value = "w * strobe_get(gamma[i / inner]) * rsqrtf(strobe_get(variance[i / inner]) + "
                "1e-5f)"},
      {tensor(std::move(w)), tensor("gamma"), tensor("variance"), integer(inner)}, std::move(out),
      channels * inner);
}

GeneratedKernel folded_bias(DType dtype, std::string out, std::int64_t channels) {
  return elementwise(dtype,
                     {.name = "strobe_folded_bias",
                      .read = {"gamma", "beta", "mean", "variance"},
                      .value = "beta - mean * gamma * rsqrtf(variance + 1e-5f)"},
                     {tensor("gamma"), tensor("beta"), tensor("mean"), tensor("variance")},
                     std::move(out), channels);
}

}  // namespace strobe::bench::kernels
