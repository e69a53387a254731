// The search as a drawn tree.

const ROW = 24;
const BOX = 20;
const GAP = 46;
const PAD = 12;
const HEAD = 40;
const LONGEST_LABEL = 18; // characters

class Tree {
  // choose: called with the item that was clicked.
  constructor(data, box, choose) {
    this.data = data;
    this.trace = data.trace;
    this.box = box;
    this.choose = choose;
    this.columns = columnsOf(this.trace);
    this.width = boxWidth(this.columns, this.trace.digits);
    this.output = new Set(this.trace.goal === null ? [] : pathTo(this.trace, this.trace.nodes[this.trace.goal]).map((item) => item.key));
    this.plan = null;
  }

  show(step, chosen) {
    if (this.plan === null || !this.plan.complete) this.draw(step, chosen);
    const front = new Set(this.trace.steps[step].front.map((i) => this.trace.nodes[i].key));
    for (const [key, { item, group, edge, score, mark }] of this.drawn) {
      const state = this.stateOf(item, step, front);
      group.setAttribute("class", `node ${state}${key === chosen.key ? " chosen" : ""}`);
      group.setAttribute("aria-selected", String(key === chosen.key));
      group.setAttribute("tabindex", key === chosen.key ? "0" : "-1");
      mark.textContent = markOf(item, step);
      edge?.setAttribute("class", `edge ${state}`);
      if (this.trace.restarts.has(item.number)) score.textContent = number(scoreAt(this.trace, step, item), this.trace.digits);
    }
    for (const { text, made } of this.rests) text.setAttribute("class", made > step ? "more future" : "more");
    this.mark(step, chosen);
  }

  stateOf(item, step, front) {
    const now = item.made > step ? "future" : front.has(item.key) ? "front" : item.dropped <= step ? "dropped" : "";
    return `${now}${item.good ? " good" : ""}${this.output.has(item.key) ? " output" : ""}`;
  }

  draw(step, chosen) {
    const front = this.trace.steps[step].front.map((i) => this.trace.nodes[i]);
    const needed = new Set([...front, ...pathTo(this.trace, chosen)].map((item) => item.key).concat([...this.output]));
    this.plan = layout(this.columns, needed, columnOf(this.trace, front[0]));
    this.drawn = new Map();
    this.rests = [];
    this.at = new Map();
    this.plan.columns.forEach((column, c) => column.items.forEach((item, row) => {
      this.at.set(item.key, { x: PAD + c * (this.width + GAP), y: PAD + row * ROW, c });
    }));
    const size = this.size();
    this.edges = draw("g", { "aria-hidden": "true" });
    this.band = draw("rect", { class: "band", y: 0, width: this.width + GAP / 2, height: size.height });
    this.trail = draw("path", { class: "trail" });
    const nodes = draw("g", { role: "tree", "aria-label": "States of the search, by depth" });
    this.plan.columns.forEach((column) => this.drawColumn(column, nodes));
    const heads = draw("svg", { class: "tree-heads", width: size.width, height: HEAD, "aria-hidden": "true" }, ...this.headings());
    const tree = draw("svg", { class: "tree", ...size, viewBox: `0 0 ${size.width} ${size.height}` }, this.band, this.trail, this.edges, nodes);
    this.box.replaceChildren(heads, tree);
    this.moved = false; // what was in view is another part of the tree
  }

  size() {
    const rows = Math.max(1, ...this.plan.columns.map((column) => column.items.length + (column.more ? 1 : 0)));
    return { width: 2 * PAD + this.plan.columns.length * (this.width + GAP) - GAP, height: 2 * PAD + rows * ROW };
  }

  drawColumn(column, nodes) {
    for (const item of column.items) nodes.append(this.drawItem(item));
    if (column.more) {
      const x = PAD + this.plan.columns.indexOf(column) * (this.width + GAP) + 8;
      const text = draw("text", { class: "more", role: "none", x, y: PAD + column.items.length * ROW + 14 }, `and ${column.more.toLocaleString("en")} more`);
      this.rests.push({ text, made: column.items.reduce((first, item) => Math.min(first, item.made), Infinity) });
      nodes.append(text);
    }
  }

  drawItem(item) {
    const { x, y } = this.at.get(item.key);
    const score = draw("text", { class: "score", x: this.width - 7, y: 14.5 }, number(item.score, this.trace.digits));
    const mark = draw("tspan", { class: "mark" });
    const group = draw("g", {
      role: "treeitem", transform: `translate(${x} ${y})`, "aria-level": item.depth + 1, "aria-label": this.described(item),
      click: () => this.choose(item),
    }, draw("title", {}, this.described(item)), draw("rect", { width: this.width, height: BOX, rx: 5 }),
    draw("text", { class: "label", x: 8, y: 14.5 }, mark, labelOf(item, LONGEST_LABEL)), score);
    const edge = this.drawEdge(item);
    this.drawn.set(item.key, { item, group, edge, score, mark });
    return group;
  }

  drawEdge(item) {
    const from = item.parent === null ? undefined : this.at.get(this.trace.nodes[item.parent].key);
    if (from === undefined) return null;
    const edge = draw("path", { d: this.curve(from, this.at.get(item.key)) });
    this.edges.append(edge);
    return edge;
  }

  curve(from, to) {
    const [x1, y1, x2, y2] = [from.x + this.width, from.y + BOX / 2, to.x, to.y + BOX / 2];
    const bend = Math.min(GAP, x2 - x1) / 2;
    return `M${x1} ${y1}L${x2 - 2 * bend} ${y1}C${x2 - bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }

  headings() {
    const losses = new Map(this.data.verdict.losses.map((loss) => [columnOf(this.trace, this.trace.nodes[this.trace.steps[loss.step].front[0]]), loss]));
    return this.plan.columns.flatMap((column, c) => {
      const x = PAD + c * (this.width + GAP);
      const most = Math.floor(this.width / 7);
      return [
        draw("text", { class: "head", x: x + 2, y: 17 }, short(headOf(this.data, column.number), most)),
        losses.has(column.number) ? draw("text", { class: "lost", x: x + 2, y: 33 }, losses.get(column.number).how === "wrong goal" ? "✂ wrong goal" : "✂ truth lost") : null,
      ].filter(Boolean);
    });
  }

  described(item) {
    const what = item.parent === null ? "start" : visible(item.action);
    const fate = item.number === null ? (item.merged ? ", merged into a better path" : ", cut") : item.dropped < Infinity ? ", dropped" : "";
    const span = coveredBy(this.data, item);
    return `${what}${span ? ` “${span}”` : ""}, score ${number(item.score, this.trace.digits)}${item.good ? ", y-good" : ""}${fate}${this.output.has(item.key) ? ", on the path of the output" : ""}`;
  }

  // The front's column, and the way to the chosen state.
  mark(step, chosen) {
    const front = this.at.get(this.trace.nodes[this.trace.steps[step].front[0]].key);
    if (front) this.band.setAttribute("x", front.x - GAP / 4);
    this.band.classList.toggle("future", !front);
    const places = pathTo(this.trace, chosen).map((item) => this.at.get(item.key));
    const parts = places.slice(1).map((to, i) => (places[i] && to ? this.curve(places[i], to) : ""));
    this.trail.setAttribute("d", parts.join(""));
    this.scrollTo(this.at.get(chosen.key) ?? front);
  }

  scrollTo(place) {
    if (!place) return;
    const { clientWidth, clientHeight, scrollTop } = this.box;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || !this.moved;
    const [top, bottom] = [place.y, place.y + HEAD + ROW + PAD];
    const y = top < scrollTop ? top - PAD : bottom > scrollTop + clientHeight ? bottom - clientHeight : scrollTop;
    this.box.scrollTo({ left: place.x - Math.max(PAD, clientWidth * 0.62 - this.width / 2), top: y, behavior: still ? "instant" : "smooth" });
    this.moved = true;
  }

  focusChosen(chosen) {
    this.drawn.get(chosen.key)?.group.focus({ preventScroll: true });
  }
}

// ×: dropped by now; ★: y-good.
function markOf(item, step) {
  const mark = `${item.dropped < Infinity && item.dropped <= step ? "×" : ""}${item.good ? "★" : ""}`;
  return mark && `${mark} `;
}

function labelOf(item, most) {
  return item.parent === null ? "start" : short(item.action, most);
}

// Wide enough for the longest label and its score.
function boxWidth(columns, digits) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  let widest = 0;
  for (const { nodes, cuts } of columns) {
    for (const item of [...nodes.slice(0, 200), ...cuts.slice(0, 200)]) {
      const text = `${markOf(item, Infinity)} ${labelOf(item, LONGEST_LABEL)}  ${number(item.score, digits)}`;
      widest = Math.max(widest, context.measureText(text).width);
    }
  }
  return Math.ceil(Math.min(Math.max(widest + 26, 84), 240));
}

// What stands above a column: the token that it labels, or the number of operations so far.
function headOf(data, column) {
  const { trace, input } = data;
  if (column === 0) return "start";
  if (trace.alignment === "tokens" || trace.byPrefix) return column <= input.length ? said(input[column - 1]) : "end";
  return `depth ${column}`;
}

// The tokens of a segment such as NP[2:5].
function coveredBy(data, item) {
  const span = data.trace.alignment === "segments" ? SEGMENT.exec(said(item.action)) : null;
  return span ? data.input.slice(Number(span[1]), Number(span[2])).map(visible).join(" ") : "";
}
