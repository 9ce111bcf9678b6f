// Pointing at the plane: two lines follow, and a click looks from there. Without it, its versions are links.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";

  // Where the axis is crossed at a place: between two knots time runs evenly.
  function instant(points, place) {
    const rising = points[points.length - 1][0] >= points[0][0];
    const order = rising ? points : [...points].reverse();
    if (place <= order[0][0]) return order[0][1];
    for (let i = 1; i < order.length; i += 1) {
      const [end, last] = order[i];
      const [start, first] = order[i - 1];
      if (place <= end) return first + ((last - first) * (place - start)) / (end - start);
    }
    return order[order.length - 1][1];
  }

  // As people write it: the day where a pixel is hours, else with its time.
  function told(points, place, zone) {
    const at = instant(points, place);
    const pixel = Math.abs(instant(points, place + 1) - instant(points, place - 1)) / 2;
    const text = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(at);
    if (pixel > 3600000) return text.slice(0, 10);
    if (pixel > 60000) return text.slice(0, 16);
    // A young archive has seconds: what is cut off must not lead out of the version pointed at.
    return pixel > 1000 ? text : `${text}.${String(Math.floor(at) % 1000).padStart(3, "0")}`;
  }

  function bind(svg) {
    const [left, top, right, bottom] = JSON.parse(svg.dataset.box);
    const valid = JSON.parse(svg.dataset.valid);
    const known = JSON.parse(svg.dataset.known);
    const form = document.querySelector("form[data-pair]");
    const ghost = svg.querySelector(".ghost");
    const lines = ghost.querySelectorAll("line");
    const told_valid = document.createElementNS(SVG, "text");
    const told_known = document.createElementNS(SVG, "text");
    told_valid.setAttribute("class", "valid");
    told_known.setAttribute("class", "known");
    ghost.append(told_valid, told_known);

    function place(event) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return point.x >= left && point.x <= right && point.y >= top && point.y <= bottom ? point : null;
    }
    svg.addEventListener("pointermove", (event) => {
      const at = event.pointerType === "touch" ? null : place(event);
      ghost.toggleAttribute("hidden", !at);
      if (!at) return;
      lines[0].setAttribute("x1", at.x); lines[0].setAttribute("x2", at.x);
      lines[1].setAttribute("y1", at.y); lines[1].setAttribute("y2", at.y);
      const late = at.x > (left + right) / 2;
      told_valid.setAttribute("x", at.x + (late ? -6 : 6)); told_valid.setAttribute("y", bottom - 6);
      told_valid.setAttribute("text-anchor", late ? "end" : "start");
      told_known.setAttribute("x", left + 6); told_known.setAttribute("y", at.y - 6);
      told_valid.textContent = told(valid, at.x, svg.dataset.zone);
      told_known.textContent = told(known, at.y, svg.dataset.zone);
    });
    svg.addEventListener("pointerleave", () => ghost.setAttribute("hidden", ""));
    svg.addEventListener("click", (event) => {
      const at = place(event);
      // Enter on a version has no place: it goes where the link leads.
      if (!form || !at || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      form.elements.as_of.value = told(valid, at.x, svg.dataset.zone);
      form.elements.known_at.value = told(known, at.y, svg.dataset.zone);
      form.elements.as_of.dispatchEvent(new Event("change"));
      form.elements.known_at.dispatchEvent(new Event("change"));
      form.requestSubmit();
    });
  }

  function ready() {
    document.querySelectorAll("svg[data-plane]").forEach((svg) => {
      if (svg.dataset.bound) return;
      svg.dataset.bound = "yes";
      bind(svg);
    });
  }
  document.addEventListener("DOMContentLoaded", ready);
  document.addEventListener("htmx:after:swap", ready);
})();
