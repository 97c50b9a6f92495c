#include "strobe/cli/line_editor.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/cli/interrupt.h"
#include "strobe/device/vendor_library.h"

namespace strobe::cli {
namespace {

// Reads what the terminal gives, or a pipe.
class PlainEditor final : public LineEditor {
 public:
  TypedLine read(std::string_view prompt) override {
    if (isatty(STDOUT_FILENO) != 0) {
      std::fwrite(prompt.data(), 1, prompt.size(), stdout);
      std::fflush(stdout);
    }
    while (true) {
      const std::size_t end = waiting_.find('\n');
      if (end != std::string::npos) {
        TypedLine line{TypedLine::Kind::kLine, waiting_.substr(0, end)};
        waiting_.erase(0, end + 1);
        return line;
      }
      std::array<char, 4096> piece;
      const ssize_t bytes = ::read(STDIN_FILENO, piece.data(), piece.size());
      if (bytes < 0 && errno == EINTR && interrupted()) {
        forget_interrupt();
        waiting_.clear();
        std::fputs("\n", stdout);
        return {TypedLine::Kind::kCancelled};
      }
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) break;
      waiting_.append(piece.data(), static_cast<std::size_t>(bytes));
    }
    if (waiting_.empty()) return {TypedLine::Kind::kEnd};
    return {TypedLine::Kind::kLine, std::exchange(waiting_, {})};
  }
  void remember(const std::string&) override {}

 private:
  std::string waiting_;
};

// While a line is typed, Ctrl-C and Ctrl-D are keys. libedit sees to that only after it has shown
// its prompt, so quick fingers would still send a signal, or an end that is lost.
class KeysOnly {
 public:
  KeysOnly() : is_terminal_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ISIG | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    if (interrupted()) forget_interrupt();  // the query had ended already
  }
  ~KeysOnly() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  KeysOnly(const KeysOnly&) = delete;
  KeysOnly& operator=(const KeysOnly&) = delete;

 private:
  termios before_{};
  bool is_terminal_;
};

// The calls of libedit that are used, as histedit.h of version 3.1 declares them.
struct EditLine;
struct History;
struct HistoryEvent {
  int number = 0;
  const char* text = nullptr;
};
struct LineInfo {
  const char* begin;
  const char* cursor;
  const char* end;
};

enum EditOption {
  kPrompt = 0,
  kEditor = 2,
  kBind = 4,
  kSetTerminal = 8,
  kAddFunction = 9,
  kUseHistory = 10,
  kClientData = 14
};
enum HistoryOption { kSetSize = 1, kEnter = 10, kLoad = 17, kSave = 18, kSetUnique = 20 };
enum EditAnswer : unsigned char {
  kNormal = 0,
  kEndOfFile = 2,
  kRefresh = 4,
  kError = 6,
  kRedisplay = 8
};

struct EditCalls {
  EditLine* (*el_init)(const char*, FILE*, FILE*, FILE*) = nullptr;
  void (*el_end)(EditLine*) = nullptr;
  int (*el_set)(EditLine*, int, ...) = nullptr;
  int (*el_get)(EditLine*, int, ...) = nullptr;
  const char* (*el_gets)(EditLine*, int*) = nullptr;
  int (*el_insertstr)(EditLine*, const char*) = nullptr;
  const LineInfo* (*el_line)(EditLine*) = nullptr;
  int (*el_source)(EditLine*, const char*) = nullptr;
  void (*el_resize)(EditLine*) = nullptr;
  History* (*history_init)() = nullptr;
  void (*history_end)(History*) = nullptr;
  int (*history)(History*, HistoryEvent*, int, ...) = nullptr;
};

Result<EditCalls> open_editline() {
  STROBE_TRY(device::OpenLibrary opened, device::OpenLibrary::at("libedit.so.2"));
  EditCalls calls;
  opened.need(calls.el_init, "el_init");
  opened.need(calls.el_end, "el_end");
  opened.need(calls.el_set, "el_set");
  opened.need(calls.el_get, "el_get");
  opened.need(calls.el_gets, "el_gets");
  opened.need(calls.el_insertstr, "el_insertstr");
  opened.need(calls.el_line, "el_line");
  opened.need(calls.el_source, "el_source");
  opened.need(calls.el_resize, "el_resize");
  opened.need(calls.history_init, "history_init");
  opened.need(calls.history_end, "history_end");
  opened.need(calls.history, "history");
  STROBE_TRY_VOID(opened.check_complete("a usable libedit"));
  return calls;
}

const Result<EditCalls>& edit_calls() {
  static const Result<EditCalls> opened = open_editline();
  return opened;
}

constexpr int kMostEntries = 1000;
constexpr std::size_t kMostListed = 200;

std::string common_start(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto differ = std::ranges::mismatch(common, word);
    common.erase(differ.in1, common.end());
  }
  return common;
}

class EditedLines final : public LineEditor {
 public:
  EditedLines(const EditCalls& calls, std::string history_path, Completions completions)
      : calls_(calls),
        history_path_(std::move(history_path)),
        completions_(std::move(completions)) {
    std::setlocale(LC_CTYPE, "");  // for the width of letters
    history_ = calls_.history_init();
    edit_ = calls_.el_init("strobe", stdin, stdout, stderr);
    HistoryEvent event;
    calls_.history(history_, &event, kSetSize, kMostEntries);
    calls_.history(history_, &event, kSetUnique, 1);
    calls_.history(history_, &event, kLoad, history_path_.c_str());
    calls_.el_set(edit_, kClientData, this);
    calls_.el_set(edit_, kPrompt, &prompt_of);
    calls_.el_set(edit_, kEditor, "emacs");
    calls_.el_set(edit_, kUseHistory, calls_.history, history_);
    calls_.el_set(edit_, kSetTerminal, "-d", "-isig", nullptr);
    add_key("^C", "strobe-cancel", "drop what was typed", &cancel);
    add_key("^I", "strobe-complete", "complete a name", &complete);
    calls_.el_set(edit_, kBind, "^R", "em-inc-search-prev", nullptr);
    calls_.el_source(edit_, nullptr);  // the user's ~/.editrc
  }
  ~EditedLines() override {
    calls_.el_end(edit_);
    calls_.history_end(history_);
  }
  EditedLines(const EditedLines&) = delete;
  EditedLines& operator=(const EditedLines&) = delete;

  TypedLine read(std::string_view prompt) override {
    prompt_ = prompt;
    is_cancelled_ = false;
    const KeysOnly keys_only;
    calls_.el_resize(edit_);
    int length = 0;
    const char* text = calls_.el_gets(edit_, &length);
    if (interrupted()) {  // by another process
      forget_interrupt();
      std::fputs("\n", stdout);
      return {TypedLine::Kind::kCancelled};
    }
    if (is_cancelled_) return {TypedLine::Kind::kCancelled};
    if (text == nullptr || length <= 0) return {TypedLine::Kind::kEnd};
    std::string line(text, static_cast<std::size_t>(length));
    while (line.ends_with('\n')) line.pop_back();
    return {TypedLine::Kind::kLine, std::move(line)};
  }

  void remember(const std::string& statement) override {
    HistoryEvent event;
    calls_.history(history_, &event, kEnter, statement.c_str());
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(history_path_).parent_path(),
                                        ignored);
    calls_.history(history_, &event, kSave, history_path_.c_str());
  }

 private:
  using Key = unsigned char (*)(EditLine*, int);

  void add_key(const char* key, const char* name, const char* meaning, Key call) {
    calls_.el_set(edit_, kAddFunction, name, meaning, call);
    calls_.el_set(edit_, kBind, key, name, nullptr);
  }

  // The editor that a key or prompt belongs to.
  static EditedLines& of(EditLine* edit) {
    void* data = nullptr;
    edit_calls()->el_get(edit, kClientData, &data);
    return *static_cast<EditedLines*>(data);
  }
  static const char* prompt_of(EditLine* edit) { return of(edit).prompt_.c_str(); }
  static unsigned char cancel(EditLine* edit, int) {
    of(edit).is_cancelled_ = true;
    std::fputs("^C\n", stdout);
    return kEndOfFile;
  }
  static unsigned char complete(EditLine* edit, int) { return of(edit).complete_word(); }

  unsigned char complete_word() {
    const LineInfo& line = *calls_.el_line(edit_);
    const std::string_view before(line.begin, static_cast<std::size_t>(line.cursor - line.begin));
    const std::vector<std::string> words = completions_(before);
    if (words.empty()) return kError;
    const std::size_t typed = before.size() - last_word(before);
    const std::string common = common_start(words);
    std::string rest = common.size() > typed ? common.substr(typed) : "";
    if (words.size() == 1) rest += ' ';
    if (!rest.empty()) return calls_.el_insertstr(edit_, rest.c_str()) == 0 ? kRefresh : kError;
    list(words);
    return kRedisplay;
  }

  static void list(const std::vector<std::string>& words) {
    std::size_t width = 0;
    for (const std::string& word : words) width = std::max(width, word.size() + 2);
    const std::size_t columns = std::max<std::size_t>(1, 80 / width);
    const std::size_t shown = std::min(words.size(), kMostListed);
    std::string text = "\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const bool is_last = (i + 1) % columns == 0 || i + 1 == shown;
      text += is_last ? words[i] + "\n" : fmt::format("{:<{}}", words[i], width);
    }
    if (shown < words.size()) text += fmt::format("and {} more\n", words.size() - shown);
    std::fputs(text.c_str(), stdout);
  }

  EditCalls calls_;
  std::string history_path_;
  Completions completions_;
  std::string prompt_;
  bool is_cancelled_ = false;
  History* history_ = nullptr;
  EditLine* edit_ = nullptr;
};

}  // namespace

std::size_t last_word(std::string_view text) {
  std::size_t start = text.size();
  const auto is_part = [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; };
  while (start > 0 && is_part(text[start - 1])) --start;
  if (start == 1 && text[0] == '.') start = 0;  // .tables
  return start;
}

std::unique_ptr<LineEditor> open_line_editor(const std::string& history_path,
                                             Completions completions) {
  if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
    if (edit_calls()) {
      return std::make_unique<EditedLines>(*edit_calls(), history_path, std::move(completions));
    }
  }
  return std::make_unique<PlainEditor>();
}

}  // namespace strobe::cli
