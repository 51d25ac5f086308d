# A Python program with workers, as data loaders and launchers make them. The stand-in driver is loaded with ctypes, so
# that Python itself starts without CUDA. Arguments: fork|spawn workers launches [parent-first]
import ctypes
import multiprocessing
import sys


class Kernel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
                ("cluster", ctypes.c_uint32 * 3), ("registers", ctypes.c_uint32), ("static_shared", ctypes.c_uint32),
                ("dynamic_shared", ctypes.c_uint32), ("duration_ns", ctypes.c_uint64)]


NAME = ctypes.create_string_buffer(b"_Z9vectorAddPKfS0_Pfi")


def work(launches):
    cuda = ctypes.CDLL("libcuda.so.1")
    kernel = Kernel(ctypes.cast(NAME, ctypes.c_char_p), (64, 1, 1), (256, 1, 1), (0, 0, 0), 32, 0, 0, 2000)
    stream = cuda.standinStreamCreate()
    for _ in range(launches):
        if cuda.standinLaunch(stream, ctypes.byref(kernel)) != 0:
            raise RuntimeError("launch refused")
    cuda.standinStreamSynchronize(stream)


def main():
    method, workers, launches = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if "parent-first" in sys.argv:
        work(launches)
    context = multiprocessing.get_context(method)
    children = [context.Process(target=work, args=(launches,)) for _ in range(workers)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    if "parent-last" in sys.argv:
        work(launches)
    print("statuses", [child.exitcode for child in children])


if __name__ == "__main__":
    main()
