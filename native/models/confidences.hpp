// Outputs with how sure a search is of their parts: what it found, and what share of what it kept says the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "features/instances.hpp"
#include "inference/search/lattice.hpp"
#include "inference/search/units.hpp"
#include "models/chain.hpp"

namespace riata {

// How chunks are read off labels; as Track has it.
struct ChunkFlags {
  std::span<const std::int32_t> kinds;
  std::span<const std::uint8_t> continues;
};

struct Confidences {
  std::vector<std::int32_t> outputs;  // [N] as decoding gives them
  std::vector<double> values;         // [temperatures x tracks x N] from 0 to 1; tracks are the outputs of a token
};

// Searches sentence by sentence. read(path, outputs) fills in the outputs of one; write(lattice, outputs, values) its confidences, [tracks
// x N] from the number of its first token on. given: outputs that the search keeps, [N], of which to say it instead of those that it finds.
template <class Space, class Read, class Write>
Confidences with_confidences(Space& space, const Instances& instances, const QueueSpec& queue, const Limits& limits,
                             std::span<const double> temperatures, std::span<const std::int32_t> given, std::size_t tracks,
                             std::int32_t work, const Poll& poll, Read read, Write write) {
  check_keeps_levels(queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits polled = limits;
  polled.poll = [&] { poll(done); };
  Search search(space, *pending, polled);
  Lattice lattice(space, queue);
  PollClock clock(work);
  const auto tokens = static_cast<std::size_t>(instances.tokens());
  Confidences out{given.empty() ? std::vector<std::int32_t>(tokens, -1) : std::vector<std::int32_t>(given.begin(), given.end()),
                  std::vector<double>(temperatures.size() * tracks * tokens, 0)};
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s);
    lattice.clear();
    const NodeId goal = run_on(s, search, nullptr, &lattice);
    lattice.build(search);
    const auto first = static_cast<std::size_t>(instances.starts[s]);
    const auto found = std::span(out.outputs).subspan(first, static_cast<std::size_t>(instances.length(s)));
    if (given.empty()) read(search.tree().path(goal), found);
    for (std::size_t k = 0; k < temperatures.size(); ++k) {
      lattice.weigh(temperatures[k]);
      write(std::as_const(lattice), std::span<const std::int32_t>(found), out.values.data() + k * tracks * tokens + first);
    }
  }
  return out;
}

}  // namespace riata
