// Process, host and loss rows.
#include "injector/recorder/process_registry.h"

#include "injector/environment_list.h"
#include "injector/recorder/kernel_name.h"

namespace perfscope {
namespace {

std::optional<int64_t> knownRank(int32_t value) {
  return value < 0 ? std::nullopt : std::optional<int64_t>(value);
}
std::optional<int64_t> knownVersion(uint32_t value) {
  return value == 0 ? std::nullopt : std::optional<int64_t>(value);
}
std::optional<std::string> knownText(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(cleanText(text));
}

}  // namespace

int64_t ProcessRegistry::addHost(const HostFacts& facts) {
  HostRow row;
  row.id = static_cast<int64_t>(m_hosts.size()) + 1;
  row.name = facts.name;
  row.kernel = facts.kernel;
  row.cpu_model = facts.cpu_model;
  row.cpu_count = facts.cpu_count;
  row.memory_bytes = facts.memory_bytes;
  m_hosts.push_back(row);
  m_batch->put(row);
  return row.id;
}

void ProcessRegistry::setDriver(const std::string& driver_version, int64_t cuda_driver_api) {
  if (m_hosts.empty()) return;
  if (!driver_version.empty()) m_hosts.front().driver_version = driver_version;
  if (cuda_driver_api > 0) m_hosts.front().cuda_driver_api = cuda_driver_api;
  m_batch->put(m_hosts.front());
}

int64_t ProcessRegistry::hostId(const std::string& name) {
  for (const auto& host : m_hosts) {
    if (name.empty() || host.name == name) return host.id;
  }
  HostFacts facts;  // a spool from elsewhere: its name is all that is known
  facts.name = cleanText(name);
  return addHost(facts);
}

void ProcessRegistry::fill(ProcessRow& row, const ControlSnapshot& control) const {
  row.pid = control.pid;
  row.parent_pid = control.parent_pid;
  row.rank = knownRank(control.rank);
  row.world_size = knownRank(control.world_size);
  row.local_rank = knownRank(control.local_rank);
  row.command = m_store_arguments ? knownText(control.command) : std::nullopt;
  row.executable = knownText(control.executable);
  row.start_ns = static_cast<int64_t>(control.start_ns) - m_time_base_ns;
  row.cupti_version = knownVersion(control.cupti_version);
  row.cupti_path = knownText(control.cupti_path);
  row.runtime_version = knownVersion(control.runtime_version);
  row.record_count = static_cast<int64_t>(control.records);
  row.environment = knownText(storedEnvironment(control.environment));
}

RegisteredProcess& ProcessRegistry::add(const ControlSnapshot& control) {
  RegisteredProcess process;
  process.row.id = static_cast<int64_t>(m_processes.size()) + 1;
  process.row.host_id = hostId(control.host);
  process.row.state = "running";
  fill(process.row, control);
  process.loss = control.loss;
  m_processes.push_back(process);
  m_batch->put(m_processes.back().row);
  return m_processes.back();
}

RegisteredProcess& ProcessRegistry::load(const ProcessRow& row) {
  RegisteredProcess process;
  process.row = row;
  m_processes.push_back(process);
  return m_processes.back();
}

void ProcessRegistry::end(RegisteredProcess& process, const ControlSnapshot& control,
                          const std::string& state, std::optional<int> exit_status) {
  fill(process.row, control);
  process.row.state = state;
  if ((state == "closed" || state == "execed") && control.end_ns != 0)
    process.row.end_ns = static_cast<int64_t>(control.end_ns) - m_time_base_ns;
  if (exit_status) process.row.exit_status = *exit_status;
  process.ended = true;
  process.loss = control.loss;
  writeLosses(process);
  m_batch->put(process.row);
}

void ProcessRegistry::setExitStatus(RegisteredProcess& process, int status) {
  process.row.exit_status = status;
  m_batch->put(process.row);
}

void ProcessRegistry::writeLosses(RegisteredProcess& process) {
  for (const auto& info : kLossCounters) {
    const auto i = static_cast<size_t>(info.id);
    const uint64_t count = process.loss[i] + process.own_loss[i];
    if (count == process.written[i]) continue;
    process.written[i] = count;
    m_batch->put(LossRow{process.row.id, std::string(info.name), static_cast<int64_t>(count)});
  }
}

int64_t ProcessRegistry::lossCount(Loss loss) const {
  int64_t sum = 0;
  for (const auto& process : m_processes)
    sum += static_cast<int64_t>(process.written[static_cast<size_t>(loss)]);
  return sum;
}

int64_t ProcessRegistry::severeLosses() const {
  int64_t sum = 0;
  for (const auto& process : m_processes) {
    for (const auto& info : kLossCounters) {
      if (info.severity == Severity::DataLoss || info.severity == Severity::Error)
        sum += static_cast<int64_t>(process.written[static_cast<size_t>(info.id)]);
    }
  }
  return sum;
}

}  // namespace perfscope
