#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/exec_words.h"
#include "strobe/base/result.h"

// A program that strobe starts, and the signals that strobe gets meanwhile.
namespace strobe::record {

// How a program ended.
struct Ending {
  int exit_code = 0;
  int signal = 0;  // that ended it; 0 if none did

  bool is_success() const { return exit_code == 0 && signal == 0; }
};

// As a shell gives it on: 128 and the signal's number, if one ended the program.
int shell_code(const Ending& ending);

// Signals belong to the whole process, so there is one relay at a time. While it exists,
//  - signals that end or tell something (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1) and that were
//    sent to strobe alone go to the program, which decides what to do: strobe itself goes on;
//  - SIGUSR2 asks strobe for a dump where it gives some, and else goes to the program;
//  - a file at its limit and a pipe without a reader are errors of write(), not signals.
// A signal that was ignored before, as under nohup, stays ignored, in the program too. Of SIGPIPE,
// only the caller knows: strobe itself ignores it.
class SignalRelay {
 public:
  static Result<std::unique_ptr<SignalRelay>> open(bool program_ignores_pipes = false);
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;
  ~SignalRelay();

  void pass_on_to(pid_t program) const;  // 0: to nobody

  // Sleeps until a signal comes, a child ends or the time is over. One that came before counts.
  void wait(std::optional<std::chrono::milliseconds> most = {}) const;
  // Whether somebody wants strobe and the program to end. Stays true.
  bool wants_end() const;
  void set_gives_dumps(bool does) const;  // not at first
  // Whether a dump was asked for since the last call.
  bool take_dump_request() const;

 private:
  friend class ChildProcess;
  explicit SignalRelay(bool program_ignores_pipes);
  void handle(int signal, void (*handler)(int, siginfo_t*, void*));  // null: ignore
  void restore_in_child() const;                                     // between fork and exec

  struct Before {
    int signal;
    struct sigaction action;
  };
  std::vector<Before> before_;
  bool program_ignores_pipes_;
};

// A program with strobe's input, outputs, process group and terminal.
class ChildProcess {
 public:
  // Makes a process that waits: who looks at it from outside gets ready before its first
  // instruction.
  static Result<ChildProcess> prepare(const std::vector<std::string>& command,
                                      const Variables& variables, const SignalRelay& relay);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // a process that still waits ends

  pid_t id() const { return id_; }
  // The process becomes the program. kNotFound if there is none of this name, kMachineLacks if it
  // may not be run, kUnsupported if it cannot; then the process has ended.
  Result<void> begin();
  // Whether it has ended. Until ending() is called, /proc still shows it.
  bool has_ended() const;
  // Nothing while it runs.
  std::optional<Ending> ending();
  Ending wait(const SignalRelay& relay);

 private:
  ChildProcess(std::string program, pid_t id, int gate, int report, const SignalRelay& relay)
      : program_(std::move(program)), id_(id), gate_(gate), report_(report), relay_(&relay) {}
  void give_up();

  std::string program_;
  pid_t id_ = 0;  // 0: none, or it has ended and was told
  int gate_ = -1;
  int report_ = -1;
  const SignalRelay* relay_;
  std::optional<Ending> ending_;
};

// Processes whose parent has ended become children of strobe, so that they can still be found, and
// are waited for by reap_adopted().
bool adopt_orphans();
void reap_adopted(const ChildProcess& except);
// Waits for them after the program's end. False if some still run when the time is over.
bool wait_for_adopted(const SignalRelay& relay, std::chrono::milliseconds most);

// Whether a program of this name can be found, as a shell finds it: tells a mistyped name before
// anything is prepared. The errors are those of ChildProcess::begin().
Result<void> check_program(const std::string& program);

}  // namespace strobe::record
