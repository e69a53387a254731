// A chain of labels whose tokens are scored by a kernel function: coefficients of support tokens instead of weights of features.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "inference/constraint.hpp"
#include "inference/model.hpp"
#include "models/kernel_function.hpp"
#include "models/supports.hpp"

namespace riata {

template <class Real>
class KernelRows;

// The score of a label at a token is the sum over support tokens of coefficient * k(support token, token); the score of two neighbouring
// labels is a weight, as in other chains. The long vector has the weights of label pairs, [labels][stride], then the coefficients of
// support tokens, [slots][stride].
template <class Real>
class KernelModel : public Model<Real> {
 public:
  KernelModel(std::int32_t label_count, Constraint<Real> the_constraint, std::shared_ptr<const KernelFunction> the_function);

  std::unique_ptr<Model<Real>> copy() const override;
  void take_features(const Model<Real>& other) override;
  Numbers<Real>& flat() noexcept override { return coefficients; }
  void check(const Corpus& corpus, std::size_t size) const override;
  void grow(const Corpus& corpus, Vector<Real>& vector) override;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
  void match(Model<Real>& to, const typename Model<Real>::Matched& visit) const override;
  std::vector<std::int32_t> part_tracks() const override { return {labels}; }
  void parts(Codes output, std::vector<Part>& out) const override { append_labels(output, out); }
  std::int32_t work() const noexcept override { return labels * 8; }

  // The model without slots that are free or have no coefficients.
  KernelModel compact() const;

  std::int64_t square() const noexcept { return std::int64_t{labels} * stride; }
  std::int64_t place(std::int32_t slot) const noexcept { return square() + std::int64_t{slot} * stride; }

  std::int32_t labels, stride;
  Constraint<Real> constraint;
  std::shared_ptr<const KernelFunction> function;
  Supports supports;
  std::int32_t width = 0;          // how many features tokens have in all; 0: not known before the first corpus
  std::int64_t budget = 0;         // how many support tokens are kept; 0: all
  std::int64_t cache = 512 << 20;  // bytes of kernel rows that are kept while learning
  std::int64_t threads = 1;        // that compute kernel rows
  Numbers<Real> coefficients;

 private:
  std::shared_ptr<KernelRows<Real>> rows_;  // of the corpus that is learnt from
};

extern template class KernelModel<float>;
extern template class KernelModel<double>;

}  // namespace riata
