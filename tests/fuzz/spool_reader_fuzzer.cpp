// Hostile bytes into the spool's pure readers and the mapper: the first byte chooses what the rest is (a
// control file, a segment's head, or records). Nothing may crash, hang or read out of bounds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "injector/environment_list.h"
#include "injector/recorder/device_registry.h"
#include "injector/recorder/kernel_name.h"
#include "injector/recorder/process_registry.h"
#include "injector/recorder/record_mapper.h"
#include "injector/recorder/row_batch.h"
#include "injector/recorder/spool_bytes.h"

namespace perfscope {
namespace {

void readHeads(std::span<const unsigned char> bytes) {
  const ControlHead control = parseControl(bytes);
  (void)storedEnvironment(control.snapshot.environment);
  (void)parseSegmentHead(bytes);
}

// One database for all inputs, and none of their rows in it: the mapper is under test, not SQLite.
RowBatch* rowSink() {
  static std::unique_ptr<RowBatch> batch;
  if (!batch) {
    auto writer = TraceWriter::create(":memory:", 0);
    if (!writer) return nullptr;
    batch = std::make_unique<RowBatch>(std::move(*writer));
    batch->fail({ErrorKind::Internal, "fuzzer", "rows are dropped", ""});
  }
  return batch.get();
}

void mapRecords(std::span<const unsigned char> bytes) {
  RowBatch* const sink = rowSink();
  if (sink == nullptr) return;
  RowBatch& batch = *sink;
  DeviceRegistry devices(batch);
  ProcessRegistry processes(batch, 0, true);
  processes.addHost({"host", {}, {}, {}, {}});
  RecordMapper mapper(batch, devices, 0);
  const auto process = mapper.addProcess(processes.add({}));
  for (size_t at = 0; at + sizeof(spool::Record) <= bytes.size(); at += sizeof(spool::Record)) {
    spool::Record record{};
    std::memcpy(record.bytes, bytes.data() + at, sizeof record.bytes);
    // Kinds are few among 65,536 values: fold them into the known range so that most inputs reach a case.
    record.bytes[1] = 0;
    mapper.map(*process, record);
  }
  mapper.finish(*process);
}

}  // namespace
}  // namespace perfscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const unsigned char> rest(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      perfscope::readHeads(rest);
      break;
    case 1:
      perfscope::mapRecords(rest);
      break;
    default: {
      const std::string text(rest.begin(), rest.end());
      (void)perfscope::cleanText(text);
      (void)perfscope::shortName(text);
    }
  }
  return 0;
}
