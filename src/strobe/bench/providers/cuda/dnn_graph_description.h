#pragma once

#include <string>
#include <vector>

#include "strobe/bench/providers/cuda/dnn_descriptor.h"
#include "strobe/bench/providers/cuda/dnn_graph.h"

// A graph in cuDNN's own words.
namespace strobe::bench {

// For whom plans are made: the GPU of a handle, or one that is only described (cuDNN 9.8 and
// newer), for which plans can be made on any machine and run on none.
struct DnnTarget {
  DnnHandle handle = nullptr;
  std::string device_json;  // used where there is no handle
};

// The graph's descriptor; it and all it stands on are added to `parts`.
Result<DnnDescriptor> describe_graph(const CudnnApi& api, const DnnTarget& target,
                                     const DnnGraph& graph, std::vector<OwnedDescriptor>& parts);

}  // namespace strobe::bench
