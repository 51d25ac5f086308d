// Somebody else's injection library: says that it was called, and how often.
#include <cstdio>

extern "C" int InitializeInjection() {
  static int calls = 0;
  std::fprintf(stderr, "other injection, call %d\n", ++calls);
  return 1;
}
