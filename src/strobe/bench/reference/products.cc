#include "strobe/bench/reference/products.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/row_parts.h"

namespace strobe::bench {
namespace {

constexpr double kVarianceEpsilon = 1e-5;
constexpr std::int64_t kColumnBlock = 256;  // columns at a time: the sums of four rows stay in L1
constexpr std::int64_t kRowsAtOnce = 1024;  // rows of the left side held in f64

using Element = std::function<float(std::int64_t k, std::int64_t n)>;

// out[rows, columns] = left[rows, inner] right[inner, columns], with the right side made in blocks.
std::vector<double> multiplied(const std::vector<double>& left, std::int64_t inner,
                               std::int64_t columns, const Element& right) {
  const std::int64_t rows = static_cast<std::int64_t>(left.size()) / inner;
  std::vector<double> out(static_cast<std::size_t>(rows * columns), 0.0);
  std::vector<float> block(static_cast<std::size_t>(inner * kColumnBlock));
  for (std::int64_t first = 0; first < columns; first += kColumnBlock) {
    const std::int64_t width = std::min(kColumnBlock, columns - first);
    for_parts(inner, 64, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t k = from; k < to; ++k) {
        for (std::int64_t n = 0; n < width; ++n) {
          block[static_cast<std::size_t>(k * width + n)] = right(k, first + n);
        }
      }
    });
    for_parts(rows, 16, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t row = from; row < to; ++row) {
        double* const sums = out.data() + row * columns + first;
        for (std::int64_t k = 0; k < inner; ++k) {
          const double factor = left[static_cast<std::size_t>(row * inner + k)];
          const float* const values = block.data() + k * width;
          for (std::int64_t n = 0; n < width; ++n)
            sums[n] += factor * static_cast<double>(values[n]);
        }
      }
    });
  }
  return out;
}

// The work of many rows, a thousand at a time.
std::vector<double> in_chunks(
    std::span<const std::int64_t> rows,
    const std::function<std::vector<double>(std::span<const std::int64_t>)>& some) {
  std::vector<double> all;
  for (std::size_t first = 0; first < rows.size(); first += kRowsAtOnce) {
    const auto part =
        some(rows.subspan(first, std::min<std::size_t>(kRowsAtOnce, rows.size() - first)));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::vector<double> matmul_rows(const CaseInfo& info, const PrepareRequest& request,
                                std::span<const std::int64_t> rows) {
  const std::int64_t n = request.cell.shape[1], k = request.cell.shape[2];
  const auto inputs = input_sources(info, request);
  const bool has_add = info.id == "matmul_add" || info.id == "matmul_add_relu";
  const bool has_relu = info.id == "matmul_relu" || info.id == "matmul_add_relu";
  return in_chunks(rows, [&](std::span<const std::int64_t> some) {
    std::vector<double> left;
    for (const std::int64_t row : some) {
      for (std::int64_t i = 0; i < k; ++i)
        left.push_back(static_cast<double>(inputs[0](row * k + i)));
    }
    auto out = multiplied(left, k, n,
                          [&](std::int64_t i, std::int64_t j) { return inputs[1](i * n + j); });
    if (info.id == "matmul_matmul") {
      return multiplied(out, n, k,
                        [&](std::int64_t i, std::int64_t j) { return inputs[2](i * k + j); });
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i) % n;
      const std::int64_t row = some[i / static_cast<std::size_t>(n)];
      if (has_add) out[i] += static_cast<double>(inputs[2](row * n + column));
      if (has_relu) out[i] = std::max(out[i], 0.0);
    }
    return out;
  });
}

std::vector<double> convolution_rows(const CaseInfo& info, const PrepareRequest& request,
                                     std::span<const std::int64_t> rows) {
  const Shape& shape = request.cell.shape;
  const std::int64_t height = shape[1], width = shape[2], channels = shape[3], filters = shape[4];
  const std::int64_t window = shape[5], stride = shape[6], padding = window / 2;
  const std::int64_t p = convolved(height, window, stride), q = convolved(width, window, stride);
  const std::int64_t inner = window * window * channels;
  const auto inputs = input_sources(info, request);
  const auto pixel = [&](std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t c) {
    if (y < 0 || y >= height || x < 0 || x >= width) return 0.0;
    return static_cast<double>(inputs[0](((image * height + y) * width + x) * channels + c));
  };
  return in_chunks(rows, [&](std::span<const std::int64_t> some) {
    std::vector<double> left;
    for (const std::int64_t row : some) {
      const std::int64_t image = row / (p * q);
      const std::int64_t top = row / q % p * stride - padding, start = row % q * stride - padding;
      for (std::int64_t i = 0; i < inner; ++i) {
        left.push_back(
            pixel(image, top + i / channels / window, start + i / channels % window, i % channels));
      }
    }
    auto out = multiplied(left, inner, filters, [&](std::int64_t i, std::int64_t filter) {
      return inputs[1](filter * inner + i);
    });
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto filter = static_cast<std::int64_t>(i) % filters;
      const auto input = [&](std::size_t number, std::int64_t index) {
        return static_cast<double>(inputs[number](index));
      };
      if (info.id == "conv_add")
        out[i] += input(2, some[i / static_cast<std::size_t>(filters)] * filters + filter);
      if (info.id == "conv_relu") out[i] = std::max(out[i], 0.0);
      if (info.id == "conv_bn") {
        out[i] = input(2, filter) * (out[i] - input(4, filter)) /
                     std::sqrt(input(5, filter) + kVarianceEpsilon) +
                 input(3, filter);
      }
    }
    return out;
  });
}

namespace {

// Keys and values of one head of one sequence: [S, D] each.
struct Head {
  std::int64_t number = -1;  // batch and head
  std::vector<float> keys, values;
};

class Attention {
 public:
  Attention(const std::vector<InputSource>& inputs, const Shape& shape)
      : inputs_(inputs), shape_(shape) {}

  // One query with the keys up to itself: in f64, too, exp(-10000) of later keys is zero.
  void query(std::int64_t row, double* out) {
    const std::int64_t sequence = shape_[1], depth = shape_[3];
    load(row / sequence);
    const std::int64_t at = row % sequence;
    std::vector<float> q(static_cast<std::size_t>(depth));
    inputs_[0].fill(q.data(), start_of(at), depth);
    std::vector<double> scores(static_cast<std::size_t>(at + 1), 0.0);
    double largest = -INFINITY;
    for (std::int64_t j = 0; j <= at; ++j) {
      double& score = scores[static_cast<std::size_t>(j)];
      for (std::int64_t d = 0; d < depth; ++d) {
        score += static_cast<double>(q[static_cast<std::size_t>(d)]) *
                 static_cast<double>(head_.keys[static_cast<std::size_t>(j * depth + d)]);
      }
      score /= std::sqrt(static_cast<double>(depth));
      largest = std::max(largest, score);
    }
    std::fill_n(out, depth, 0.0);
    double total = 0;
    for (std::int64_t j = 0; j <= at; ++j) {
      const double weight = std::exp(scores[static_cast<std::size_t>(j)] - largest);
      total += weight;
      for (std::int64_t d = 0; d < depth; ++d) {
        out[d] +=
            weight * static_cast<double>(head_.values[static_cast<std::size_t>(j * depth + d)]);
      }
    }
    for (std::int64_t d = 0; d < depth; ++d) out[d] /= total;
  }

 private:
  std::int64_t start_of(std::int64_t position) const {
    const std::int64_t batch = head_.number / shape_[2], head = head_.number % shape_[2];
    return ((batch * shape_[1] + position) * shape_[2] + head) * shape_[3];
  }

  void load(std::int64_t number) {
    if (head_.number == number) return;
    head_.number = number;
    const auto values = static_cast<std::size_t>(shape_[1] * shape_[3]);
    head_.keys.resize(values);
    head_.values.resize(values);
    for (std::int64_t position = 0; position < shape_[1]; ++position) {
      inputs_[1].fill(head_.keys.data() + position * shape_[3], start_of(position), shape_[3]);
      inputs_[2].fill(head_.values.data() + position * shape_[3], start_of(position), shape_[3]);
    }
  }

  const std::vector<InputSource>& inputs_;
  const Shape& shape_;
  Head head_;
};

}  // namespace

std::vector<double> attention_rows(const CaseInfo& info, const PrepareRequest& request,
                                   std::span<const std::int64_t> rows) {
  const Shape& shape = request.cell.shape;
  const auto inputs = input_sources(info, request);
  std::vector<double> out(rows.size() * static_cast<std::size_t>(shape[3]));
  for_parts(static_cast<std::int64_t>(rows.size()), 8, [&](std::int64_t from, std::int64_t to) {
    Attention attention(inputs, shape);
    for (std::int64_t i = from; i < to; ++i) {
      attention.query(rows[static_cast<std::size_t>(i)], out.data() + i * shape[3]);
    }
  });
  return out;
}

}  // namespace strobe::bench
