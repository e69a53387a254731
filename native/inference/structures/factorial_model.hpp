// A model of several labels per token: its templates, its columns, and the weights.
#pragma once

#include <memory>
#include <utility>

#include "inference/model.hpp"
#include "models/factorial_weights.hpp"

namespace riata {

template <class Real>
class FactorialModel : public Model<Real> {
 public:
  FactorialModel(FactorialTemplates the_templates, FactorialWeights<Real> the_weights)
      : templates(std::move(the_templates)), weights(std::move(the_weights)) {}

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<FactorialModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const FactorialModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights.flat; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus& corpus, Vector<Real>& vector) override;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::int32_t work() const noexcept override { return static_cast<std::int32_t>(weights.coding.combinations()); }

  FactorialTemplates templates;
  FactorialWeights<Real> weights;
};

extern template class FactorialModel<float>;
extern template class FactorialModel<double>;

}  // namespace riata
