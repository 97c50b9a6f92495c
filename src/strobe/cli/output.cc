#include "strobe/cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/names.h"
#include "strobe/report/render/document_html.h"
#include "strobe/report/render/render.h"

namespace strobe::cli {
namespace {

Error cannot_write(const std::string& path, std::string what, std::string hint = {}) {
  return {.code = ErrorCode::kCannotWrite,
          .what = std::move(what),
          .where = path.empty() ? "stdout" : path,
          .hint = std::move(hint)};
}

std::string reason(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "the folder does not exist";
    case EACCES:
    case EPERM:
      return "no permission to create files in this folder";
    case ENOSPC:
    case EDQUOT:
      return "the disk is full";
    case EROFS:
      return "the file system is read-only";
    case ENOTDIR:
      return "a part of the path is not a folder";
    case ENAMETOOLONG:
      return "the name is too long";
    default:
      return std::strerror(error_number);
  }
}

std::string hint_for(int error_number, const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (error_number == ENOENT && !folder.empty()) return fmt::format("mkdir -p '{}'", folder);
  if (error_number == EACCES || error_number == EROFS) {
    return "choose another folder, or leave --output out to get the answer on stdout";
  }
  return {};
}

// A name like /dev/stdout means one of our descriptors, even if that leads to a plain file.
bool names_a_descriptor(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

bool names_stdout(const std::string& path) { return path.empty() || path == "-"; }

Result<void> refuse_folder(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {};
  return cannot_write(path, "it is a directory", "name a file inside it");
}

Error cannot_open(const std::string& path, int error_number) {
  return cannot_write(path, error_number == EACCES ? "no permission" : reason(error_number));
}

Result<int> open_directly(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor >= 0) return descriptor;
  const int error_number = errno;
  if (error_number == EINTR) STROBE_TRY_VOID(check_interrupted());
  return cannot_open(path, error_number);
}

mode_t mode_of_a_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<Output> Output::open(const std::string& path) {
  if (names_stdout(path)) return Output("", "", STDOUT_FILENO);
  STROBE_TRY_VOID(refuse_folder(path));
  if (!is_replaced(path)) {
    STROBE_TRY(const int descriptor, open_directly(path));
    return Output(path, "", descriptor);
  }
  // A symbolic link stays: the file that it points to is replaced.
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, ignored);
  const std::string target = ignored ? path : resolved.string();
  std::string temporary = target + ".strobe-XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot_write(path, reason(errno), hint_for(errno, path));
  remember_unfinished_file(temporary);
  Output output(target, std::move(temporary), descriptor);
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (fchmod(descriptor, exists ? status.st_mode & 07777 : mode_of_a_new_file()) != 0) {
    return cannot_write(path, reason(errno));
  }
  return output;
}

Output::Output(Output&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      reader_is_gone_(other.reader_is_gone_) {}

Output::~Output() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) close(descriptor_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  remember_unfinished_file("");
}

Result<void> Output::write(std::string_view text) {
  while (!text.empty() && !reader_is_gone_) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      reader_is_gone_ = true;
    } else if (errno == EINTR) {
      STROBE_TRY_VOID(check_interrupted());
    } else {
      return cannot_write(path_, reason(errno));
    }
  }
  return {};
}

Result<void> Output::commit() {
  if (temporary_.empty()) return {};
  STROBE_TRY_VOID(check_interrupted());
  // Some file systems report a full disk only now.
  if (fsync(descriptor_) != 0 || close(std::exchange(descriptor_, -1)) != 0) {
    return cannot_write(path_, reason(errno));
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, reason(errno));
  temporary_.clear();
  remember_unfinished_file("");
  return {};
}

bool is_replaced(const std::string& path) {
  if (names_stdout(path) || names_a_descriptor(path)) return false;
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

Result<void> check_writable(const std::string& path) {
  if (names_stdout(path)) return {};
  STROBE_TRY_VOID(refuse_folder(path));
  if (!is_replaced(path)) {
    return access(path.c_str(), W_OK) == 0 ? Result<void>() : cannot_open(path, errno);
  }
  STROBE_TRY(const Output trial, Output::open(path));
  return {};
}

std::string_view format_word(std::string_view path) {
  static constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".json", "json"},         {".html", "html"},   {".htm", "html"},      {".md", "markdown"},
      {".markdown", "markdown"}, {".csv", "csv"},     {".tsv", "tsv"},       {".txt", "text"},
      {".parquet", "parquet"},   {".arrow", "arrow"}, {".ndjson", "ndjson"}, {".jsonl", "ndjson"}};
  for (const auto& [ending, word] : kEndings) {
    if (path.size() > ending.size() &&
        equal_ignoring_case(path.substr(path.size() - ending.size()), ending)) {
      return word;
    }
  }
  return {};
}

Result<void> give(Output& output, std::string_view text) {
  STROBE_TRY_VOID(check_interrupted());
  STROBE_TRY_VOID(output.write(text));
  return output.commit();
}

Result<void> write_whole(const std::string& path, std::string_view text) {
  STROBE_TRY(Output output, Output::open(path));
  return give(output, text);
}

Result<void> write_to_stdout(std::string_view text) {
  STROBE_TRY(Output output, Output::open(""));
  return output.write(text);
}

std::string terminal_text(const report::Document& document, const Terminal& terminal,
                          int most_columns) {
  return report::render_text(document, {.width = std::min(terminal.columns, most_columns),
                                        .color = terminal.color,
                                        .unicode = terminal.unicode});
}

std::string document_text(const report::Document& document, Format format, const Terminal& terminal,
                          int most_columns) {
  switch (format) {
    case Format::kJson:
      return report::render_json(document);
    case Format::kCsv:
      return report::render_csv(document);
    case Format::kTsv:
      return report::render_tsv(document);
    case Format::kMarkdown:
      return report::render_markdown(document);
    case Format::kHtml:
      return report::document_html(document);
    default:
      return terminal_text(document, terminal, most_columns);
  }
}

}  // namespace strobe::cli
