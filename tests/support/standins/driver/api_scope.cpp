// One API call of the stand-in driver, seen by CUPTI as a runtime call with the driver call inside, as on a
// real machine.
#include "tests/support/standins/driver/state.h"

namespace perfscope::standin {

ApiScope::ApiScope(const char* name, uint32_t runtime_id, uint32_t driver_id, const char* symbol)
    : m_name(name), m_symbol(symbol) {
  Driver& driver = Driver::get();
  m_ready = driver.initialize() == 0;
  if (!m_ready) return;
  driver.useContext(currentDevice());
  // The nested driver call shares the correlation id of the runtime call, as CUPTI's records show it.
  m_correlation = driver.nextCorrelation();
  if (runtime_id != 0 && (currentApi() == STANDIN_RUNTIME || driver_id == 0))
    enter(m_runtime, false, runtime_id);
  if (driver_id != 0) enter(m_driver, true, driver_id);
}

ApiScope::~ApiScope() {
  if (m_driver.callback_id != 0) leave(m_driver);
  if (m_runtime.callback_id != 0) leave(m_runtime);
}

void ApiScope::enter(ApiCall& call, bool driver, uint32_t id) {
  call = {driver, id, m_correlation, standinNow(), 0, m_name, m_symbol};
  if (const Sink* sink = Driver::get().sink()) sink->api_enter(call);
}

void ApiScope::leave(ApiCall& call) {
  call.end_ns = standinNow();
  if (const Sink* sink = Driver::get().sink()) sink->api_exit(call);
}

}  // namespace perfscope::standin
