// Launches a graph of N nodes L times. Arguments: launches nodes
#include "tests/end_to_end/victims/victim.h"

int main(int argc, char** argv) {
  namespace victim = perfscope::victim;
  const int launches = victim::argument(argc, argv, 1, 1000);
  const int nodes = victim::argument(argc, argv, 2, 20);
  const uint32_t stream = standinStreamCreate();
  StandinGraph* graph = standinGraphCreate();
  for (int i = 0; i < nodes; ++i)
    standinGraphAddKernel(graph, i % 2 == 0 ? &victim::kVectorAdd : &victim::kScale);
  standinGraphInstantiate(graph);
  for (int i = 0; i < launches; ++i) standinGraphLaunch(graph, stream);
  standinStreamSynchronize(stream);
  return 0;
}
