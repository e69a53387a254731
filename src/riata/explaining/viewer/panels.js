// The panels: the chosen state, the step, the decision.

function showNode(data, step, item) {
  const { trace } = data;
  const from = item.parent === null ? null : trace.nodes[item.parent];
  const margin = item.good ? trace.steps[step].margin : 0;
  byId("node-title").replaceChildren("State ", item.parent === null ? "start" : quoted(actionWords(data, item.action)), item.good ? " ★" : "");
  byId("node").replaceChildren(
    make("dl", { class: "facts" }, ...facts([
      ["state", item.state ? quoted(visible(item.state)) : null],
      ["path", pathWords(data, item)],
      ["covers", tokensOf(data, item)],
      ["score g", `${number(scoreAt(trace, step, item), 3)}${sinceRestart(trace, step, item)}`],
      ["heuristic h", item.heuristic ? number(item.heuristic, 3) : null],
      ["ranking score", `${number(rankAt(trace, step, item), 3)}${margin ? ` (g + h less the margin of ${number(margin, 3)})` : ""}`],
      ["regret", item.regret === null ? null : number(item.regret, 0)],
      ["truth", item.good === null ? null : item.good ? "★ y-good: can still be reached" : "out of reach"],
      ["fate", fateOf(item)],
    ])),
    stepFeatures(trace, item, from),
  );
}

// The tokens of a segment, counted from 1.
function tokensOf(data, item) {
  const span = data.trace.alignment === "spans" ? SEGMENT.exec(said(item.action)) : null;
  return span && `token ${Number(span[1]) + 1}${span[2] - span[1] > 1 ? ` to ${span[2]}` : ""}`;
}

function sinceRestart(trace, step, item) {
  const [at] = trace.restarts.get(item.number) ?? [Infinity];
  return at < step ? ` (counted anew from step ${at}, where the search restarted)` : "";
}

function facts(rows) {
  return rows.filter(([, value]) => value !== null && value !== "").flatMap(([name, value]) => [make("dt", {}, term(name)), make("dd", {}, value)]);
}

const MOST_ACTIONS = 200;

// The end of a long path: what led here last.
function pathWords(data, item) {
  const path = pathTo(data.trace, item).slice(1);
  const before = Math.max(0, path.length - MOST_ACTIONS);
  const actions = path.slice(before).map((at) => quoted(actionWords(data, at.action), "li"));
  if (before) actions.unshift(make("li", { class: "quiet" }, counted(before, "action before", "actions before")));
  return actions.length ? make("ol", { class: "path" }, ...actions) : "the start";
}

function fateOf(item) {
  if (item.number === null) return item.merged ? "× merged into a better path to an equal state" : "× cut: too low for the queue";
  if (item.cut && item.aside) return "× cut: too low for the queue; training's update would use it";
  if (item.aside) return "never in the queue: training's update would use it";
  if (item.dropped < Infinity) return `dropped from the queue after step ${item.dropped}`;
  if (item.goal) return "a goal";
  return item.fronts.length ? `expanded at step ${item.fronts.join(", ")}` : "not expanded";
}

function stepFeatures(trace, item, from) {
  if (from === null) return make("p", { class: "quiet" }, "The start has no features.");
  const rows = item.features();
  if (rows === null) return make("p", { class: "quiet" }, item.number === null ? "Features are kept of states, not of what was cut." : "Features were not recorded.");
  const all = summed(rows);
  const total = all.reduce((sum, row) => sum + row.push, 0);
  return featureTable(all, { caption: "Features of the step that led here", total, totalName: "score of the step" });
}

function showStep(data, step) {
  const { trace } = data;
  const at = trace.steps[step];
  const loss = data.verdict.losses.find((one) => one.step === step);
  byId("step-title").textContent = `Step ${step}`;
  byId("step").replaceChildren(
    ...[
      loss ? make("p", { class: "alarm" }, visible(loss.text)) : null,
      !at.lost_by && at.lost ? make("p", { class: "quiet" }, "The truth is already lost.") : null,
      at.wrong && !loss ? make("p", { class: "alarm" }, "A wrong goal comes first.") : null,
      make("dl", { class: "facts" }, ...facts([
        ["front", counted(at.front.length, "state", "states")],
        ["enqueued", counted(at.enqueued.length, "state", "states")],
        ["dropped", droppedWords(at)],
        ["margin", at.margin ? number(at.margin, 3) : null],
      ])),
      ...forbiddenParts(trace, at),
      ...updateParts(data, at),
      at.restart.length ? make("p", {}, "↻ The queue restarts from ", ...stateList(data, at.restart.map(([i]) => i)), ".") : null,
    ].filter(Boolean),
  );
}

function droppedWords(at) {
  const merged = at.cut.filter((cut) => cut.merged).length;
  const parts = [
    at.cut.length - merged && `${at.cut.length - merged} cut`, merged && `${merged} merged`, at.pruned.length && `${at.pruned.length} pruned`,
  ].filter(Boolean);
  return parts.length ? parts.join(", ") : "none";
}

// The steps from the front that constraints forbid, by constraint, the best first.
function forbiddenParts(trace, at) {
  const front = new Set(at.front), byConstraint = new Map();
  for (const one of trace.forbidden ?? []) {
    if (!front.has(one.parent)) continue;
    if (!byConstraint.has(one.constraint)) byConstraint.set(one.constraint, []);
    byConstraint.get(one.constraint).push(one);
  }
  return [...byConstraint].map(([constraint, some]) => {
    const best = some.sort((a, b) => b.score + b.heuristic - a.score - a.heuristic);
    const shown = best.slice(0, 3).map((one) => `${visible(one.action)} ${number(one.score, 2)}`).join(", ");
    const more = best.length > 3 ? ` and ${best.length - 3} more` : "";
    return make("p", {}, `Forbidden by ${visible(constraint)}: ${shown}${more}.`);
  });
}

function updateParts(data, at) {
  if (at.update === null) return [];
  if (at.update.competitors.length === 0) return [make("p", {}, "No update: nothing outranks the truth.")];
  const siblings = stateList(data, at.update.siblings);
  const competitors = stateList(data, at.update.competitors.map(([i]) => i), at.update.competitors.map(([, weight]) => weight));
  return [
    make("h3", {}, "What training would do"),
    make("p", {}, "Move towards ", ...siblings, ", away from ", ...competitors, "."),
    featureTable(summed(at.update.difference), {
      caption: "Features of the truth less those of its rivals; what pushes below zero misled the search",
    }),
  ];
}

const MOST_STATES = 8;

function stateList(data, numbers, weights = null) {
  const { trace } = data;
  const uneven = weights !== null && weights.some((weight) => weight !== weights[0]);
  const shown = numbers.slice(0, MOST_STATES).flatMap((i, place) => {
    const node = trace.nodes[i];
    const weight = uneven ? `, weight ${number(weights[place])}` : "";
    return [place ? " " : "", make("span", { class: "state" }, node.good ? "★ " : "", quoted(actionWords(data, node.action)), ` (${number(node.score, trace.digits)}${weight})`)];
  });
  return numbers.length > MOST_STATES ? [...shown, ` and ${numbers.length - MOST_STATES} more`] : shown;
}

function showDecision(data) {
  const { sides, chosen, other, difference, contributions } = data.decision;
  byId("decision-title").textContent = other?.name === "best" ? "The output beside the best one, which was missed" : other ? `Why ${sideName(chosen)}, not ${sideName(other)}` : `What speaks for ${sideName(chosen)}`;
  const digits = telling(sides.map((side) => side.score));
  const rows = sides.map((side) => sideRow(data, side, side === chosen ? other : chosen, digits));
  const between = sides.length > 2 ? `${chosen.name} − ${other?.name}` : "difference";
  if (other) rows.push(make("tr", { class: "difference" }, make("th", { scope: "row" }, between), make("td", {}), make("td", {}, signed(difference, digits))));
  const head = make("thead", {}, make("tr", {}, ...["", "actions", "score"].map((name) => make("th", { scope: "col" }, name))));
  byId("decision").replaceChildren(
    make("div", { class: "sides" }, make("table", {}, head, make("tbody", {}, ...rows))),
    ...(other ? [] : [make("p", { class: "quiet" }, "There is no other output to compare with.")]),
    featureTable(contributions, {
      caption: other ? "Features in which they differ; above zero speaks for the first" : "All its features",
      total: difference, totalName: other ? "difference" : "score", filter: true,
    }),
  );
}

function sideName(side) {
  if (side.name === "without constraints") return `the output ${side.name}`;
  return `the ${side.name}${["given", "best"].includes(side.name) ? " output" : ""}`;
}

// The actions of a side; those in which it differs from the other one are underlined.
function sideRow(data, side, other, digits) {
  const against = other && other.actions;
  const others = data.trace?.alignment === "spans" && against ? new Set(against.map(said)) : null; // they need not stand at one place
  const from = other ? Math.max(0, side.actions.findIndex((action, i) => said(action) !== said(other.actions[i])) - 20) : 0;
  const start = side.actions.length > MOST_ACTIONS ? from : 0;
  const actions = side.actions.slice(start, start + MOST_ACTIONS).map((action, place) => {
    const i = start + place;
    const differs = others ? !others.has(said(action)) : against !== null && said(action) !== said(against[i]);
    return make("li", {}, quoted(actionWords(data, action), "bdi", { class: differs && "differs" }));
  });
  if (start) actions.unshift(make("li", { class: "quiet" }, counted(start, "action before", "actions before")));
  const after = side.actions.length - start - MOST_ACTIONS;
  if (after > 0) actions.push(make("li", { class: "quiet" }, counted(after, "action after", "actions after")));
  const missed = side.name === "truth" && data.verdict.kind === "search" ? ", which was missed" : "";
  return make("tr", {}, make("th", { scope: "row" }, `${side.name}${missed}`), make("td", {}, make("ol", { class: "path" }, ...actions)), make("td", {}, number(side.score, digits)));
}
