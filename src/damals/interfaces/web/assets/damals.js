// What pages can do more with JavaScript. Without it every page reads and every form works.
(() => {
  "use strict";
  const DAY_MS = 86400000;

  // A slider writes a day into its clock's field; the right end is "now", an empty field.
  function bind(slider) {
    const field = document.getElementById(slider.dataset.for);
    if (!field) return;
    slider.hidden = false;
    const first = Date.parse(slider.dataset.first + "T00:00:00Z");
    const now = slider.dataset.now;
    const dayAt = (value) => new Date(first + Number(value) * DAY_MS).toISOString().slice(0, 10);
    const tell = () => slider.setAttribute("aria-valuetext", field.value || field.placeholder);
    slider.addEventListener("input", () => {
      field.value = dayAt(slider.value) === now ? "" : dayAt(slider.value);
      tell();
    });
    slider.addEventListener("change", () => field.dispatchEvent(new Event("change", { bubbles: true })));
    field.addEventListener("change", () => {
      const at = field.value ? Date.parse(field.value) : Date.parse(now);
      if (!Number.isNaN(at)) slider.value = String(Math.round((at - first) / DAY_MS));
      tell();
    });
    tell();
  }

  function ready(root) {
    root.querySelectorAll("input.slider").forEach((slider) => {
      if (!slider.dataset.bound) { slider.dataset.bound = "yes"; bind(slider); }
    });
    // A form that asks to be sent when one of its fields changes.
    root.querySelectorAll("form[data-live]").forEach((form) => {
      if (form.dataset.bound) return;
      form.dataset.bound = "yes";
      form.addEventListener("change", () => form.requestSubmit());
    });
    root.querySelectorAll("[data-confirm]").forEach((one) => {
      if (one.dataset.bound) return;
      one.dataset.bound = "yes";
      one.addEventListener("click", (event) => { if (!window.confirm(one.dataset.confirm)) event.preventDefault(); });
    });
    root.querySelectorAll("[data-print]").forEach((one) => { one.hidden = false; one.onclick = () => window.print(); });
  }
  document.addEventListener("DOMContentLoaded", () => ready(document));
  document.addEventListener("htmx:after:swap", () => ready(document));
})();
