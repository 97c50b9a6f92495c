#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/query/filled_tables.h"
#include "strobe/query/query.h"

// An answer as a file of Apache Arrow: its IPC format, which other libraries map into memory as it
// lies.
namespace strobe::query {

// Writes piece by piece; `out` grows and may be emptied between calls.
class ArrowFile {
 public:
  ArrowFile(const std::vector<AnswerColumn>& columns, std::string& out);

  // Columns as the file has them, each as long as the others. A whole number beyond 64 bits is
  // kInvalidArgument.
  Result<void> add(const std::vector<NamedColumn>& columns, std::string& out);
  void end(std::string& out);

 private:
  struct Block {  // as it lies in the file
    std::int64_t offset = 0;
    std::int32_t metadata_bytes = 0;
    std::int32_t padding = 0;
    std::int64_t body_bytes = 0;
  };

  std::int32_t write_message(const std::string& metadata, std::string& out);
  void write(std::string_view bytes, std::string& out);

  std::vector<AnswerColumn> columns_;
  std::vector<Block> batches_;
  std::int64_t written_ = 0;
};

}  // namespace strobe::query
