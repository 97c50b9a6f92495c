#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// Lines of generated source with their indentation.
namespace strobe::bench {

template <class Part>
void append_part(std::string& text, const Part& part) {
  if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    text += std::string_view(part);
  } else {
    text += std::to_string(part);
  }
}

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  (append_part(text, parts), ...);
  return text;
}

class SourceText {
 public:
  template <class... Parts>
  void line(const Parts&... parts) {
    const std::string text = cat(parts...);
    const bool is_directive = !text.empty() && text.front() == '#';
    if (!text.empty() && !is_directive) text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    text_ += text;
    text_ += '\n';
  }
  // `open("for (...)")` ... `close()`.
  template <class... Parts>
  void open(const Parts&... parts) {
    line(parts..., " {");
    ++depth_;
  }
  void close(std::string_view after = "") {
    --depth_;
    line("}", after);
  }
  // `reopen("else")` between the two.
  void reopen(std::string_view head) {
    --depth_;
    line("} ", head, " {");
    ++depth_;
  }
  void raw(std::string_view text) { text_ += text; }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

// A float literal that reads back as the same float.
inline std::string float_text(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.9g", static_cast<double>(static_cast<float>(value)));
  std::string text = digits;
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

}  // namespace strobe::bench
