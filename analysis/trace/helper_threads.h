// A few threads for one job: started, joined at the end of the scope; where the system gives no thread, the
// work is done at once by the caller.
#pragma once

#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace perfscope {

// Owner: one thread. Work must not throw.
class HelperThreads {
 public:
  HelperThreads() = default;
  ~HelperThreads() { join(); }
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  void run(const std::function<void()>& work) {
    try {
      m_threads.emplace_back(work);
    } catch (const std::system_error&) {  // thread limit reached
      work();
    }
  }
  void join() {
    for (std::thread& thread : m_threads) thread.join();
    m_threads.clear();
  }

 private:
  std::vector<std::thread> m_threads;
};

}  // namespace perfscope
