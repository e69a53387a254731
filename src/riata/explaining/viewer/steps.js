// Where the reader is: a step and a chosen state; slider, buttons and keys move both.

class Steps {
  constructor(data) {
    this.data = data;
    this.trace = data.trace;
    this.last = this.trace.steps.length - 1;
    this.losses = data.verdict.losses.map((loss) => loss.step);
    this.step = this.losses[0] ?? this.last;
    this.chosen = this.best();
  }

  // Draws the search, the first time that it is asked to.
  begin() {
    if (this.tree) return;
    for (const id of ["search", "node-panel", "step-panel"]) byId(id).hidden = false;
    this.tree = new Tree(this.data, byId("tree-box"), (item) => { this.choose(item); this.tree.focusChosen(item); });
    byId("slider").max = this.last;
    byId("slider").addEventListener("input", (event) => this.to(Number(event.target.value)));
    for (const [id, act] of Object.entries(this.actions())) byId(id).addEventListener("click", act);
    byId("svg-button").addEventListener("click", () => saveSvg(this.tree, this.step));
    byId("loss").hidden = this.losses.length === 0;
    this.markLosses();
    showLegend(this.trace);
    document.addEventListener("keydown", (event) => this.pressed(event));
    this.refresh();
  }

  actions() {
    return {
      first: () => this.to(0), back: () => this.to(this.step - 1), forward: () => this.to(this.step + 1), last: () => this.to(this.last),
      up: () => this.move(-1), down: () => this.move(1), loss: () => this.nextLoss(),
    };
  }

  pressed(event) {
    const typing = event.target.matches("input:not([type=range])");
    if (typing && event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const { first, back, forward, last, up, down, loss } = this.actions();
    const help = () => byId("help").showModal();
    const act = { Home: first, ArrowLeft: back, ArrowRight: forward, End: last, ArrowUp: up, ArrowDown: down, l: loss, L: loss, "?": help }[event.key];
    if (!act) return;
    event.preventDefault();
    const inTree = byId("tree-box").contains(document.activeElement);
    act();
    if (inTree) this.tree.focusChosen(this.chosen);
  }

  best() {
    return this.trace.nodes[this.trace.steps[this.step].front[0]];
  }

  to(step) {
    const next = Math.max(0, Math.min(step, this.last));
    if (next === this.step) return;
    this.step = next;
    this.chosen = this.best();
    this.refresh();
  }

  choose(item) {
    this.chosen = item;
    this.refresh();
  }

  // Another state of the front; from elsewhere, its first.
  move(by) {
    const front = this.trace.steps[this.step].front;
    const place = front.indexOf(this.chosen.number);
    const next = place < 0 ? 0 : Math.max(0, Math.min(place + by, front.length - 1));
    this.choose(this.trace.nodes[front[next]]);
  }

  nextLoss() {
    if (this.losses.length) this.to(this.losses.find((step) => step > this.step) ?? this.losses[0]);
  }

  // The first step whose front has a state that ends with the token.
  toToken(token) {
    const ends = (i) => this.endOf(this.trace.nodes[i]) > token;
    const step = this.trace.steps.findIndex((one) => one.front.some(ends));
    this.to(step < 0 ? this.last : step);
  }

  endOf(node) {
    const span = SEGMENT.exec(said(node.action));
    return this.trace.alignment === "spans" ? Number(span?.[2] ?? 0) : node.depth;
  }

  refresh() {
    this.tree.show(this.step, this.chosen);
    showNode(this.data, this.step, this.chosen);
    showStep(this.data, this.step);
    const text = stepText(this.data, this.step);
    byId("step-text").textContent = text;
    byId("slider").value = this.step;
    byId("slider").setAttribute("aria-valuetext", text);
    for (const id of ["first", "back"]) byId(id).disabled = this.step === 0;
    for (const id of ["forward", "last"]) byId(id).disabled = this.step === this.last;
  }

  markLosses() {
    byId("marks").replaceChildren(...this.losses.map((step) => {
      const mark = make("span", { class: "loss-mark" });
      mark.style.setProperty("--at", this.last ? step / this.last : 0);
      return mark;
    }));
  }
}

function stepText(data, step) {
  const { trace } = data;
  const at = trace.steps[step];
  const best = trace.nodes[at.front[0]];
  const head = trace.alignment === "tokens" && best.depth > 0 ? ` at “${visible(headOf(data, best.depth))}”` : "";
  const name = best.parent === null ? "start" : actionWords(data, best.action);
  const loss = data.verdict.losses.find((one) => one.step === step);
  const lost = loss ? ` ${visible(loss.text)}` : at.wrong ? " A wrong goal comes first." : "";
  const again = at.restart.length ? " The search restarts from the truth." : "";
  const end = step === trace.steps.length - 1 ? " The search ends here." : "";
  return `Step ${step} of ${trace.steps.length - 1}: ${counted(at.front.length, "state", "states")}${head}, best ${name} with score ${scoreWords(trace, best, step)}.${lost}${again}${end}`;
}

function showLegend(trace) {
  const known = trace.truth !== null;
  const entries = [
    known ? ["good", "★ y-good: the truth can still be reached"] : null,
    trace.goal === null ? null : ["output", "path of the output"],
    ["dropped", "× cut or pruned"],
    trace.restarts.size ? ["restart", "↻ the search restarted from it"] : null,
    trace.nodes.some((node) => node.aside && !node.cut && !node.again) ? ["aside", "never in the queue: what training's update would use"] : null,
    trace.steps.some((step) => step.margin) ? ["none", "0.20 → 0.15: score g, and what the queue ranked by, g less the margin"]
      : trace.nodes.some((node) => node.heuristic) ? ["none", "0.20 → 0.15: score g, and what the queue ranked by, g + h"] : null,
    ["chosen", "chosen state and its path"],
  ].filter(Boolean);
  byId("legend").replaceChildren(...entries.map(([kind, text]) => make("span", { class: "entry" }, kind === "none" ? null : make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text)));
}
