// A search space over the sentences of a corpus, as all native structures define it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "inference/rules/part.hpp"
#include "inference/search/lattice.hpp"
#include "inference/search/space.hpp"

namespace riata {

// How chunks are read off labels; see Track in units.hpp. Labels outside of chunks have a negative type.
struct ChunkFlags {
  std::span<const std::int32_t> types;
  std::span<const std::uint8_t> continues;
};

class CorpusSpace : public Space {
 public:
  // Opens a sentence; must be called before every search. with_truth: whether the search must know which states are y-good.
  virtual void open(std::int64_t sentence, bool with_truth) = 0;

  // From now on, searches that know the truth add to the score of every step what it adds to the loss.
  virtual void add_losses() { throw Error("RiataError", "this structure does not add losses to the scores of a search"); }

  // Throws if no path leads to the truth of a sentence, nor to an output of least loss.
  virtual void check_truth(std::int64_t) const {}

  // Writes the output that a path of operators gives, one number per token.
  virtual void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const = 0;

  // Appends the parts of the output that an operator chooses, for rules about outputs.
  virtual void parts(StateId, ActionId, std::vector<Part>&) const { refuse_parts(); }
  // The number of an operator among all, without large gaps, so that tables have room for it.
  virtual std::int32_t number_of(ActionId action) const { return action; }
  // The order in which parts are chosen: that of positions; the same within each track, so that tags of the next position may come before
  // chunk labels of this one; or any other.
  enum class Order { by_position, by_track, any };
  virtual Order order() const { return Order::by_position; }
  // All parts at earlier positions are chosen in a state. The position of a goal is the number of tokens.
  virtual std::int32_t decided(StateId) const { return refuse_parts(); }
  // All parts at earlier positions are chosen in the state that an operator leads to.
  virtual std::int32_t decided_after(StateId from, ActionId action) { return decided(apply(from, action)); }
  // What tells a state apart from others with the same key: its number, unless keys say all.
  virtual std::int32_t place(StateId state) const { return state.number(); }
  // What tells the state that an operator leads to apart from others with the same key.
  virtual std::int32_t place_after(StateId from, ActionId action) { return apply(from, action).number(); }
  // Whether numbers of states grow from step to step, and few enough are different for all to be listed.
  virtual bool lists_states() const { return true; }

  // Appends the regrets of the states on the path to an output, from the initial state to the goal. The space must be open with the truth.
  virtual void regrets(std::span<const std::int32_t> output, std::vector<double>& out) = 0;

  // Writes, for every token, the probability of the part of the output that contains it, among the outputs that a search has kept. A token
  // may belong to several parts, such as a tag and a chunk; each kind of part is a track, and the probabilities of track k start at out + k
  // * apart. chunks: how chunks are read off the labels of the last track.
  virtual std::size_t tracks() const { return 1; }
  virtual void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t apart,
                     double* out) = 0;

 private:
  [[noreturn]] static std::int32_t refuse_parts() {
    throw Error("UnsupportedError", "this structure does not say which labels a step of its search chooses.");
  }
};

}  // namespace riata
