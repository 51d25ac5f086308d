// Which processes were seen: their rows, hosts, losses and how each ended. Owner: the recorder's thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "injector/host_facts.h"
#include "injector/recorder/control_snapshot.h"
#include "injector/recorder/row_batch.h"

namespace perfscope {

struct RegisteredProcess {
  ProcessRow row;
  std::array<uint64_t, kLossCount> loss{};      // as the collector counted
  std::array<uint64_t, kLossCount> own_loss{};  // what the recorder itself could not use
  std::array<uint64_t, kLossCount> written{};   // what the table says
  bool ended = false;
};

class ProcessRegistry {
 public:
  ProcessRegistry(RowBatch& batch, int64_t time_base_ns, bool store_arguments)
      : m_batch(&batch), m_time_base_ns(time_base_ns), m_store_arguments(store_arguments) {}

  // This machine's row, with everything known about it. Returns its id.
  int64_t addHost(const HostFacts& facts);
  void setDriver(const std::string& driver_version, int64_t cuda_driver_api);
  RegisteredProcess& add(const ControlSnapshot& control);
  // Rows of a profile that is gone on with.
  void loadHost(const HostRow& row) { m_hosts.push_back(row); }
  RegisteredProcess& load(const ProcessRow& row);
  // `state`: closed, killed, execed or running (it outlived the session).
  void end(RegisteredProcess& process, const ControlSnapshot& control, const std::string& state,
           std::optional<int> exit_status);
  void setExitStatus(RegisteredProcess& process, int status);
  void writeLosses(RegisteredProcess& process);

  [[nodiscard]] const std::deque<RegisteredProcess>& processes() const { return m_processes; }
  [[nodiscard]] int64_t lossCount(Loss loss) const;  // of all processes
  [[nodiscard]] int64_t severeLosses() const;        // sum of counters graded data_loss or error

 private:
  int64_t hostId(const std::string& name);
  void fill(ProcessRow& row, const ControlSnapshot& control) const;

  RowBatch* m_batch;
  int64_t m_time_base_ns;
  bool m_store_arguments;
  std::vector<HostRow> m_hosts;
  std::deque<RegisteredProcess> m_processes;  // deque: references stay valid
};

}  // namespace perfscope
