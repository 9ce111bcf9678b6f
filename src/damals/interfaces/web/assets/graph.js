// Draws a graph and unfolds it. The list below the drawing says the same without JavaScript.
(() => {
  "use strict";
  const places = new Map(); // where nodes stood, so that scrubbing through time moves no more than it must
  const SEED_STEP = 2.399963; // the golden angle, in radians: neighbours begin spread out, always alike
  let drawing = null;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function style() {
    const [ink, soft, card, valid, known, accent] = ["--ink", "--soft", "--card", "--valid", "--known", "--accent"].map(colour);
    return [
      { selector: "node", style: {
        "label": "data(label)", "color": ink, "font-size": 12, "text-wrap": "wrap", "text-max-width": 130,
        "text-valign": "bottom", "text-margin-y": 5, "background-color": valid, "width": 20, "height": 20,
        "text-background-color": card, "text-background-opacity": 0.8, "text-background-padding": 2, "min-zoomed-font-size": 7,
      } },
      { selector: "node[?gone]", style: { "background-color": card, "border-width": 2, "border-style": "dashed", "border-color": soft, "color": soft } },
      { selector: "node[?possible]", style: { "background-color": card, "border-width": 3, "border-style": "dashed", "border-color": known } },
      { selector: "node[?root]", style: { "width": 32, "height": 32, "font-weight": "bold", "border-width": 4, "border-color": accent } },
      { selector: "node[?more]", style: { "shape": "round-diamond" } },
      { selector: "node:selected", style: { "background-color": accent } },
      { selector: "edge", style: {
        "width": 1.4, "line-color": soft, "line-opacity": 0.55, "curve-style": "bezier", "target-arrow-color": soft, "target-arrow-shape": "triangle",
        "arrow-scale": 0.8, "font-size": 10, "color": soft, "text-rotation": "autorotate",
        "text-background-color": card, "text-background-opacity": 0.85, "text-background-padding": 2, "min-zoomed-font-size": 8,
      } },
      { selector: "edge[?symmetric]", style: { "target-arrow-shape": "none" } },
      { selector: "edge[?derived]", style: { "line-style": "dashed" } },
      { selector: "edge:selected, edge.near", style: { "label": "data(type)", "line-color": accent, "target-arrow-color": accent, "line-opacity": 1, "color": ink, "width": 2 } },
      { selector: ".labelled", style: { "label": "data(type)" } },
    ];
  }

  const labelled = (title) => (title.length > 42 ? title.slice(0, 41).trimEnd() + "…" : title);

  function elements(told, root) {
    const nodes = told.nodes.map((node, at) => ({
      group: "nodes",
      data: { ...node, label: labelled(node.title || node.id), root: node.id === root, gone: node.certainty === null,
        possible: node.certainty === "possible", more: node.left_out === null || node.left_out > 0 },
      position: places.get(node.id) || seed(node.hops, at),
    }));
    const edges = told.edges.map((edge) => ({
      group: "edges", data: { ...edge, source: edge.src_id, target: edge.dst_id },
    }));
    return [...nodes, ...edges];
  }

  function seed(hops, at) {
    const far = hops * 160 + at;
    return { x: far * Math.cos(at * SEED_STEP), y: far * Math.sin(at * SEED_STEP) };
  }

  function settle(graph) {
    const many = graph.nodes().length;
    graph.layout({
      name: "cose", animate: false, randomize: false, fit: true, padding: 30, nodeDimensionsIncludeLabels: true,
      idealEdgeLength: () => 90, nodeRepulsion: () => 60000, gravity: 0.6, numIter: many > 80 ? 400 : 900,
    }).run();
    graph.nodes().forEach((node) => places.set(node.id(), { ...node.position() }));
    const kinds = new Set(graph.edges().map((edge) => edge.data("type")));
    graph.edges().toggleClass("labelled", kinds.size > 1 && graph.edges().length <= 40);
    if (graph.zoom() > 1.4) { graph.zoom(1.4); graph.center(); }
  }

  // Called with what each part needs: the box in the page, and the drawing.
  function tell(box, node) {
    const about = box.querySelector(".graph-node");
    const part = (name) => about.querySelector(`[data-node="${name}"]`);
    const told = node.data();
    box.querySelector("#graph-choice").value = node.id();
    about.hidden = false;
    box.querySelector(".graph-hint").hidden = true;
    part("page").textContent = told.title || told.id;
    part("page").href = told.page;
    part("centre").href = told.centre;
    part("status").textContent = told.status_text;
    part("type").textContent = told.type || "";
    part("left-out").hidden = !told.left_out;
    part("left-out").textContent = part("left-out").dataset.text.replace("#", told.left_out);
    part("expand").hidden = told.unresolved || !told.more;
    part("expand").onclick = () => unfold(box, node);
  }

  async function unfold(box, node) {
    const graph = node.cy();
    const about = new URLSearchParams({ id: node.id(), depth: "1" });
    for (const [name, value] of [["as_of", box.dataset.asOf], ["known_at", box.dataset.knownAt], ["type", box.dataset.type]]) {
      if (value) about.set(name, value);
    }
    const told = await ask(`${box.dataset.about}?${about}`);
    if (!told) return;
    const room = told.most - graph.nodes().length;
    const fresh = told.nodes.filter((one) => graph.getElementById(one.id).empty());
    const taken = new Set(fresh.slice(0, Math.max(room, 0)).map((one) => one.id));
    const here = (id) => taken.has(id) || graph.getElementById(id).nonempty();
    fresh.forEach((one, at) => {
      const centre = node.position();
      const begin = seed(1, at);
      if (!places.has(one.id)) places.set(one.id, { x: centre.x + begin.x / 2, y: centre.y + begin.y / 2 });
    });
    const nodes = fresh.filter((one) => taken.has(one.id));
    const edges = told.edges.filter((one) => graph.getElementById(one.id).empty() && here(one.src_id) && here(one.dst_id));
    graph.add(elements({ nodes, edges }, null));
    const left = fresh.length - nodes.length + (told.nodes[0].left_out || 0);
    node.data({ left_out: left, more: left > 0 });
    const full = box.querySelector(".graph-full");
    full.hidden = fresh.length === nodes.length;
    full.textContent = box.dataset.full;
    tell(box, node);
    if (nodes.length || edges.length) settle(graph);
    offer(box, graph);
  }

  // The same choice as in the drawing, for those who do not use a pointer.
  function offer(box, graph) {
    const choice = box.querySelector("#graph-choice");
    const chosen = choice.value;
    const options = graph.nodes().map((node) => new Option(node.data("title") || node.id(), node.id()));
    choice.replaceChildren(choice.options[0], ...options);
    choice.value = chosen;
    choice.onchange = () => {
      graph.elements().unselect();
      if (choice.value) graph.getElementById(choice.value).select();
    };
    box.dataset.nodes = String(graph.nodes().length);
  }

  async function ask(address) {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok ? answer.json() : null;
  }

  async function draw(box) {
    box.dataset.drawn = "yes";
    const told = await ask(box.dataset.graph);
    if (!told || !box.isConnected) return;
    if (drawing) drawing.destroy();
    box.hidden = false;
    drawing = window.cytoscape({
      container: box.querySelector(".graph-canvas"), elements: elements(told, told.id), style: style(),
      layout: { name: "preset" }, minZoom: 0.15, maxZoom: 3, boxSelectionEnabled: false,
    });
    const graph = drawing;
    settle(graph);
    graph.on("select", "node", (event) => {
      event.target.connectedEdges().addClass("near");
      tell(box, event.target);
    });
    graph.on("unselect", "node", (event) => event.target.connectedEdges().removeClass("near"));
    graph.on("dragfree", "node", (event) => places.set(event.target.id(), { ...event.target.position() }));
    box.querySelector("[data-graph-fit]").onclick = () => graph.fit(undefined, 30);
    offer(box, graph);
  }

  const ready = () => document.querySelectorAll("[data-graph]").forEach((box) => { if (!box.dataset.drawn) draw(box); });
  document.addEventListener("DOMContentLoaded", ready);
  document.addEventListener("htmx:after:swap", ready);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (drawing) drawing.style(style()); });
})();
