// The weights of a model and what they stand for, whatever its structure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/numbers.hpp"
#include "inference/corpus.hpp"
#include "inference/structure.hpp"
#include "models/vector.hpp"

namespace riata {

// While a model is learnt, its features may grow in number, and its weights stand in a Vector; here is then only what they stand for.
template <class Real>
class Model {
 public:
  virtual ~Model() = default;
  virtual std::unique_ptr<Model> copy() const = 0;
  // Takes on the features of a model of the same structure; its numbers are another matter.
  virtual void take_features(const Model& other) = 0;

  virtual Numbers<Real>& flat() noexcept = 0;
  const Numbers<Real>& flat() const noexcept { return const_cast<Model*>(this)->flat(); }

  // Refuses a corpus that was made with other features, and outputs that are none of this structure. size: of the vector.
  virtual void check(const Corpus& corpus, std::size_t size) const = 0;
  // Makes room for features that the index has learnt since.
  virtual void grow(const Corpus& corpus, Vector<Real>& weights) = 0;

  // The structure over a corpus. Both must outlive it. grows: features that are new enter the model and the vector.
  virtual std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& weights, bool grows) = 0;
  // The structure over a corpus for reading only: nothing grows, and several threads may use it.
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& weights) const {
    return const_cast<Model*>(this)->over(corpus, weights, false);  // which changes nothing
  }

  // visit(place here, place there, how many): some numbers of this model, and where those of the same features stand in another model of
  // the same structure, whose features are added there if need be. Features are matched by what they stand for. Every number is visited
  // once.
  using Matched = std::function<void(std::int64_t, std::int64_t, std::int64_t)>;
  virtual void match(Model& to, const Matched& visit) const = 0;

  // Adds the weights of another model of the same structure, times a number.
  void add_scaled(const Model& other, double scale) {
    const Numbers<Real>& from = other.flat();
    other.match(*this, [&](std::int64_t source, std::int64_t into, std::int64_t count) {
      Numbers<Real>& to = flat();
      to.resize(std::max(to.size(), static_cast<std::size_t>(into + count)), Real{0});
      for (std::int64_t j = 0; j < count; ++j)
        to[static_cast<std::size_t>(into + j)] += static_cast<Real>(scale * from[static_cast<std::size_t>(source + j)]);
    });
  }

  // How many labels a token is compared with: what a sentence costs.
  virtual std::int32_t work() const noexcept = 0;
};

}  // namespace riata
