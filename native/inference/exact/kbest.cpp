#include "inference/exact/kbest.hpp"

namespace riata {

template class KBest<ForwardScores<float>>;
template class KBest<ForwardScores<double>>;
template class KBest<SecondOrderForward<float>>;
template class KBest<SecondOrderForward<double>>;

}  // namespace riata
