// The structured perceptron: if the best output is wrong, a step from it towards the truth.
#include <span>
#include <vector>

#include "learning/online/learner.hpp"

namespace riata {

// Collins 2002, Fig. 1; the vector is averaged as in Daumé's thesis, ch. 2, Fig. 2.3.
// Differs: sentences and labels may have weights. A step is multiplied by the weight of the sentence, and its changes at a token by the
// weight of the token's true label.
template <class Real>
class Perceptron : public OnlineLearner<Real> {
 public:
  explicit Perceptron(const Settings&) {}

  void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()>) override {
    structure_ = &structure;
    weights_ = &weights;
  }

  typename OnlineLearner<Real>::Seen visit(std::int64_t s, double weight) override {
    found_.resize(static_cast<std::size_t>(structure_->corpus().length(s)));
    structure_->open(s);
    if (!structure_->rival(0, found_)) return {};
    delta_.clear();
    structure_->difference(structure_->target(), found_, true, delta_);
    weights_->add(delta_, weight);
    return {true, structure_->wrong(found_)};
  }

 private:
  Structure<Real>* structure_ = nullptr;
  Vector<Real>* weights_ = nullptr;
  std::vector<std::int32_t> found_;
  Difference delta_;
};

RIATA_ONLINE_LEARNER("perceptron", Perceptron)

}  // namespace riata
