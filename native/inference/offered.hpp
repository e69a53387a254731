// The operations that structures offer, by the names that recipes use. They are derived from the functions that a structure overrides, and
// from its potentials.
#pragma once

#include <map>
#include <set>
#include <string>
#include <type_traits>

#include "inference/sentence_gradient.hpp"
#include "inference/structure.hpp"

namespace riata {

// Kind: a structure over float. An operation that it does not override is that of Structure, which refuses. PotentialsOf: all classes of
// potentials that the structure has, over float. A structure whose vectors have a metric of their own (models/metric.hpp) says so by a
// constant `has_metric`.
template <class Kind, class... PotentialsOf>
std::set<std::string> operations_of() {
  using Any = Structure<float>;
  std::set<std::string> out;
  if (!std::is_same_v<decltype(&Kind::best), decltype(&Any::best)>) out.insert("argmax");
  if (!std::is_same_v<decltype(&Kind::augment), decltype(&Any::augment)>) out.insert("loss-augmented argmax");
  if (!std::is_same_v<decltype(&Kind::open_list), decltype(&Any::open_list)>) out.insert("k best");
  if (!std::is_same_v<decltype(&Kind::space), decltype(&Any::space)>) out.insert("a search space");
  if (!std::is_same_v<decltype(&Kind::weigh_classes), decltype(&Any::weigh_classes)>) out.insert("class weights");
  if (!std::is_same_v<decltype(&Kind::count_tokens), decltype(&Any::count_tokens)>) out.insert("losses of tokens");
  if (!std::is_same_v<decltype(&Kind::cost_labels), decltype(&Any::cost_labels)>) out.insert("costs of labels");
  if (!std::is_same_v<decltype(&Kind::best_by_slack), decltype(&Any::best_by_slack)>) out.insert("slack-rescaled argmax");
  if (!std::is_same_v<decltype(&Kind::span_loss), decltype(&Any::span_loss)>) out.insert("losses of chunks");
  if (!std::is_same_v<decltype(&Kind::take_expected), decltype(&Any::take_expected)>) out.insert("expected features");
  if (!std::is_same_v<decltype(&Kind::single_weights), decltype(&Any::single_weights)>) out.insert("single weights");
  if (!std::is_same_v<decltype(&Kind::least_risk), decltype(&Any::least_risk)>) out.insert("posteriors");
  if (!requires { Kind::has_metric; }) out.insert("weights of features");
  if (sizeof...(PotentialsOf) > 0) out.insert("expectations");
  if (sizeof...(PotentialsOf) > 0 && (GivesSentenceGradient<PotentialsOf> && ...)) out.insert("stochastic steps");
  return out;
}

// A global object in the file of a structure, which registers its name and the operations that it offers.
struct RegisteredStructure {
  RegisteredStructure(const std::string& name, std::set<std::string> operations);
};

const std::map<std::string, std::set<std::string>>& structure_operations();

}  // namespace riata
