// Stand-in for NVML: one GPU of any UUID, and the 150 ms that the real library takes to start. Test code;
// never ships.
#include <unistd.h>

extern "C" {
int nvmlInit_v2() {
  ::usleep(150'000);
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char*, void** device) {
  static int gpu = 0;
  *device = &gpu;
  return 0;
}
int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 412'500;
  return 0;
}
int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 45;
  return 0;
}
}
