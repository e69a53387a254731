// The words of this page: what each means, in tips and in a list at its end.

const WORDS = {
  "state": "a beginning of an output: the actions taken so far",
  "front": "the states that the queue gave for this step, best first; with a beam, at most as many as the beam is wide",
  "queue": "the states that may still be expanded, ordered by their ranking score",
  "score g": "the sum of the weights of all features on the way to a state, each times its value",
  "heuristic h": "an estimate of what the rest of the way will add to the score",
  "ranking score": "what the queue orders states by: g + h, less the margin if the state is y-good",
  "margin": "what training takes off y-good states (ALMA), so that the truth has to win by that much; in prediction it is 0",
  "y-good": "the truth can still be reached from this state; marked ★",
  "regret": "the smallest loss that any output can have that begins so; 0 where the truth can still be reached",
  "truth lost": "no y-good state is left in the queue: the search can no longer find the truth",
  "enqueued": "new states that entered the queue at this step",
  "dropped": "what did not survive the step: cut (too low to become a state), merged (a better path leads to an equal state) or pruned (fell out of the queue)",
  "fate": "what became of the state",
  "update": "what training would do where the truth is lost: raise the weights of the right states, lower those of the states that beat them",
  "restart": "after an update, training goes on with the right states alone; scores count anew from there",
  "not in the queue": "right states that training's update would use, and the way to them; the search never held them",
  "best output": "the output with the highest score of all; the search may miss it",
  "search error": "the search missed the best output, which is the truth",
  "model error": "the best output is not the truth; the search may have found it (model error) or missed it too (search and model error)",
  "push": "value times weight: how far a feature moves the score",
};

// A name with its meaning as a tip, where the page has one.
function term(name) {
  return WORDS[name] ? make("abbr", { title: WORDS[name] }, name) : name;
}

function showGlossary() {
  byId("words").replaceChildren(...Object.entries(WORDS).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
}
