#include "strobe/cli/query_shell.h"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/cli/line_editor.h"

namespace strobe::cli {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// What a person types; nullopt is Ctrl-C.
class ScriptedEditor final : public LineEditor {
 public:
  explicit ScriptedEditor(std::deque<std::optional<std::string>> lines)
      : lines_(std::move(lines)) {}
  TypedLine read(std::string_view prompt) override {
    prompts.emplace_back(prompt);
    if (lines_.empty()) return {TypedLine::Kind::kEnd};
    const std::optional<std::string> line = lines_.front();
    lines_.pop_front();
    if (!line) return {TypedLine::Kind::kCancelled};
    return {TypedLine::Kind::kLine, *line};
  }
  void remember(const std::string& statement) override { remembered.push_back(statement); }

  std::vector<std::string> prompts;
  std::vector<std::string> remembered;

 private:
  std::deque<std::optional<std::string>> lines_;
};

struct Session {
  std::vector<std::string> asked;
  std::vector<std::string> prompts;
  std::vector<std::string> remembered;
  std::string out;
  std::string err;
};

Session session(std::deque<std::optional<std::string>> lines) {
  Session seen;
  ScriptedEditor editor(std::move(lines));
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const Result<void> ended =
      run_query_shell(editor,
                      [&](const std::string& sql) -> Result<void> {
                        seen.asked.push_back(sql);
                        if (sql.find("wrong") == std::string::npos) return {};
                        return Error{ErrorCode::kInvalidArgument, "it is wrong", "", ""};
                      },
                      {});
  EXPECT_TRUE(ended);
  seen.out = ::testing::internal::GetCapturedStdout();
  seen.err = ::testing::internal::GetCapturedStderr();
  seen.prompts = editor.prompts;
  seen.remembered = editor.remembered;
  return seen;
}

TEST(QueryShellTest, a_statement_ends_with_a_semicolon) {
  const Session seen = session({"select 1", "  + 2; select 3;", "select 4"});
  EXPECT_THAT(seen.asked, ElementsAre("select 1\n  + 2", " select 3", "select 4\n"));
  EXPECT_THAT(seen.prompts, ElementsAre("strobe> ", "   ...> ", "strobe> ", "   ...> "));
  EXPECT_THAT(seen.remembered, ElementsAre("select 1   + 2;", "select 3;"));
}

TEST(QueryShellTest, ctrl_c_drops_what_was_typed) {
  const Session seen = session({"select 1", std::nullopt, "select 2;"});
  EXPECT_THAT(seen.asked, ElementsAre("select 2"));
}

TEST(QueryShellTest, an_error_does_not_end_it) {
  const Session seen = session({"wrong;", "select 2;"});
  EXPECT_THAT(seen.asked, ElementsAre("wrong", "select 2"));
  EXPECT_EQ(seen.err, "strobe: it is wrong\n");
}

TEST(QueryShellTest, the_name_of_a_question_asks_it) {
  const Session seen = session({"top-kernels", " gaps ; "});
  EXPECT_THAT(seen.asked, ElementsAre(HasSubstr("from kernels"), HasSubstr("busy_until")));
}

TEST(QueryShellTest, commands_explain) {
  EXPECT_THAT(session({".tables"}).out, HasSubstr("import_report"));
  EXPECT_THAT(session({".schema"}).out, HasSubstr("run, rank, slice_id, name"));
  EXPECT_THAT(session({".schema kernels"}).out, HasSubstr("how long it took (ns)"));
  EXPECT_THAT(session({".examples"}).out, HasSubstr("gaps"));
  EXPECT_THAT(session({".examples gaps"}).out, HasSubstr("busy_until"));
  EXPECT_THAT(session({".help"}).out, HasSubstr(".quit"));
  EXPECT_THAT(session({".schema nothing"}).err, HasSubstr("there is no table 'nothing'"));
  EXPECT_THAT(session({".oops"}).err, HasSubstr("unknown command '.oops'"));
  EXPECT_THAT(session({".quit", "select 1;"}).asked, IsEmpty());
}

TEST(QueryShellTest, a_dot_inside_a_statement_is_no_command) {
  EXPECT_THAT(session({"select 1", ".5;"}).asked, ElementsAre("select 1\n.5"));
}

TEST(QueryShellTest, names_are_completed) {
  EXPECT_THAT(query_completions("select * from ker"),
              UnorderedElementsAre("kernels", "kernel_counters"));
  EXPECT_THAT(query_completions("select corr"), ElementsAre("correlation"));
  EXPECT_THAT(query_completions("SELECT k.sta"), Contains("start"));
  EXPECT_THAT(query_completions("select fam"), ElementsAre("family"));
  EXPECT_THAT(query_completions("top-k"), ElementsAre("top-kernels"));
  EXPECT_THAT(query_completions(".s"), ElementsAre(".schema"));
  EXPECT_THAT(query_completions(".schema st"), Each(StartsWith("st")));
  EXPECT_THAT(query_completions("from "), Not(Contains("select")));
  EXPECT_THAT(query_completions("select xyz"), IsEmpty());
}

}  // namespace
}  // namespace strobe::cli
