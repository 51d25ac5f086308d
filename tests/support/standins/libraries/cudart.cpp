// Stand-in for the CUDA runtime library: only what the collector asks it. Test code; never ships.
extern "C" int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}
