// The entry points of the stand-in cuBLAS, cuBLASLt and NCCL, with the signatures of the real ones (enums as
// int, handles as pointers). Victims call these; the collector interposes them. Test code; never ships.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// cuBLAS 13. Streams are stand-in stream ids cast to a pointer. Status 0 = success.
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, void* stream);
int cublasGetStream_v2(void* handle, void** stream);
int cublasSetPointerMode_v2(void* handle, int mode);
int cublasGetPointerMode_v2(void* handle, int* mode);  // 0 host, 1 device
int cublasSgemm_v2(void* handle, int trans_a, int trans_b, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
int cublasDgemm_v2(void* handle, int trans_a, int trans_b, int m, int n, int k, const double* alpha,
                   const double* a, int lda, const double* b, int ldb, const double* beta, double* c,
                   int ldc);
int cublasGemmEx(void* handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
                 const void* a, int a_type, int lda, const void* b, int b_type, int ldb, const void* beta,
                 void* c, int c_type, int ldc, int compute_type, int algorithm);
int cublasGemmEx_64(void* handle, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k,
                    const void* alpha, const void* a, int a_type, int64_t lda, const void* b, int b_type,
                    int64_t ldb, const void* beta, void* c, int c_type, int64_t ldc, int compute_type,
                    int algorithm);
int cublasGemmStridedBatchedEx(void* handle, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
                               const void* a, int a_type, int lda, long long stride_a, const void* b,
                               int b_type, int ldb, long long stride_b, const void* beta, void* c, int c_type,
                               int ldc, long long stride_c, int batch, int compute_type, int algorithm);

// cuBLASLt 13.
int cublasLtCreate(void** handle);
int cublasLtMatmulDescCreate(void** descriptor, int compute_type, int scale_type);
int cublasLtMatmulDescSetAttribute(void* descriptor, int attribute, const void* value, size_t bytes);
int cublasLtMatmulDescGetAttribute(void* descriptor, int attribute, void* value, size_t bytes,
                                   size_t* written);
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading);
int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* value, size_t bytes);
int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* value, size_t bytes, size_t* written);
int cublasLtMatmul(void* handle, void* descriptor, const void* alpha, const void* a, void* a_layout,
                   const void* b, void* b_layout, const void* beta, const void* c, void* c_layout, void* d,
                   void* d_layout, const void* algorithm, void* workspace, size_t workspace_bytes,
                   void* stream);

// NCCL 2. The stand-in has one process' view: ranks are told, no other rank is waited for.
int standinNcclComm(void** communicator, int ranks, int rank);
int ncclCommCount(void* communicator, int* count);
int ncclCommUserRank(void* communicator, int* rank);
int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, void* communicator,
                  void* stream);
int ncclBroadcast(const void* from, void* to, size_t count, int type, int root, void* communicator,
                  void* stream);
int ncclAllGather(const void* from, void* to, size_t count, int type, void* communicator, void* stream);
int ncclReduceScatter(const void* from, void* to, size_t count, int type, int operation, void* communicator,
                      void* stream);
int ncclReduce(const void* from, void* to, size_t count, int type, int operation, int root,
               void* communicator, void* stream);
int ncclSend(const void* from, size_t count, int type, int peer, void* communicator, void* stream);
int ncclRecv(void* to, size_t count, int type, int peer, void* communicator, void* stream);
int ncclGroupStart();
int ncclGroupEnd();

}  // extern "C"
