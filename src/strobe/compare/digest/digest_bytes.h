#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// What a digest is made of: numbers, texts and columns, one after the other. A column has one value
// per cycle. Its values are multiples of a step, written as their distances from a guess.
namespace strobe::compare {

// Times and counts are less than this, in nanoseconds about 52 days: sums cannot overflow.
inline constexpr std::int64_t kMostTime = std::int64_t{1} << 52;
inline constexpr std::int64_t kMostMoment = std::int64_t{1} << 62;  // of a clock, in nanoseconds
inline constexpr double kMostMean = 1e30;

class DigestWriter {
 public:
  void number(std::uint64_t value);
  void signed_number(std::int64_t value);
  void real(double value);            // all its digits
  void text(std::string_view value);  // the letters once, after that their number
  void flag(bool value) { number(value ? 1 : 0); }
  template <class Enum>
  void word(Enum value) {
    number(static_cast<std::uint64_t>(value));
  }

  // These return the column as a reader will see it. `like`: a column that may be similar.
  // Whole numbers, none of which is rounded.
  std::vector<std::int64_t> counts(std::span<const std::int64_t> values,
                                   std::span<const std::int64_t> like = {});
  // Rounded to a 64th of their usual deviation, but at most to a 4000th of their median, or to a
  // round number below. What is not 0 does not become 0.
  std::vector<std::int64_t> times(std::span<const std::int64_t> values,
                                  std::span<const std::int64_t> like = {});
  // Likewise, to a power of ten. What is NaN, or larger than any mean can be, becomes NaN.
  std::vector<double> means(std::span<const double> values, std::span<const double> like = {});
  // Whole numbers or NaN, not rounded: bits.
  std::vector<double> exact_means(std::span<const double> values);

  const std::string& bytes() const { return bytes_; }

 private:
  void numbers(std::span<const std::uint64_t> values);
  void whole(const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& like);
  std::vector<double> scaled(std::span<const double> values, std::span<const double> like,
                             int exponent);

  std::string bytes_;
  std::unordered_map<std::string, std::uint64_t> texts_;
};

// Reads the same calls in the same order. After damage everything is 0, empty or NaN, and
// is_damaged() stays true. No column or list is longer than the bytes that could hold it.
class DigestReader {
 public:
  explicit DigestReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number(std::uint64_t most = UINT64_MAX);  // larger ones are damage
  std::int64_t signed_number();                           // less than kMostTime, without its sign
  std::int64_t time();                                    // 0 to kMostTime
  std::int64_t moment();                                  // kMostMoment at most, without its sign
  double real();                                          // finite, or NaN
  std::string text();
  bool flag() { return number(1) == 1; }
  template <class Enum>
  Enum word(Enum last) {  // one after the last is damage
    return static_cast<Enum>(number(static_cast<std::uint64_t>(last)));
  }
  std::size_t length();  // of a list, each entry of which takes at least one byte

  std::vector<std::int64_t> counts(std::size_t rows, std::span<const std::int64_t> like = {});
  std::vector<std::int64_t> times(std::size_t rows, std::span<const std::int64_t> like = {});
  std::vector<double> means(std::size_t rows, std::span<const double> like = {});
  std::vector<double> exact_means(std::size_t rows);

  bool is_damaged() const { return is_damaged_; }
  bool is_at_end() const { return left_.empty(); }
  void damage() { is_damaged_ = true; }

 private:
  std::vector<std::int64_t> whole(std::size_t rows, const std::vector<std::int64_t>& like);
  std::vector<std::int64_t> multiplied(std::vector<std::int64_t> multiples, std::uint64_t step);
  std::vector<double> scaled(std::size_t rows, std::span<const double> like, int exponent);

  std::string_view left_;
  std::vector<std::string> texts_;
  bool is_damaged_ = false;
};

}  // namespace strobe::compare
