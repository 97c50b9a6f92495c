#include "strobe/cli/fleet_job.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/text.h"
#include "strobe/cli/fleet_digests.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"
#include "strobe/fleet/stragglers/stragglers.h"
#include "strobe/fleet/waits/make_job.h"
#include "strobe/report/fleet/job_report.h"
#include "strobe/report/render/document.h"

namespace strobe::cli {
namespace {

Result<void> check_complete(const JobDigests& found, const FleetRequest& request) {
  const std::size_t missing = found.unreadable.size();
  if (missing == 0) return {};
  Error error = found.unreadable.front();
  if (missing > 1) {
    error.what += fmt::format(" (and {} cannot be read)", counted(missing - 1, "other file"));
  }
  if (found.digests.empty()) return error;
  if (missing <= request.allow_missing) return {};
  error.hint = fmt::format("--allow-missing {} answers for the other {}", missing,
                           counted(found.digests.size(), "rank"));
  return error;
}

}  // namespace

Result<void> explain_ranks(const FleetRequest& request, fleet::World& world,
                           const Terminal& terminal) {
  STROBE_TRY_VOID(check_writable(request.output));
  Stages stages(terminal);
  STROBE_TRY(JobDigests found, read_job(request.input, world, request.load, terminal));
  if (!world.is_first()) return {};
  STROBE_TRY_VOID(check_complete(found, request));
  stages.end("read");
  for (const fleet::RankDigest& digest : found.digests) {
    if (!digest.damage.empty()) warn(terminal, digest.damage);
  }
  const fleet::Job job = fleet::make_job(found.digests, {.align = request.align});
  stages.end("match");
  const bool for_tools = request.format == Format::kJson || request.format == Format::kCsv;
  const report::JobPage page = {.path = request.input,
                                .top = for_tools ? 0 : request.top,
                                .unreadable = std::move(found.unreadable),
                                .for_tools = for_tools};
  const std::string text = document_text(
      report::job_document(job, fleet::find_stragglers(job), page), request.format, terminal);
  stages.end("report");
  return write_whole(request.output, text);
}

}  // namespace strobe::cli
