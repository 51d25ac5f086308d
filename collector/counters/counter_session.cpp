// The sampling thread's rounds.
#include "collector/counters/counter_session.h"

#include <algorithm>
#include <utility>

#include "collector/process/clock.h"

namespace perfscope::collector {
#if PERFSCOPE_PM_SAMPLING
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// With 50 us some 240 samples wait at each round: the fixed cost of a decoding call is spread over them.
constexpr uint64_t kRoundNs = 12 * kMillisecond;
constexpr uint64_t kRoundAtMostNs = 200 * kMillisecond;
constexpr uint64_t kLastRoundAtMostNs = 700 * kMillisecond;
constexpr uint64_t kElectionEveryNs = 1000 * kMillisecond;

// Counted by each SM or TPC, so that a sample of it is large.
bool isPerSm(const ChosenMetric& metric) {
  return metric.name.find("sm__") != std::string::npos || metric.name.find("tpc__") != std::string::npos ||
         metric.name.find("l1tex__") != std::string::npos;
}

}  // namespace

CounterSession::CounterSession(const CollectorConfig& config, HotState& hot, ProfilerApi api, Note note,
                               std::function<void()> at_exit)
    : m_config(config),
      m_hot(hot),
      m_api(api),
      m_note(std::move(note)),
      m_at_exit(std::move(at_exit)),
      m_thread(kRoundNs, "perfscope-pm") {}

Status CounterSession::start() {
  return m_thread.start([this](uint32_t requests) { return round(requests); });
}

bool CounterSession::close(uint64_t timeout_ns) noexcept {
  return m_thread.ask(static_cast<uint32_t>(DrainRequest::Close), timeout_ns);
}

bool CounterSession::round(uint32_t requests) {
  const bool last = (requests & static_cast<uint32_t>(DrainRequest::Close)) != 0;
  if (!last) findGpus();
  for (auto& gpu : m_gpus) work(*gpu, last);
  if (last) tellIfTooShort();
  return !last;
}

// Contexts are noted by the resource callback; asking CUPTI for their device there is not allowed.
void CounterSession::findGpus() {
  const size_t seen = std::min(m_hot.contexts_made.load(std::memory_order_acquire), m_hot.contexts.size());
  for (; m_contexts_seen < seen; ++m_contexts_seen) {
    const CUcontext context = m_hot.contexts[m_contexts_seen].load(std::memory_order_acquire);
    uint32_t ordinal = 0;
    if (context == nullptr || m_api.device_of_context(context, &ordinal) != CUPTI_SUCCESS) continue;
    const bool known =
        std::any_of(m_gpus.begin(), m_gpus.end(), [&](const auto& gpu) { return gpu->ordinal == ordinal; });
    if (!known) m_gpus.push_back(std::make_unique<Gpu>(m_api, ordinal, m_config.sample_interval_ns));
  }
}

void CounterSession::work(Gpu& gpu, bool last) {
  if (gpu.state == Gpu::State::Waiting && !last) begin(gpu);
  if (gpu.state != Gpu::State::Ready) return;
  const bool wanted = !last && m_hot.collecting.load(std::memory_order_relaxed);
  if (gpu.sampler.running()) {
    if (!wanted) {
      if (const auto failure = gpu.sampler.stop(); failure.failed()) return giveUp(gpu, failure);
    }
    takeSamples(gpu, last ? kLastRoundAtMostNs : kRoundAtMostNs);
  } else if (wanted) {
    if (const auto failure = gpu.sampler.start(); failure.failed()) giveUp(gpu, failure);
  }
  if (last) closingNotes(gpu);
}

void CounterSession::closingNotes(const Gpu& gpu) {
  if (gpu.overflows != 0 || gpu.lost_ns != 0)
    m_note(spool::NoteId::CounterSamplesLost,
           gpu.name + ", " + std::to_string(gpu.lost_ns / kMillisecond) +
               " ms; overflows of its buffer: " + std::to_string(gpu.overflows),
           static_cast<int64_t>(gpu.lost_ns));
  if (gpu.samples != 0)
    m_note(spool::NoteId::CounterCost,
           gpu.name + ", samples: " + std::to_string(gpu.samples) + ", " +
               std::to_string(gpu.busy_ns / gpu.samples) + " ns each, " +
               std::to_string(gpu.busy_ns / kMillisecond) + " ms of processor time together",
           static_cast<int64_t>(gpu.busy_ns));
}

// Choosing and configuring takes some 0.4 s, which short programs do not live.
void CounterSession::tellIfTooShort() {
  const bool unseen = m_gpus.empty() && m_hot.contexts_made.load(std::memory_order_acquire) != 0;
  const bool unsampled = std::any_of(m_gpus.begin(), m_gpus.end(), [](const auto& gpu) {
    return gpu->state == Gpu::State::Ready && gpu->samples == 0;
  });
  if (unseen || unsampled)
    m_note(spool::NoteId::CountersUnavailable, "the program ended before the first sample", 0);
}

void CounterSession::begin(Gpu& gpu) {
  const uint64_t now = monotonicNs();
  if (now < gpu.retry_ns) return;
  gpu.retry_ns = now + kElectionEveryNs;
  if (gpu.name.empty()) gpu.name = pciBusId(static_cast<int>(gpu.ordinal));
  if (!gpu.election.win(m_config.session_dir, gpu.name)) return;
  if (const auto failure = gpu.sampler.prepare(m_config.metrics); failure.failed())
    return giveUp(gpu, failure);
  // libnvperf_host is loaded by now: an exit handler registered before it would find its tables destroyed and
  // evaluate every sample to nothing, so the handler is registered once more.
  if (!std::exchange(m_exit_hooked, true) && m_at_exit) m_at_exit();
  std::string left_out;
  for (const auto& name : gpu.sampler.choice().left_out) left_out += (left_out.empty() ? "" : ", ") + name;
  if (!left_out.empty())
    m_note(spool::NoteId::CounterMetricsLeftOut, gpu.sampler.chip() + ": " + left_out,
           static_cast<int64_t>(gpu.sampler.choice().left_out.size()));
  gpu.plan.beginWith(
      std::any_of(gpu.sampler.choice().metrics.begin(), gpu.sampler.choice().metrics.end(), isPerSm));
  if (configure(gpu)) gpu.state = Gpu::State::Ready;
}

bool CounterSession::configure(Gpu& gpu) {
  if (const auto failure = gpu.sampler.configure(gpu.plan.intervalNs()); failure.failed()) {
    giveUp(gpu, failure);
    return false;
  }
  PendingSet pending{};
  pending.set.head.kind = spool::Kind::CounterSet;
  pending.set.time_ns = realtimeNs();
  pending.set.interval_ns = gpu.plan.intervalNs();
  pending.set.set_id = gpu.set_id = ++m_last_set;
  pending.set.device = static_cast<uint16_t>(gpu.ordinal);
  pending.metrics = gpu.sampler.choice().metrics;
  pending.set.metric_count = static_cast<uint16_t>(pending.metrics.size());
  pending.chip = gpu.sampler.chip();
  m_inbox.announce(std::move(pending));
  return true;
}

void CounterSession::takeSamples(Gpu& gpu, uint64_t most_ns) {
  const auto take = [&](uint64_t start_ns, uint64_t end_ns, std::span<const double> values) {
    spool::CounterSample record{};
    record.head.kind = spool::Kind::CounterSample;
    record.head.thread = gpu.set_id;
    record.start_ns = start_ns;
    record.duration_ns = static_cast<uint32_t>(std::min<uint64_t>(end_ns - start_ns, UINT32_MAX));
    for (size_t at = 0; at < values.size(); at += spool::kCounterValues) {
      record.head.flags = static_cast<uint16_t>(at);
      record.value_count = static_cast<uint32_t>(std::min(spool::kCounterValues, values.size() - at));
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), record.value_count, record.values);
      m_batch.push_back(record);
    }
  };
  const SamplerRound done = gpu.sampler.round(take, most_ns);
  m_inbox.put(m_batch);
  if (done.overflow) ++gpu.overflows;
  gpu.lost_ns += done.lost_ns;
  gpu.busy_ns += done.busy_ns;
  gpu.samples += done.samples;
  if (done.failure.failed()) return giveUp(gpu, done.failure);
  if (!gpu.plan.adapt(done.samples, done.busy_ns, done.overflow) || !gpu.sampler.running()) return;
  m_note(spool::NoteId::CounterIntervalRaised,
         gpu.name + ": " + std::to_string(gpu.plan.intervalNs() / 1000) + " us",
         static_cast<int64_t>(gpu.plan.intervalNs()));
  if (const auto failure = gpu.sampler.stop(); failure.failed()) return giveUp(gpu, failure);
  // What the old interval left behind belongs to the old set; time is not wasted on more than is there.
  const SamplerRound rest = gpu.sampler.round(take, kRoundAtMostNs);
  m_inbox.put(m_batch);
  if (rest.failure.failed()) return giveUp(gpu, rest.failure);
  configure(gpu);  // started again by the next round
}

void CounterSession::giveUp(Gpu& gpu, const CounterFailure& failure) {
  gpu.state = Gpu::State::Given;
  const auto code = failure.code;
  const auto id = code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? spool::NoteId::CountersNoPermission
                  : code == CUPTI_ERROR_HARDWARE_BUSY         ? spool::NoteId::CountersBusy
                                                              : spool::NoteId::CountersUnavailable;
  m_note(id, std::string(failure.call) + " (" + gpu.name + ")", code);
}

#endif
}  // namespace perfscope::collector
