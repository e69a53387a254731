// A model: its features and their weights, for any structure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "inference/corpus.hpp"
#include "inference/rules/part.hpp"
#include "inference/structure.hpp"
#include "models/vector.hpp"

namespace riata {

// While a model is learnt, features may be added, and its weights are in a Vector; the model then only describes them.
template <class Real>
class Model {
 public:
  virtual ~Model() = default;
  virtual std::unique_ptr<Model> copy() const = 0;
  // Becomes a copy of a model of the same structure, for the sake of its features; the caller sets flat() afterwards.
  virtual void take_features(const Model& other) = 0;

  virtual Numbers<Real>& flat() noexcept = 0;
  const Numbers<Real>& flat() const noexcept { return const_cast<Model*>(this)->flat(); }

  // Throws unless the corpus was made with the same features and its outputs are outputs of this structure. size: of the weight vector.
  virtual void check(const Corpus& corpus, std::size_t size) const = 0;
  // Makes room for features that have been added to the index.
  virtual void grow(const Corpus& corpus, Vector<Real>& weights) = 0;

  // The structure over a corpus. The model, the corpus and the weights must outlive it. grows: whether new features are added to the model
  // and the weights.
  virtual std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& weights, bool grows) = 0;
  // The structure over a corpus for reading only: no features are added. Several threads may each create one over the same model.
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& weights) const {
    return const_cast<Model*>(this)->over(corpus, weights, false);  // with grows = false, nothing is changed
  }

  // Calls visit(place in this model, place in `to`, count) for all weights, in runs of weights of the same features. `to` is a model of the
  // same structure; features that it does not have are added to it. Features are matched by what they stand for. Every weight is visited
  // once.
  using Matched = std::function<void(std::int64_t, std::int64_t, std::int64_t)>;
  virtual void match(Model& to, const Matched& visit) const = 0;

  // How many weights flat() must have at least. Models whose features have room for weights that match() does not visit override it.
  virtual std::int64_t room() const noexcept { return 0; }

  // Adds `scale` times the weights of another model of the same structure.
  void add_scaled(const Model& other, double scale) {
    const Numbers<Real>& from = other.flat();
    other.match(*this, [&](std::int64_t source, std::int64_t into, std::int64_t count) {
      Numbers<Real>& to = flat();
      to.resize(std::max(to.size(), static_cast<std::size_t>(into + count)), Real{0});
      for (std::int64_t j = 0; j < count; ++j)
        to[static_cast<std::size_t>(into + j)] += static_cast<Real>(scale * from[static_cast<std::size_t>(source + j)]);
    });
    flat().resize(std::max(flat().size(), static_cast<std::size_t>(room())), Real{0});
  }

  // The parts that rules about outputs speak of: how many labels each of the parts at one position has, and the parts of one output, in the
  // order of positions.
  virtual std::vector<std::int32_t> part_tracks() const { refuse_parts(); }
  virtual void parts(Codes, std::vector<Part>&) const { refuse_parts(); }

  // How many labels a token is compared with, as a measure of what a sentence costs.
  virtual std::int32_t work() const noexcept = 0;

 private:
  [[noreturn]] static void refuse_parts() { throw Error("UnsupportedError", "rules about outputs cannot speak of this structure."); }
};

}  // namespace riata
