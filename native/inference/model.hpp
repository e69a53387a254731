// The weights of a model and what they stand for, whatever its structure.
#pragma once

#include <cstdint>
#include <memory>

#include "core/numbers.hpp"
#include "inference/corpus.hpp"
#include "inference/structure.hpp"
#include "models/vector.hpp"

namespace riata {

// Which features there are may grow while a model is learnt; then its numbers stand in a Vector, and here is only what they stand for.
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

  // Adds the weights of another model of the same structure, times a number. Features are matched by what they stand for.
  virtual void add_scaled(const Model& other, double scale) = 0;

  // How many labels a token is compared with: what a sentence costs.
  virtual std::int32_t work() const noexcept = 0;
};

}  // namespace riata
