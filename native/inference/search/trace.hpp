// A record of what a search did, step by step, for people to look at.
#pragma once

#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "inference/search/engine.hpp"
#include "models/vector.hpp"

namespace riata {

struct Trace {
  // A candidate that became no node. merged: whether another candidate of equal key became one.
  struct Cut {
    Candidate candidate;
    bool merged;
  };

  // What a learner would do: towards the mean of the siblings, away from the competitors, whose weights sum to one. There are none
  // where nothing outranks the truth, and then no difference either.
  struct Update {
    std::vector<NodeId> siblings;
    std::vector<std::pair<NodeId, double>> competitors;
    Difference difference;
  };

  struct Step {
    std::vector<NodeId> front;         // as it was taken from the queue, best first
    double margin = 0;                 // that the ranking took off y-good nodes
    bool lost = false, wrong = false;  // see Learner::at_front
    std::optional<Update> update = {};
    std::vector<std::pair<NodeId, double>> restart = {};  // the siblings that became the queue, with their new scores
    std::vector<NodeId> enqueued = {};                    // new nodes, and goals that wait for the others of their level
    std::vector<Cut> cut = {};
    std::vector<NodeId> pruned = {};  // nodes that the queue dropped before the next front was taken
  };

  // A step of a forced path: from this state, by this action, to a node of this score.
  struct Taken {
    StateId before;
    ActionId action;
    double score;
    StepFeatures features = {};  // where they were asked for
  };

  std::vector<Node> nodes;  // with the scores that they were made with; while learning, with their regret
  std::vector<Step> steps;
  std::vector<StepFeatures> features;  // [nodes] of the step that led there; or empty
  NodeId goal;
  std::vector<Taken> truth;  // the best path to the truth, scored from the start, whatever the queue kept; empty where it is not known, or
                             // no path leads to it
};

class TraceRecorder : public Recorder {
 public:
  // learning: whether the space knows the truth, so that nodes have a regret.
  TraceRecorder(Space& space, const QueueSpec& queue, bool learning);

  void at_front(const Search& search, std::span<const NodeId> front) override;
  void restarted(const Search& search, std::span<const NodeId> siblings) override;
  void expanded(const Search& search, std::span<const Candidate> candidates) override;
  void enqueued(const Search& search, std::span<const NodeId> nodes) override;

  // The learner reports here what Figure 2 asks about the front, and the update that followed.
  void judged(bool lost, bool wrong);
  void updated(Trace::Update update) { trace_.steps.back().update = std::move(update); }

  // Copies the nodes that are new since the last call; to be called before any of them gets a new score.
  void look(const Search& search);

  // After the search. found: what it returned.
  Trace finish(Search& search, NodeId found, bool with_features);

 private:
  void note_pruned(const Search& search, std::span<const NodeId> front);
  void force(Search& search, bool with_features);

  Space& space_;
  bool drops_;  // whether the queue may drop pending nodes
  bool learning_;
  Trace trace_;
  std::vector<Candidate> candidates_;   // of the step at hand
  std::unordered_set<NodeId> waiting_;  // in the queue, where it may drop them
};

}  // namespace riata
