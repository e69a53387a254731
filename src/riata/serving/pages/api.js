// The page of the API: shows what openapi.json says, and sends requests to /predict.

const PREDICT = "predict"; // paths are relative: the server may have a prefix before a proxy

// A schema in a few words, such as "list of string".
function kind(schema, parts) {
  if (schema.$ref) return kind(parts[schema.$ref.split("/").pop()], parts);
  if (schema.anyOf) return [...new Set(schema.anyOf.filter((one) => one.type !== "null").map((one) => kind(one, parts)))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.type === "array") return `list of ${kind(schema.items || {}, parts)}`;
  return schema.title && schema.properties ? schema.title : schema.type || "any";
}

function bounds(schema) {
  const all = [schema, ...(schema.anyOf || [])];
  const least = all.find((one) => one.minimum !== undefined), most = all.find((one) => one.maximum !== undefined);
  return [least ? `from ${least.minimum}` : "", most ? `to ${most.maximum}` : ""].filter(Boolean).join(" ");
}

function table(caption, heads, rows) {
  const body = rows.map((cells) => made("tr", {}, made("th", { scope: "row" }, cells[0]), ...cells.slice(1).map((cell) => made("td", {}, cell))));
  const head = made("tr", {}, ...heads.map((text) => made("th", { scope: "col" }, text)));
  return made("div", { class: "scroll" }, made("table", {}, made("caption", { class: "unseen" }, caption), made("thead", {}, head), made("tbody", {}, ...body)));
}

function typed(text) {
  return made("span", { class: text.length > 24 ? "type long" : "type" }, text);
}

function fields(schema, parts) {
  return Object.entries(schema.properties || {}).map(([name, field]) => [
    made("code", {}, name),
    typed([kind(field, parts), bounds(field)].filter(Boolean).join(", ")),
    field.description || "",
  ]);
}

function tryIt(example) {
  const text = made("textarea", { id: "body", spellcheck: "false" });
  text.value = JSON.stringify(example, null, 2);
  const answer = made("pre", { id: "answer", tabindex: "0", "aria-live": "polite", "aria-label": "Answer" }, "The answer comes here.");
  const button = made("button", { type: "submit", class: "main" }, "Send");
  const form = made("form", { class: "try" }, made("label", { for: "body" }, "Body, as JSON"), text, made("div", {}, button), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      answer.textContent = JSON.stringify(await fetched(PREDICT, JSON.parse(text.value)), null, 2);
    } catch (error) {
      answer.textContent = error.message;
    }
  });
  return form;
}

function operation(path, method, about, parts) {
  const content = [made("h2", {}, made("span", { class: "method" }, method.toUpperCase()), made("code", {}, path)), made("p", {}, ...prose(about.description || about.summary))];
  const body = about.requestBody?.content["application/json"].schema;
  if (body) {
    const schema = parts[body.$ref.split("/").pop()];
    content.push(made("h3", {}, "Body"), made("p", { class: "quiet small" }, ...prose(schema.description)), table("Fields of the body", ["field", "type", "meaning"], fields(schema, parts)));
    const example = schema.examples[0];
    const curl = `curl -s ${new URL(path.slice(1), location.href)} -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`;
    content.push(made("h3", {}, "Try it"), tryIt(example), made("h3", {}, "From a shell"), made("pre", { tabindex: "0", "aria-label": "Command" }, curl));
  }
  if (about.parameters) {
    content.push(made("h3", {}, "Parameters"), table("Parameters", ["name", "type"], about.parameters.map((one) => [made("code", {}, one.name), made("span", { class: "type" }, kind(one.schema, parts))])));
  }
  if (Object.keys(about.responses).length === 1) return section(path, method, content);
  const answers = Object.entries(about.responses).map(([status, response]) => [made("code", {}, status), status === "200" ? "The answer." : response.description]);
  content.push(made("h3", {}, "Answers"), table("Answers", ["status", "meaning"], answers));
  return section(path, method, content);
}

function section(path, method, content) {
  return made("section", { class: "panel operation", "aria-label": `${method.toUpperCase()} ${path}` }, ...content);
}

// A text in which `words` between backticks are code.
function prose(text) {
  return (text || "").split("`").map((part, i) => (i % 2 ? made("code", {}, part) : part));
}

async function show() {
  try {
    const described = await fetched("openapi.json");
    const parts = described.components.schemas;
    for (const [path, methods] of Object.entries(described.paths)) {
      for (const [method, about] of Object.entries(methods)) byId("operations").append(operation(path, method, about, parts));
    }
  } catch (error) {
    byId("notice").textContent = error.message;
    byId("notice").hidden = false;
  }
}

show();
