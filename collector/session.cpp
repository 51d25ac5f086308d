// The recording of one process that uses CUDA.
#include "collector/session.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "collector/cupti/driver_version.h"
#include "collector/cupti/find_cupti.h"
#include "collector/cupti/known_versions.h"
#include "collector/cupti/record_types.h"
#include "collector/process/clock.h"
#include "collector/process/runtime_version.h"

namespace perfscope::collector {
namespace {

// Each thread that calls CUDA fills a buffer of its own: many threads may need many at once. Address space
// only.
constexpr uint32_t kBuffersAtMost = 2;
constexpr uint64_t kExecDeadlineNs = 1'000'000'000;

bool rankIsWanted(const CollectorConfig& config, int32_t rank) {
  return config.ranks.empty() || rank < 0 ||
         std::find(config.ranks.begin(), config.ranks.end(), static_cast<uint32_t>(rank)) !=
             config.ranks.end();
}

constexpr uint32_t bits(DrainRequest request) {
  return static_cast<uint32_t>(request);
}

}  // namespace

Session::Session(const CollectorConfig& config, ControlFile control, LossTally& losses)
    : m_config(config), m_control(std::move(control)), m_losses(losses), m_pid(m_control.block().pid) {
  m_hot.losses = &losses;
  m_hot.buffers_handed_out = &m_control.block().cupti_buffers;
  m_hot.gemm = config.gemm;
  m_hot.nccl = config.nccl;
}

Session* Session::start(const CollectorConfig& config, LossTally& losses, LaneTable& lanes, NvtxState& nvtx) {
  const int driver_version = readDriverVersion();
  return start(config, losses, lanes, nvtx, findCupti(driver_version / 1000), driver_version);
}

Session* Session::start(const CollectorConfig& config, LossTally& losses, LaneTable& lanes, NvtxState& nvtx,
                        Result<CuptiApi> api, int driver_version) {
  const ProcessInfo info = readProcessInfo(config.store_arguments);
  if (!rankIsWanted(config, info.rank)) return nullptr;
  auto control = ControlFile::create(config.session_dir, info, realtimeNs());
  if (!control) {
    std::fprintf(stderr, "perfscope: this process is not recorded: %s\n", control.error().sentence().c_str());
    return nullptr;
  }
  auto* session = new Session(config, std::move(*control), losses);
  losses.redirect(session->m_control.block().loss);
  session->m_hot.lanes = &lanes;
  session->useCupti(std::move(api), driver_version);
  session->makeReplay();
  session->makeDrain(nvtx);
  session->makeCounters();
  if (const auto status = session->m_thread.start([session](uint32_t r) { return session->round(r); });
      !status)
    std::fprintf(stderr, "perfscope: this process is not recorded: %s\n", status.error().sentence().c_str());
  watchSignals(session);
  return session;
}

void Session::note(spool::NoteId id, std::string detail, int64_t value) {
  m_early_notes.push_back({id, std::move(detail), value});
}

void Session::useCupti(Result<CuptiApi> api, int driver_version) {
  m_control.block().driver_version = static_cast<uint32_t>(std::max(driver_version, 0));
  m_control.block().runtime_version = runtimeVersionByName();
  if (!api) return note(spool::NoteId::CuptiMissing, api.error().sentence(), 0);
  m_api = std::move(*api);
  m_hot.api = &m_api;
  m_hot.may_refuse = m_api.version >= kCuptiApi12_9;
  m_control.block().cupti_version = m_api.version;
  std::snprintf(m_control.block().cupti_path, sizeof(m_control.block().cupti_path), "%s", m_api.path.c_str());
  if (m_api.version < kCuptiApiOldest)
    return note(spool::NoteId::CuptiTooOld, m_api.path, static_cast<int64_t>(m_api.version));
  if (const char* defect = knownDefect(m_api.version))
    note(spool::NoteId::KnownBadVersion, defect, static_cast<int64_t>(m_api.version));
  m_pool = std::make_unique<BufferPool>(m_config.buffer_bytes, m_config.buffer_count * kBuffersAtMost,
                                        m_config.buffer_count);
  m_ready =
      std::make_unique<BoundedQueue<ReadyBuffer>>((m_pool->totalCount() + size_t{BufferPool::kSpares}) * 2);
  m_hot.pool = m_pool.get();
  m_hot.ready = m_ready.get();
  setHotState(&m_hot);
  if (!subscribe()) return;
  m_tracing = true;
  beginTracing();
}

// The V1 call: it works with every version, and a V2 subscriber must not make V1 activity calls. The V2 call
// only serves to learn who holds the slot.
bool Session::subscribe() {
  const CUptiResult result = m_api.subscribe(&m_subscriber, eventCallback, nullptr);
  if (result == CUPTI_SUCCESS) return true;
  if (result != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    note(spool::NoteId::CuptiCallFailed, "cuptiSubscribe", result);
    return false;
  }
  std::array<char, 128> holder{};
  if (m_api.subscribe_v2 != nullptr) {
    SubscriberParams params{sizeof(SubscriberParams), "perfscope", holder.data(), holder.size()};
    if (m_api.subscribe_v2(&m_subscriber, eventCallback, nullptr, &params) == CUPTI_SUCCESS)
      m_api.unsubscribe(m_subscriber);
  }
  note(spool::NoteId::SlotTaken, holder.data(), result);
  return false;
}

void Session::beginTracing() {
  std::vector<SetupIssue> issues;
  setAttributes(m_api, issues);
  issues.clear();  // an attribute that is refused costs a little speed, no record
  if (m_api.set_thread_id_type != nullptr) m_api.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  const CUptiResult registered = m_api.activity_register_callbacks(bufferRequested, bufferCompleted);
  if (registered != CUPTI_SUCCESS) issues.push_back({"cuptiActivityRegisterCallbacks", registered});
  m_plan = planActivities(m_config, m_api);
  m_api.enable_domain(1, m_subscriber, layout::kStateDomain);
  if (m_plan.graph_callbacks) {
    for (const auto id : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
      m_api.enable_callback(1, m_subscriber, CUPTI_CB_DOMAIN_RESOURCE, static_cast<CUpti_CallbackId>(id));
  }
  if (m_config.capture == Capture::ProfilerApi) {
    for (const auto id : {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop})
      m_api.enable_callback(1, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, static_cast<CUpti_CallbackId>(id));
  }
  if (Gate(m_config, m_control.startNs()).kindsWanted()) {
    enableActivities(m_api, m_plan, Moment::BeforeCuda, issues);
  } else {
    // Told once, when they are made: a window that opens later would never hear of its device.
    for (const auto kind :
         {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_STREAM})
      m_api.activity_enable(kind);
  }
  for (const SetupIssue& issue : issues) {
    note(spool::NoteId::KindUnavailable,
         issue.whole_api_kinds ? "single API calls cannot be chosen with this CUPTI (before 12.5): all are "
                                 "traced and filtered, which costs more"
                               : issue.what,
         issue.code);
  }
  if (m_config.graphs == GraphTracing::Graph) note(spool::NoteId::GraphLevelTracing, "", 0);
}

void Session::makeDrain(NvtxState& nvtx) {
  if (!m_tracing) {  // nothing will come from CUPTI: the drain serves the rings and the notes only
    m_hot.api = nullptr;
    setHotState(nullptr);
  }
  m_drain = std::make_unique<Drain>(m_config, m_control, m_hot, nvtx, m_losses, m_plan);
  m_drain->setKindsOn(m_tracing && m_drain->gate().kindsWanted());
#if PERFSCOPE_PM_SAMPLING
  if (m_replay_inbox) m_drain->readCounters(m_replay_inbox.get());
#endif
  for (PendingNote& early : m_early_notes) m_drain->addNote(early.id, std::move(early.detail), early.value);
  m_early_notes.clear();
  if (m_tracing && m_drain->trigger().used())
    nvtx.trigger.store(&m_drain->trigger(), std::memory_order_release);
  m_hot.wake = [](void* self) { static_cast<Session*>(self)->m_thread.wake(); };
  m_hot.wake_self = this;
}

void Session::makeCounters() {
  if (m_config.counters != Counters::Sample || !m_tracing) return;
#if PERFSCOPE_PM_SAMPLING
  void* const library = ::dlopen(m_api.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto api = bindProfiler(library, m_api.path);
  if (!api) return m_drain->addNote(spool::NoteId::CountersUnavailable, api.error().sentence(), 0);
  m_counters = std::make_unique<CounterSession>(
      m_config, m_hot, *api,
      [this](spool::NoteId id, std::string detail, int64_t value) {
        m_drain->addNote(id, std::move(detail), value);
      },
      [this] {
        if (auto* const hook = m_exit_hook.load()) hook();
      });
  m_drain->readCounters(&m_counters->inbox());
  m_api.enable_callback(1, m_subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  if (const auto status = m_counters->start(); !status)
    m_drain->addNote(spool::NoteId::CountersUnavailable, status.error().sentence(), 0);
#else
  m_drain->addNote(spool::NoteId::CountersUnavailable,
                   "this build knows no PM sampling (its CUPTI headers are older than CUDA 12.6)", 0);
#endif
}

// Before the drain, which asks whether kernels without times may be replayed ones. Notes go to the drain once
// it is there: a launch cannot come before, because the driver is still being initialised.
void Session::makeReplay() {
  if (m_config.counters != Counters::Replay || !m_tracing) return;
#if PERFSCOPE_PM_SAMPLING
  void* const library = ::dlopen(m_api.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto api = bindProfiler(library, m_api.path);
  if (!api) return note(spool::NoteId::CountersUnavailable, api.error().sentence(), 0);
  m_replay_inbox = std::make_unique<CounterInbox>();
  m_replay = std::make_unique<RangeReplay>(m_config, *api, *m_replay_inbox,
                                           [this](spool::NoteId id, std::string detail, int64_t value) {
                                             m_drain->addNote(id, std::move(detail), value);
                                           });
  m_hot.launch_self = m_replay.get();
  m_hot.launch = [](void* self, CUpti_CallbackId id, const CUpti_CallbackData& data) {
    static_cast<RangeReplay*>(self)->launch(id, data);
  };
  for (const CUpti_CallbackId id : kReplayCalls)
    m_api.enable_callback(1, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
#else
  note(spool::NoteId::CountersUnavailable,
       "this build knows no range profiler (its CUPTI headers are older than CUDA 12.6)", 0);
#endif
}

bool Session::round(uint32_t requests) {
  if ((requests & bits(DrainRequest::Close)) != 0) {
#if PERFSCOPE_PM_SAMPLING
    if (m_replay) m_replay->tell();
#endif
    m_drain->flush(true, true);
    m_drain->finish();
    m_control.block().end_ns.store(realtimeNs(), std::memory_order_relaxed);
    m_control.block().state.store(spool::ProcessState::Closed, std::memory_order_release);
    return false;
  }
  if (requests != 0)
    m_drain->flush((requests & bits(DrainRequest::Forced)) != 0);
  else
    m_drain->round(realtimeNs());
  return true;
}

bool Session::flush(uint64_t timeout_ns) noexcept {
  if (m_closed.load(std::memory_order_acquire)) return true;
  return m_thread.ask(bits(DrainRequest::Flush) | bits(DrainRequest::Forced), timeout_ns);
}

void Session::close(uint64_t timeout_ns) noexcept {
  // Who comes second (a second SIGINT on another thread, exit beside a signal) waits as well: if it returned
  // at once, the process would end under the first one's flush.
  m_closed.store(true, std::memory_order_release);
#if PERFSCOPE_PM_SAMPLING
  if (m_counters)
    m_counters->close(std::min(timeout_ns, kCountersDeadlineNs));  // before the drain's last round
#endif
  m_thread.ask(bits(DrainRequest::Close), timeout_ns, &m_control.block().records);
}

void Session::beforeExec() noexcept {
  if (m_closed.load(std::memory_order_acquire)) return;
  flush(kExecDeadlineNs);
  m_control.block().end_ns.store(realtimeNs(), std::memory_order_relaxed);
  m_control.block().state.store(spool::ProcessState::Execed, std::memory_order_release);
}

void Session::execFailed() noexcept {
  if (m_closed.load(std::memory_order_acquire)) return;
  m_control.block().end_ns.store(0, std::memory_order_relaxed);
  m_control.block().state.store(spool::ProcessState::Running, std::memory_order_release);
}

void Session::forgetInChild() noexcept {
  unwatchSignalsInChild();
}

}  // namespace perfscope::collector
