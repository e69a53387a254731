// A chain of labels: its weights, and which labels may follow each other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "inference/constraint.hpp"
#include "inference/model.hpp"
#include "models/weights.hpp"

namespace riata {

template <class Real>
class ChainModel : public Model<Real> {
 public:
  ChainModel(Weights<Real> the_weights, Constraint<Real> the_constraint)
      : weights(std::move(the_weights)), constraint(std::move(the_constraint)) {}

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<ChainModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const ChainModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights.flat; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus& corpus, Vector<Real>& vector) override;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::vector<std::int32_t> part_tracks() const override { return {weights.labels}; }
  void parts(Codes output, std::vector<Part>& out) const override { append_labels(output, out); }
  std::int32_t work() const noexcept override { return weights.labels; }

  Weights<Real> weights;
  Constraint<Real> constraint;
};

extern template class ChainModel<float>;
extern template class ChainModel<double>;

}  // namespace riata
