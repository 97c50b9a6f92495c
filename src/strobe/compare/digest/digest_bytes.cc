#include "strobe/compare/digest/digest_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "strobe/stats/moments.h"
#include "strobe/wire/varint.h"

namespace strobe::compare {
namespace {

// How the values of a column are guessed.
enum class Guess : std::uint8_t {
  kMiddle,  // each is the median
  kBefore,  // each is the one before
  kLike,    // as in the similar column
};

constexpr double kStepsPerDeviation = 64;
constexpr double kStepsPerMedian = 4000;
constexpr double kFinestStepsPerMedian = 100'000;  // of a mean whose deviation is 0
constexpr int kLargestExponent = 100;
constexpr double kMostMultiple = 0x1p52;

constexpr std::uint64_t kNoValue = 0;  // in a column of means: NaN; others are larger by one

bool is_mean(double value) { return std::abs(value) <= kMostMean; }  // not NaN

struct Spread {
  double median = 0;
  double deviation = 0;  // the median distance from it
};

// Of the magnitudes that are not 0: a function may be in few cycles.
Spread spread_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !is_mean(value) || value == 0; });
  if (values.empty()) return {};
  Spread spread;
  for (double& value : values) value = std::abs(value);
  spread.median = stats::median_of(values);
  for (double& value : values) value = std::abs(value - spread.median);
  spread.deviation = stats::median_of(values);
  return spread;
}

// 1, 2, 5, 10, 20, ...: times of a whole number of microseconds stay exact, and so do their ties.
std::uint64_t time_step(std::span<const std::int64_t> values) {
  const Spread spread = spread_of({values.begin(), values.end()});
  const double finest =
      std::min(spread.deviation / kStepsPerDeviation, spread.median / kStepsPerMedian);
  std::uint64_t ten = 1;
  while (static_cast<double>(ten) * 10 <= finest) ten *= 10;
  for (const std::uint64_t factor : {5u, 2u}) {
    if (static_cast<double>(factor * ten) <= finest) return factor * ten;
  }
  return ten;
}

std::int64_t multiple_of(std::int64_t value, std::uint64_t step) {
  const auto signed_step = static_cast<std::int64_t>(step);
  const std::int64_t nearest = (value + signed_step / 2) / signed_step;
  return nearest == 0 && value > 0 ? 1 : nearest;
}

// The step of means is ten to the power of this.
int mean_exponent(std::span<const double> values) {
  const Spread spread = spread_of({values.begin(), values.end()});
  if (spread.median == 0) return 0;
  const double step =
      std::clamp(spread.deviation / kStepsPerDeviation, spread.median / kFinestStepsPerMedian,
                 spread.median / kStepsPerMedian);
  double largest = 0;
  for (const double value : values) {
    if (is_mean(value)) largest = std::max(largest, std::abs(value));
  }
  const double coarse_enough = std::max(step, largest / kMostMultiple * 10);
  return std::clamp(static_cast<int>(std::floor(std::log10(coarse_enough))), -kLargestExponent,
                    kLargestExponent);
}

// Exact for the multiples of a negative power, which a product with 0.1 would not be.
double scaled_up(std::int64_t multiple, int exponent) {
  const auto value = static_cast<double>(multiple);
  return exponent < 0 ? value / std::pow(10, -exponent) : value * std::pow(10, exponent);
}

std::int64_t scaled_down(double value, int exponent) {
  const double multiple =
      exponent < 0 ? value * std::pow(10, -exponent) : value / std::pow(10, exponent);
  return std::llround(std::clamp(multiple, -kMostMultiple, kMostMultiple));
}

// NaN becomes the least number, which is no multiple.
constexpr std::int64_t kNoMultiple = std::numeric_limits<std::int64_t>::min();

std::vector<std::int64_t> multiples_of(std::span<const double> values, int exponent) {
  std::vector<std::int64_t> multiples;
  for (const double value : values) {
    multiples.push_back(is_mean(value) ? scaled_down(value, exponent) : kNoMultiple);
  }
  return multiples;
}

std::vector<double> unscaled(const std::vector<std::int64_t>& multiples, int exponent) {
  std::vector<double> values;
  for (const std::int64_t multiple : multiples) {
    values.push_back(multiple == kNoMultiple ? std::nan("") : scaled_up(multiple, exponent));
  }
  return values;
}

// Sums wrap, so that damage does no harm.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t middle_of(std::vector<std::int64_t> values) {
  std::erase(values, kNoMultiple);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Goes through a column in the order of its rows.
class Guesser {
 public:
  Guesser(Guess guess, std::int64_t middle, const std::vector<std::int64_t>& like)
      : guess_(guess), last_(middle), like_(like) {}

  std::int64_t next(std::size_t row) const {
    if (guess_ != Guess::kLike) return last_;
    return like_[row] == kNoMultiple ? 0 : like_[row];
  }
  void was(std::int64_t value) {
    if (guess_ == Guess::kBefore) last_ = value;
  }

 private:
  Guess guess_;
  std::int64_t last_;
  const std::vector<std::int64_t>& like_;
};

struct Codes {
  std::vector<std::uint64_t> codes;
  std::uint64_t bits = 0;  // about how many they take
};

Codes coded(const std::vector<std::int64_t>& values, Guesser guesser) {
  Codes coded;
  coded.codes.resize(values.size(), kNoValue);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] == kNoMultiple) continue;
    const std::uint64_t code = wire::zigzag(minus(values[row], guesser.next(row))) + 1;
    coded.codes[row] = code;
    coded.bits += static_cast<std::uint64_t>(std::bit_width(code));
    guesser.was(values[row]);
  }
  return coded;
}

}  // namespace

void DigestWriter::number(std::uint64_t value) {
  std::array<std::uint8_t, wire::kMostVarintBytes> encoded = {};
  const std::uint8_t* end = wire::put_varint(encoded.data(), value);
  bytes_.append(encoded.begin(), encoded.begin() + (end - encoded.data()));
}

void DigestWriter::signed_number(std::int64_t value) { number(wire::zigzag(value)); }

void DigestWriter::real(double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < sizeof bits; ++i, bits >>= 8) {
    bytes_.push_back(static_cast<char>(bits & 0xff));
  }
}

void DigestWriter::text(std::string_view value) {
  const auto [entry, is_new] = texts_.try_emplace(std::string(value), texts_.size());
  number(entry->second);
  if (!is_new) return;
  number(value.size());
  bytes_.append(value);
}

void DigestWriter::whole(const std::vector<std::int64_t>& values,
                         const std::vector<std::int64_t>& like) {
  const std::int64_t middle = middle_of(values);
  Guess best = Guess::kMiddle;
  Codes best_codes = coded(values, {best, middle, like});
  for (const Guess guess : {Guess::kBefore, Guess::kLike}) {
    if (guess == Guess::kLike && like.empty()) continue;
    Codes codes = coded(values, {guess, middle, like});
    if (codes.bits >= best_codes.bits) continue;
    best = guess;
    best_codes = std::move(codes);
  }
  number(static_cast<std::uint64_t>(best));
  signed_number(middle);
  numbers(best_codes.codes);
}

// Many at once, for speed.
void DigestWriter::numbers(std::span<const std::uint64_t> values) {
  constexpr std::size_t kAtOnce = 256;
  std::array<std::uint8_t, kAtOnce * wire::kMostVarintBytes> encoded;
  while (!values.empty()) {
    std::uint8_t* end = encoded.data();
    for (const std::uint64_t value : values.first(std::min(kAtOnce, values.size()))) {
      end = wire::put_varint(end, value);
    }
    bytes_.append(reinterpret_cast<const char*>(encoded.data()),
                  static_cast<std::size_t>(end - encoded.data()));
    values = values.subspan(std::min(kAtOnce, values.size()));
  }
}

std::vector<std::int64_t> DigestWriter::counts(std::span<const std::int64_t> values,
                                               std::span<const std::int64_t> like) {
  std::vector<std::int64_t> kept(values.begin(), values.end());
  whole(kept, {like.begin(), like.end()});
  return kept;
}

std::vector<std::int64_t> DigestWriter::times(std::span<const std::int64_t> values,
                                              std::span<const std::int64_t> like) {
  const std::uint64_t step = time_step(values);
  number(step);
  std::vector<std::int64_t> multiples;
  for (const std::int64_t value : values) multiples.push_back(multiple_of(value, step));
  std::vector<std::int64_t> like_multiples;
  for (const std::int64_t value : like) like_multiples.push_back(multiple_of(value, step));
  whole(multiples, like_multiples);
  for (std::int64_t& value : multiples) value *= static_cast<std::int64_t>(step);
  return multiples;
}

std::vector<double> DigestWriter::scaled(std::span<const double> values,
                                         std::span<const double> like, int exponent) {
  const std::vector<std::int64_t> multiples = multiples_of(values, exponent);
  whole(multiples, multiples_of(like, exponent));
  return unscaled(multiples, exponent);
}

std::vector<double> DigestWriter::means(std::span<const double> values,
                                        std::span<const double> like) {
  const int exponent = mean_exponent(values);
  signed_number(exponent);
  return scaled(values, like, exponent);
}

std::vector<double> DigestWriter::exact_means(std::span<const double> values) {
  return scaled(values, {}, 0);
}

std::uint64_t DigestReader::number(std::uint64_t most) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(left_.data());
  std::uint64_t value = 0;
  const std::uint8_t* end = wire::get_varint(begin, begin + left_.size(), value);
  if (is_damaged_ || end == nullptr || value > most) {
    is_damaged_ = true;
    left_ = {};
    return 0;
  }
  left_.remove_prefix(static_cast<std::size_t>(end - begin));
  return value;
}

std::int64_t DigestReader::signed_number() {
  const std::int64_t value = wire::unzigzag(number());
  if (value > -kMostTime && value < kMostTime) return value;
  is_damaged_ = true;
  return 0;
}

std::int64_t DigestReader::moment() {
  const std::int64_t value = wire::unzigzag(number());
  if (value >= -kMostMoment && value <= kMostMoment) return value;
  is_damaged_ = true;
  return 0;
}

std::int64_t DigestReader::time() {
  return static_cast<std::int64_t>(number(static_cast<std::uint64_t>(kMostTime)));
}

double DigestReader::real() {
  std::uint64_t bits = 0;
  if (left_.size() < sizeof bits) {
    is_damaged_ = true;
    left_ = {};
    return 0;
  }
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(left_[i])) << (8 * i);
  }
  left_.remove_prefix(sizeof bits);
  const auto value = std::bit_cast<double>(bits);
  if (std::isinf(value)) is_damaged_ = true;
  return value;
}

std::string DigestReader::text() {
  const std::uint64_t place = number(texts_.size());
  if (is_damaged_) return {};
  if (place < texts_.size()) return texts_[place];
  const std::size_t letters = length();
  texts_.emplace_back(left_.substr(0, letters));
  left_.remove_prefix(letters);
  return texts_.back();
}

std::size_t DigestReader::length() {
  const std::uint64_t entries = number();
  if (entries <= left_.size()) return entries;
  is_damaged_ = true;
  left_ = {};
  return 0;
}

std::vector<std::int64_t> DigestReader::whole(std::size_t rows,
                                              const std::vector<std::int64_t>& like) {
  const auto guess = static_cast<Guess>(number(static_cast<std::uint64_t>(Guess::kLike)));
  const std::int64_t middle = wire::unzigzag(number());
  std::vector<std::int64_t> values(rows, 0);
  if (guess == Guess::kLike && like.size() != rows) is_damaged_ = true;
  if (rows > left_.size()) is_damaged_ = true;
  if (is_damaged_) return values;
  Guesser guesser(guess, middle, like);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t code = number();
    if (code == kNoValue) {
      values[row] = kNoMultiple;
      continue;
    }
    values[row] = plus(guesser.next(row), wire::unzigzag(code - 1));
    guesser.was(values[row]);
  }
  return values;
}

std::vector<std::int64_t> DigestReader::multiplied(std::vector<std::int64_t> multiples,
                                                   std::uint64_t step) {
  const std::int64_t most = kMostTime / static_cast<std::int64_t>(step);
  for (std::int64_t& multiple : multiples) {
    if (multiple < 0 || multiple > most) {
      is_damaged_ = true;
      multiple = 0;
    }
    multiple *= static_cast<std::int64_t>(step);
  }
  return multiples;
}

std::vector<std::int64_t> DigestReader::counts(std::size_t rows,
                                               std::span<const std::int64_t> like) {
  return multiplied(whole(rows, {like.begin(), like.end()}), 1);
}

std::vector<std::int64_t> DigestReader::times(std::size_t rows,
                                              std::span<const std::int64_t> like) {
  const std::uint64_t step =
      std::max<std::uint64_t>(1, number(static_cast<std::uint64_t>(kMostTime)));
  std::vector<std::int64_t> like_multiples;
  for (const std::int64_t value : like) like_multiples.push_back(multiple_of(value, step));
  return multiplied(whole(rows, like_multiples), step);
}

std::vector<double> DigestReader::scaled(std::size_t rows, std::span<const double> like,
                                         int exponent) {
  std::vector<double> values = unscaled(whole(rows, multiples_of(like, exponent)), exponent);
  for (const double value : values) {
    if (!std::isnan(value) && !is_mean(value)) is_damaged_ = true;
  }
  return values;
}

std::vector<double> DigestReader::means(std::size_t rows, std::span<const double> like) {
  const std::int64_t exponent = signed_number();
  if (std::abs(exponent) > kLargestExponent) {
    is_damaged_ = true;
    return std::vector<double>(rows, std::nan(""));
  }
  return scaled(rows, like, static_cast<int>(exponent));
}

std::vector<double> DigestReader::exact_means(std::size_t rows) { return scaled(rows, {}, 0); }

}  // namespace strobe::compare
