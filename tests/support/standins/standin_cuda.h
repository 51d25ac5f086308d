// What victims call on the stand-in driver: a small C interface with the calls of a CUDA program in it. Every
// call acts like the CUDA call named beside it: it makes one API call (runtime, with the driver call nested
// in it) and the GPU work that follows. All functions are thread-safe. Test code; never ships.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StandinKernel {
  const char* name;  // mangled or plain; must live as long as the process, as a real kernel's name does
  uint32_t grid[3], block[3], cluster[3];
  uint32_t registers, static_shared_bytes, dynamic_shared_bytes;
  uint64_t duration_ns;
} StandinKernel;

enum StandinApi { STANDIN_RUNTIME = 0, STANDIN_DRIVER = 1 };
enum StandinCopy { STANDIN_HTOD = 1, STANDIN_DTOH = 2, STANDIN_DTOD = 8 };

// cuInit: loads CUDA_INJECTION64_PATH once. 0 or 3 (not initialised: child of a process that used CUDA).
// Every other call does it by itself, as the CUDA runtime does.
#ifndef __cuda_cuda_h__  // with cuda.h, its own declarations stand
int cuInit(unsigned int flags);
int cuDriverGetVersion(int* version);
#endif
// Which interface the calls of this thread use from here (default: runtime).
void standinUseApi(int api);
void standinSetDevice(uint32_t device);

uint32_t standinStreamCreate(void);  // cudaStreamCreate; stream 0 is the default one
int standinLaunch(uint32_t stream, const StandinKernel* kernel);  // cudaLaunchKernel
int standinMemcpy(uint32_t stream, int kind, uint64_t bytes,
                  int asynchronous);                                         // cudaMemcpyAsync / cudaMemcpy
int standinMemcpyPeer(uint32_t stream, uint32_t to_device, uint64_t bytes);  // cudaMemcpyPeerAsync
int standinMemset(uint32_t stream, uint64_t bytes, int value);               // cudaMemsetAsync
int standinStreamSynchronize(uint32_t stream);                               // cudaStreamSynchronize
int standinDeviceSynchronize(void);                                          // cudaDeviceSynchronize
uint64_t standinMalloc(uint64_t bytes);                                      // cudaMalloc
int standinFree(uint64_t address);                                           // cudaFree
int standinGetDevice(void);                   // cudaGetDevice: a call nobody wants recorded
int standinModuleLoad(uint64_t cubin_bytes);  // cuModuleLoadData
int standinProfilerStart(void);               // cudaProfilerStart
int standinProfilerStop(void);                // cudaProfilerStop

typedef struct StandinGraph StandinGraph;
StandinGraph* standinGraphCreate(void);  // cudaGraphCreate
void standinGraphAddKernel(StandinGraph* graph, const StandinKernel* kernel);
int standinGraphInstantiate(StandinGraph* graph);
int standinGraphLaunch(StandinGraph* graph, uint32_t stream);  // cudaGraphLaunch

// Plays back a file of CUPTI buffers that the collector wrote on a real GPU (PERFSCOPE_CAPTURE_BUFFERS).
// Returns the number of records, or -1 when the file cannot be read.
int64_t standinPlayBack(const char* path);

#ifdef __cplusplus
}
#endif
