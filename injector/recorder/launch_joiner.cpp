// The join of API calls with what they launched.
#include "injector/recorder/launch_joiner.h"

#include "injector/recorder/spool_bytes.h"

namespace perfscope {
namespace {

constexpr uint32_t kSettledSlots = 1U << 16;

bool isDriver(const spool::Api& api) {
  return (api.head.flags & spool::kFlagDriverApi) != 0;
}

// A driver call made inside a runtime call, on the same thread.
bool isInside(const spool::Api& inner, const spool::Api& outer) {
  return isDriver(inner) && !isDriver(outer) && inner.head.thread == outer.head.thread &&
         inner.start_ns >= outer.start_ns && inner.end_ns <= outer.end_ns;
}

Launch launchOf(const spool::Api& api) {
  return {api.start_ns, api.end_ns, api.head.thread};
}

spool::Record recordOf(const spool::Api& api) {
  spool::Record record{};
  std::memcpy(record.bytes, &api, sizeof api);
  return record;
}

}  // namespace

uint32_t correlationOf(const spool::Record& gpu) {
  switch (kindOf(gpu)) {
    case spool::Kind::Kernel:
      return as<spool::Kernel>(gpu).correlation;
    case spool::Kind::Memcpy:
      return as<spool::Memcpy>(gpu).correlation;
    case spool::Kind::Memset:
      return as<spool::Memset>(gpu).correlation;
    default:
      return 0;
  }
}

LaunchJoiner::LaunchJoiner(JoinSink sink, Limits limits) : m_sink(std::move(sink)), m_limits(limits) {}

LaunchJoiner::Settled& LaunchJoiner::slot(uint32_t correlation) {
  if (m_settled.empty()) m_settled.resize(kSettledSlots);  // only processes that launch pay for it
  return m_settled[correlation % kSettledSlots];
}

LaunchJoiner::Settled* LaunchJoiner::settled(uint32_t correlation) {
  Settled& entry = slot(correlation);
  return entry.used && entry.api.correlation == correlation ? &entry : nullptr;
}

void LaunchJoiner::settlePlain(const spool::Api& api, bool foldable) {
  slot(api.correlation) = {api, m_sink.write_api(api), spool::Kind::Invalid, true, false, foldable};
}

void LaunchJoiner::settleFolded(const spool::Api& api, const spool::Record& gpu) {
  const int64_t row = m_sink.write_gpu(gpu, launchOf(api));
  slot(api.correlation) = {api, row, kindOf(gpu), true, true, true};
}

void LaunchJoiner::writeUnmatched(const spool::Record& gpu) {
  m_sink.write_gpu(gpu, std::nullopt);
  if (kindOf(gpu) == spool::Kind::Kernel) ++m_unmatched_kernels;
}

// True when the call is a nested double of one that is already in the database, or the outer call of it.
bool LaunchJoiner::meetSettled(const spool::Api& api) {
  Settled* const known = settled(api.correlation);
  if (known == nullptr) return false;
  if (isInside(api, known->api)) return true;
  if (!isInside(known->api, api)) return false;
  known->api = api;
  if (known->folded) {
    m_sink.patch_gpu(known->kind, known->row, launchOf(api));
  } else {
    m_sink.replace_api(known->row, api);
  }
  return true;
}

void LaunchJoiner::meetWaiting(Waiting& waiting, const spool::Api& api) {
  if (waiting.is_api) {
    const auto other = as<spool::Api>(waiting.first);
    if (isInside(api, other)) return;
    if (!isInside(other, api)) m_sink.write_api(other);  // one id for two calls: cannot be, so keep both
    waiting.first = recordOf(api);
    return;
  }
  if (waiting.more == nullptr) {
    settleFolded(api, waiting.first);
  } else {
    m_sink.write_gpu(waiting.first, std::nullopt);
    for (const auto& gpu : *waiting.more) m_sink.write_gpu(gpu, std::nullopt);
    settlePlain(api, false);
  }
  erase(api.correlation);
}

// Before a call that never folds is written: its nested double goes, records that waited for it do not wait
// on.
void LaunchJoiner::dropOrWriteWaiting(Waiting& waiting, const spool::Api& api) {
  if (!waiting.is_api) {
    m_sink.write_gpu(waiting.first, std::nullopt);
    if (waiting.more) {
      for (const auto& gpu : *waiting.more) m_sink.write_gpu(gpu, std::nullopt);
    }
  } else if (!isInside(as<spool::Api>(waiting.first), api)) {
    m_sink.write_api(as<spool::Api>(waiting.first));
  }
  erase(api.correlation);
}

void LaunchJoiner::onApi(const spool::Api& api, bool may_launch) {
  ++m_serial;
  if (meetSettled(api)) return;
  const auto found = m_waiting.find(api.correlation);
  // A call that failed launched nothing.
  if (!may_launch || api.correlation == 0 || api.return_value != 0) {
    if (found != m_waiting.end()) dropOrWriteWaiting(found->second, api);
    settlePlain(api, false);
  } else if (found != m_waiting.end()) {
    meetWaiting(found->second, api);
  } else {
    wait(api.correlation, recordOf(api), true);
  }
  expire();
}

void LaunchJoiner::onGpu(const spool::Record& gpu) {
  ++m_serial;
  const uint32_t correlation = correlationOf(gpu);
  if (correlation == 0) return writeUnmatched(gpu);
  if (Settled* const known = settled(correlation)) {
    if (known->folded) {
      // The second record of one call: the call belongs to neither and gets its own row.
      m_sink.patch_gpu(known->kind, known->row, std::nullopt);
      settlePlain(spool::Api(known->api), false);
      m_sink.write_gpu(gpu, std::nullopt);
    } else if (known->foldable) {
      m_sink.remove_api(known->row);
      settleFolded(spool::Api(known->api), gpu);
    } else {
      m_sink.write_gpu(gpu, std::nullopt);
    }
    return;
  }
  const auto found = m_waiting.find(correlation);
  if (found == m_waiting.end()) {
    wait(correlation, gpu, false);
  } else if (found->second.is_api) {
    settleFolded(as<spool::Api>(found->second.first), gpu);
    erase(correlation);
  } else {
    auto& more = found->second.more;
    if (more == nullptr) more = std::make_unique<std::vector<spool::Record>>();
    more->push_back(gpu);
    ++m_waiting_records;
  }
  expire();
}

void LaunchJoiner::wait(uint32_t correlation, const spool::Record& record, bool is_api) {
  auto& waiting = m_waiting[correlation];
  waiting.first = record;
  waiting.is_api = is_api;
  waiting.serial = m_serial;
  m_queue.push_back({m_serial, correlation, m_tick});
  ++m_waiting_records;
}

void LaunchJoiner::erase(uint32_t correlation) {
  const auto found = m_waiting.find(correlation);
  if (found == m_waiting.end()) return;
  m_waiting_records -= 1 + (found->second.more ? found->second.more->size() : 0);
  m_waiting.erase(found);
}

// Nobody came: written as it is. A late partner still finds the call through the settled table.
void LaunchJoiner::release(uint32_t correlation, Waiting& waiting) {
  if (waiting.is_api) {
    settlePlain(as<spool::Api>(waiting.first), true);
  } else {
    writeUnmatched(waiting.first);
    if (waiting.more) {
      for (const auto& gpu : *waiting.more) writeUnmatched(gpu);
    }
  }
  erase(correlation);
}

void LaunchJoiner::expire() {
  while (!m_queue.empty()) {
    const Queued oldest = m_queue.front();
    const auto found = m_waiting.find(oldest.correlation);
    const bool gone = found == m_waiting.end() || found->second.serial != oldest.serial;
    const bool over = m_waiting_records > m_limits.waiting_records ||
                      m_serial - oldest.serial > m_limits.window_records ||
                      m_tick - oldest.tick > m_limits.window_ticks;
    if (!gone && !over) return;
    m_queue.pop_front();
    if (!gone) release(oldest.correlation, found->second);
  }
}

void LaunchJoiner::tick() {
  ++m_tick;
  expire();
}

void LaunchJoiner::collectWaiting(std::vector<spool::Record>& records) const {
  for (const auto& queued : m_queue) {
    const auto found = m_waiting.find(queued.correlation);
    if (found == m_waiting.end() || found->second.serial != queued.serial) continue;
    records.push_back(found->second.first);
    if (found->second.more)
      records.insert(records.end(), found->second.more->begin(), found->second.more->end());
  }
}

void LaunchJoiner::flush() {
  for (const auto& queued : m_queue) {
    const auto found = m_waiting.find(queued.correlation);
    if (found != m_waiting.end() && found->second.serial == queued.serial)
      release(queued.correlation, found->second);
  }
  m_queue.clear();
}

}  // namespace perfscope
