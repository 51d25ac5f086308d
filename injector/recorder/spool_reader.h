// Follows the spool of one session: process folders as they appear, their segments in order, and of each
// segment the published records only. Tolerates torn tails and late files; refuses other versions by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "injector/recorder/control_snapshot.h"
#include "schemas/spool_format.h"
#include "schemas/spool_names.h"

namespace perfscope {

using RecordVisitor = std::function<void(std::span<const spool::Record>)>;

// The segments of one process. Used by one thread.
class ProcessSpool {
 public:
  ProcessSpool(std::string path, ProcessFolder folder);
  ~ProcessSpool();
  ProcessSpool(const ProcessSpool&) = delete;
  ProcessSpool& operator=(const ProcessSpool&) = delete;

  // Reads the control file again; false while there is none that can be read yet.
  bool refreshControl();
  // Hands over at most about `limit` published records that were not handed over before; returns how many.
  // `final`: nobody writes any more, so a hole in the sequence is skipped and a torn tail counted.
  size_t read(size_t limit, bool final, const RecordVisitor& visit);
  // Position of the next record; set once, before the first read().
  [[nodiscard]] uint32_t segment() const { return m_sequence; }
  [[nodiscard]] uint32_t index() const { return m_read; }
  void startAt(uint32_t segment, uint32_t index);
  // Tells the process to record no more; its drain thread looks at every round. Once; no error is told.
  void requestStop();
  // Removes the files of segments that were handed over wholly. Call after their rows are committed.
  void removeConsumed();

  [[nodiscard]] const ControlSnapshot& control() const { return m_control; }
  [[nodiscard]] bool hasControl() const { return m_has_control; }
  [[nodiscard]] bool controlRefused() const { return m_control_refused; }
  [[nodiscard]] bool hasSegments() const;
  [[nodiscard]] const ProcessFolder& folder() const { return m_folder; }
  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] uint64_t torn() const { return m_torn; }
  // Files that were refused, each once, as sentences that name the file and the reason.
  [[nodiscard]] const std::vector<std::string>& refusals() const { return m_refusals; }

 private:
  enum class Step { Advanced, Nothing };
  bool openCurrent(bool final);
  Step finishOrWait(bool closed, uint32_t published, bool final);
  size_t readChunk(uint32_t published, size_t limit, const RecordVisitor& visit);
  void advance(bool consumed);
  bool skipHole();
  [[nodiscard]] bool nextHasRecords() const;
  [[nodiscard]] std::string segmentPath(uint32_t sequence) const;
  void refuse(const std::string& file, const std::string& reason);

  std::string m_path;
  ProcessFolder m_folder;
  ControlSnapshot m_control;
  bool m_has_control = false;
  bool m_control_refused = false;
  int m_fd = -1;
  uint32_t m_sequence = 1;
  uint32_t m_read = 0;  // records of the current segment handed over
  uint64_t m_torn = 0;
  bool m_stop_requested = false;
  std::vector<std::string> m_consumed;
  std::vector<std::string> m_refusals;
  std::vector<spool::Record> m_buffer;
};

class SpoolReader {
 public:
  explicit SpoolReader(std::string session_dir);
  // Looks for process folders that appeared since the last call.
  void discover();
  [[nodiscard]] const std::vector<std::unique_ptr<ProcessSpool>>& processes() const { return m_processes; }

 private:
  std::string m_session_dir;
  std::vector<std::unique_ptr<ProcessSpool>> m_processes;
};

}  // namespace perfscope
