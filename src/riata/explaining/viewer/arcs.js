// The arcs of a tree that was not searched: for every token its head, the runner-up, and the features of the arc.

function showArcs(data) {
  const features = make("div", { id: "arc-features" });
  const names = ["token", "head", "score", "runner-up", "margin", ...(data.arcs.some((arc) => arc.confidence !== null) ? ["confidence"] : [])];
  const rows = data.arcs.map((arc, i) => arcRow(data, arc, i, names, features));
  const head = make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name))));
  const told = make("p", { class: "quiet" }, "Runner-up: the head in the best tree in which the token has another one. Margin: by how much that tree scores lower.");
  byId("arcs").replaceChildren(told, make("div", { class: "sides" }, make("table", {}, head, make("tbody", {}, ...rows))), features);
  if (data.arcs.length) showArcFeatures(data, 0, features);
}

function arcRow(data, arc, i, names, features) {
  const word = quoted(data.input[i], "button", { class: "word", type: "button", title: `The features of the arc of token ${i + 1}`, click: () => showArcFeatures(data, i, features) });
  const cells = {
    head: headWords(data, arc.head, arc.relation),
    score: number(arc.score, 3),
    "runner-up": arc.other_head === null ? "" : headWords(data, arc.other_head, arc.other_relation),
    margin: arc.margin === null ? "" : signed(arc.margin, 3),
    confidence: arc.confidence === null ? "" : number(arc.confidence, 2),
  };
  return make("tr", {}, make("th", { scope: "row" }, `${i + 1} `, word), ...names.slice(1).map((name) => make("td", {}, cells[name])));
}

function headWords(data, head, relation) {
  return make("span", {}, `${head} `, head === 0 ? "root" : quoted(data.input[head - 1]), ", ", quoted(relation));
}

function showArcFeatures(data, i, box) {
  const arc = data.arcs[i];
  box.replaceChildren(
    make("h3", {}, `Token ${i + 1} `, quoted(data.input[i])),
    featureTable(arc.features, { caption: "Features of the arc and its relation", total: arc.score, totalName: "score of the arc" }),
  );
}
