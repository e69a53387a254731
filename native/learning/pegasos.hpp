// Subgradient steps of one example after another on a max-margin objective, which become ever smaller.
#pragma once

#include "models/difference.hpp"
#include "models/vector.hpp"

namespace riata {

// Steps of 1 / (lambda t) on lambda/2 |w|^2 + 1/n sum H, where lambda = 1 / (C n) (Shalev-Shwartz, Singer, Srebro & Cotter 2011, Fig. 1;
// Ratliff, Bagnell & Zinkevich 2007). In the average, the weights after step t count t times (Lacoste-Julien, Schmidt & Bach 2012).
// Differs: steps start from t = n, as if a pass had been made before: the first step is then C times the slope, and not C n times. There is
// no projection.
class Pegasos {
 public:
  // The step of one of n examples, and its tick of the average. slope: minus the subgradient of H; nullptr if H is 0. cap: C times the
  // weight of the example.
  template <class Real>
  void step(Vector<Real>& weights, const Difference* slope, double cap, double n) {
    if (steps_ == 0) steps_ = n;
    steps_ += 1;
    weights.shrink(1 - 1 / steps_);
    if (slope) weights.add(*slope, cap * n / steps_);
    weights.tick(steps_ - n);
  }

 private:
  double steps_ = 0;
};

}  // namespace riata
