#include "strobe/query/questions.h"

#include <algorithm>

namespace strobe::query {
namespace {

constexpr Question kQuestions[] = {
    {"top-kernels", "kernels by their time on the device",
     R"(select name, count(*) as calls, sum(dur) as total, round(avg(dur)) as mean, max(dur) as longest
from kernels
group by name
order by total desc, name
limit 20)"},
    {"families", "time on the device by what kernels are for",
     R"(select family(name) as family, count(distinct name) as names, count(*) as calls,
       sum(dur) as total, round(100 * sum(dur) / sum(sum(dur)) over (), 1) as percent
from kernels
group by all
order by total desc)"},
    {"top-operators", "operators by their own time on the host",
     R"(select name, count(*) as calls, sum(self) as self, sum(self_device_time) as device,
       sum(dur) filter (outermost) as total
from operators
group by name
order by self desc, name
limit 20)"},
    {"slow-steps", "the slowest steps, and what their time went into",
     R"(select s.run, s.rank, s.name, s.dur,
       sum(a.time) filter (a.label = 'kernel') as kernel,
       sum(a.time) filter (a.label = 'communication') as communication,
       sum(a.time) filter (a.label in ('memcpy', 'memset')) as copies,
       sum(a.time) filter (a.label not in ('kernel', 'communication', 'memcpy', 'memset')) as device_idle
from steps s join step_account a using (run, rank, step)
group by s.run, s.rank, s.step, s.name, s.dur
order by s.dur desc, s.step
limit 10)"},
    {"launch-delays", "how long launched work waited, by stream",
     R"(select run, rank, device, stream, count(*) as works, median(delay) as median,
       quantile_cont(delay, 0.9) as p90, max(delay) as longest
from launches
where delay is not null
group by run, rank, device, stream
order by run, rank, device, stream)"},
    {"gaps", "the longest pauses of each device",
     R"(with work as (
  select run, rank, device, start, stop, name from kernels
  union all select run, rank, device, start, stop, name from copies
), open as (
  select *, max(stop) over (partition by run, rank, device order by start, stop
                            rows between unbounded preceding and 1 preceding) as busy_until
  from work
)
select run, rank, device, busy_until as idle_from, start - busy_until as idle, name as next
from open
where start > busy_until
order by idle desc, idle_from
limit 20)"},
    {"small-kernels", "how much of the work is in kernels that are too short to be worth a launch",
     R"(select case when dur < 2000 then 'under 2 us' when dur < 5000 then '2 to 5 us'
            when dur < 20000 then '5 to 20 us' when dur < 100000 then '20 to 100 us'
            else 'over 100 us' end as length,
       count(*) as kernels, sum(dur) as total,
       round(100 * sum(dur) / sum(sum(dur)) over (), 1) as percent
from kernels
group by length
order by min(dur))"},
    {"transfers", "copies and memsets: how many, how large, how fast",
     R"(select name, kind, count(*) as calls, sum(dur) as total, sum(bytes) as bytes,
       round(sum(bytes) / sum(dur), 2) as gb_per_s
from copies
group by name, kind
order by total desc, name)"},
    {"calls", "runtime calls by their time on the host",
     R"(select name, count(*) as calls, sum(dur) as total, median(dur) as median, max(dur) as longest
from slices
where kind = 'runtime call'
group by name
order by total desc, name
limit 20)"},
    {"ranks", "each rank: how busy its devices were, and how much of that was communication",
     R"(with work as (
  select run, rank, start, stop, communicates from kernels
  union all select run, rank, start, stop, false from copies
)
select w.run, w.rank, t.span, busy(w.start, w.stop) as busy,
       round(100 * busy(w.start, w.stop) / t.span, 1) as percent,
       busy(w.start, w.stop) filter (w.communicates) as communication
from work w join traces t using (run, rank)
group by w.run, w.rank, t.span
order by w.run, w.rank)"},
    {"stragglers", "who holds the others up: how often each rank is the last, and what that costs",
     R"(select run, rank, sum(last) as last, sum(collectives) as collectives,
       sum(caused_wait) as caused_wait,
       round(100 * sum(caused_wait) / sum(sum(dur)) over (partition by run), 1) as percent,
       median(lateness) as lateness, median(own) as own, median(wait) as wait,
       count(*) as steps, any_value(host_name) as host_name
from ranks
group by run, rank
order by caused_wait desc, run, rank
limit 20)"},
    {"who-waits", "who waits in collectives, and for whom",
     R"(select run, a.rank, c.last_rank as for_rank, count(*) as times,
       sum(a.wait) as wait, median(a.wait) as median, max(a.wait) as longest
from arrivals a join collectives c using (run, exchange)
where a.wait > 0
group by run, a.rank, c.last_rank
order by wait desc, run, a.rank
limit 20)"},
    {"slowest-collectives",
     "the exchanges that cost most: by waiting for the last rank, or by transfer",
     R"(select run, exchange, kind, bytes, last_rank, last_arrival - first_arrival as spread, wait,
       transfer, round(bus_gb_per_s, 1) as bus_gb_per_s, ranks, job_step
from collectives
order by wait + transfer desc, run, exchange
limit 20)"},
    {"memory", "allocations and frees by place",
     R"(select run, rank, place, action, count(*) as events, sum(bytes) as bytes,
       max(peak_allocated) as peak
from memory_events
group by all
order by all)"},
    {"losses", "what of the input was lost or repaired",
     R"(select run, rank, severity, issue, count, sentence
from import_report
where count > 0
order by run, rank, severity, count desc)"},
};

}  // namespace

std::span<const Question> questions() { return kQuestions; }

const Question* find_question(std::string_view name) {
  const auto found = std::ranges::find(kQuestions, name, &Question::name);
  return found == std::end(kQuestions) ? nullptr : found;
}

}  // namespace strobe::query
