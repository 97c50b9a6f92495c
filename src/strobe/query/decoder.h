#pragma once

#include <string>
#include <vector>

#include "strobe/query/duckdb_api.h"
#include "strobe/query/query.h"

namespace strobe::query {

// Whether values of a type can be decoded; others must be cast to text first.
bool is_decodable(duckdb::TypeId type);
ValueType value_type(duckdb::TypeId type);

// The type of names shows all of them: "ENUM('a', 'it''s')" becomes "NAME".
std::string without_dictionaries(std::string text);

// Reads the values of one column of an answer.
class Decoder {
 public:
  // Takes the type over.
  Decoder(const duckdb::Library& duckdb, duckdb::Type type, duckdb::TypeId id);
  ~Decoder() { duckdb_.destroy_logical_type(&type_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  std::vector<Value> decode(duckdb::Vector vector, std::size_t rows);

 private:
  Value value(const void* data, std::size_t row);
  std::string text_of(std::size_t code);
  template <class Number>
  Value whole(Number number);

  const duckdb::Library& duckdb_;
  duckdb::Type type_;
  duckdb::TypeId id_;
  int scale_ = 0;
  bool is_enum_ = false;
  std::vector<std::string> texts_;  // of a dictionary, each asked for once
  std::vector<bool> is_known_;
};

}  // namespace strobe::query
